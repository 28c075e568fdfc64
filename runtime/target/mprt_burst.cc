// mprt_burst.cc - sample mode: when bursts begin and end.
// SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1
//
// Functions of sample mode have two bodies and choose at their entry and in
// loops (plugin/generate/sample/unprofiled_body.cc), by a countdown of the thread:
//
//      __mprt_countdown >= 0     plain; when it is over, __mprt_burst begins a
//                                burst
//      __mprt_countdown < 0      a burst: __mprt_burst counts, and ends it
//
// The gaps between bursts have random lengths, so that in a program which repeats
// itself bursts do not always meet the same place; the lengths are the same in each run.
// The bursts have, too: many are short, since many places say more about how often
// what is executed, and few are long, since a dependence is seen only where one
// burst has both its ends. There are no more of them when the options say so
// (bursts=), or when the backend does (converge=).
//
// A program that ends soon should be sampled in several places, too. So gaps
// and bursts are short at first, in the same proportion, and grow with what has
// passed until they have the length that was asked for (but not with converge=,
// where the first bursts decide):
//
//      passed        burst    gap
//      0             8        6,400
//      500,000       41       33,000
//      3,000,000 on  250      200,000
//
// What is initialised once is read for the rest of the run, and a burst seldom coincides with that
// moment. So there are also early bursts, of 64 places: all of the first 8192 places, then
// fewer and fewer, down to one in 512. They show which site stores where, but nothing is counted
// there.
//
// Right after a burst there may be a window, which takes its places from the gap (mprt_window.cc).
//
// Even so a function that runs only a few times is hardly ever seen, and its stores may
// be what a loop reads for the rest of the run. So an early burst begins at the first
// entries of each function, too, as LiteRace looks at cold code (Marino et al., Effective
// Sampling for Lightweight Data-Race Detection, PLDI 2009): they take MPRT_FIRST_ENTRY
// places from the countdown, which is negative then, and is put right here.
//
// Asking at each place of a burst would cost more than what is recorded there, since
// the registers are saved around the call. So each answer comes with a lease: at that number
// of places the stub that a port may have (plugin/target) says yes by itself. Code that needs to
// know how far the burst is takes the lease back first.
//
// Between bursts the thread is paused: its cursor is in the scratch area, where
// functions write that entered their instrumented body during the burst and have
// not come to a choice since.  Births and deaths go to the ring all the time.

#include "mprt_internal.h"

extern "C" {
MPRT_TLS volatile int64_t __mprt_countdown = 0;
MPRT_TLS int64_t __mprt_lease = 0;
}

