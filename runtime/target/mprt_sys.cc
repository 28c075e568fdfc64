// mprt_sys.cc - system calls, memory helpers and the message writer.
// SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1
//
// See mprt_sys.h.  Nothing here touches errno or allocates.

#include "mprt_sys.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <signal.h>
#include <time.h>

namespace mprt {

void *
map_memory (uint64_t bytes)
{
  long p = sys (SYS_mmap, 0, static_cast<long> (bytes), PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return p < 0 && p > -4096 ? nullptr : reinterpret_cast<void *> (p);
}

void
unmap_memory (void *p, uint64_t bytes)
{
  sys (SYS_munmap, as_long (p), static_cast<long> (bytes));
}

// Where futexes are forbidden.
static bool
poll_word (uint32_t *word, uint32_t expected, uint64_t milliseconds)
{
  for (; __atomic_load_n (word, __ATOMIC_ACQUIRE) == expected; milliseconds--)
    if (milliseconds == 0)
      return true;
    else
      sleep_us (1000);
  return false;
}

bool
futex_wait (uint32_t *word, uint32_t expected, uint64_t milliseconds)
{
  struct timespec limit;
  limit.tv_sec = static_cast<time_t> (milliseconds / 1000);
  limit.tv_nsec = static_cast<long> (milliseconds % 1000) * 1000000;
  long error
    = sys (SYS_futex, as_long (word), FUTEX_WAIT, expected, as_long (&limit));
  if (error == 0 || error == -EAGAIN || error == -EINTR)
    return false;
  return error == -ETIMEDOUT || poll_word (word, expected, milliseconds);
}

void
futex_wake (uint32_t *word, uint32_t how_many)
{
  sys (SYS_futex, as_long (word), FUTEX_WAKE, how_many);
}

bool
lock_word_within (uint32_t *word, uint64_t milliseconds)
{
  uint32_t seen = 0;
  if (__atomic_compare_exchange_n (word, &seen, 1, false, __ATOMIC_ACQUIRE,
				   __ATOMIC_RELAXED))
    return true;
  // A thread that has slept takes it as 2: others may still sleep.
  while (__atomic_exchange_n (word, 2, __ATOMIC_ACQUIRE) != 0)
    if (futex_wait (word, 2, milliseconds))
      return false;
  return true;
}

void
lock_word (uint32_t *word)
{
  while (!lock_word_within (word, 1000))
    continue;
}

void
unlock_word (uint32_t *word)
{
  if (__atomic_exchange_n (word, 0, __ATOMIC_RELEASE) == 2)
    futex_wake (word, 1);
}

uint64_t
now_ns ()
{
  struct timespec now = {};
  if (sys (SYS_clock_gettime, CLOCK_MONOTONIC, as_long (&now)) < 0)
    {
      struct timeval day = {};
      sys (SYS_gettimeofday, as_long (&day), 0);
      now = { day.tv_sec, day.tv_usec * 1000 };
    }
  return static_cast<uint64_t> (now.tv_sec) * 1000000000u
	 + static_cast<uint64_t> (now.tv_nsec);
}

void
sleep_us (uint64_t microseconds)
{
  struct timespec span;
  span.tv_sec = static_cast<time_t> (microseconds / 1000000);
  span.tv_nsec = static_cast<long> (microseconds % 1000000) * 1000;
  sys (SYS_nanosleep, as_long (&span), 0);
}

// If the call is forbidden, the process is taken to be the same as before.
uint32_t
own_pid (uint32_t before)
{
  long pid = sys (SYS_getpid);
  return pid > 0 ? static_cast<uint32_t> (pid) : before;
}

uint32_t
own_tid (uint32_t otherwise)
{
  long tid = sys (SYS_gettid);
  return tid > 0 ? static_cast<uint32_t> (tid) : otherwise;
}

// No mask that a thread can have: that of one whose signals could not be blocked.
static constexpr uint64_t k_not_blocked = ~0ull;

void
block_signals (uint64_t *old)
{
  uint64_t all = ~0ull;
  if (sys (SYS_rt_sigprocmask, SIG_SETMASK, as_long (&all), as_long (old), 8) < 0)
    *old = k_not_blocked;
}

void
restore_signals (const uint64_t *old)
{
  if (*old != k_not_blocked)
    sys (SYS_rt_sigprocmask, SIG_SETMASK, as_long (old), 0, 8);
}

long
open_file (const char *path, int flags, int mode)
{
  return sys (SYS_openat, AT_FDCWD, as_long (path), flags, mode);
}

bool
read_limit (int which, struct rlimit *limit)
{
  return (sys (SYS_getrlimit, which, as_long (limit)) == 0
	  || sys (SYS_prlimit64, 0, which, 0, as_long (limit)) == 0);
}

int
hide_descriptor (int fd)
{
  // The highest numbers that the limit allows: a program counts its own from
  // the bottom.  The lowest limit that is usual, where it may not be asked for.
  struct rlimit limit;
  if (!read_limit (RLIMIT_NOFILE, &limit))
    limit.rlim_cur = 1024;
  uint64_t top = limit.rlim_cur > 65536 ? 65536 : limit.rlim_cur;
  long hidden = -EMFILE;
  for (uint64_t room = 8; room <= 512 && hidden < 0 && room < top; room *= 4)
    hidden = sys (SYS_fcntl, fd, F_DUPFD_CLOEXEC, static_cast<long> (top - room));
  sys (SYS_close, fd);
  return static_cast<int> (hidden);
}

uint64_t
text_length (const char *text)
{
  uint64_t n = 0;
  while (text[n])
    n++;
  return n;
}

bool
same_text (const char *a, const char *b)
{
  while (*a && *a == *b)
    a++, b++;
  return *a == *b;
}

Line &
Line::add (const char *text, uint64_t bytes)
{
  for (uint64_t i = 0; i < bytes && length_ + 1 < sizeof text_; i++)
    text_[length_++] = text[i];
  text_[length_] = 0;
  return *this;
}

Line &
Line::add (const char *text)
{
  return add (text, text_length (text));
}

Line &
Line::add_number (uint64_t value)
{
  char digits[20];
  unsigned n = sizeof digits;
  do
    digits[--n] = static_cast<char> ('0' + value % 10);
  while (value /= 10);
  return add (digits + n, sizeof digits - n);
}

static uint64_t stderr_device, stderr_inode;
static bool stderr_known;

void
watch_stderr ()
{
  struct stat at_start;
  clear_bytes (&at_start, sizeof at_start);
  stderr_known = sys (SYS_fstat, 2, as_long (&at_start)) == 0;
  stderr_device = at_start.st_dev;
  stderr_inode = at_start.st_ino;
}

static bool
same_stderr ()
{
  struct stat now;
  clear_bytes (&now, sizeof now);
  return stderr_known && sys (SYS_fstat, 2, as_long (&now)) == 0
	 && now.st_dev == stderr_device && now.st_ino == stderr_inode;
}

// A pipe without a reader and a limit of file sizes are no reason to kill the
// program: the signals of a write that fails come to this thread, which takes
// them back.
void
Line::send_to_stderr ()
{
  constexpr uint64_t k_of_write = 1ull << (SIGPIPE - 1) | 1ull << (SIGXFSZ - 1);
  constexpr struct timespec k_at_once = {};
  add ("\n", 1);
  if (!same_stderr ())
    return;
  uint64_t mask, before = 0;
  block_signals (&mask);
  sys (SYS_rt_sigpending, as_long (&before), 8);
  sys (SYS_write, 2, as_long (text_), length_);
  uint64_t ours = k_of_write & ~before;
  while (sys (SYS_rt_sigtimedwait, as_long (&ours), 0, as_long (&k_at_once), 8) > 0)
    continue;
  restore_signals (&mask);
}

} // namespace mprt
