// arena_aligned.cc - aligned allocation: large ones get huge pages, small ones stay where they are.
// SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1

#include "runtime/arena/arena_calls.h"

#include <malloc.h>
#include <stdlib.h>

using namespace mprt_arena;

int __mprt_aligned_wanted = 1;

EXPORTED void *
__mprt_hot_aligned_alloc (size_t alignment, size_t bytes, mprt_site_cell *cell)
{
  return outside_slabs (aligned_alloc (alignment, bytes), bytes, cell);
}

EXPORTED void *
__mprt_hot_memalign (size_t alignment, size_t bytes, mprt_site_cell *cell)
{
  return outside_slabs (memalign (alignment, bytes), bytes, cell);
}

EXPORTED int
__mprt_hot_posix_memalign (void **p, size_t alignment, size_t bytes,
			   mprt_site_cell *cell)
{
  int error = posix_memalign (p, alignment, bytes);
  const bool mine = chosen (cell);
  if (!error)
    mine ? advise (*p, bytes) : left_alone (*p, bytes, cell);
  return error;
}
