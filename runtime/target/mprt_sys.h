/* mprt_sys.h - raw system calls and memory helpers.
   SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1

   The runtime makes its system calls itself: libc's wrappers set errno, may be
   interposed by the program, and are cancellation points.  A call returns its
   result, or -errno.  Memory helpers are the runtime's own, because a program may
   interpose memcpy with an instrumented function.  What the processor does differently from
   others is in cpu/.  */

#ifndef MEMPROF_TARGET_MPRT_SYS_H
#define MEMPROF_TARGET_MPRT_SYS_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "cpu/cpu.h"

#define MPRT_LIKELY(x) __builtin_expect (!!(x), 1)
#define MPRT_UNLIKELY(x) __builtin_expect (!!(x), 0)
#define MPRT_COLD __attribute__ ((noinline, cold))
#define MPRT_NOINLINE __attribute__ ((noinline))
#define MPRT_ALWAYS_INLINE inline __attribute__ ((always_inline))

namespace mprt {

static inline long
as_long (const volatile void *p)
{
  return reinterpret_cast<long> (p);
}

template <typename T>
static inline T *
at (uint64_t address)
{
  return reinterpret_cast<T *> (address);
}

template <typename T>
static inline T
load (const T *p)
{
  return __atomic_load_n (p, __ATOMIC_ACQUIRE);
}

template <typename T, typename U>
static inline void
store (T *p, U value)
{
  __atomic_store_n (p, static_cast<T> (value), __ATOMIC_RELEASE);
}

// Memory from the kernel, or null.
void *map_memory (uint64_t bytes);
void unmap_memory (void *p, uint64_t bytes);

// Result of futex_wait: did the time run out?
bool futex_wait (uint32_t *word, uint32_t expected, uint64_t milliseconds);
void futex_wake (uint32_t *word, uint32_t how_many = 0x7fffffff);

// A lock of one word: 0 free, 1 held, 2 held and someone may sleep on it.
// Taken with signals blocked.  False if it is still held after about so long.
bool lock_word_within (uint32_t *word, uint64_t milliseconds);
void lock_word (uint32_t *word);
void unlock_word (uint32_t *word);

uint64_t now_ns ();
void sleep_us (uint64_t microseconds);
// Numbers of the process and the thread, or the second choice where they may not ask.
uint32_t own_pid (uint32_t before);
uint32_t own_tid (uint32_t otherwise);

// Blocks every signal; the previous mask goes to *OLD.
void block_signals (uint64_t *old);
void restore_signals (const uint64_t *old);

// A descriptor, or -errno.
long open_file (const char *path, int flags, int mode = 0);

// False: nothing is known of the limit.
bool read_limit (int which, struct rlimit *limit);

// Moves a fresh descriptor to a number that programs do not use, with
// close-on-exec; returns the new number or -errno (FD is closed either way).
int hide_descriptor (int fd);

uint64_t text_length (const char *text);
bool same_text (const char *a, const char *b);

// Remembers what descriptor 2 is.  Messages go nowhere else: a program may have
// closed it and have a file of data or a connection there.
void watch_stderr ();

// A line put together piece by piece in a fixed buffer; what does not fit is
// cut off.
class Line
{
public:
  Line () { text_[0] = 0; }
  Line &add (const char *text);
  Line &add (const char *text, uint64_t bytes);
  Line &add_number (uint64_t value);
  const char *text () const { return text_; }
  uint64_t length () const { return length_; }
  void send_to_stderr ();

private:
  char text_[400];
  uint32_t length_ = 0;
};

} // namespace mprt

#endif
