// points_to.h - the table points_to: which groups of objects a site accesses.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "feedback/table.h"

namespace memprof::feedback {

struct PointsTo {
  Id site = k_none;
  struct Target {
    Id group = k_none;
    std::uint64_t count = 0;
  };
  std::vector<Target> groups;
};

template <class V> void describe(V& v, PointsTo& r) {
  v.id("site", r.site, Need::required);
  v.pairs("groups", r.groups, &PointsTo::Target::group, &PointsTo::Target::count,
          Need::required);
}

inline auto key(const PointsTo& r) { return std::tie(r.site); }
void add_row(PointsTo& sum, const PointsTo& r);

// One row per site, one entry per group, together <= E.
template <>
struct Rules<PointsTo> {
  std::set<Id> seen;

  template <class Checker>
  void check(Checker& c, const PointsTo& r) {
    if (!seen.insert(r.site).second) c.fault("site", "a second row with this site");
    std::set<Id> groups;
    Count all = 0;
    for (std::size_t i = 0; i < r.groups.size(); i++) {
      if (!groups.insert(r.groups[i].group).second)
        c.fault("groups/" + c.num(i) + "/0", "a second entry for this group");
      if (r.groups[i].count == 0)
        c.fault("groups/" + c.num(i) + "/1", "expected 1 or more");
      all = c.sum(all, r.groups[i].count);
    }
    if (const auto* s = c.site(r.site))
      c.at_most("groups", all, s->executions, "the site's executions");
  }
};

template <class Factors>
void scale(PointsTo& row, const Factors& factors) {
  for (auto& target : row.groups) grow(factors.of_site(row.site), target.count);
}

}  // namespace memprof::feedback
