// mprt_backend.cc - the reader of the stream: chosen, watched, waited for.
// SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1
//
// memprof-backend (mprt_spawn.cc), or a file if it cannot be started or the user
// wants one.  At its end the program waits until the profile is in its
// place: while the backend makes progress, and k_patience_ns longer.

#include "mprt_internal.h"

#include <poll.h>
#include <stdio.h>

namespace mprt {

// A program waits at its end as long as the backend makes progress; after this long
// without any sign of it, it gives up.
constexpr uint64_t k_patience_ns = 60ull * 1000000000u;
static void
say_fallback (const char *path, long error, const char *file)
{
  Line line;
  line.add ("memprof: cannot start memprof-backend");
  if (process.memfd < 0)
    line.add (" (no memfd; ulimit -f or a system call filter)");
  else if (path && (error == -ENOENT || error == -EACCES))
    line.add (" (").add (path)
      .add (error == -ENOENT ? ": no such file)"
                             : ": this user may not execute it, or not enter its folder)");
  else if (path)
    line.add (" (").add (path).add (": error ").add_number (static_cast<uint64_t> (-error)).add (")");
  else
    line.add (" (no path is known)");
  line.add ("; for the profile run: memprof-backend --from ").add (file);
  line.send_to_stderr ();
}

// `<directory>/<program>.<pid>.memprof-stream'; process.making is held.
static const char *
default_file ()
{
  const mprt_shared *shared = process.shared;
  constexpr uint64_t k_longest_name = 255, k_rest = 64;
  static char file[sizeof shared->directory + k_longest_name + k_rest];
  const char *name = shared->program;
  for (const char *p = shared->program; *p; p++)
    if (*p == '/')
      name = p + 1;
  uint64_t folder = text_length (shared->directory), n = text_length (name);
  copy_bytes (file, shared->directory, folder);
  // A folder that is gone has no name.
  if (folder)
    file[folder++] = '/';
  Line rest;
  rest.add (name, n < k_longest_name ? n : k_longest_name).add (".");
  rest.add_number (process.pid).add (".memprof-stream");
  copy_bytes (file + folder, rest.text (), rest.length () + 1);
  return file;
}

// Whether PATH, which was to be opened, is.
static bool
record_to_file (const char *path, bool opened)
{
  if (opened)
    return true;
  finish_file ();
  Line ()
    .add ("memprof: ")
    .add (path)
    .add (": cannot write the event stream (what is no stream stays); nothing is recorded")
    .send_to_stderr ();
  switch_off (nullptr);
  return false;
}

static void
choose_consumer ()
{
  if (process.options.file)
    {
      record_to_file (process.options.file, open_file (process.options.file));
      return;
    }
  const char *path
    = process.options.backend ? process.options.backend : process.backend;
  long error = path && *path ? start_backend (path) : -ENOENT;
  if (!error)
    {
      store (&process.mode, k_live);
      if (option_on (process.options.verbose, false))
	Line ()
	  .add ("memprof: process ")
	  .add_number (process.pid)
	  .add (" records; memprof-backend is process ")
	  .add_number (process.shared->backend_pid)
	  .send_to_stderr ();
      return;
    }
  const char *file = default_file ();
  if (record_to_file (file, open_stream (file, false)))
    say_fallback (path, error, file);
}

bool
start_recording ()
{
  if (!make_shared ())
    return false;
  uint64_t mask;
  block_signals (&mask);
  lock_word (&process.making);
  if (process.mode == k_parked)
    {
      choose_consumer ();
      if (process.memfd >= 0)
	sys (SYS_close, process.memfd);
      process.memfd = -1;
    }
  unlock_word (&process.making);
  restore_signals (&mask);
  return recording ();
}

// A process that has ended but has not been reaped still has a number: a
// pidfd tells.  The descriptor lives for an instant only.
static bool
process_ended (long pid)
{
  if (sys (SYS_kill, pid, 0) == -ESRCH)
    return true;
  long fd = sys (SYS_pidfd_open, pid, 0);
  if (fd < 0)
    return fd == -ESRCH;
  struct pollfd query = { static_cast<int> (fd), POLLIN, 0 };
  constexpr struct timespec k_at_once = {};
  long ready = sys (SYS_ppoll, as_long (&query), 1, as_long (&k_at_once), 0, 8);
  sys (SYS_close, fd);
  return ready == 1 && (query.revents & POLLIN);
}

bool
backend_alive ()
{
  if (process.mode != k_live)
    return true;
  uint32_t phase = load (&process.shared->phase);
  if (phase == MPRT_FAILED || phase == MPRT_FINISHED)
    return false;
  return !process_ended (load (&process.shared->backend_pid));
}

void
check_backend ()
{
  if (backend_alive ())
    return;
  if (load (&process.shared->phase) == MPRT_FAILED && process.shared->message[0])
    switch_off (process.shared->message);
  else
    switch_off ("memprof-backend has died; nothing more is recorded");
}

// Anything that the backend changes while it makes progress.
static uint64_t
progress ()
{
  const mprt_ring *rings = reinterpret_cast<const mprt_ring *> (
    reinterpret_cast<const char *> (process.shared) + MPRT_RINGS_OFFSET);
  uint64_t sum = load (&process.shared->phase);
  for (unsigned i = 0; i < MPRT_RINGS; i++)
    sum += load (&rings[i].consumed);
  return sum;
}

// Until the phase is FINISHED or FAILED, the backend has died, which sets *DEAD, or patience
// ends; the last phase seen.
static uint32_t
wait_for_phase (mprt_shared *shared, bool *dead)
{
  uint64_t before = progress (), since = now_ns ();
  for (uint64_t pause = 20;;)
    {
      uint32_t phase = load (&shared->phase);
      if (phase == MPRT_FINISHED || phase == MPRT_FAILED)
	return phase;
      if (!futex_wait (&shared->phase, phase, pause))
	continue;
      if (!backend_alive () && load (&shared->phase) == phase)
	{
	  *dead = true;
	  return phase;
	}
      pause = pause < 500 ? pause * 2 : 1000;
      uint64_t after = progress ();
      if (after != before)
	before = after, since = now_ns ();
      else if (now_ns () - since > k_patience_ns)
	return phase;
    }
}

void
finish_backend (bool flush)
{
  mprt_shared *shared = process.shared;
  uint64_t begin = now_ns ();
  store (&shared->ending, 1u);
  __atomic_add_fetch (&shared->work, 1, __ATOMIC_SEQ_CST);
  futex_wake (&shared->work);
  // libc writes out the program's standard output only after this; a process that
  // reads it should not have to wait, and it must not be lost if a signal kills
  // the program meanwhile.  As at exit: without a lock.
  if (flush)
    fflush_unlocked (stdout);
  bool dead = false;
  uint32_t phase = wait_for_phase (shared, &dead);
  shared->message[sizeof shared->message - 1] = 0;
  Line line;
  line.add ("memprof: ");
  if (phase == MPRT_FINISHED || phase == MPRT_FAILED)
    line.add (shared->message);
  else if (dead && phase == MPRT_WRITING)
    line.add ("memprof-backend has died while it wrote the profile; this run may be missing in it");
  else if (!dead && phase != MPRT_STARTING)
    line.add ("memprof-backend (process ")
      .add_number (shared->backend_pid)
      .add (") is still at work; the profile will follow");
  else
    line.add ("memprof-backend has died; no profile");
  if (phase != MPRT_FINISHED || shared->message[0])
    line.send_to_stderr ();
  if (option_on (process.options.verbose, false))
    Line ()
      .add ("memprof: waited ")
      .add_number ((now_ns () - begin) / 1000000)
      .add (" ms for the profile")
      .send_to_stderr ();
}

} // namespace mprt
