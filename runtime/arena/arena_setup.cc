// arena_setup.cc - whether there is an arena, and the report.
// SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1
//
// Runs once, at the first call of a site.  Anything that is not as expected
// switches the arena off; nothing here can fail loudly.

#include "runtime/arena/arena.h"
#include "runtime/target/cpu/cpu.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>
#ifndef MPRT_STATIC
#include <dlfcn.h>
#endif

namespace mprt_arena {

settings current;

namespace {

size_t advised, heap_advised;

// The operators delete that may get what operator new has returned.
#define DELETES(do_one)                                                       \
  do_one (_ZdlPv) do_one (_ZdaPv) do_one (_ZdlPvm) do_one (_ZdaPvm)           \
    do_one (_ZdlPvRKSt9nothrow_t) do_one (_ZdaPvRKSt9nothrow_t)
#define NEWS(do_one)                                                          \
  do_one (_Znwm) do_one (_Znam) do_one (_ZnwmRKSt9nothrow_t)                  \
    do_one (_ZnamRKSt9nothrow_t)

extern "C"
{
#define DECLARE(name) __attribute__ ((weak)) void name (void *);
  DELETES (DECLARE)
  NEWS (DECLARE)
}

// Whether FUNCTION jumps to our free, at once or by way of another.
bool
jumps_to_free_p (const void *function, int depth = 0)
{
  const void *target = mprt::jump_target (function);
  return target && depth <= 3
	 && (target == own_free () || jumps_to_free_p (target, depth + 1));
}

// Where a function is: 1 libstdc++.so, 2 elsewhere.
int
home (const void *function)
{
#ifndef MPRT_STATIC
  Dl_info where;
  if (dladdr (function, &where) && where.dli_fname)
    {
      const char *slash = strrchr (where.dli_fname, '/');
      if (strncmp (slash ? slash + 1 : where.dli_fname, "libstdc++.so", 12)
	  == 0)
	return 1;
    }
#endif
  (void) function;
  return 2;
}

// The homes of the operators that FUNCTION and NAME represent (one that libraries
// call need not be the one that the program calls), 4 for a delete that may
// not end in free.
int
homes (const void *function, const char *name, bool deletes)
{
  int found = 0;
  const void *both[] = { function, nullptr };
#ifndef MPRT_STATIC
  both[1] = dlsym (RTLD_DEFAULT, name);
#endif
  (void) name;
  for (const void *f : both)
    if (f)
      {
	int at = home (f);
	found |= at | (deletes && at == 2 && !jumps_to_free_p (f) ? 4 : 0);
      }
  return found;
}

// All from libstdc++, or all from the program (which holds libstdc++, or has its
// own) and nothing but free.  A program that calls no operator new is not asked: a look-up that fails
// allocates memory for its message, and all later objects of the program would lie elsewhere.
bool
delete_ends_in_free_p ()
{
  bool any = false;
#define CHECK_ANY(name) any |= reinterpret_cast<const void *> (name) != nullptr;
  NEWS (CHECK_ANY)
  if (!any)
    return true;
  int found = 0;
#define CHECK_DELETE(name)                                                    \
  found |= homes (reinterpret_cast<const void *> (name), #name, true);
#define CHECK_NEW(name)                                                       \
  found |= homes (reinterpret_cast<const void *> (name), #name, false);
  DELETES (CHECK_DELETE)
  NEWS (CHECK_NEW)
  return found < 3 || seeded (fault::own_delete);
}

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
  current.small = !addresses_limited_p () && family_in_place ()
		  && pthread_atfork (lock_all, unlock_all, unlock_all) == 0
		  && open_region (seeded (fault::no_limit) ? size_t (1) << 30
							   : current.limit);
  current.operator_new = current.small && delete_ends_in_free_p ();
  return ON;
}

__attribute__ ((destructor)) void
report ()
{
  if (!read_options ().report)
    return;
  usage u = current_usage ();
  char line[270], heap[60] = "";
  if (heap_advised)
    snprintf (heap, sizeof heap, ", %zu MB of the heap advised", heap_advised >> 20);
  int n = snprintf (line, sizeof line,
		    "memprof arena: %zu sites, %zu slabs of 2 MB (peak %zu), "
		    "%zu MB of large blocks advised%s%s%s\n",
		    u.sites, u.slabs, u.slabs_peak, advised >> 20, heap,
		    current.state == OFF	? ", off"
		    : !current.small		? ", no region"
		    : !current.operator_new ? ", not for operator new"
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
