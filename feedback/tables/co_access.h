// co_access.h - the table co_access: groups that are visited together.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "feedback/table.h"

namespace memprof::feedback {

// Groups of small heap objects that are visited together, and how often a model of the caches
// misses if they share an arena, estimates for the whole run. A row with one group is an arena
// for that group alone.
struct CoAccess {
  struct Member {
    Id group = k_none;
    std::uint64_t visits = 0;  // accesses that follow one to another object or part of it
    bool operator==(const Member& other) const { return group == other.group; }
    auto operator<=>(const Member& other) const { return group <=> other.group; }
  };
  std::vector<Member> groups;  // sorted
  struct Misses {
    std::uint64_t l1 = 0, l2 = 0, llc = 0;
  };
  Misses before;   // of these visits, objects where they were
  Misses after;    // ... in one arena, in the order of their births
  Misses ordered;  // one group: in the order in which they are visited
};

inline bool empty_p(const CoAccess::Misses& m) { return m.l1 == 0 && m.l2 == 0 && m.llc == 0; }

template <class V> void describe(V& v, CoAccess::Misses& r) {
  v.integer("l1", r.l1, Need::optional);
  v.integer("l2", r.l2, Need::optional);
  v.integer("llc", r.llc, Need::optional);
}

template <class V> void describe(V& v, CoAccess& r) {
  v.pairs("groups", r.groups, &CoAccess::Member::group, &CoAccess::Member::visits,
          Need::required);
  v.object("before", r.before);
  v.object("after", r.after);
  v.object("ordered", r.ordered);
}

// By group; entries of one group become one.
void sort_members(CoAccess& row);
// Members are sorted in both.
inline auto key(const CoAccess& r) { return std::tie(r.groups); }
inline void add_row(CoAccess& sum, const CoAccess& r) {
  for (std::size_t i = 0; i < sum.groups.size(); i++)
    add_count(sum.groups[i].visits, r.groups[i].visits);
  for (CoAccess::Misses CoAccess::*of :
       {&CoAccess::before, &CoAccess::after, &CoAccess::ordered}) {
    add_count((sum.*of).l1, (r.*of).l1);
    add_count((sum.*of).l2, (r.*of).l2);
    add_count((sum.*of).llc, (r.*of).llc);
  }
}

// One row per set of groups, each once and visited; llc <= l2 <= l1 <= visits.
template <>
struct Rules<CoAccess> {
  std::set<std::set<Id>> seen;

  template <class Checker>
  void check(Checker& c, const CoAccess& r) {
    Count visits = 0;
    std::set<Id> groups;
    for (std::size_t i = 0; i < r.groups.size(); i++) {
      if (!groups.insert(r.groups[i].group).second)
        c.fault("groups/" + c.num(i) + "/0", "a second entry for this group");
      if (r.groups[i].visits == 0) c.fault("groups/" + c.num(i) + "/1", "expected 1 or more");
      visits = c.sum(visits, r.groups[i].visits);
    }
    if (groups.empty()) c.fault("groups", "expected at least one");
    if (!seen.insert(groups).second) c.fault("groups", "a second row with these groups");
    const auto check = [&](const std::string& of, const CoAccess::Misses& m) {
      c.at_most(of + "/l1", m.l1, visits, "the visits");
      c.at_most(of + "/l2", m.l2, m.l1, "l1");
      c.at_most(of + "/llc", m.llc, m.l2, "l2");
    };
    check("before", r.before);
    check("after", r.after);
    check("ordered", r.ordered);
  }
};

template <class Factors>
void scale(CoAccess&, const Factors&) {}

}  // namespace memprof::feedback
