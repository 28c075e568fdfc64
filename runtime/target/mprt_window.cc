// mprt_window.cc - sample mode: windows, in which every access is recorded for a while.
// SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1
//
// What misses in a cache of any size follows from reuse distances: how many other lines are
// accessed until a line is accessed again. A burst is too short to see them. So some bursts are
// followed by a window, in which the thread records all that it does; the backend takes nothing
// else from it (runtime/backend/decode/window_decoder.h):
//
//      places   . . . B B B W W W W W W W W W . . . . . . . B B B . . .
//
// A burst begins at a random place, and so does the window after it.  But a loop that one record
// describes has no places inside, however long it runs: where a program spends its time so, windows
// begin after a loop of which a sample is taken (mprt_loop_samples.cc). Whichever comes first; so
// windows begin at random times. Their places are taken from the gap to the next burst.
//
// Windows have a budget: all those of a thread take at most one fiftieth (option windows=) of
// the time since its first burst, by the processor's own clock. Long ones see what is reused
// late, many short ones give better estimates of what is reused early. So their lengths differ:
// a quarter of the budget so far, divided by a random power of two up to 32. A long run has
// longer windows than a short one, and always some long ones among them:
//
//      after        budget     windows take
//      10 ms        0.2 ms     50 to 1.6 us (but at least 16)
//      1 s          20 ms      5 ms to 160 us
//      10 s         200 ms     33 ms to 1.6 ms

#include "mprt_internal.h"

namespace mprt {

// Some 16 us, below which a window sees no more than a burst, and 30 ms, so that no user notices one.
constexpr uint64_t k_least_cycles = 50'000, k_most_cycles = 100'000'000;

constexpr uint64_t k_budget_parts = 4, k_kinds_of_windows = 6;

// More than fit into the longest one.
constexpr int64_t k_window_places = int64_t{ 1 } << 40;

constexpr int64_t k_most_lease = 64;

// 0 once the program has forbidden itself to read the clock.
static uint64_t
now ()
{
  return load (&process.no_clock) ? 0 : cycles ();
}

// Cycles that windows may have taken until now.
static uint64_t
allowed (const Thread &thread)
{
  auto one_in = static_cast<uint64_t> (number (process.options.windows, 50));
  return one_in == 0 ? 0 : (now () - thread.sampling_began) / one_in;
}

static uint64_t
plan (Thread &thread, uint64_t budget)
{
  uint64_t length = budget / k_budget_parts
		    >> next_random (thread.window_random) % k_kinds_of_windows;
  return length < k_least_cycles ? k_least_cycles
	 : length > k_most_cycles ? k_most_cycles
				  : length;
}

static bool
window_due (Thread &thread)
{
  if (load (&process.no_clock))
    return false;
  if (thread.sampling_began == 0)
    thread.sampling_began = now ();
  uint64_t budget = allowed (thread);
  if (thread.window_planned == 0)
    thread.window_planned = plan (thread, budget);
  return budget >= thread.windows_took + thread.window_planned && !load (&stopped)
	 && sampling_period () != 0;
}

bool
begin_window_after_burst (Thread &thread)
{
  if (!window_due (thread))
    return false;
  to_ring ();
  thread.gap = 0;
  begin_window (thread);
  return true;
}

void
ask_for_window (Thread &thread)
{
  if (!window_wanted () && window_due (thread))
    __mprt_countdown = __mprt_countdown - k_window_wanted;
}

void
begin_window (Thread &thread)
{
  emit (MPRT_MARKER, MPRT_WINDOW_BEGIN, thread.gap);
  thread.early = k_window;
  thread.window_began = thread.window_looked = now ();
  thread.window_lease = 1;
  record_places (thread, k_window_places);
}

// A place may be a loop of a million iterations, or a few instructions.
int64_t
window_lease (Thread &thread)
{
  constexpr uint64_t k_short = 4000;
  uint64_t time = now (), passed = time - thread.window_looked;
  thread.window_looked = time;
  if (passed < k_short && thread.window_lease < k_most_lease)
    thread.window_lease *= 2;
  else if (passed >= k_short && thread.window_lease > 1)
    thread.window_lease /= 2;
  return thread.window_lease;
}

bool
window_over (const Thread &thread)
{
  return thread.early == k_window
	 && (load (&process.no_clock) || now () - thread.window_began >= thread.window_planned);
}

void
end_window (Thread &thread)
{
  thread.windows_took += now () - thread.window_began;
  thread.window_planned = 0;
}

} // namespace mprt
