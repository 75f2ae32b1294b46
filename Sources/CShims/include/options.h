#pragma once

/// What one step of reading a command line found.
struct shim_option {
    /// The number given to the option, 0 after the last one, -1 for an unknown option, -2 for a missing value.
    int number;
    /// The option's value, or null.
    const char *value;
    /// Where the next word stands.
    int next;
};

/// An option as the reader knows it: `letter` is 0 where there is no short form.
struct shim_known_option {
    const char *name;
    char letter;
    int takes_value;
};

/// Begins to read a command line, up to the first word that is no option.
///
/// The state is global, as getopt's is: one reading at a time, by one thread.
void shim_options_begin(void);

/// Reads the next option; its number is its place in `known`, counted from one. At most 64 options are known.
struct shim_option shim_options_next(int count, char *const words[],
                                     const struct shim_known_option *known, int known_count);
