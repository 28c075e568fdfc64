// arena_lock.h - a lock for memory that allocators and handlers of fork share.
// SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1
//
// A futex of three values.  As long as the program has one thread, it is not taken.  While a
// thread forks, it has all locks and passes through each.
#ifndef MPRT_ARENA_LOCK_H
#define MPRT_ARENA_LOCK_H

#include "runtime/arena/arena.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/single_threaded.h>
#include <sys/syscall.h>
#include <unistd.h>

#pragma GCC visibility push(hidden)

namespace mprt_arena {

struct alignas (64) lock_word
{
  uint32_t value; // 0 open, 1 closed, 2 closed and waited for
};

// Set while a thread forks.
inline void *forking;

inline void *
self ()
{
  return __builtin_thread_pointer ();
}

class locked
{
public:
  explicit locked (lock_word &lock)
  {
    if (__libc_single_threaded || seeded (fault::no_locks)
	|| __atomic_load_n (&forking, __ATOMIC_RELAXED) == self ())
      return;
    lock_ = &lock;
    take (lock);
  }
  ~locked ()
  {
    if (lock_)
      give (*lock_);
  }
  // errno is the caller's.
  static void
  take (lock_word &lock)
  {
    const int before = errno;
    uint32_t open = 0;
    if (__atomic_compare_exchange_n (&lock.value, &open, 1, false,
				     __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
      return;
    while (__atomic_exchange_n (&lock.value, 2, __ATOMIC_ACQUIRE))
      syscall (SYS_futex, &lock.value, FUTEX_WAIT_PRIVATE, 2, nullptr, nullptr,
	       0);
    errno = before;
  }
  static void
  give (lock_word &lock)
  {
    if (__atomic_exchange_n (&lock.value, 0, __ATOMIC_RELEASE) == 2)
      syscall (SYS_futex, &lock.value, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr,
	       0);
  }

private:
  lock_word *lock_ = nullptr;
};

} // namespace mprt_arena

#pragma GCC visibility pop

#endif
