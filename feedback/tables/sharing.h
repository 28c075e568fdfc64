// sharing.h - the table sharing: cache lines that threads take from each other.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "feedback/table.h"

namespace memprof::feedback {

// Accesses to lines that another thread has written since the last access of the
// thread at hand.
struct Sharing {
  Id site = k_none;
  Id source = k_none;             // the store that wrote the line last
  std::uint64_t same_bytes = 0;   // true sharing
  std::uint64_t other_bytes = 0;  // false sharing
};

template <class V> void describe(V& v, Sharing& r) {
  v.id("site", r.site, Need::required);
  v.source("source", r.source);
  v.integer("same_bytes", r.same_bytes, Need::optional);
  v.integer("other_bytes", r.other_bytes, Need::optional);
}

inline auto key(const Sharing& r) { return std::tie(r.site, r.source); }
inline void add_row(Sharing& sum, const Sharing& r) {
  add_count(sum.same_bytes, r.same_bytes);
  add_count(sum.other_bytes, r.other_bytes);
}

// One row per (site, source); source is a store.
template <>
struct Rules<Sharing> {
  std::set<std::pair<Id, Id>> seen;

  template <class Checker>
  void check(Checker& c, const Sharing& r) {
    if (!seen.emplace(r.site, r.source).second) c.fault("", "a second row with this site and source");
    const auto* source = c.site(r.source);
    if (source && source->kind != Access::store) c.fault("source", "expected a store");
    if (c.sum(r.same_bytes, r.other_bytes) == 0) c.fault("same_bytes", "nothing was counted");
  }
};

template <class Factors>
void scale(Sharing&, const Factors&) {}

}  // namespace memprof::feedback
