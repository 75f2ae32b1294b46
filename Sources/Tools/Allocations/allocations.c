// Counts what a program allocates: a library to be loaded before the program's own (LD_PRELOAD).
//
// PAYSTREAM_ALLOCATIONS=FOLDER        each process counts in FOLDER/PID (`allocation_counts`)
// PAYSTREAM_ALLOCATION_INTERVAL=N     every Nth call leaves its stack behind the counters, for deploy/allocation-sites.py;
//                                     the process leaves its memory map in FOLDER/PID.maps when it ends
//
// A folder that can't be written is the same as none: a program under measurement runs as it would otherwise.
#define _GNU_SOURCE
#include "allocations.h"
#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// What these functions stand in front of: the allocator of the program, or the C library's.
static void *(*next_malloc)(size_t);
static void *(*next_calloc)(size_t, size_t);
static void *(*next_realloc)(void *, size_t);
static void *(*next_aligned_alloc)(size_t, size_t);
static int (*next_posix_memalign)(void **, size_t, size_t);

// The loader may allocate before anything of ours began.
static void *find(void **known, const char *name) {
    void *found = __atomic_load_n(known, __ATOMIC_RELAXED);
    if (found) return found;
    found = dlsym(RTLD_NEXT, name);
    if (!found) abort();
    __atomic_store_n(known, found, __ATOMIC_RELAXED);
    return found;
}
#define NEXT(name) ((__typeof__(next_##name))find((void **)&next_##name, #name))

struct page {
    struct allocation_counts counts;
    void *stacks[][allocation_stack_depth];
};

// Null outside of a measurement.
static struct page *page;
static char maps[4096];
static __thread int is_inside;

__attribute__((constructor)) static void begin(void) {
    const char *folder = getenv("PAYSTREAM_ALLOCATIONS");
    if (!folder) return;
    const char *text = getenv("PAYSTREAM_ALLOCATION_INTERVAL");
    unsigned long interval = text ? strtoul(text, NULL, 10) : 0;
    char name[4096];
    if (snprintf(name, sizeof name, "%s/%d", folder, getpid()) >= (int)sizeof name) return;
    size_t size = sizeof(struct page) + (interval ? sizeof(void *) * allocation_stack_depth * allocation_stack_limit : 0);
    int file = open(name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0) return;
    void *map = ftruncate(file, (off_t)size) ? MAP_FAILED : mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (map == MAP_FAILED) return;
    if (interval) snprintf(maps, sizeof maps, "%s.maps", name);
    struct page *made = map;
    made->counts.interval = interval;
    __atomic_store_n(&page, made, __ATOMIC_RELEASE);
}

static void keep_stack(struct page *page) {
    if (is_inside) return;
    is_inside = 1;
    unsigned long place = __atomic_fetch_add(&page->counts.stacks, 1, __ATOMIC_RELAXED);
    if (place < allocation_stack_limit) backtrace(page->stacks[place], allocation_stack_depth);
    is_inside = 0;
}

static void count(size_t size) {
    struct page *known = __atomic_load_n(&page, __ATOMIC_ACQUIRE);
    if (!known) return;
    unsigned long number = __atomic_add_fetch(&known->counts.calls, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&known->counts.bytes, size, __ATOMIC_RELAXED);
    if (known->counts.interval && number % known->counts.interval == 0) keep_stack(known);
}

void *malloc(size_t size) {
    count(size);
    return NEXT(malloc)(size);
}

void *calloc(size_t number, size_t size) {
    count(number * size);
    return NEXT(calloc)(number, size);
}

void *realloc(void *old, size_t size) {
    count(size);
    return NEXT(realloc)(old, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    count(size);
    return NEXT(aligned_alloc)(alignment, size);
}

int posix_memalign(void **out, size_t alignment, size_t size) {
    count(size);
    return NEXT(posix_memalign)(out, alignment, size);
}

// An allocator brings C++'s `new` with it, which would pass by what is counted: the plain one, of arrays, and those that throw nothing.
void *_Znwm(size_t size) {
    void *made = malloc(size);
    if (!made) abort();
    return made;
}

void *_Znam(size_t size) { return _Znwm(size); }
void *_ZnwmRKSt9nothrow_t(size_t size, const void *nothing) { return (void)nothing, malloc(size); }
void *_ZnamRKSt9nothrow_t(size_t size, const void *nothing) { return (void)nothing, malloc(size); }

__attribute__((destructor)) static void end(void) {
    if (!maps[0]) return;
    int from = open("/proc/self/maps", O_RDONLY | O_CLOEXEC), to = open(maps, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    char bytes[4096];
    for (ssize_t length; from >= 0 && to >= 0 && (length = read(from, bytes, sizeof bytes)) > 0;)
        if (write(to, bytes, (size_t)length) != length) break;
    if (from >= 0) close(from);
    if (to >= 0) close(to);
}
