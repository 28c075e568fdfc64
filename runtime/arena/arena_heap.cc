// arena_heap.cc - huge pages for malloc's own heap.
// SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1
//
// Problem: malloc's heap grows by 132 KB at a time, so no page of 2 MB ever fits into what
// is new, and each page of 4 KB that is touched first is a page fault.  glibc can do
// better if the user of the program sets GLIBC_TUNABLES=glibc.malloc.hugetlb=1; a program
// cannot ask for that itself.
//
// Idea: let the heap grow by large steps, and ask for huge pages for each step before it is
// touched.
//
//   1. Before main: malloc's parameters, see below.
//   2. Each allocation call with the cell of the heap calls malloc, and then compares the
//      end of the heap (sbrk (0), a load) with the one that it saw last.
//   3. If the heap has grown: madvise for what is new.  If it has shrunk, what comes back
//      later is new again.
//
//   heap  |2 MB with small pages|2 MB huge|2 MB huge|...        |end
//
// The first 2 MB keep small pages, so that a program with a small heap touches no more than
// it did.  A huge page is touched when the heap gets there, so at most one of them is
// touched for little.
//
// Seams.  Where the heap ends inside a huge page, what lies before the end gets small pages,
// and so does the rest of that page after the next step: no huge page fits there any more.
// So each step leads to where a huge page begins.  malloc grows the heap by the request,
// less what is left of it, plus its parameter M_TOP_PAD, rounded up to small pages: a
// parameter of 4 KB less than the distance makes it the distance for any request that
// takes less than 4 KB.  After a larger request the end lies elsewhere; the step after
// it makes up for that.  What is left: malloc writes past the end of the old heap before it
// returns, and so before anyone can ask for huge pages there.  The kernel is asked to make
// a huge page of that one at once (MADV_COLLAPSE, since Linux 6.1).
//
//                                   old end   new
//   steps of 32 MB, wherever they end   |       |
//                              |huge|huge|small |huge|
//   to where a huge page begins          |
//                              |huge|huge|small|huge|
//   and collapsed              |huge|huge|huge |huge|
//
// Parameters.  Setting one of them stops malloc from adapting two of them to the program:
// the size from which blocks are mapped by themselves (128 KB at first, at most 32 MB) and
// the unused end of the heap that goes back to the system (twice that size).  So both are
// set to what malloc would reach by itself, after a block of 32 MB was freed; the heap
// grows by k_step and keeps at most twice that.
//
// Not done where the user has set parameters of malloc in the environment, where memory is
// limited (ulimit -v, -d), or when there are no huge pages.  A program may limit its memory
// later: then a large step fails, malloc maps a little memory elsewhere, and objects lie after the end of the
// heap.  Now and then such an object is a reason to look at the limits, and small steps are taken.  The program's own calls of
// mallopt come later and win.  Another malloc does not move the end of the heap, so
// nothing happens.

#include "runtime/arena/arena.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

// In programs with a call for which it was decided (plugin/use/objects/apply_arenas.cc).
int __mprt_heap_wanted = 1;

namespace mprt_arena {

namespace {

const size_t k_step = 32 << 20;

uintptr_t watched_from; // 0: the heap is not watched
uintptr_t seen_end;

uintptr_t
end_of_heap ()
{
  return reinterpret_cast<uintptr_t> (sbrk (0));
}

// malloc's parameter for a step from END to where a huge page begins.
bool
plan_step (uintptr_t end)
{
  const size_t to_page = -end & (k_slab_bytes - 1);
  return mallopt (M_TOP_PAD, static_cast<int> (k_step + to_page - page_bytes ()));
}

bool
limited_p (int resource)
{
  struct rlimit limit;
  return getrlimit (__rlimit_resource (resource), &limit)
	 || limit.rlim_cur != RLIM_INFINITY;
}

bool
set_by_user_p ()
{
  const char *tunables = getenv ("GLIBC_TUNABLES");
  return getenv ("MALLOC_TOP_PAD_") || getenv ("MALLOC_TRIM_THRESHOLD_")
	 || getenv ("MALLOC_MMAP_THRESHOLD_") || getenv ("MALLOC_MMAP_MAX_")
	 || (tunables && strstr (tunables, "glibc.malloc."));
}

__attribute__ ((constructor)) void
watch ()
{
  if (read_options ().off || set_by_user_p ()
      || limited_p (RLIMIT_AS) || limited_p (RLIMIT_DATA)
      || !mallopt (M_MMAP_THRESHOLD, k_mapped_alone)
      || !mallopt (M_TRIM_THRESHOLD, 2 * k_step))
    return;
  seen_end = end_of_heap ();
  if (!plan_step (seen_end))
    return;
  watched_from
    = (seen_end + 2 * k_slab_bytes - 1) & ~(k_slab_bytes - 1);
}

// The heap ends at END now.
void
follow (uintptr_t end)
{
  const uintptr_t seen = __atomic_exchange_n (&seen_end, end, __ATOMIC_RELAXED);
  const uintptr_t begin = seen > watched_from ? seen : watched_from;
  if (end % k_slab_bytes != seen % k_slab_bytes)
    plan_step (end);
  if (end <= begin || !active ())
    return;
  count_heap (advise_pages (reinterpret_cast<void *> (begin), end - begin));
  if (const uintptr_t seam = begin & -k_slab_bytes;
      seam >= watched_from && seam + k_slab_bytes <= end)
    collapse_page (reinterpret_cast<void *> (seam));
}

// The next of the objects that did not come from the heap, as those of other threads do not.
void
look_at_limits ()
{
  static unsigned outside;
  const unsigned k_seldom = 256, k_default_top_pad = 128 << 10;
  if (__atomic_fetch_add (&outside, 1, __ATOMIC_RELAXED) % k_seldom != 0
      || !(limited_p (RLIMIT_AS) || limited_p (RLIMIT_DATA)))
    return;
  watched_from = 0;
  mallopt (M_TOP_PAD, k_default_top_pad);
}

} // anonymous namespace

void *
look_at_heap (void *p)
{
  if (!watched_from)
    return p;
  const uintptr_t end = end_of_heap ();
  if (ARENA_UNLIKELY (end != __atomic_load_n (&seen_end, __ATOMIC_RELAXED)))
    follow (end);
  else if (ARENA_UNLIKELY (!p || reinterpret_cast<uintptr_t> (p) >= end))
    look_at_limits ();
  return p;
}

} // namespace mprt_arena
