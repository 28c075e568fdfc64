// arena_hints.cc - wrappers: a call of xmalloc is not a call of malloc, and the malloc in xmalloc is one
// for all callers.
// SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1
//
// So the caller leaves its cell with __mprt_arena_hint, and the malloc in the wrapper, which is
// __mprt_hinted_malloc, takes it.  The hint is for one object; one that nothing has taken is withdrawn
// after the call.

#include "runtime/arena/arena_calls.h"

#include <stdlib.h>

using namespace mprt_arena;

int __mprt_hints_wanted = 1;

namespace {

// Of the wrapper that this thread calls.
__thread mprt_site_cell *hint;

mprt_site_cell *
take_hint ()
{
  mprt_site_cell *cell = hint;
  hint = nullptr;
  return cell;
}

} // anonymous namespace

EXPORTED void
__mprt_arena_hint (mprt_site_cell *cell)
{
  hint = cell;
}

EXPORTED void *
__mprt_hinted_malloc (size_t bytes)
{
  mprt_site_cell *cell = take_hint ();
  return cell ? __mprt_hot_malloc (bytes, cell) : malloc (bytes);
}

EXPORTED void *
__mprt_hinted_calloc (size_t count, size_t bytes)
{
  mprt_site_cell *cell = take_hint ();
  return cell ? __mprt_hot_calloc (count, bytes, cell) : calloc (count, bytes);
}

EXPORTED void *
__mprt_hinted_realloc (void *p, size_t bytes)
{
  mprt_site_cell *cell = take_hint ();
  return cell ? __mprt_hot_realloc (p, bytes, cell) : realloc (p, bytes);
}
