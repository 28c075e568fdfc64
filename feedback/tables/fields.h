// fields.h - the table fields: how fields of records are used.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "feedback/table.h"

namespace memprof::feedback {

// How a field is used, all its sites together.
struct FieldUse {
  std::string type, field;  // RecordType::name, Field::name
  std::uint64_t loads = 0, stores = 0;
  // Iterations of innermost loops, or calls outside of loops, that access it.
  std::uint64_t visits = 0;
  std::uint64_t misses = 0;  // of L2, modelled
  // Visits in which OTHER, a field after this one in the alphabet, was accessed too.
  struct Together {
    std::string field;
    std::uint64_t count = 0;
  };
  std::vector<Together> together;
};

template <class V> void describe(V& v, FieldUse::Together& r) {
  v.text("field", r.field, Need::required);
  v.integer("count", r.count, Need::required);
}

template <class V> void describe(V& v, FieldUse& r) {
  v.text("type", r.type, Need::required);
  v.text("field", r.field, Need::required);
  v.integer("loads", r.loads, Need::optional);
  v.integer("stores", r.stores, Need::optional);
  v.integer("visits", r.visits, Need::optional);
  v.integer("misses", r.misses, Need::optional);
  v.rows("together", r.together, Need::optional);
}

inline auto key(const FieldUse& r) { return std::tie(r.type, r.field); }
inline void add_row(FieldUse& sum, const FieldUse& r) {
  add_count(sum.loads, r.loads);
  add_count(sum.stores, r.stores);
  add_count(sum.visits, r.visits);
  add_count(sum.misses, r.misses);
  for (const FieldUse::Together& pair : r.together) {
    const auto at = std::lower_bound(
        sum.together.begin(), sum.together.end(), pair,
        [](const auto& a, const auto& b) { return a.field < b.field; });
    if (at != sum.together.end() && at->field == pair.field)
      add_count(at->count, pair.count);
    else
      sum.together.insert(at, pair);
  }
}

// One row per (type, field).
template <>
struct Rules<FieldUse> {
  std::set<std::pair<std::string, std::string>> seen;

  template <class Checker>
  void check(Checker& c, const FieldUse& r) {
    if (!seen.emplace(r.type, r.field).second) c.fault("", "a second row with this type and field");
  }
};

template <class Factors>
void scale(FieldUse&, const Factors&) {}

}  // namespace memprof::feedback
