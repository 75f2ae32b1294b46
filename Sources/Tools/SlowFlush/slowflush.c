// Makes each flush of a process take longer by PAYSTREAM_FLUSH_MICROSECONDS, as on a disk that really waits: for LD_PRELOAD.
#define _GNU_SOURCE
#include "slowflush.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

static useconds_t delay;
static int (*flush_all)(int);
static int (*flush_data)(int);

__attribute__((constructor)) static void prepare(void) {
    const char *text = getenv("PAYSTREAM_FLUSH_MICROSECONDS");
    delay = text ? (useconds_t)strtoul(text, NULL, 10) : 0;
    flush_all = dlsym(RTLD_NEXT, "fsync");
    flush_data = dlsym(RTLD_NEXT, "fdatasync");
}

int fsync(int file) {
    usleep(delay);
    return flush_all(file);
}

int fdatasync(int file) {
    usleep(delay);
    return flush_data(file);
}
