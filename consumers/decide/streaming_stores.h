// streaming_stores.h - which stores bypass the caches.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "consumers/decide/cost_model.h"
#include "consumers/decide/decision.h"
#include "feedback/model.h"

namespace memprof::decide {

// What the profile says about stores that together write whole lines.
struct StreamingFacts {
  double bytes = 0;  // that they write in the run
  // Lines that are not in the last level, if that is as large as the machine's, when they are stored to.
  double fetched = 0;
  // Lines that leave a cache of 16 lines, and one as large as the last level, before they are accessed again; the
  // lower end of the 95 % interval of the latter.
  double lines = 0, leaving = 0, leaving_least = 0;
  bool known = false;  // the profile has this of each of them
};

// What the profile says about a loop with such stores.
struct StreamingLoop {
  std::uint64_t entries = 0;        // of the loop that gets a copy
  std::uint64_t inner_entries = 0;  // of the innermost loop in it
  double other_lines = 0;           // that pass memory for other accesses of the innermost loop
};

// What a profile says about its stores, and lines that pass memory.  Must not outlive the profile.
class StoreIndex {
 public:
  StoreIndex(const feedback::Profile& profile, const CostModel& model);
  // SITES: ids of stores.
  StreamingFacts facts(std::span<const feedback::Id> sites) const;
  // Lines that pass memory for SITES, loads or stores.
  double lines(std::span<const feedback::Id> sites) const;

 private:
  struct Lines {
    bool store = false;
    double bytes = 0, fetched = 0, lines = 0, leaving = 0, leaving_least = 0;
    bool known = false;
  };
  std::map<feedback::Id, Lines> sites_;
};

// A pure function of what the profile says about the STORES and the LOOP around them, what the compiler says about the
// CODE (null: `memprof advise' has none), and the machine.
Decision decide_streaming_stores(const Candidate& candidate, const StreamingFacts& stores, const StreamingLoop& loop,
                                 const StreamingCode* code, const CostModel& model);

}  // namespace memprof::decide
