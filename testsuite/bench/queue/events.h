// events.h - what the event-queue benchmarks have in common.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Events are two words, a tag and a number: 1, 2, 3, ... .  Each consumer checks
// that they come in this order.  The time is from before the first event was
// sent until the last consumer has read the last one.
#pragma once

#include <time.h>

#include <cstdint>

constexpr std::uint64_t k_events = 10'000'000;

inline std::uint64_t now_ns() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(t.tv_nsec);
}
