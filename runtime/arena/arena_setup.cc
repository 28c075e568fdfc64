// arena_setup.cc - whether there is an arena, and the report.
// SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1
//
// Runs once, at the first call of a site.  Anything that is not as expected
// switches the arena off; nothing here can fail loudly.

#include "runtime/arena/arena.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace mprt_arena {

settings current;
region_range region;

namespace {

size_t advised, heap_advised;

bool
huge_pages_p ()
{
  char text[64];
  int file = open ("/sys/kernel/mm/transparent_hugepage/enabled",
		   O_RDONLY | O_CLOEXEC);
  ssize_t n = file < 0 ? 0 : read (file, text, sizeof text - 1);
  if (file >= 0)
    close (file);
  text[n > 0 ? n : 0] = '\0';
  return n > 0 && !strstr (text, "[never]")
	 && prctl (PR_GET_THP_DISABLE, 0, 0, 0, 0) <= 0;
}

// A region takes addresses, and its tables memory, from a program for which these may be limited.
bool
addresses_limited_p ()
{
  struct rlimit addresses, data;
  return getrlimit (RLIMIT_AS, &addresses) || addresses.rlim_cur != RLIM_INFINITY
	 || getrlimit (RLIMIT_DATA, &data) || data.rlim_cur != RLIM_INFINITY;
}

int
decide ()
{
  const user_options options = read_options ();
  size_t pages = sysconf (_SC_PHYS_PAGES);
  current.limit = options.limit ? options.limit : pages / 2 * sysconf (_SC_PAGESIZE);
  if (options.off || !huge_pages_p ())
    return OFF;
  current.small = open_slabs && !addresses_limited_p () && open_slabs (current.limit);
  current.operator_new = current.small && delete_ends_in_free_p && delete_ends_in_free_p ();
  return ON;
}

__attribute__ ((destructor)) void
report ()
{
  if (!read_options ().report)
    return;
  const usage u = current_usage ? current_usage () : usage {};
  char line[270], heap[60] = "";
  if (heap_advised)
    snprintf (heap, sizeof heap, ", %zu MB of the heap advised", heap_advised >> 20);
  int n = snprintf (line, sizeof line,
		    "memprof arena: %zu sites, %zu slabs of 2 MB (peak %zu), "
		    "%zu MB of large blocks advised%s%s%s\n",
		    u.sites, u.slabs, u.slabs_peak, advised >> 20, heap,
		    current.state == OFF	? ", off"
		    : !open_slabs		? ""
		    : !current.small		? ", no region"
		    : delete_ends_in_free_p && !current.operator_new ? ", not for operator new"
						: "",
		    u.slabs_peak * k_slab_bytes >= current.limit && u.slabs_peak
		      ? ", limit reached"
		      : "");
  if (write (2, line, n) != n)
    return;
}

} // anonymous namespace

void
set_up ()
{
  // The first one decides; a call of a site on the way, or in another thread
  // meanwhile, comes from malloc.
  static int started;
  if (__atomic_exchange_n (&started, 1, __ATOMIC_ACQ_REL))
    return;
  // A program may look at errno after an allocation that has succeeded.
  int before = errno;
  int decided = decide ();
  errno = before;
  __atomic_store_n (&current.state, decided, __ATOMIC_RELEASE);
}

void
collapse_page (void *page)
{
  const int collapse = 25; // MADV_COLLAPSE; an error before Linux 6.1
  int before = errno;
  madvise (page, k_slab_bytes, collapse);
  errno = before;
}

void
count_advised (size_t bytes)
{
  __atomic_fetch_add (&advised, bytes, __ATOMIC_RELAXED);
}

void
count_heap (size_t bytes)
{
  __atomic_fetch_add (&heap_advised, bytes, __ATOMIC_RELAXED);
}

} // namespace mprt_arena
