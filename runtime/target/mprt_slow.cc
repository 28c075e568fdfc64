// mprt_slow.cc - __mprt_slow: what a full chunk, a first record, a signal handler
// and a runtime that is off have in common.
// SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1
//
// Code that records must always get room for a record.  Where a record cannot be
// kept (off, handlers nested too deep, after the thread's end, no ring left) it
// goes to a scratch area, which is used over and over; unless the runtime is
// off, what was written there is counted as lost.  Each time the scratch area is
// full, the thread tries to go back to its ring.

#include "mprt_internal.h"

extern "C" {
// The cursor lies above every limit until a ring is open, so that no stale
// copy of it passes the comparison.
MPRT_TLS mprt_room __mprt_room = { k_no_cursor, 0 };
MPRT_TLS uint64_t __mprt_alloc_site = 0;
}

namespace mprt {

MPRT_TLS Thread self;

bool
in_scratch (const Thread &thread)
{
  return thread.scratch && __mprt_room.cursor - thread.scratch <= MPRT_CHUNK_BYTES;
}

// What was written to the scratch area counts as lost, unless the runtime is
// off.
void
count_scratch (Thread &thread)
{
  // What other threads do while the program ends would not have happened without
  // the wait for the profile.
  if (!in_scratch (thread) || thread.paused || process.ended || !recording ()
      || !process.shared)
    return;
  uint64_t end = __mprt_room.cursor;
  uint64_t records = 0;
  for (uint64_t c = thread.scratch; c < end; records++)
    {
      uint64_t words = *at<uint64_t> (c) & MPRT_LENGTH_MASK;
      c += (words ? words : 1) * 8;
    }
  __atomic_add_fetch (&process.shared->events_lost, records, __ATOMIC_RELAXED);
}

// Lets the thread write to memory that the backend does not read.
static void
use_scratch (Thread &thread)
{
  static uint64_t of_ended_threads[MPRT_CHUNK_BYTES / 8];
  if (!in_scratch (thread) && thread.level <= 1 && __mprt_room.cursor != k_no_cursor)
    thread.rings[thread.level].cursor = __mprt_room.cursor;
  if (!thread.scratch)
    {
      void *own = thread.life == k_thread_ended ? nullptr
						: map_memory (MPRT_CHUNK_BYTES);
      thread.scratch = reinterpret_cast<uint64_t> (own ? own : of_ended_threads);
    }
  set_cursor (thread.scratch, thread.scratch + MPRT_CHUNK_BYTES);
}

void
to_scratch ()
{
  Thread &thread = self;
  thread.paused = 1;
  thread.paused_limit = in_scratch (thread) || thread.level ? 0 : __mprt_room.limit;
  use_scratch (thread);
}

// From the scratch area back to the ring.
static void
leave_scratch (Thread &thread)
{
  if (!in_scratch (thread))
    return;
  count_scratch (thread);
  Ring &ring = thread.rings[thread.level];
  __mprt_room.limit = 0;
  __mprt_room.cursor = ring.shared ? ring.cursor : k_no_cursor;
}

// Whether a record of the program (INSTRUMENTED) or of the runtime itself has a
// ring to go to.  What libc frees at the end of a thread has none; after that of
// the first thread, the program is about to exit.
static bool
alive (Thread &thread, bool instrumented)
{
  return thread.life != k_thread_ended
	 || ((instrumented || thread.number == 0) && resume_thread (thread));
}

// The child of a fork begins a burst where its parent's was.
static bool
go_on_with_burst (Thread &thread)
{
  thread.goes_on = 0;
  if (!thread.in_burst && !begin_burst (thread))
    {
      thread.paused = 1;
      return false;
    }
  return make_room (thread.rings[thread.level]);
}

// Fresh room at the cursor, for such a record.
static bool
refill (Thread &thread, bool instrumented)
{
  if (process.mode == k_unstarted || process.mode == k_asleep)
    make_shared ();
  if (process.mode == k_parked && instrumented && any_unit ())
    start_recording ();
  else if (process.mode == k_parked && instrumented && starts_itself ())
    switch_off ("the program has a _start of its own, which runs no constructors, so that "
		"nothing is known of its code; nothing is recorded");
  if (!recording () || process.ended || thread.level > 1
      || !alive (thread, instrumented))
    {
      count_scratch (thread);
      return false;
    }
  const bool goes_on = instrumented && process.sampling && thread.goes_on && !thread.level && !load (&stopped);
  if (instrumented && !goes_on && (process.sampling ? !thread.in_burst : load (&stopped) != 0))
    {
      thread.paused = 1;
      return false;
    }
  if (thread.epoch != process.epoch)
    {
      thread.rings[0] = thread.rings[1] = {};
      thread.epoch = process.epoch;
      __mprt_room.cursor = k_no_cursor;
    }
  leave_scratch (thread);
  bool resumed = instrumented && thread.paused && !process.sampling;
  if (resumed)
    thread.paused = thread.paused_limit = 0;
  if (!thread.rings[0].shared && !open_ring (thread, 0))
    return false;
  if (thread.level == 1)
    {
      if (!thread.rings[1].shared && !open_ring (thread, 1))
	return false;
      if (thread.enter_pending)
	open_signal_level (thread);
    }
  if (!make_room (thread.rings[thread.level]))
    return false;
  if (resumed)
    {
      emit (MPRT_MARKER, MPRT_GAP, 0);
      if (!make_room (thread.rings[thread.level]))
	return false;
    }
  if (process.announce && process.mode > k_parked
      && __atomic_exchange_n (&process.announce, 0, __ATOMIC_ACQ_REL))
    announce ();
  if (goes_on)
    return go_on_with_burst (thread);
  return true;
}

void
to_ring ()
{
  Thread &thread = self;
  leave_scratch (thread);
  thread.paused = 0;
  thread.paused_limit = 0;
  if (thread.level == 0 && thread.epoch == process.epoch && thread.rings[0].shared
      && recording ())
    make_room (thread.rings[0]);
}

void *
make_room_for_control ()
{
  Thread &thread = self;
  if (!refill (thread, false))
    use_scratch (thread);
  return reinterpret_cast<void *> (__mprt_room.cursor);
}

} // namespace mprt

using namespace mprt;

void *
__mprt_slow (void *)
{
  Thread &thread = self;
  if (!refill (thread, true))
    use_scratch (thread);
  return reinterpret_cast<void *> (__mprt_room.cursor);
}
