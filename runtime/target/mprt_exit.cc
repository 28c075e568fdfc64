// mprt_exit.cc - the end of the program.
// SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1
//
// return from main, exit ()    the hook that libc calls last (below)
// quick_exit ()                a handler that was registered first, so runs last
// _exit (), _Exit ()           interposed
// abort, fatal signal          nothing: the backend sees the process go, reads
//                              what is in the rings, says complete: false
// the last thread's end        exit (0) in libc: as above
//
// on_exit handlers run in reverse order and learn the exit status.  The shared
// library registers its own before libc has registered the one that runs the
// destructors of the program and its libraries: so it comes after all of them.
// In a static program the order is the other way round; there the handler only
// notes the status and a destructor of the lowest priority ends the recording.

#include "mprt_hooks.h"

#include <stdlib.h>

extern "C" int __cxa_at_quick_exit (void (*) (void *), void *);
extern "C" void *__dso_handle;

namespace mprt {

static uint64_t exit_status;

// Publishes, says how the program ends and waits for the profile; FLUSH if libc
// is about to write out the program's standard output.
void
end_program (uint32_t how, uint64_t status, bool flush)
{
  // The child of a vfork shares this memory; it must not end its parent's
  // recording.
  if (process.mode <= k_unstarted || process.pid != own_pid (process.pid))
    return;
  if (__atomic_exchange_n (&process.ended, 1, __ATOMIC_ACQ_REL))
    return;
  uint32_t mode = process.mode;
  if (mode == k_parked)
    return;
  process.ended = 0;
  resume_for_exit ();
  leave_signal_levels ();
  end_sampling ();
  OnRing on_ring;
  // The header of a file was written at the start.
  if (mode == k_file && process.shared->events_lost)
    emit (MPRT_LOST, process.shared->events_lost);
  send_all_entries ();
  emit (MPRT_PROGRAM_END, how, status);
  order_here ();
  publish_own ();
  process.ended = 1;
  if (process.mode == k_live)
    finish_backend (flush);
  else if (process.mode == k_file)
    finish_file ();
  store (&process.mode, k_off);
}

static void
at_exit (int status, void *)
{
  exit_status = static_cast<uint64_t> (status);
#ifndef MPRT_STATIC
  end_program (MPRT_END_EXIT, exit_status, true);
#endif
}

#ifdef MPRT_STATIC
// 101 is the priority of the units' destructors; a lower number runs later.
#pragma GCC diagnostic ignored "-Wprio-ctor-dtor"
__attribute__ ((destructor (100))) static void
at_last_destructor ()
{
  end_program (MPRT_END_EXIT, exit_status, true);
}
#endif

// quick_exit does not tell its handlers the status.
static void
at_quick_exit (void *)
{
  end_program (MPRT_END_EXIT, exit_status, false);
}

void
initialise_exit ()
{
  int saved_errno = errno;
  on_exit (at_exit, nullptr);
  __cxa_at_quick_exit (at_quick_exit, &__dso_handle);
  errno = saved_errno;
}

MPRT_HOOK (void, _exit, (int status))
{
  end_program (MPRT_END_EXIT, static_cast<uint64_t> (status), false);
  REAL (_exit) (status);
  __builtin_unreachable ();
}

MPRT_HOOK (void, _Exit, (int status))
{
  end_program (MPRT_END_EXIT, static_cast<uint64_t> (status), false);
  REAL (_Exit) (status);
  __builtin_unreachable ();
}

MPRT_HOOK (void, quick_exit, (int status))
{
  exit_status = static_cast<uint64_t> (status);
  REAL (quick_exit) (status);
  __builtin_unreachable ();
}

// Early enough that libc calls at_exit after everything else.
__attribute__ ((constructor (101))) static void
at_load ()
{
  initialise ();
}

} // namespace mprt
