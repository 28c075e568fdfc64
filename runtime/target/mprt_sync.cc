// mprt_sync.cc - tickets where threads synchronise.
// SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1
//
// ring.h, "Order between threads": a ticket before each release and after each
// acquire.  While the process has one thread, each of these is a test of one
// variable and a tail call.
//
//   release before     unlock, signal, broadcast, sem_post, the end of a once
//                      routine, thread creation and end (mprt_thread.cc)
//   acquire after      lock and what may lock, wait, sem_wait, once, join
//   both               condition wait (it unlocks and locks), barrier
//
// A failed trylock orders nothing but costs a ticket only.  Instrumented atomics
// and fences call __mprt_order, as does a thread that finds a local static made
// and whose last ticket is older than the one that its maker took
// (plugin/generate/thread_order.cc).

#include "mprt_hooks.h"

#include <pthread.h>
#include <semaphore.h>
#include <threads.h>
#include <time.h>

extern "C" {
MPRT_TLS uint64_t __mprt_last_ticket = 0;
uint64_t __mprt_guard_ticket = 0;
}

namespace mprt {

#define ACQUIRE_HOOK(name, params, args)                                      \
  MPRT_HOOK (int, name, params)                                               \
  {                                                                           \
    int result = REAL (name) args;                                            \
    order_here ();                                                            \
    return result;                                                            \
  }

#define RELEASE_HOOK(name, params, args)                                      \
  MPRT_HOOK (int, name, params)                                               \
  {                                                                           \
    order_here ();                                                            \
    return REAL (name) args;                                                  \
  }

#define BOTH_HOOK(name, params, args)                                         \
  MPRT_HOOK (int, name, params)                                               \
  {                                                                           \
    order_here ();                                                            \
    int result = REAL (name) args;                                            \
    order_here ();                                                            \
    return result;                                                            \
  }

typedef const struct timespec *Time;

ACQUIRE_HOOK (pthread_mutex_lock, (pthread_mutex_t *m), (m))
ACQUIRE_HOOK (pthread_mutex_trylock, (pthread_mutex_t *m), (m))
ACQUIRE_HOOK (pthread_mutex_timedlock, (pthread_mutex_t *m, Time t), (m, t))
ACQUIRE_HOOK (pthread_mutex_clocklock, (pthread_mutex_t *m, clockid_t c, Time t), (m, c, t))
RELEASE_HOOK (pthread_mutex_unlock, (pthread_mutex_t *m), (m))

ACQUIRE_HOOK (pthread_spin_lock, (pthread_spinlock_t *s), (s))
ACQUIRE_HOOK (pthread_spin_trylock, (pthread_spinlock_t *s), (s))
RELEASE_HOOK (pthread_spin_unlock, (pthread_spinlock_t *s), (s))

ACQUIRE_HOOK (pthread_rwlock_rdlock, (pthread_rwlock_t *l), (l))
ACQUIRE_HOOK (pthread_rwlock_tryrdlock, (pthread_rwlock_t *l), (l))
ACQUIRE_HOOK (pthread_rwlock_timedrdlock, (pthread_rwlock_t *l, Time t), (l, t))
ACQUIRE_HOOK (pthread_rwlock_clockrdlock, (pthread_rwlock_t *l, clockid_t c, Time t), (l, c, t))
ACQUIRE_HOOK (pthread_rwlock_wrlock, (pthread_rwlock_t *l), (l))
ACQUIRE_HOOK (pthread_rwlock_trywrlock, (pthread_rwlock_t *l), (l))
ACQUIRE_HOOK (pthread_rwlock_timedwrlock, (pthread_rwlock_t *l, Time t), (l, t))
ACQUIRE_HOOK (pthread_rwlock_clockwrlock, (pthread_rwlock_t *l, clockid_t c, Time t), (l, c, t))
RELEASE_HOOK (pthread_rwlock_unlock, (pthread_rwlock_t *l), (l))

RELEASE_HOOK (pthread_cond_signal, (pthread_cond_t *c), (c))
RELEASE_HOOK (pthread_cond_broadcast, (pthread_cond_t *c), (c))
BOTH_HOOK (pthread_cond_wait, (pthread_cond_t *c, pthread_mutex_t *m), (c, m))
BOTH_HOOK (pthread_cond_timedwait, (pthread_cond_t *c, pthread_mutex_t *m, Time t), (c, m, t))
BOTH_HOOK (pthread_cond_clockwait, (pthread_cond_t *c, pthread_mutex_t *m, clockid_t k, Time t), (c, m, k, t))

BOTH_HOOK (pthread_barrier_wait, (pthread_barrier_t *b), (b))

RELEASE_HOOK (sem_post, (sem_t *s), (s))
ACQUIRE_HOOK (sem_wait, (sem_t *s), (s))
ACQUIRE_HOOK (sem_trywait, (sem_t *s), (s))
ACQUIRE_HOOK (sem_timedwait, (sem_t *s, Time t), (s, t))
ACQUIRE_HOOK (sem_clockwait, (sem_t *s, clockid_t c, Time t), (s, c, t))

ACQUIRE_HOOK (mtx_lock, (mtx_t *m), (m))
ACQUIRE_HOOK (mtx_trylock, (mtx_t *m), (m))
ACQUIRE_HOOK (mtx_timedlock, (mtx_t *m, Time t), (m, t))
RELEASE_HOOK (mtx_unlock, (mtx_t *m), (m))
RELEASE_HOOK (cnd_signal, (cnd_t *c), (c))
RELEASE_HOOK (cnd_broadcast, (cnd_t *c), (c))
BOTH_HOOK (cnd_wait, (cnd_t *c, mtx_t *m), (c, m))
BOTH_HOOK (cnd_timedwait, (cnd_t *c, mtx_t *m, Time t), (c, m, t))

// The routine of a once runs inside libc's function; its end is the release
// that other callers wait for.  Routines may nest.
static MPRT_TLS void (*once_routine) ();

static void
run_once_routine ()
{
  void (*routine) () = once_routine;
  routine ();
  order_here ();
}

MPRT_HOOK (int, pthread_once, (pthread_once_t *flag, void (*routine) ()))
{
  void (*outer) () = once_routine;
  once_routine = routine;
  int result = REAL (pthread_once) (flag, run_once_routine);
  once_routine = outer;
  order_here ();
  return result;
}

MPRT_HOOK (void, call_once, (once_flag *flag, void (*routine) ()))
{
  void (*outer) () = once_routine;
  once_routine = routine;
  REAL (call_once) (flag, run_once_routine);
  once_routine = outer;
  order_here ();
}

} // namespace mprt

// Instrumented code calls this at its own atomics: before a release, after an
// acquire.
void
__mprt_order (void)
{
  mprt::order_here ();
}
