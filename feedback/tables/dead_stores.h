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
struct Rules<DeadStore> : StoreRules {
  template <class Checker>
  void check(Checker& c, const DeadStore& r) {
    check_store(c, r.site, "dead", r.dead);
  }
};

template <class Factors>
void scale(DeadStore&, const Factors&) {}

}  // namespace memprof::feedback
