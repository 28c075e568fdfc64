// silent_stores.h - the table silent_stores: stores of the value that is there already.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "feedback/table.h"

namespace memprof::feedback {

// Executions of a store that wrote what was there already.
struct SilentStore {
  Id site = k_none;
  std::uint64_t silent = 0;
};

template <class V> void describe(V& v, SilentStore& r) {
  v.id("site", r.site, Need::required);
  v.integer("silent", r.silent, Need::required);
}

inline auto key(const SilentStore& r) { return std::tie(r.site); }
inline void add_row(SilentStore& sum, const SilentStore& r) { add_count(sum.silent, r.silent); }

// One row per site, a store; silent <= E.
template <>
struct Rules<SilentStore> : StoreRules {
  template <class Checker>
  void check(Checker& c, const SilentStore& r) {
    check_store(c, r.site, "silent", r.silent);
  }
};

template <class Factors>
void scale(SilentStore&, const Factors&) {}

}  // namespace memprof::feedback
