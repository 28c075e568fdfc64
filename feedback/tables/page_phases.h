// page_phases.h - the table page_phases: which groups ask memory when.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "feedback/table.h"
#include "feedback/tables/timeline.h"

namespace memprof::feedback {

// Requests to memory and walks of the page tables of a group, in each of the 64 slices of the run that
// the timeline has (Chen et al., ISPASS 2012: hot objects by phase).  Only of groups with 1 % of either.
struct PagePhases {
  Id group = k_none;           // none: addresses of no known object
  Timeline::Slices requests{};  // lines read from memory
  Timeline::Slices walks{};
};

template <class V> void describe(V& v, PagePhases& r) {
  v.id("group", r.group, Need::optional);
  v.numbers("requests", r.requests, Need::optional);
  v.numbers("walks", r.walks, Need::optional);
}

inline auto key(const PagePhases& r) { return std::tie(r.group); }
inline void add_row(PagePhases& sum, const PagePhases& r) {
  add_slices(sum.requests, r.requests);
  add_slices(sum.walks, r.walks);
}

// One row per group.
template <>
struct Rules<PagePhases> {
  std::set<Id> seen;

  template <class Checker>
  void check(Checker& c, const PagePhases& r) {
    if (!seen.insert(r.group).second) c.fault("group", "a second row with this group");
  }
};

// Made of rows that are scaled.
template <class Factors>
void scale(PagePhases&, const Factors&) {}

}  // namespace memprof::feedback
