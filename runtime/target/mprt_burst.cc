// mprt_burst.cc - sample mode: when bursts begin and end.
// SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1
//
// Functions of sample mode have two bodies and choose at their entry and in
// loops (plugin/plain_body.cc), by a countdown of the thread:
//
//      __mprt_countdown >= 0     plain; when it is over, __mprt_burst begins a
//                                burst
//      __mprt_countdown < 0      a burst: __mprt_burst counts, and ends it
//
// The gaps between bursts have random lengths, so that a program which repeats
// itself is not always looked at in the same place; but the same ones in each run.
// The first burst begins at once: a short program shall be seen at all.  There are
// no more of them when the options say so (bursts=), or when the backend does
// (converge=).
//
// Between bursts the thread is paused: its cursor is in the scratch area, where
// functions write that entered their instrumented body during the burst and have
// not come to a choice since.  Births and deaths go to the ring all the time.

#include "mprt_internal.h"

extern "C" {
MPRT_TLS volatile int64_t __mprt_countdown = 0;
}

namespace mprt {

// 0.5 % of the run; long enough that what happens in a burst has its causes there.
constexpr int64_t k_period = 1'000'000;
constexpr int64_t k_burst = 5'000;
constexpr int64_t k_never = 1ll << 62;

static int64_t
number (const char *text, int64_t otherwise)
{
  if (!text || *text < '0' || *text > '9')
    return otherwise;
  int64_t n = 0;
  for (; *text >= '0' && *text <= '9' && n < k_never / 16; text++)
    n = n * 10 + *text - '0';
  return n;
}

static uint64_t
next_random (Thread &thread)
{
  // xorshift64; the seed must not be 0.
  uint64_t x = thread.random ? thread.random : 0x9e3779b97f4a7c15;
  x ^= x << 13;
  x ^= x >> 7;
  x ^= x << 17;
  return thread.random = x;
}

static uint64_t
begin_burst (Thread &thread)
{
  int64_t most = number (process.options.bursts, k_never);
  if (static_cast<int64_t> (thread.bursts) >= most
      || load (&process.shared->enough))
    {
      thread.gap += k_never / 2;
      __mprt_countdown = k_never / 2;
      return 0;
    }
  if (thread.paused)
    to_ring ();
  emit (MPRT_MARKER, MPRT_BURST_BEGIN, thread.gap);
  thread.bursts++;
  thread.in_burst = 1;
  thread.burst_left = number (process.options.burst, k_burst);
  __mprt_countdown = -1;
  return 1;
}

void
end_burst (Thread &thread)
{
  int64_t period = number (process.options.period, k_period);
  int64_t length = number (process.options.burst, k_burst);
  emit (MPRT_MARKER, MPRT_BURST_END, length - thread.burst_left);
  thread.in_burst = 0;
  // Uniform, so that each place has the same chance.
  thread.gap = period > 0 ? period / 2
			      + static_cast<int64_t> (next_random (thread)
						      % static_cast<uint64_t> (period))
			  : 0;
  __mprt_countdown = thread.gap;
  to_scratch ();
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
  int64_t passed = thread.gap - __mprt_countdown;
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
  // A handler is not looked at; it must not end what it interrupts.
  if (thread.level)
    {
      if (!thread.in_burst)
	__mprt_countdown = 0;
      return 0;
    }
  if (!recording () || process.ended || !process.sampling)
    {
      __mprt_countdown = k_never;
      return 0;
    }
  if (!thread.in_burst && load (&stopped))
    {
      __mprt_countdown = k_burst;
      return 0;
    }
  if (!thread.in_burst)
    return begin_burst (thread);
  __mprt_countdown = -1;
  if (--thread.burst_left > 0 && !load (&stopped))
    return 1;
  end_burst (thread);
  return 0;
}
