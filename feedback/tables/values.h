// values.h - the table values: values that sites load and store.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "feedback/table.h"

namespace memprof::feedback {

// What a site loads or stores: bits, zero-extended.
struct Value {
  struct Entry {
    std::uint64_t value = 0;
    std::uint64_t count = 0;
  };
  Id site = k_none;
  std::uint64_t executions = 0;  // whose value is known
  std::vector<Entry> values;     // all of them, by value, if they are at most 4
  std::uint64_t min = 0, max = 0;
  std::uint64_t repeats = 0;     // executions with the value of the one before
  bool affine = false;           // in each run: first, first + step, ...
  std::uint64_t first = 0;
  std::int64_t step = 0;
};
inline constexpr std::size_t k_most_values = 4;

template <class V> void describe(V& v, Value& r) {
  v.id("site", r.site, Need::required);
  v.integer("executions", r.executions, Need::required);
  v.pairs("values", r.values, &Value::Entry::value, &Value::Entry::count, Need::optional);
  v.integer("min", r.min, Need::optional);
  v.integer("max", r.max, Need::optional);
  v.integer("repeats", r.repeats, Need::optional);
  v.flag("affine", r.affine, Need::optional);
  v.integer("first", r.first, Need::optional);
  v.integer("step", r.step, Need::optional);
}

inline auto key(const Value& r) { return std::tie(r.site); }
inline void add_row(Value& sum, const Value& r) {
  const bool few = !sum.values.empty() && !r.values.empty();
  for (const Value::Entry& e : r.values) {
    const auto at = std::lower_bound(
        sum.values.begin(), sum.values.end(), e.value,
        [](const Value::Entry& a, std::uint64_t value) { return a.value < value; });
    if (at != sum.values.end() && at->value == e.value)
      add_count(at->count, e.count);
    else
      sum.values.insert(at, e);
  }
  if (!few || sum.values.size() > k_most_values) sum.values.clear();
  add_count(sum.executions, r.executions);
  sum.min = std::min(sum.min, r.min);
  sum.max = std::max(sum.max, r.max);
  add_count(sum.repeats, r.repeats);
  sum.affine = sum.affine && r.affine && sum.first == r.first && sum.step == r.step;
  if (!sum.affine) sum.first = 0, sum.step = 0;
}

// One row per site; counts add up to executions <= E; at most 4 values, by value, from min to
// max; repeats < executions.
template <>
struct Rules<Value> {
  std::set<Id> seen;

  template <class Checker>
  void check(Checker& c, const Value& r) {
    if (!seen.insert(r.site).second) c.fault("site", "a second row with this site");
    if (const auto* s = c.site(r.site))
      c.at_most("executions", r.executions, s->executions, "the site's executions");
    if (r.executions == 0) c.fault("executions", "expected 1 or more");
    if (r.repeats != 0 && !c.saturated(r.executions))
      c.at_most("repeats", r.repeats, r.executions - 1, "executions - 1");
    if (r.min > r.max) c.fault("min", "more than max");
    if (r.affine && r.executions < 2) c.fault("affine", "of one value");
    if (r.values.empty()) return;
    if (r.values.size() > k_most_values) c.fault("values", "more than 4");
    Count all = 0;
    for (std::size_t i = 0; i < r.values.size(); i++) {
      all = c.sum(all, r.values[i].count);
      if (i != 0 && r.values[i].value <= r.values[i - 1].value)
        c.fault("values/" + c.num(i), "not after the value before");
    }
    if (all != r.executions) c.fault("values", "the counts do not add up to executions");
    if (r.values.front().value != r.min || r.values.back().value != r.max)
      c.fault("values", "min and max are others");
  }
};

template <class Factors>
void scale(Value& row, const Factors& factors) {
  const std::uint64_t by = factors.of_site(row.site);
  grow(by, row.executions, row.repeats);
  for (Value::Entry& entry : row.values) grow(by, entry.count);
}

}  // namespace memprof::feedback
