// never_met.h - pairs of loads and stores that never met, as rows.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// For modules that compare pairs, and for merging.  A loop with 100 loads and 50 stores has
// 5,000 pairs, but most loads never met the same stores.  So loads with equal lists share a row:
//
//     pairs  1-7 0, 1-8 0.1, 2-7 0, 3-7 0      (load - store, bound)
//     rows   hi 0: sinks 1 2 3, sources 7;     hi 0.1: sinks 1, sources 8
//
// Bounds are rounded up to one of six levels, or hardly any lists would be equal.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "feedback/model.h"

namespace memprof::feedback {

// 0: never; from 1 on: at most 0.0001, 0.001, 0.01, 0.1, 1 of the load's executions.
using MeetLevel = std::uint8_t;
inline constexpr MeetLevel k_may_always_meet = 5;
double bound_of(MeetLevel level);
MeetLevel level_of(double bound);  // the first whose bound is as large

// The stores that a load never met, by id.
using Strangers = std::vector<std::pair<Id, MeetLevel>>;
// By the id of the load.
using StrangersOfLoop = std::map<Id, Strangers>;

// Appends the rows of LOOP to ROWS: the same ones for the same pairs.
void add_rows(std::vector<NeverMet>& rows, Id loop, const StrangersOfLoop& pairs);

// The innermost loop around A and B, which are loops or k_none; PARENT (loop) is the loop around
// it, whose id is smaller, or k_none.
template <typename Parent>
Id innermost_common(Id a, Id b, const Parent& parent) {
  while (a != b && a != k_none && b != k_none) {
    Id& inner = a > b ? a : b;
    const Id outer = parent(inner);
    inner = outer < inner ? outer : k_none;
  }
  return a == b ? a : k_none;
}

}  // namespace memprof::feedback
