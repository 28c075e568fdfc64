/* tune_cell.h - what a rebuilt program and its library of trials know of one nest of loops.
   SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1

   A nest with prefetches that are on trial (plugin/use/prefetch/tuned_nest.h) has one cell.  The
   plugin writes the first three words, the library (runtime/tune) the rest.

   A level is how far ahead the nest prefetches: 0 is not at all, 1 about half of the distance that
   was decided (a power of two), 2 twice and 3 four times what 1 is.  */

#ifndef MEMPROF_WIRE_TUNE_CELL_H
#define MEMPROF_WIRE_TUNE_CELL_H

#include <stdint.h>

#define MPRT_TUNE_LEVELS 4
#define MPRT_TUNE_ROUNDS 9

/* States of a cell.  Above: 1 + the level that the trial found best.  */
#define MPRT_TUNE_TRYING 0
#define MPRT_TUNE_PLAIN 1

/* A setting is what one thread does until its counter is 0: a level, and above these bits the
   logarithm of the number of iterations.  An answer of the library is a setting, and above
   these bits that number.  */
#define MPRT_TUNE_LEVEL_BITS 8
#define MPRT_TUNE_SETTING_BITS 16

struct mprt_tune_cell
{
  uint32_t state;
  uint32_t levels;    /* how many the nest has: 2 or MPRT_TUNE_LEVELS */
  const char *places; /* "FILE:LINE, FILE:LINE" of its prefetches */
  uint32_t fallback;  /* the level where the library is missing */
  uint32_t predicted; /* how many times faster the model has it, in thousandths */

  uint32_t setting;   /* that is being tried */
  uint32_t slices;    /* of this trial that have ended */
  uint64_t nanoseconds, iterations; /* of the present slice */
  uint64_t began, next;             /* this trial, and the next one; nanoseconds */
  uint32_t trials;
  uint32_t measured;                /* the last trial's gain, in thousandths */
  struct mprt_tune_cell *other;     /* of the cells that were entered */
  uint32_t picoseconds[MPRT_TUNE_LEVELS][MPRT_TUNE_ROUNDS]; /* an iteration's, of each slice */
  uint64_t unused[2];               /* a whole number of lines */
};

#endif
