// mprt_loop_samples.cc - sample mode: samples of whole loops and long copies outside of bursts.
// SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1
//
// A loop that one range record describes is one place, however many iterations it has, so
// bursts seldom meet the long ones.  The unprofiled body of a function subtracts the
// iterations of each such loop from a countdown of the thread, __mprt_work
// (plugin/generate/sample/loop_samples.cc).  The loop in which it runs out is sampled: it
// writes its range record.  In other words, sampling points are a period apart on the axis
// of iterations, and a loop with a point represents as many executions of its kind as have
// a period's iterations together:
//
//      period 200,000     100 iterations          represents 2000 executions
//                         1,000,000 iterations    always has a point: represents itself
//
// As with bursts, the first points are close together.  They are at random distances,
// but the same in each run.
//
// An array is often initialised by one loop that is executed once and has no point.  Then
// the writer of what the rest of the run reads would be unknown.  So a loop that stores
// 4 KB at least is also sampled at its first executions; these samples represent none.
//
// The same goes for calls that move 8 KB or more (memcpy, read): each 8 bytes count as an
// iteration.

#include "mprt_internal.h"

extern "C" {
MPRT_TLS int64_t __mprt_work = 0;
}

namespace mprt {

// The first executions of a loop that are sampled in any case.
constexpr uint32_t k_first = 16;

// Bytes of a call that count as an iteration.
constexpr uint64_t k_bytes_of_one = 8;

// Iterations between the first points, and which part of what has passed they are apart.
constexpr int64_t k_shortest = 64, k_parts = 16;

// When a thread that does not record asks again.
constexpr int64_t k_later = 1 << 20;

// How many there were, of the loops whose headers meet here.  Threads may lose
// counts to each other.
static uint32_t executions[1024];

static uint32_t &
executions_of (uint64_t header)
{
  return executions[(header / MPRT_DESC_ALIGN ^ header >> 16) % 1024];
}

// The countdown has run out in a loop of COUNT iterations: goes on to the next point.
// Returns how many executions the loop represents.
static uint64_t
take_points (Thread &thread, uint64_t count)
{
  int64_t most = sampling_period ();
  int64_t mean = thread.worked / k_parts;
  mean = mean > most ? most : mean > k_shortest ? mean : k_shortest;
  uint64_t distance = static_cast<uint64_t> (mean);
  uint64_t past = 0 - static_cast<uint64_t> (__mprt_work);
  uint64_t on = past - past % distance + distance / 2
		+ next_random (thread.work_random) % distance;
  while (on < past)
    on += distance;
  __mprt_work = static_cast<int64_t> (on - past);
  thread.worked = thread.worked < k_never / 2 && on < k_never / 2
		    ? thread.worked + static_cast<int64_t> (on)
		    : k_never / 2;
  if (count >= distance)
    return 1;
  // Rounded so that it is right on average.
  return distance / count
	 + (next_random (thread.work_random) % count < distance % count);
}

// Whether the loop or call with HEADER, which has COUNT iterations, is sampled.  Sets TIMES
// to the number of executions that the sample represents.
static bool
chosen (Thread &thread, uint64_t header, uint64_t count, uint64_t &times)
{
  times = 0;
  bool first = executions_of (header)++ < k_first;
  // What a signal handler has left below 0 waits for a loop that has iterations.
  if (__mprt_work < 0 && count != 0)
    times = take_points (thread, count);
  return first || times != 0;
}

// Whether loops and calls of THREAD are sampled now.
static bool
watched (const Thread &thread)
{
  if (thread.in_burst || thread.level)
    return false;
  if (recording () && !process.ended && process.sampling && !load (&stopped)
      && sampling_period () != 0)
    return true;
  __mprt_work = k_later;
  return false;
}

// Writes a sample of the loop or call with COUNT iterations, if it is chosen.  The words of
// its record are HEADER, FIRST and LIST.
static void
write_sample (Thread &thread, uint64_t count, uint64_t header, uint64_t first,
	      __builtin_va_list list)
{
  uint64_t times;
  if (!chosen (thread, header, count, times))
    return;
  OnRing on_ring;
  uint64_t *record = reserve ();
  unsigned words = header & MPRT_LENGTH_MASK;
  record[1] = times;
  record[2] = header;
  record[3] = first;
  for (unsigned i = 2; i < words; i++)
    record[i + 2] = __builtin_va_arg (list, uint64_t);
  compiler_barrier ();
  record[0] = MPRT_CONTROL_HEADER (MPRT_LOOP_SAMPLE, words + 2);
  commit (record, words + 2);
  if (times != 0)
    ask_for_window (thread);
}

} // namespace mprt

using namespace mprt;

// A loop of COUNT iterations, which have been subtracted.
void
__mprt_loop_sample (uint64_t header, uint64_t count, ...)
{
  Thread &thread = self;
  if (!watched (thread))
    return;
  __builtin_va_list list;
  __builtin_va_start (list, count);
  write_sample (thread, count, header, count, list);
  __builtin_va_end (list);
}

// A call that moves BYTES.
void
__mprt_call_sample (uint64_t header, uint64_t bytes, ...)
{
  Thread &thread = self;
  if (!watched (thread))
    return;
  uint64_t count = bytes / k_bytes_of_one;
  __mprt_work -= static_cast<int64_t> (count);
  __builtin_va_list list;
  __builtin_va_start (list, bytes);
  write_sample (thread, count, header, bytes, list);
  __builtin_va_end (list);
}
