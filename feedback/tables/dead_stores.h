// dead_stores.h - the table dead_stores: stores whose value is never read.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "feedback/table.h"

namespace memprof::feedback {

// Executions of a store whose bytes were all overwritten, or freed, unread.
struct DeadStore {
  Id site = k_none;
  std::uint64_t dead = 0;
};

template <class V> void describe(V& v, DeadStore& r) {
  v.id("site", r.site, Need::required);
  v.integer("dead", r.dead, Need::required);
}

inline auto key(const DeadStore& r) { return std::tie(r.site); }
inline void add_row(DeadStore& sum, const DeadStore& r) { add_count(sum.dead, r.dead); }

// One row per site, a store; dead <= E.
template <>
struct Rules<DeadStore> {
  std::set<Id> seen;

  template <class Checker>
  void check(Checker& c, const DeadStore& r) {
    if (!seen.insert(r.site).second) c.fault("site", "a second row with this site");
    const auto* s = c.site(r.site);
    if (s && s->kind != Access::store) c.fault("site", "expected a store");
    if (s) c.at_most("dead", r.dead, s->executions, "the site's executions");
  }
};

template <class Factors>
void scale(DeadStore&, const Factors&) {}

}  // namespace memprof::feedback
