// arena_calls.h - what the hot allocation calls have in common.
// SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1
//
// Every object file that calls __mprt_hot_X has a weak __mprt_hot_X that jumps to X, which ignores the
// last argument; the functions of this library replace it in programs that are linked with it.  They are
// never part of a shared library.
//
// A program has those files of the library that its object files want, each by a common symbol (linkers take
// the file of a library that defines it):
//
//   __mprt_arena_wanted    arena_calls.cc     malloc, calloc, realloc, and what each program needs
//   __mprt_new_wanted      arena_new.cc       operator new
//   __mprt_aligned_wanted  arena_aligned.cc   aligned_alloc, memalign, posix_memalign
//   __mprt_hints_wanted    arena_hints.cc     wrappers of malloc
//   __mprt_slabs_wanted    arena_family.cc    memory for small objects, and free for them
//   __mprt_heap_wanted     arena_heap.cc      huge pages for the heap
//
// Functions of a file that may be absent are weak where others call them.
#ifndef MPRT_ARENA_CALLS_H
#define MPRT_ARENA_CALLS_H

#include "runtime/arena/arena.h"

#define EXPORTED extern "C" __attribute__ ((visibility ("default")))

EXPORTED void *__mprt_hot_malloc (size_t, mprt_site_cell *);
EXPORTED void *__mprt_hot_calloc (size_t, size_t, mprt_site_cell *);
EXPORTED void *__mprt_hot_realloc (void *, size_t, mprt_site_cell *);

#pragma GCC visibility push(hidden)

namespace mprt_arena {

// Whether the next object of CELL is one of those that the profile has chosen; the
// others are malloc's, as if there were no arena.
bool chosen (mprt_site_cell *cell);

// An object of BYTES in a slab of CELL's; null: use malloc.
inline void *
in_slab (size_t bytes, mprt_site_cell *cell)
{
  return bytes <= k_max_small && allocate ? allocate (bytes, cell) : nullptr;
}

// Huge pages for the large block P of BYTES, with all of its memory: what malloc has mapped by
// itself must stay one mapping, or realloc cannot move it (mremap) and copies it.
void *advise (void *p, size_t bytes);

// P, of BYTES, for a CELL that was not chosen for.  What malloc maps by itself is not in
// its heap.
void *left_alone (void *p, size_t bytes, const mprt_site_cell *cell);

// P, of BYTES, which realloc or an aligned allocation has returned for CELL.
inline void *
outside_slabs (void *p, size_t bytes, mprt_site_cell *cell)
{
  return chosen (cell) ? advise (p, bytes) : left_alone (p, bytes, cell);
}

} // namespace mprt_arena

#pragma GCC visibility pop

#endif
