// first_burst.h - sample mode: what the first burst represents.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Bursts lie at random places, so what one saw represents all that happened around it. But the
// first one is always at the very start: a program that ends soon would have no counts otherwise.
// What begins there would be counted many times too often. So where there are later bursts, the
// first one represents itself, and the later ones for the rest of the run:
//
//     places      B B . . . . . . B B . . . . . . . . B B . .     22, a loop that runs all the time
//     entries     1                                               and is entered once
//     iterations  1 1             1 1                 1 1
//
//                 all alike, 22 / 6           first 1, later ones 20 / 4
//     entries     1 * 4 = 4                   1
//     iterations  6 * 4 = 24, 6 an entry      2 + 4 * 5 = 22, 22 an entry
//
// The first bursts of further threads count as later ones: only the first burst of the whole
// run is at a place that was not drawn at random.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "runtime/backend/decode/decode_counts.h"
#include "runtime/backend/program/loaded_units.h"

namespace memprof::backend {

class FirstBurst {
 public:
  // The second burst begins: what has been counted, in PLACES places of the first one.
  void note(std::vector<std::uint64_t> executions, std::vector<LoopCounts> loops,
            std::uint64_t places) {
    executions_ = std::move(executions);
    loops_ = std::move(loops);
    places_ = places;
  }

  // The run is over: whether there were later bursts, and how often what they saw has happened.
  bool alone(const StreamCounts& all) const { return places_ == 0 || all.in_bursts <= places_; }
  std::uint64_t times(const StreamCounts& all) const {
    if (alone(all)) return all.times();
    const std::uint64_t later = all.in_bursts - places_;
    return (all.between_bursts + later + later / 2) / later;
  }

  std::uint64_t executions(std::uint32_t site) const {
    return site < executions_.size() ? executions_[site] : 0;
  }
  LoopCounts loop(std::uint32_t loop) const {
    return loop < loops_.size() ? loops_[loop] : LoopCounts{};
  }

  // How often something happened that bursts saw SEEN times, FIRST of them in the first one.
  static std::uint64_t estimate(std::uint64_t seen, std::uint64_t first, std::uint64_t times) {
    return first + (seen - first) * times;
  }
  // The same as one factor of all that was seen.
  static std::uint64_t factor(std::uint64_t seen, std::uint64_t first, std::uint64_t times) {
    return std::max<std::uint64_t>((estimate(seen, first, times) + seen / 2) / seen, 1);
  }

 private:
  std::vector<std::uint64_t> executions_;  // by SiteId
  std::vector<LoopCounts> loops_;          // by LoopId
  std::uint64_t places_ = 0;
};

}  // namespace memprof::backend
