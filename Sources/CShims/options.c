#include "include/options.h"
#include <getopt.h>
#include <stddef.h>

enum { MOST_OPTIONS = 64, FIRST_NUMBER = 256 };

void shim_options_begin(void) {
    /* Zero makes glibc forget an earlier reading. */
    optind = 0;
    opterr = 0;
}

struct shim_option shim_options_next(int count, char *const words[],
                                     const struct shim_known_option *known, int known_count) {
    struct option table[MOST_OPTIONS + 1] = {{0}};
    /* '+' ends the options at the first other word, ':' tells a missing value from an unknown option. */
    char letters[2 + 2 * MOST_OPTIONS + 1] = "+:";
    size_t used = 2;
    if (known_count > MOST_OPTIONS) known_count = MOST_OPTIONS;
    for (int i = 0; i < known_count; i++) {
        table[i].name = known[i].name;
        table[i].has_arg = known[i].takes_value ? required_argument : no_argument;
        table[i].val = FIRST_NUMBER + i;
        if (known[i].letter == 0) continue;
        letters[used++] = known[i].letter;
        if (known[i].takes_value) letters[used++] = ':';
    }
    letters[used] = 0;

    optarg = NULL;
    int code = getopt_long(count, words, letters, table, NULL);
    struct shim_option found = {.number = -1, .value = optarg, .next = optind};
    if (code == -1) found.number = 0;
    else if (code == ':') found.number = -2;
    else if (code >= FIRST_NUMBER) found.number = code - FIRST_NUMBER + 1;
    else
        for (int i = 0; i < known_count; i++)
            if (known[i].letter != 0 && known[i].letter == code) found.number = i + 1;
    return found;
}
