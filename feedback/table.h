// table.h - what the files of the folder tables are written with.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Internal to feedback/; others include model.h.  A table of the profile is one file, KEY.h, with
//
//   the struct of its rows, and the structs that these consist of;
//   describe (visitor, row)    names their fields, in the order in which they are written:
//                              schema.h says what a visitor has.  Reader, writer and
//                              validator are visitors
//   key (row)                  what identifies a row: canonical order sorts by it, and merging
//                              adds up rows of equal keys
//   add_row (sum, row)         how two of them add up.  What a row says beyond counts (shares, and
//                              what follows from the executions of its site) is in merge.cc
//   Rules<Row>                 check (checker, row) complains if a row of a file does not agree with
//                              itself, with rows before or with its site; the struct remembers
//                              what it needs for that.  E: executions of the row's site or sink
//   scale (row, factors)       from the counts of the bursts of sample mode to those of the run:
//                              factors.of_site (site) and factors.all.  Nothing for what describes
//                              what was seen, is derived later, is scaled by its module, or
//                              does not work with samples
//
// and a line in tables.def.  Each table has all of them, or it does not compile.
//
//     run 1    site 3: dead 5                 key: the site
//     run 2    site 3: dead 2, site 4: dead 1
//     merged   site 3: dead 7, site 4: dead 1
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "feedback/id.h"

namespace memprof::feedback {

enum class Access : std::uint8_t { load, store };

// Whether a field is always written and must be present, or is left out when it has its default.
enum class Need : std::uint8_t { required, optional };

using Names = const char* const*;  // of enumerators; ends with a null pointer

using Count = std::uint64_t;

template <typename Row>
struct Rules;

// Sums stay at the greatest number instead of wrapping to something plausible.
inline void add_count(std::uint64_t& sum, std::uint64_t value) {
  if (__builtin_add_overflow(sum, value, &sum)) sum = ~std::uint64_t{0};
}

inline void grow(std::uint64_t by, auto&... counts) { ((counts *= by), ...); }

// Rows of the tables that count, of the executions of a store, those of one kind.
// KIND::k_name is the name of the count.
template <class Kind>
struct StoreCount {
  static constexpr const char* k_name = Kind::k_name;
  Id site = k_none;
  Count count = 0;
};

template <class V, class Kind> void describe(V& v, StoreCount<Kind>& r) {
  v.id("site", r.site, Need::required);
  v.integer(r.k_name, r.count, Need::required);
}

template <class Kind> auto key(const StoreCount<Kind>& r) { return std::tie(r.site); }
template <class Kind> void add_row(StoreCount<Kind>& sum, const StoreCount<Kind>& r) {
  add_count(sum.count, r.count);
}

// One row per site, a store; the count <= E.
template <class Kind>
struct Rules<StoreCount<Kind>> {
  std::set<Id> seen;

  template <class Checker>
  void check(Checker& c, const StoreCount<Kind>& r) {
    if (!seen.insert(r.site).second) c.fault("site", "a second row with this site");
    const auto* s = c.site(r.site);
    if (s && s->kind != Access::store) c.fault("site", "expected a store");
    if (s) c.at_most(r.k_name, r.count, s->executions, "the site's executions");
  }
};

template <class Kind, class Factors>
void scale(StoreCount<Kind>&, const Factors&) {}

}  // namespace memprof::feedback
