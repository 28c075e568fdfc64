// mprt_openmp.cc - tickets at the entry points of libgomp and of local statics.
// SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1
//
// libgomp and libstdc++ synchronise with futexes of their own, out of sight of
// mprt_sync.cc.  What code compiled by GCC calls is interposed instead:
//
//   parallel region   ticket before it, at the start and at the end of each
//                     thread's share (the outlined function is wrapped), after it
//   barrier, end of a work-sharing loop or of sections         both sides
//   critical, atomic, lock, ordered, copyprivate               as a lock
//   task              release where it is made, acquire at taskwait; the order
//                     between its making and its start is not seen
//   __cxa_guard_*     acquire after, release before (C++ local statics)
//
// In static programs these cannot be reached (wrap.def).

#include "mprt_hooks.h"

#ifndef MPRT_STATIC

namespace mprt {

typedef void (*Outlined) (void *);

// Lives in the frame of the region's master, which waits for the others.
struct Region
{
  Outlined function;
  void *data;
};

static void
run_share (void *p)
{
  Region *region = static_cast<Region *> (p);
  order_here ();
  region->function (region->data);
  order_here ();
}

MPRT_HOOK (void, GOMP_parallel,
	   (Outlined f, void *data, unsigned n, unsigned flags))
{
  Region region = { f, data };
  order_here ();
  REAL (GOMP_parallel) (run_share, &region, n, flags);
  order_here ();
}

MPRT_HOOK (unsigned, GOMP_parallel_reductions,
	   (Outlined f, void *data, unsigned n, unsigned flags))
{
  // libgomp looks into DATA here, so the share cannot be wrapped.
  order_here ();
  unsigned result = REAL (GOMP_parallel_reductions) (f, data, n, flags);
  order_here ();
  return result;
}

MPRT_HOOK (void, GOMP_parallel_sections,
	   (Outlined f, void *data, unsigned n, unsigned count, unsigned flags))
{
  Region region = { f, data };
  order_here ();
  REAL (GOMP_parallel_sections) (run_share, &region, n, count, flags);
  order_here ();
}

#define PARALLEL_LOOP(name)                                                   \
  MPRT_HOOK (void, name,                                                      \
	     (Outlined f, void *data, unsigned n, long from, long to, long step, \
	      long chunk, unsigned flags))                                    \
  {                                                                           \
    Region region = { f, data };                                              \
    order_here ();                                                            \
    REAL (name) (run_share, &region, n, from, to, step, chunk, flags);        \
    order_here ();                                                            \
  }

// Without the size of a chunk.
#define PARALLEL_RUNTIME_LOOP(name)                                           \
  MPRT_HOOK (void, name,                                                      \
	     (Outlined f, void *data, unsigned n, long from, long to, long step, \
	      unsigned flags))                                                \
  {                                                                           \
    Region region = { f, data };                                              \
    order_here ();                                                            \
    REAL (name) (run_share, &region, n, from, to, step, flags);               \
    order_here ();                                                            \
  }

PARALLEL_LOOP (GOMP_parallel_loop_static)
PARALLEL_LOOP (GOMP_parallel_loop_dynamic)
PARALLEL_LOOP (GOMP_parallel_loop_guided)
PARALLEL_LOOP (GOMP_parallel_loop_nonmonotonic_dynamic)
PARALLEL_LOOP (GOMP_parallel_loop_nonmonotonic_guided)
PARALLEL_RUNTIME_LOOP (GOMP_parallel_loop_runtime)
PARALLEL_RUNTIME_LOOP (GOMP_parallel_loop_nonmonotonic_runtime)
PARALLEL_RUNTIME_LOOP (GOMP_parallel_loop_maybe_nonmonotonic_runtime)

#define BARRIER(result, name)                                                 \
  MPRT_HOOK (result, name, ())                                                \
  {                                                                           \
    order_here ();                                                            \
    struct After                                                              \
    {                                                                         \
      ~After () { order_here (); }                                            \
    } after;                                                                  \
    return REAL (name) ();                                                    \
  }

BARRIER (void, GOMP_barrier)
BARRIER (bool, GOMP_barrier_cancel)
BARRIER (void, GOMP_loop_end)
BARRIER (bool, GOMP_loop_end_cancel)
BARRIER (void, GOMP_sections_end)
BARRIER (bool, GOMP_sections_end_cancel)
BARRIER (void, GOMP_taskwait)
BARRIER (void, GOMP_taskgroup_end)
BARRIER (void *, GOMP_single_copy_start)

#define TAKE(name)                                                            \
  MPRT_HOOK (void, name, (void *p))                                           \
  {                                                                           \
    REAL (name) (p);                                                          \
    order_here ();                                                            \
  }
#define LEAVE(name)                                                           \
  MPRT_HOOK (void, name, (void *p))                                           \
  {                                                                           \
    order_here ();                                                            \
    REAL (name) (p);                                                          \
  }

// Those without an argument ignore the one that is passed on.
TAKE (GOMP_critical_start)
LEAVE (GOMP_critical_end)
TAKE (GOMP_critical_name_start)
LEAVE (GOMP_critical_name_end)
TAKE (GOMP_atomic_start)
LEAVE (GOMP_atomic_end)
TAKE (GOMP_ordered_start)
LEAVE (GOMP_ordered_end)
LEAVE (GOMP_single_copy_end)
TAKE (omp_set_lock)
LEAVE (omp_unset_lock)
TAKE (omp_set_nest_lock)
LEAVE (omp_unset_nest_lock)

#define TRY(name)                                                             \
  MPRT_HOOK (int, name, (void *p))                                            \
  {                                                                           \
    int result = REAL (name) (p);                                             \
    order_here ();                                                            \
    return result;                                                            \
  }

TRY (omp_test_lock)
TRY (omp_test_nest_lock)
TRY (__cxa_guard_acquire)
LEAVE (__cxa_guard_abort)

// A thread that finds the static made without a call needs a ticket after this one.
MPRT_HOOK (void, __cxa_guard_release, (void *guard))
{
  order_here ();
  uint64_t ticket = __mprt_last_ticket;
  uint64_t latest = load (&__mprt_guard_ticket);
  while (latest < ticket
	 && !__atomic_compare_exchange_n (&__mprt_guard_ticket, &latest, ticket,
					  true, __ATOMIC_RELAXED,
					  __ATOMIC_RELAXED))
    ;
  REAL (__cxa_guard_release) (guard);
}

MPRT_HOOK (void, GOMP_task,
	   (Outlined f, void *data, void (*copy) (void *, void *), long bytes,
	    long alignment, bool when, unsigned flags, void **depend,
	    int priority, void *detach))
{
  order_here ();
  REAL (GOMP_task) (f, data, copy, bytes, alignment, when, flags, depend,
		    priority, detach);
}

} // namespace mprt

#endif
