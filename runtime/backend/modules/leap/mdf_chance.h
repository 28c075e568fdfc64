// mdf_chance.h - which executions of a load may meet a store beside those that are known to.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// LMADs are an exact prefix of a stream of accesses; what comes after it is known by a summary:
// smallest and largest object, offset and time, the granularity of the offsets, and how many.
// So, of one group,
//
//                    store in LMADs       store in the summary
//   load in LMADs    solved exactly       may meet: elements that lie in the summary's range
//   load in summary  may meet: all of them, if the ranges meet
//
// Ranges that have different offsets modulo their granularity do not meet: fields of the nodes
// of a list.  How probable it is that an element in the summary's range meets it follows from
// how densely the store fills the range. For the load's own summary it is the share of the places
// in its range that the store has written by then. (That the rest of a load behaves as its first
// accesses did, which LMADs hold, is less often true: 59 % of pairs within 10 points, not 74.)
//
// What it cannot know: loads that go only where stores have been. hashjoin.c stores payloads in a
// third of the table's slots and reads them from filled slots only: 1.000, estimated 0.380.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "feedback/model.h"

namespace memprof::backend {

// One load or store of one group.
struct MdfAccess {
  const feedback::ObjectRelative* row = nullptr;
  std::uint64_t width = 0;       // 0: it varies, or is too large to be compared
  std::uint64_t executions = 0;  // of the site, over all groups
  bool store = false;
};

// Executions of a load in a group, beside the conflicts that are solved.
struct MdfChance {
  std::uint64_t captured = 0;  // of LMADs: they may meet the summary of the store
  std::uint64_t rest = 0;      // of the summary: they may meet the store
  double density = 0;          // probability that one of `captured' does
  double coverage = 0;         // probability that one of `rest' does, by the places of the stores
};

// LOAD and STORE are of one group.
MdfChance chance_of(const MdfAccess& store, const MdfAccess& load);

// The accesses of each site. Some are on the stack or at unknown addresses, where nothing
// tells two places apart: these may all meet each other.
class MdfSites {
 public:
  explicit MdfSites(const std::vector<MdfAccess>& accesses);
  // An executed site, which may have no access in any group.
  void note_site(feedback::Id site, std::uint64_t executions);

  // Executions of SINK outside of groups that may meet SOURCE.
  std::uint64_t unplaced(feedback::Id source, feedback::Id sink) const;
  // Executions of SINK that may meet SOURCE and of which that is not known.
  std::uint64_t possible(feedback::Id source, feedback::Id sink) const;

 private:
  struct Site {
    std::map<feedback::Id, const MdfAccess*> groups;
    std::uint64_t executions = 0, placed = 0;
    bool unplaced() const { return executions > placed; }
  };
  const Site* find(feedback::Id id) const;
  std::unordered_map<feedback::Id, Site> sites_;
};

}  // namespace memprof::backend
