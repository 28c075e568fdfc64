// row_keys.h - what identifies a row of a table, and how two such rows add up.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// For feedback/ and for modules that make such rows. Canonical order sorts by key(), and
// merging adds rows of equal keys with add_row():
//
//     run 1    site 3: dead 5                 key: the site
//     run 2    site 3: dead 2, site 4: dead 1
//     merged   site 3: dead 7, site 4: dead 1
//
// Each table of tables.def has both, or merge.cc does not compile. What a row says beyond
// counts (shares, and what follows from the executions of its site) is in merge.cc.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "feedback/model.h"

namespace memprof::feedback {

// Sums stay at the greatest number instead of wrapping to something plausible.
inline void add_count(std::uint64_t& sum, std::uint64_t value) {
  if (__builtin_add_overflow(sum, value, &sum)) sum = ~std::uint64_t{0};
}

inline auto key(const ObjectRelative& r) { return std::tie(r.site, r.group); }
// Of each kind of stream the better one stays.
void add_row(ObjectRelative& sum, const ObjectRelative& r);
inline auto key(const Mdf& r) { return std::tie(r.sink, r.source); }
inline auto key(const NeverMet& r) { return std::tie(r.loop, r.hi, r.sources, r.sinks); }
inline auto key(const Stride& r) { return std::tie(r.site); }
// What derive() computes is not computed again.
void add_row(Stride& sum, const Stride& r);
// A sum keeps its 256 shortest strides; the others count as `other'.
void keep_short_strides(Stride& row);
inline auto key(const Dependence& r) {
  return std::tie(r.sink, r.source, r.kind, r.loop, r.context);
}
inline void add_row(Dependence& sum, const Dependence& r) {
  add_count(sum.count, r.count);
  add_count(sum.iters, r.iters);
  add_count(sum.intra, r.intra);
  add_count(sum.carried, r.carried);
  add_count(sum.no_loop, r.no_loop);
  add_count(sum.concurrent, r.concurrent);
  add_count(sum.uncertain, r.uncertain);
  sum.distance.min = std::min(sum.distance.min, r.distance.min);
  sum.distance.max = std::max(sum.distance.max, r.distance.max);
  for (std::size_t i = 0; i < r.distance.histogram.size(); i++)
    add_count(sum.distance.histogram[i], r.distance.histogram[i]);
}
inline auto key(const InferredDependence& r) { return std::tie(r.sink, r.source); }
inline void add_row(InferredDependence& sum, const InferredDependence& r) {
  add_count(sum.count, r.count);
}
inline auto key(const PointsTo& r) { return std::tie(r.site); }
void add_row(PointsTo& sum, const PointsTo& r);

inline auto key(const Cache& r) { return std::tie(r.site, r.group); }
void add_row(Cache& sum, const Cache& r);
inline auto key(const Reuse& r) { return std::tie(r.site, r.group); }
void add_row(Reuse& sum, const Reuse& r);

inline auto key(const Lifetime& r) {
  return std::tie(r.group, r.context, r.loop, r.function);
}
inline void add_row(Lifetime& sum, const Lifetime& r) {
  if (r.objects != 0) {
    sum.min = sum.objects == 0 ? r.min : std::min(sum.min, r.min);
    sum.max = std::max(sum.max, r.max);
  }
  add_count(sum.objects, r.objects);
  add_count(sum.alive, r.alive);
  add_count(sum.total, r.total);
  sum.always = sum.always && r.always;
}

inline auto key(const DeadStore& r) { return std::tie(r.site); }
inline void add_row(DeadStore& sum, const DeadStore& r) { add_count(sum.dead, r.dead); }

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

inline auto key(const Regularity& r) { return std::tie(r.site); }
void add_row(Regularity& sum, const Regularity& r);  // regularity.cc

// Streams are of one run: a sum has neither table (head_sum.cc), so nothing adds up.
inline auto key(const WholeStream& r) { return std::tie(r.hash); }
inline void add_row(WholeStream&, const WholeStream&) {}
inline auto key(const StreamName& r) { return std::tie(r.site, r.group, r.number); }
inline void add_row(StreamName&, const StreamName&) {}
inline auto key(const Pages& r) { return std::tie(r.group, r.object, r.thread, r.source); }
inline void add_row(Pages& sum, const Pages& r) {
  add_count(sum.reads, r.reads);
  add_count(sum.writes, r.writes);
  add_count(sum.walks, r.walks);
  add_count(sum.walk_refs, r.walk_refs);
  add_count(sum.variance, r.variance);
  for (Pages::Memory Pages::*of : {&Pages::memory, &Pages::as_read}) {
    add_count((sum.*of).requests, (r.*of).requests);
    add_count((sum.*of).write_backs, (r.*of).write_backs);
    add_count((sum.*of).left, (r.*of).left);
    add_count((sum.*of).walk_dram, (r.*of).walk_dram);
  }
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

inline auto key(const SilentStore& r) { return std::tie(r.site); }
inline void add_row(SilentStore& sum, const SilentStore& r) { add_count(sum.silent, r.silent); }

inline auto key(const Sharing& r) { return std::tie(r.site, r.source); }
inline void add_row(Sharing& sum, const Sharing& r) {
  add_count(sum.same_bytes, r.same_bytes);
  add_count(sum.other_bytes, r.other_bytes);
}

inline auto key(const Privatisation& r) { return std::tie(r.loop, r.group); }
inline void add_row(Privatisation& sum, const Privatisation& r) {
  add_count(sum.loads, r.loads);
  add_count(sum.stores, r.stores);
  add_count(sum.exposed, r.exposed);
  add_count(sum.rewritten, r.rewritten);
  add_count(sum.live_out, r.live_out);
}

inline auto key(const PointerUse& r) {
  return std::tie(r.at, r.function, r.argument, r.context, r.target, r.group, r.allocated);
}
inline void add_row(PointerUse& sum, const PointerUse& r) {
  add_count(sum.count, r.count);
  add_count(sum.ends, r.ends);
}

// A name may belong to several types of several modules: the layout is part of
// the key.
inline auto key(const RecordType& r) {
  return std::tie(r.name, r.bytes, r.align, r.packed, r.file, r.line, r.key, r.fields);
}
inline void add_row(RecordType& sum, const RecordType& r) {
  sum.checked = sum.checked && r.checked;
  for (const Obstacle& obstacle : r.obstacles) {
    const auto at = std::lower_bound(sum.obstacles.begin(), sum.obstacles.end(), obstacle);
    if (at == sum.obstacles.end() || *at != obstacle) sum.obstacles.insert(at, obstacle);
  }
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

// The sums of a table whose rows are counts by key.
template <typename Row>
class TableSum {
  static_assert(requires(Row& sum, const Row& row) { key(row), add_row(sum, row); },
                "a table needs key() and add_row(): merging would lose its rows");

 public:
  void add(Row row) {
    const auto [it, fresh] = rows_.try_emplace(Key(key(row)), std::move(row));
    if (!fresh) add_row(it->second, row);  // not moved from then
  }
  void put(std::vector<Row>& rows) {
    for (auto& [k, row] : rows_) rows.push_back(std::move(row));
  }

 private:
  template <typename... Part>
  static std::tuple<Part...> values(std::tuple<const Part&...>);
  using Key = decltype(values(key(std::declval<const Row&>())));
  std::map<Key, Row> rows_;
};

}  // namespace memprof::feedback