namespace mprt {

// 0.125 % of the run. How well a profile agrees with a full one depends on how many
// bursts there are, not on how long they are: with 1000 instead of 250 places in each
// it agrees no better, and the backend has four times the work.
constexpr int64_t k_period = 200'000;
constexpr int64_t k_burst = 250;

// Places of a lease: when another thread stops sampling, a burst goes on for as many.
constexpr int64_t k_lease = 64;

// One burst of 21 is long, and has a quarter of what is seen. The mean is what was asked
// for: (20 * 13 + 76) / 21 = 16.
constexpr uint64_t k_kinds = 21;
constexpr int64_t k_short = 13, k_long = 76; // sixteenths of the mean

// While they grow, a period is a 15th of what has passed.
constexpr int64_t k_places = 15, k_shortest = 8;

int64_t
number (const char *text, int64_t otherwise)
{
  if (!text || *text < '0' || *text > '9')
    return otherwise;
  int64_t n = 0;
  for (; *text >= '0' && *text <= '9' && n < k_never / 16; text++)
    n = n * 10 + *text - '0';
  return n;
}

uint64_t
next_random (uint64_t &state)
{
  // xorshift64; the seed must not be 0.
  uint64_t x = state ? state : 0x9e3779b97f4a7c15;
  x ^= x << 13;
  x ^= x >> 7;
  x ^= x << 17;
  return state = x;
}

int64_t
sampling_period ()
{
  return number (process.options.period, k_period);
}

// A * B / C, or k_never if that is more: the product may be longer than a word, and there are
// neither floating-point numbers here nor a library for divisions.
static int64_t
scaled (int64_t a, int64_t b, int64_t c)
{
  auto product
    = static_cast<unsigned __int128> (static_cast<uint64_t> (a)) * static_cast<uint64_t> (b);
  auto high = static_cast<uint64_t> (product >> 64), low = static_cast<uint64_t> (product);
  auto divisor = static_cast<uint64_t> (c);
  if (high >= divisor)
    return k_never;
  uint64_t result = divide (high, low, divisor);
  return result < static_cast<uint64_t> (k_never) ? static_cast<int64_t> (result) : k_never;
}

// Of bursts at this place, on average.
static int64_t
mean_length (const Thread &thread)
{
  int64_t most = number (process.options.burst, k_burst);
  int64_t length = scaled (thread.passed, most, sampling_period () + 1) / k_places;
  if (sampling_period () == 0 || process.options.converge || length > most)
    return most;
  return length > k_shortest ? length : k_shortest < most ? k_shortest : most;
}

static int64_t
burst_length (Thread &thread)
{
  int64_t mean = mean_length (thread);
  uint64_t kind = thread.bursts == 0 ? 1 : next_random (thread.random) % k_kinds;
  int64_t sixteenths = kind == 0 ? k_long : k_short;
  // The option's largest value is k_never / 16 and a digit more.
  int64_t length = mean > k_never / 1024 ? mean : mean * sixteenths / 16;
  return length > 0 ? length : 1;
}

// To the next early burst.
static int64_t
early_gap (Thread &thread)
{
  constexpr int64_t k_all = 4096, k_rarest = 512;
  int64_t one_in = thread.passed / k_all;
  if (one_in > k_rarest || sampling_period () == 0 || process.options.converge)
    return k_never;
  if (one_in < 2)
    return 0;
  int64_t mean = (one_in - 1) * MPRT_EARLY_PLACES;
  return mean / 2
	 + static_cast<int64_t> (next_random (thread.random)
				 % static_cast<uint64_t> (mean));
}

// What is left of a uniform gap of 2 * HALF on average, for an arrival at any time.  The first
// burst is no end of a gap, but where the program happens to begin: so the places after it have the same
// chance as all later ones.
static int64_t
rest_of_gap (Thread &thread, int64_t half)
{
  auto below = [&] (int64_t n) {
    return static_cast<int64_t> (next_random (thread.random) % static_cast<uint64_t> (n));
  };
  while (half > 0)
    if (int64_t rest = below (3 * half); rest < half || below (2 * half) < 3 * half - rest)
      return rest;
  return 0;
}

// Uniform, so that each place has the same chance.
static int64_t
gap_length (Thread &thread)
{
  int64_t most = number (process.options.burst, k_burst);
  int64_t mean = sampling_period ();
  if (most > 0)
    mean = scaled (mean, mean_length (thread), most);
  if (thread.bursts == 1)
    return rest_of_gap (thread, mean / 2);
  return mean > 0 ? mean / 2
		      + static_cast<int64_t> (next_random (thread.random)
					      % static_cast<uint64_t> (mean))
		  : 0;
}

// One instruction takes it: a handler that interrupts finds all of it or nothing.
void
end_lease (Thread &thread)
{
  int64_t rest = __atomic_exchange_n (&__mprt_lease, 0, __ATOMIC_RELAXED);
  if (rest > 0)
    thread.burst_left += rest;
}

static void
begin_lease (Thread &thread)
{
  int64_t most = thread.early == k_window ? window_lease (thread) : k_lease;
  int64_t rest = thread.burst_left - 1, places = rest < most ? rest : most;
  thread.burst_left -= places;
  __mprt_lease = places;
}

// Places since the last burst. First entries and a window that was asked for do not count: each has
// taken more from the countdown than twice what passes.
int64_t
places_passed (const Thread &thread)
{
  constexpr int64_t k_half = MPRT_FIRST_ENTRY / 2;
  return ((thread.gap - __mprt_countdown + k_half) & (MPRT_FIRST_ENTRY - 1)) - k_half;
}

void
record_places (Thread &thread, int64_t places)
{
  thread.burst_length = thread.burst_left = places;
  thread.in_burst = 1;
  thread.goes_on = 0;
  begin_lease (thread);
  __mprt_countdown = -1;
}

uint64_t
begin_burst (Thread &thread)
{
  int64_t most = number (process.options.bursts, k_never);
  // The child of a fork has no shared memory yet.
  const mprt_shared *shared = process.shared;
  if (static_cast<int64_t> (thread.bursts) >= most
      || (shared && load (&shared->enough)))
    {
      thread.gap += k_never / 2;
      __mprt_countdown = k_never / 2;
      return 0;
    }
  if (thread.paused)
    to_ring ();
  if (thread.early == k_window)
    begin_window (thread);
  else if (thread.early)
    {
      bool first = thread.early == k_first_entry;
      emit (MPRT_MARKER, first ? MPRT_FIRST_BEGIN : MPRT_EARLY_BEGIN, thread.gap);
      record_places (thread, MPRT_EARLY_PLACES);
    }
  else
    {
      emit (MPRT_MARKER, MPRT_BURST_BEGIN, thread.gap);
      record_places (thread, burst_length (thread));
      thread.bursts++;
    }
  return 1;
}

static int64_t
at_least_0 (int64_t n)
{
  return n > 0 ? n : 0;
}

void
end_burst (Thread &thread)
{
  end_lease (thread);
  int64_t length = thread.burst_length - thread.burst_left;
  constexpr mprt_marker ends[]
    = { MPRT_BURST_END, MPRT_EARLY_END, MPRT_EARLY_END, MPRT_WINDOW_END };
  emit (MPRT_MARKER, ends[thread.early], length);
  if (thread.early == k_window)
    end_window (thread);
  int64_t passed = thread.gap + length;
  thread.passed += passed;
  thread.in_burst = 0;
  thread.until_burst = thread.early ? at_least_0 (thread.until_burst - passed)
				    : gap_length (thread);
  thread.until_early = thread.early == k_early
			 ? early_gap (thread)
			 : at_least_0 (thread.until_early - passed);
  thread.early = thread.until_early < thread.until_burst ? k_early : k_not_early;
  thread.gap = thread.early ? thread.until_early : thread.until_burst;
  __mprt_countdown = thread.gap;
  // A backend with nothing else to do need not wait for the rest of the chunk.
  if (process.mode == k_live)
    publish_own (MPRT_CHUNK_BYTES / 4);
  to_scratch ();
}

// Between bursts: whether the countdown is over only because of first entries or a window, which
// give back what they have taken. In a loop that keeps it in a register it is not below 0 here.
static bool
undo_first_entries (const Thread &thread)
{
  int64_t passed = places_passed (thread);
  if (__mprt_countdown >= 0 || passed > thread.gap)
    return false;
  __mprt_countdown = thread.gap - passed;
  return true;
}

// An early burst here, if there are such, or the window that was asked for.
static uint64_t
begin_at_once (Thread &thread, Early kind)
{
  if (sampling_period () == 0 || (kind == k_first_entry && process.options.converge))
    return 0;
  // This place is the first one of the burst. Places at a stop do not count.
  thread.gap = at_least_0 (thread.gap - __mprt_countdown - 1);
  thread.early = kind;
  return begin_burst (thread);
}

void
start_sampling ()
{
  store (&process.sampling, 1u);
}

void
end_sampling ()
{
  Thread &thread = self;
  if (thread.in_burst)
    end_burst (thread);
  if (!process.sampling)
    return;
  OnRing on_ring;
  int64_t passed = places_passed (thread);
  if (passed > 0)
    emit (MPRT_MARKER, MPRT_BURST_REST, passed);
  thread.gap = k_never;
  __mprt_countdown = k_never;
}

} // namespace mprt

