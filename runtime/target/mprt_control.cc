// mprt_control.cc - the calls of memprof.h.
// SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1
//
// A stopped program is in the state of sample mode between two bursts: threads are paused, their
// records go to the scratch area, births and deaths to the ring.  A thread notices
// where it synchronises with others (order_here) and at the end of its chunk, in
// sample mode at its next choice; when it continues it reports the gap.
//
// A dump ends the stream as an exit does, and begins a new one as a process does
// that was forked: it knows the units and the objects that live.  The backend adds
// its profile to the file.  A reset is the same, but for the profile of the first
// stream, which is not written.  Other threads change to the new stream where they
// notice: so nothing is lost if they wait meanwhile, or begin later.

#include "mprt_internal.h"

namespace mprt {

uint32_t stopped;

void
stop_here ()
{
  Thread &thread = self;
  if (!load (&stopped) || thread.level || !recording () || process.ended)
    return;
  if (thread.in_burst)
    end_burst (thread);
  else if (!thread.paused && !process.sampling)
    to_scratch ();
}

void
apply_pending_control ()
{
  Thread &thread = self;
  if (thread.level || process.ended)
    return;
  bool old_stream = thread.epoch != process.epoch && thread.rings[0].shared;
  bool stopped_before = thread.paused && !load (&stopped) && !process.sampling;
  if (old_stream || stopped_before)
    __mprt_slow (nullptr);
  stop_here ();
}

// The stream so far is over, for the reason HOW.
static void
renew (uint32_t how)
{
  int saved_errno = errno;
  if (process.mode == k_live && !process.ended && process.pid == own_pid (process.pid)
      && self.level == 0 && self.rings[0].shared)
    {
      snapshot_live_objects ();
      end_program (how, 0, false);
      start_again ();
      // At once: a birth would not wait for the units.
      __mprt_slow (nullptr);
    }
  errno = saved_errno;
}

} // namespace mprt

using namespace mprt;

void
__mprt_stop (void)
{
  store (&stopped, 1u);
  stop_here ();
}

void
__mprt_start (void)
{
  store (&stopped, 0u);
  Thread &thread = self;
  if (thread.paused && !thread.level && !process.sampling)
    __mprt_slow (nullptr);
}

void
__mprt_dump (void)
{
  renew (MPRT_END_DUMP);
}

void
__mprt_reset (void)
{
  renew (MPRT_END_RESET);
}
