// tune.h - trials of prefetches in the running program.
// SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1
//
// Problem: whether a prefetch pays depends on the input and on the machine, and neither needs
// to be the training run's.
//
// Idea: a nest of loops with prefetches measures itself, as RPG2 (Zhang et al., ASPLOS 2024) has
// it done from outside.  Its time is cut into slices of some 100 us; each has one level
// (runtime/wire/tune_cell.h), in random order; after nine slices of each the medians decide.
//
//   level   0 1 3 2 | 2 0 1 3 | 3 2 0 1 | ...      36 slices, some 4 ms
//   ns      9 6 5 5   5 9 6 5   5 5 8 6            medians 9, 6, 5, 5: level 2
//
// Prefetches stay off unless they make the nest 3 % faster: what is below that is noise.  The
// trial is repeated when 50 times its own time has passed, then 100, ... 1,000 times: the data may
// have grown.  So trials take at most 2 % of the time in which half of the slices are the best ones
// anyway.
//
// Steps of a nest, in words of its code:
//
//   now and then               __mprt_tune_again
//   if (cell.state == PLAIN)   a copy without prefetches
//   TRYING:                    __mprt_tune_enter gives a setting, __mprt_tune_clock the start
//   counter is 0:              __mprt_tune_slice takes the time and gives the next setting
//   at the end, if trying:     __mprt_tune_leave takes the time of a part of a slice
//
// Threads share a cell.  All counts are relaxed atomic words: what two threads add at the end
// of one slice may be lost, and a slice is measured a little wrong then.  No value that the
// program computes depends on any of this.
//
// Not done: a long entry that runs the copy without prefetches does not come back before its
// end.  A jump out of the nest (longjmp, an exception) loses a part of a slice.
//
// Environment: MPRT_TUNE=report (a line for each cell on stderr at exit), report=FILE (appended to
// FILE), off (no trial: what was decided when the program was compiled).
#ifndef MPRT_TUNE_H
#define MPRT_TUNE_H

#include "runtime/wire/tune_cell.h"

// A shared library uses those of its program.
#pragma GCC visibility push(default)
extern "C" {
// The setting of a nest that is entered while its cell is TRYING.
uint64_t __mprt_tune_enter (mprt_tune_cell *cell);
// Nanoseconds.
uint64_t __mprt_tune_clock (void);
// The iterations of SETTING are done, and began at START; 0: they were not measured.  Returns the
// next setting.
uint64_t __mprt_tune_slice (mprt_tune_cell *cell, uint32_t setting, uint64_t start);
// The nest ends, LEFT iterations before the slice would have.
void __mprt_tune_leave (mprt_tune_cell *cell, uint32_t setting, uint64_t start, uint64_t left);
// A thread has entered nests COUNT times since it last asked, this one last.  Returns the next
// COUNT.
uint32_t __mprt_tune_again (mprt_tune_cell *cell);
}
#pragma GCC visibility pop

#endif
