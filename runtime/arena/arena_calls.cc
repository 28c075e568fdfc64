// arena_calls.cc - malloc, calloc and realloc for the calls that the profile has picked.
// SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1

#include "runtime/arena/arena_calls.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

using namespace mprt_arena;

int __mprt_arena_wanted = 1;

namespace {

// Whether CELL is for the heap.
bool
heap_p (const mprt_site_cell *cell)
{
  return !~cell->plain;
}

} // anonymous namespace

bool
mprt_arena::chosen (mprt_site_cell *cell)
{
  const uint64_t plain = cell->plain;
  if (!plain)
    return true;
  if (heap_p (cell))
    return false;
  const uint32_t number = __atomic_fetch_add (&cell->calls, 1, __ATOMIC_RELAXED);
  return number < 64 && !(plain >> number & 1);
}

void *
mprt_arena::advise (void *p, size_t bytes)
{
  if (p && bytes >= k_large && active () && bytes <= current.limit)
    count_advised (advise_pages (p, malloc_usable_size (p)));
  return p;
}

void *
mprt_arena::left_alone (void *p, size_t bytes, const mprt_site_cell *cell)
{
  if (!heap_p (cell))
    return p;
  if (bytes >= k_mapped_alone)
    return advise (p, bytes);
  return look_at_heap ? look_at_heap (p) : p;
}

EXPORTED void *
__mprt_hot_malloc (size_t bytes, mprt_site_cell *cell)
{
  if (ARENA_UNLIKELY (!chosen (cell)))
    return left_alone (malloc (bytes), bytes, cell);
  if (void *p = in_slab (bytes, cell))
    return p;
  return advise (malloc (bytes), bytes);
}

EXPORTED void *
__mprt_hot_calloc (size_t count, size_t bytes, mprt_site_cell *cell)
{
  if (ARENA_UNLIKELY (!chosen (cell)))
    return left_alone (calloc (count, bytes), count * bytes, cell);
  size_t all;
  bool too_large = __builtin_mul_overflow (count, bytes, &all);
  if (!too_large || seeded (fault::overflow))
    if (void *p = in_slab (all, cell))
      return seeded (fault::no_zero) ? p : memset (p, 0, all);
  return advise (calloc (count, bytes), count * bytes);
}

EXPORTED void *
__mprt_hot_realloc (void *p, size_t bytes, mprt_site_cell *cell)
{
  if (!p)
    return __mprt_hot_malloc (bytes, cell);
  if (ours_p (p))
    return move (p, bytes, cell);
  return outside_slabs (realloc (p, bytes), bytes, cell);
}