using namespace mprt;

uint64_t
__mprt_burst (void)
{
  Thread &thread = self;
  bool wanted = !thread.in_burst && window_wanted ();
  bool first_entry = !thread.in_burst && undo_first_entries (thread);
  // A handler is not sampled; it must not end what it interrupts.
  if (thread.level)
    {
      if (!thread.in_burst && !first_entry)
	__mprt_countdown = 0;
      return 0;
    }
  if (process.ended || process.mode == k_off)
    {
      __mprt_countdown = k_never;
      return 0;
    }
  // Before the first unit is registered: .preinit_array, the constructors of
  // -fprofile-generate.
  if (!recording () || !process.sampling)
    {
      __mprt_countdown = k_burst;
      return 0;
    }
  if (!thread.in_burst && load (&stopped))
    {
      if (!first_entry)
	__mprt_countdown = k_burst;
      return 0;
    }
  if (first_entry)
    return begin_at_once (thread, wanted ? k_window : k_first_entry);
  if (!thread.in_burst)
    return begin_burst (thread);
  end_lease (thread);
  __mprt_countdown = -1;
  if (--thread.burst_left > 0 && !load (&stopped) && !window_over (thread))
    {
      begin_lease (thread);
      return 1;
    }
  bool drawn = thread.early == k_not_early;
  end_burst (thread);
  return drawn && begin_window_after_burst (thread);
}
