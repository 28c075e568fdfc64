// versioning.h - which loops get a copy whose loads and stores never meet.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// decide_versioning is a pure function of what the profile says about a loop
// and the pairs of accesses in it that may be to the same bytes
// (VersioningFacts), what the compiler says about the code (VersioningCode, or
// nothing: `memprof advise' has no code) and the machine (CostModel).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "consumers/decide/advice.h"
#include "consumers/decide/cost_model.h"
#include "feedback/model.h"

namespace memprof::decide {

// A store and another access of the same loop.
struct AccessPair {
  feedback::Id store = feedback::k_none, other = feedback::k_none;
  // Of the sink of their dependences, and how many of them met what the other
  // one had left in the same entry of the loop.
  std::uint64_t executions = 0;
  std::uint64_t intra = 0, carried = 0;
  // Executions that may have: inferred ones, of which nobody knows in which loop.
  std::uint64_t inferred = 0;

  double frequency() const;
  double inferred_frequency() const;
};

struct VersioningFacts {
  std::uint64_t invocations = 0;
  std::uint64_t iterations = 0;
  // Of the innermost loop, when a nest of loops around it is meant; else 0.
  std::uint64_t inner_invocations = 0, inner_iterations = 0;
  // At most so many entries of the loop have a pair that meets.
  std::uint64_t meetings = 0;
  std::vector<AccessPair> pairs;  // most frequent first
};

struct VersioningCode {
  std::string obstacle;      // not empty: the loop cannot be versioned, because
  double instructions = 0;   // per iteration of the innermost loop
  unsigned checks = 0;       // pairs of address ranges to be compared
  unsigned hoisted = 0;      // loads per iteration that become invariant
  unsigned moved = 0;        // stores per iteration that move behind the loop
  // Elements of a vector, when the copy can be vectorised and the loop as it is
  // cannot; else 1.
  unsigned lanes = 1;
  // Accesses per iteration that two iterations of the loop around the innermost
  // one share, when they can be done at once.
  unsigned shared = 0;
};

struct VersioningAdvice {
  Reason reason = Reason::code_shape;
  VersioningFacts facts;
  bool code_seen = false;
  VersioningCode code;
  double trip_count = 0;  // iterations of the innermost loop per entry of it
  double inner_entries = 1;  // of that per entry of the loop
  double frequency = 0;  // of the pair that meets most often
  double inferred_frequency = 0;  // of the pair that may
  double meet_share = 0;   // of the entries, at most
  double plain_cycles = 0, checked_cycles = 0;  // of one entry
  double gain = 0;

  bool take() const { return reason == Reason::taken; }
  std::string text() const;
};

VersioningAdvice decide_versioning(const VersioningFacts& facts,
                                   const std::optional<VersioningCode>& code,
                                   const CostModel& model);

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
