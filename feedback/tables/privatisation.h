// privatisation.h - the table privatisation: memory of which each iteration of a loop could have its own.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "feedback/table.h"

namespace memprof::feedback {

// What a loop does with the memory of a group that it writes.
struct Privatisation {
  Id loop = k_none, group = k_none;
  std::uint64_t loads = 0, stores = 0;  // executions while the loop was active
  std::uint64_t exposed = 0;    // loads of what the iteration had not written
  std::uint64_t rewritten = 0;  // stores to what an earlier iteration had written
  std::uint64_t live_out = 0;   // loads, after the loop, of what it had written
};

template <class V> void describe(V& v, Privatisation& r) {
  v.id("loop", r.loop, Need::required);
  v.id("group", r.group, Need::required);
  v.integer("loads", r.loads, Need::optional);
  v.integer("stores", r.stores, Need::required);
  v.integer("exposed", r.exposed, Need::optional);
  v.integer("rewritten", r.rewritten, Need::optional);
  v.integer("live_out", r.live_out, Need::optional);
}

inline auto key(const Privatisation& r) { return std::tie(r.loop, r.group); }
inline void add_row(Privatisation& sum, const Privatisation& r) {
  add_count(sum.loads, r.loads);
  add_count(sum.stores, r.stores);
  add_count(sum.exposed, r.exposed);
  add_count(sum.rewritten, r.rewritten);
  add_count(sum.live_out, r.live_out);
}

// One row per (loop, group); exposed <= loads, rewritten <= stores.
template <>
struct Rules<Privatisation> {
  std::set<std::pair<Id, Id>> seen;

  template <class Checker>
  void check(Checker& c, const Privatisation& r) {
    if (!seen.emplace(r.loop, r.group).second) c.fault("", "a second row with this loop and group");
    if (r.stores == 0) c.fault("stores", "expected 1 or more");
    c.at_most("exposed", r.exposed, r.loads, "the loads");
    c.at_most("rewritten", r.rewritten, r.stores, "the stores");
  }
};

template <class Factors>
void scale(Privatisation&, const Factors&) {}

}  // namespace memprof::feedback
