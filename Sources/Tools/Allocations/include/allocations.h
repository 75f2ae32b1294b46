#pragma once

/// The counters of one process, in a file that another one reads while it runs: four numbers, then sampled call stacks.
///
/// Of each stack the innermost frame comes first, and a null ends a shorter one.
enum { allocation_stack_depth = 40, allocation_stack_limit = 60000 };

struct allocation_counts {
    unsigned long calls;
    unsigned long bytes;
    /// Every so many calls leave their stack; 0 where none do.
    unsigned long interval;
    unsigned long stacks;
};
