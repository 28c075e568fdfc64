// mprt_shared.cc - the life of the recording: start, off, again.
// SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1
//
//   asleep --first constructor--> unstarted --first record--> parked
//   parked --first unit--> live or file          any of them --> off
//   live, file --fork, exec that failed--> unstarted
//
// The shared memory is made at the first record (often the birth of an object
// in a constructor), the backend is started only when a unit registers.
// What is recorded between the registration of two units is read later.

#include "mprt_hooks.h"

#include <fcntl.h>
#include <linux/memfd.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>

namespace mprt {

Process process;

void
switch_off (const char *why)
{
  if (__atomic_exchange_n (&process.mode, k_off, __ATOMIC_ACQ_REL) == k_off)
    return;
  if (why)
    Line ().add ("memprof: ").add (why).send_to_stderr ();
}

void
initialise ()
{
  if (process.initialised)
    return;
  process.initialised = 1;
  watch_stderr ();
#ifdef MPRT_STATIC
  __asm__ volatile ("" : : "r" (hook_files));
#endif
  process.pid = own_pid (process.pid);
  process.file = -1;
  process.epoch = 1;
  process.mode = k_unstarted;
  // A program with more rights than its user must not follow the user's
  // environment or write the user's files.
  if (getauxval (AT_SECURE))
    {
      switch_off (nullptr);
      return;
    }
  read_options ();
  initialise_threads ();
  initialise_exit ();
  initialise_fork ();
}

// Shared memory of the size that the program's file size limit allows only if
// the limit is lifted for a moment: it counts for a memfd too, and going beyond
// it would kill the program.  So it stays as it is where the limit is not known.
static bool
set_length (int fd)
{
  struct rlimit old;
  if (!read_limit (RLIMIT_FSIZE, &old))
    return false;
  bool short_of = old.rlim_cur < MPRT_SHARED_BYTES;
  if (short_of && old.rlim_max < MPRT_SHARED_BYTES)
    return false;
  struct rlimit lifted = { old.rlim_max, old.rlim_max };
  if (short_of && sys (SYS_setrlimit, RLIMIT_FSIZE, as_long (&lifted)) < 0)
    return false;
  long result = sys (SYS_ftruncate, fd, MPRT_SHARED_BYTES);
  if (short_of)
    sys (SYS_setrlimit, RLIMIT_FSIZE, as_long (&old));
  sys (SYS_fcntl, fd, F_ADD_SEALS, F_SEAL_SHRINK);
  return result == 0;
}

static void
read_file (const char *path, char *to, uint64_t bytes)
{
  long fd = open_file (path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return;
  sys (SYS_read, fd, as_long (to), static_cast<long> (bytes));
  sys (SYS_close, fd);
}

// What the process was like at its start.  The child of a fork is the same
// program, wherever it has gone since, and may have no right to ask any more.
struct About
{
  uint32_t known;
  char program[sizeof (mprt_shared::program)];
  char directory[sizeof (mprt_shared::directory)];
  char command[sizeof (mprt_shared::command)];
  char rank[sizeof (mprt_shared::rank)];
};

static About about;

static void
look_at_program ()
{
  about.known = 1;
  sys (SYS_readlinkat, AT_FDCWD, as_long ("/proc/self/exe"), as_long (about.program),
       sizeof about.program - 1);
  // Outside of the root it has no name that helps.
  if (sys (SYS_getcwd, as_long (about.directory), sizeof about.directory - 1) < 0
      || about.directory[0] != '/')
    about.directory[0] = 0;
  read_file ("/proc/self/cmdline", about.command, sizeof about.command - 1);
  read_rank (about.rank, sizeof about.rank);
}

static void
describe_program (mprt_shared *shared)
{
  if (!about.known)
    look_at_program ();
  copy_bytes (shared->program, about.program, sizeof about.program);
  copy_bytes (shared->directory, about.directory, sizeof about.directory);
  copy_bytes (shared->command, about.command, sizeof about.command);
  copy_bytes (shared->rank, about.rank, sizeof about.rank);
  copy_bytes (shared->options, process.options.as_given, sizeof shared->options);
  shared->options[sizeof shared->options - 1] = 0;
}

static bool
map_shared ()
{
  int fd = static_cast<int> (sys (SYS_memfd_create, as_long ("memprof"),
				  MFD_CLOEXEC | MFD_ALLOW_SEALING));
  int flags = MAP_SHARED | MAP_NORESERVE;
  if (fd >= 0)
    fd = hide_descriptor (fd);
  if (fd < 0 || !set_length (fd))
    {
      // Good enough for a stream file.
      if (fd >= 0)
	sys (SYS_close, fd);
      fd = -1;
      flags |= MAP_ANONYMOUS;
    }
  long p = sys (SYS_mmap, 0, MPRT_SHARED_BYTES, PROT_READ | PROT_WRITE, flags, fd, 0);
  if (p < 0 && p > -4096)
    {
      switch_off ("no address space for the profile's buffers (ulimit -v?); "
		  "nothing is recorded");
      if (fd >= 0)
	sys (SYS_close, fd);
      return false;
    }
  sys (SYS_madvise, p, MPRT_SHARED_BYTES, MADV_DONTDUMP);
  mprt_shared *shared = reinterpret_cast<mprt_shared *> (p);
  shared->magic = MPRT_SHARED_MAGIC;
  shared->abi = MPRT_ABI;
  shared->bytes = sizeof (mprt_shared);
  shared->program_pid = process.pid;
  shared->start_ns = now_ns ();
  describe_program (shared);
  process.shared = shared;
  process.memfd = fd;
  store (&process.mode, k_parked);
  return true;
}

bool
make_shared ()
{
  initialise ();
  uint64_t mask;
  block_signals (&mask);
  lock_word (&process.making);
  if (process.mode == k_unstarted)
    map_shared ();
  unlock_word (&process.making);
  restore_signals (&mask);
  return recording ();
}

// The memory stays mapped, because code that was interrupted in the middle of a
// record may still write there; in a child of fork it becomes the child's own.
void
forget_rings (bool in_child)
{
  if (process.shared && in_child
      && sys (SYS_mmap, as_long (process.shared), MPRT_SHARED_BYTES,
	      PROT_READ | PROT_WRITE,
	      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0)
	   < 0)
    switch_off ("a child process may not map memory; it records nothing");
  process.epoch++;
  process.shared = nullptr;
  process.ended = 0;
  process.announce = any_unit ();
  process.pid = own_pid (process.pid);
  if (process.mode != k_off)
    store (&process.mode, k_unstarted);
  Thread &thread = self;
  thread.rings[0] = thread.rings[1] = {};
  // Code that a handler interrupted may have looked at the limit already, and
  // writes its next records where it was; the limit stops it after them.
  thread.interrupted[0].limit = thread.interrupted[1].limit = 0;
  thread.scratch = 0;
  // In the middle of a burst the code goes on with it: its next record begins another.
  thread.goes_on = in_child && thread.in_burst;
  thread.paused = thread.in_burst = 0;
  // The places before were the parent's.
  thread.gap = 0;
  thread.early = k_not_early;
  thread.paused_limit = 0;
  __mprt_countdown = 0;
  __mprt_lease = 0;
  __mprt_work = 0;
  __mprt_last_ticket = 0;
  store (&__mprt_guard_ticket, 0);
  __mprt_room.cursor = k_no_cursor;
  __mprt_room.limit = 0;
}

} // namespace mprt
