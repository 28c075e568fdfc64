// memory_pairs.h - the tables mdf and never_met of a sum of profiles.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Internal to merging.  In a profile, a pair of a load and a store of one loop
//
//   met          has a row in mdf: lo, est, hi
//   never met    is in a row of never_met: a bound
//   is unknown   both were executed, but neither table has it: the bound is 1
//   could not    one of the two was never executed: the bound is 0
//
// In the sum the executions of lo and est add up; hi is the greatest bound of any profile. A
// pair has never met in the sum if it is unknown in none and has met in none. Both are
// commutative and associative, so the order of merging does not matter: a profile of run 1
// where the load ran, and one of run 2 where the store ran, make a sum that says that they
// never met.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "feedback/id_map.h"
#include "feedback/model.h"
#include "feedback/never_met.h"

namespace memprof::feedback {

class MemoryPairs {
 public:
  // A site of the profile that is added next, by its id in the sum.
  void note_executed(Id site, std::uint64_t executions);
  // Sites of one function in the sum, those of the profile that is added among them.
  struct Place {
    Id site;
    Access kind;
    Id loop;  // the outermost one around it
  };
  void note_function(const std::vector<Place>& places);

  // The rows of the profile, with ids of the sum. Then the next profile may come.
  void add(const std::vector<Mdf>& met, const std::vector<NeverMet>& never);

  // EXECUTIONS and LOOPS of the sites of the sum, PARENTS of its loops.
  void put(std::vector<Mdf>& rows, const IdMap<std::uint64_t, 0>& executions) const;
  void put(std::vector<NeverMet>& rows, const IdNames& loops,
           const std::vector<Id>& parents) const;

 private:
  using Count = std::uint64_t;
  struct Met {
    Count lo = 0, est = 0;
    double hi = 0;
    std::uint32_t last = 0;  // profile that has it
  };

  bool now(Id site) const { return last_[site] == profile_ || site == k_external; }
  bool before(Id site) const {
    return (first_[site] != 0 && first_[site] < profile_) || site == k_external;
  }
  void add_met(const Mdf& row);
  void keep_common(const StrangersOfLoop& own);
  void add_first(const StrangersOfLoop& own);

  std::uint32_t profile_ = 1;  // number of the one that is added
  IdMap<std::uint32_t, 0> first_, last_;  // profiles that executed a site
  IdMap<Count, 0> own_executions_;
  std::map<std::pair<Id, Id>, Met> met_;  // by source and sink
  StrangersOfLoop never_;                 // of all loops
  std::vector<std::pair<Id, Id>> apart_;  // sink and source that no profile executed both
};

}  // namespace memprof::feedback
