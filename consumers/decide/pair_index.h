// pair_index.h - what a profile says about a loop and its pairs of accesses.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A pair is a store and another access of one loop.  Whether the two meet is counted
// for entries of that loop only: what was written before an entry does not count, as in
// loop-aware dependence profiling (LAMP).
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "feedback/model.h"

namespace memprof::decide {

// A store and another access of the same loop.
struct AccessPair {
  feedback::Id store = feedback::k_none, other = feedback::k_none;
  // Of the sink of their dependences, and how many of them met what the other
  // one had left in the same entry of the loop.
  std::uint64_t executions = 0;
  std::uint64_t intra = 0, carried = 0;
  // Executions that may have: inferred ones, for which no loop is known.
  std::uint64_t inferred = 0;

  double frequency() const;
  double inferred_frequency() const;
};

struct VersioningFacts {
  std::uint32_t line = 0;  // of the innermost loop
  std::uint64_t invocations = 0;
  std::uint64_t iterations = 0;
  // Of the innermost loop, when a nest of loops around it is meant; else 0.
  std::uint64_t inner_invocations = 0, inner_iterations = 0;
  // At most this many entries of the loop have a pair that meets.
  std::uint64_t meetings = 0;
  std::vector<AccessPair> pairs;  // most frequent first
};

// What a profile says about its loops.  Must not outlive the profile.
class PairIndex {
 public:
  explicit PairIndex(const feedback::Profile& profile);

  using Sites = std::pair<feedback::Id, feedback::Id>;
  // The facts about LOOP of FUNCTION and those PAIRS (store, other) of its
  // sites.
  VersioningFacts facts(const feedback::Function& function, feedback::Id loop,
                        const std::vector<Sites>& pairs) const;
  // All pairs of sites of LOOP, inner loops included, that are executed and
  // of which the first is a store and the second a load.
  static std::vector<Sites> all_pairs(const feedback::Function& function,
                                      feedback::Id loop);

 private:
  std::map<Sites, std::vector<const feedback::Dependence*>> dependences_;
  std::map<Sites, std::uint64_t> inferred_;  // counts
  std::uint64_t burst_length_ = 0;
};

}  // namespace memprof::decide
