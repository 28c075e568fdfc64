// dependences.h - the table dependences: which access depends on which other one, and through which loop.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "feedback/table.h"

namespace memprof::feedback {

enum class DependenceKind : std::uint8_t { raw, war, waw };

struct Distance {
  std::uint64_t min = 0, max = 0;
  std::array<std::uint64_t, 6> histogram{};  // 0, 1, 2, 3, 4, 5 and more
};

// One row per (source, sink, kind, carrying loop, context).
struct Dependence {
  Id source = k_none, sink = k_none;  // source may be k_external
  DependenceKind kind = DependenceKind::raw;
  std::uint64_t count = 0;  // executions of the sink with this row, once each
  double frequency = 0;     // count / executions of the sink
  std::uint64_t iters = 0;  // iterations of the loop that contain it
  Id loop = k_none;         // innermost loop that has both in one invocation; none: there is none
  // Each execution is one of these, so they add up to `count'.
  std::uint64_t intra = 0;    // all that it met is of its own iteration of the loop
  std::uint64_t carried = 0;  // some of it is of an earlier iteration
  std::uint64_t no_loop = 0;  // no loop has both: all of a row without a loop, 0 in others
  // Of no_loop: another thread was the source while a loop around the sink was active.
  std::uint64_t concurrent = 0;
  // Of count: code that is not instrumented had a pointer to the object after `source' had
  // written it, so that it may be the writer.
  std::uint64_t uncertain = 0;
  Distance distance;
  std::string context;
};

// In the order of the enumerators.
inline constexpr const char* k_dependence_kind_names[] = {"raw", "war", "waw", nullptr};

inline bool empty_p(const Distance& d) {
  return d.min == 0 && d.max == 0 && d.histogram == decltype(d.histogram){};
}

template <class V> void describe(V& v, Distance& r) {
  v.integer("min", r.min, Need::optional);
  v.integer("max", r.max, Need::optional);
  v.numbers("histogram", r.histogram);
}

template <class V> void describe(V& v, Dependence& r) {
  v.source("source", r.source);
  v.id("sink", r.sink, Need::required);
  v.choice("kind", r.kind, k_dependence_kind_names, Need::required);
  v.integer("count", r.count, Need::required);
  v.ratio("frequency", r.frequency, Need::required);
  v.integer("iters", r.iters, Need::optional);
  v.id("loop", r.loop, Need::optional);
  v.integer("intra", r.intra, Need::optional);
  v.integer("carried", r.carried, Need::optional);
  v.integer("no_loop", r.no_loop, Need::optional);
  v.integer("concurrent", r.concurrent, Need::optional);
  v.integer("uncertain", r.uncertain, Need::optional);
  v.object("distance", r.distance);
  v.text("context", r.context, Need::optional);
}

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

// One row per key; kind fits source and sink; count <= E; frequency = count / E; the parts of
// count cover it.
template <>
struct Rules<Dependence> {
  std::set<std::tuple<Id, Id, DependenceKind, Id, std::string>> seen;

  template <class Checker>
  void check(Checker& c, const Dependence& r) {
    if (!seen.emplace(r.source, r.sink, r.kind, r.loop, r.context).second)
      c.fault("", "a second row with this source, sink, kind, loop and context");
    const auto* sink = c.site(r.sink);
    check_kind(c, r, c.site(r.source), sink);
    if (r.count == 0) c.fault("count", "expected 1 or more");
    if (sink) {
      c.at_most("count", r.count, sink->executions, "the sink's executions");
      c.check_ratio("frequency", r.frequency, r.count, sink->executions);
    }
    c.at_most("iters", r.iters, r.count, "the count");
    c.at_most("intra", r.intra, r.count, "the count");
    c.at_most("carried", r.carried, r.count, "the count");
    c.at_most("no_loop", r.no_loop, r.count, "the count");
    c.at_most("concurrent", r.concurrent, r.no_loop, "no_loop");
    c.at_most("uncertain", r.uncertain, r.count, "the count");
    if (r.loop != k_none && r.no_loop != 0) c.fault("no_loop", "the row has a loop");
    if (r.loop == k_none && c.sum(r.intra, r.carried) != 0)
      c.fault(r.intra ? "intra" : "carried", "the row has no loop");
    const Count parts = c.sum(c.sum(r.intra, r.carried), r.no_loop);
    if (parts != r.count)
      c.fault("count", "intra + carried + no_loop is " + c.num(parts) + ", not the count, " +
                         c.num(r.count));
    if (r.distance.min > r.distance.max) c.fault("distance/min", "min is more than max");
    for (std::size_t i = 0; i < r.distance.histogram.size(); i++)
      c.at_most("distance/histogram/" + c.num(i), r.distance.histogram[i], r.count,
              "the count");
  }

  template <class Checker>
  void check_kind(Checker& c, const Dependence& r, const auto* source, const auto* sink) {
    const Access first =
        r.kind == DependenceKind::war ? Access::load : Access::store;
    const Access second =
        r.kind == DependenceKind::raw ? Access::load : Access::store;
    const char* const names[] = {"a load", "a store"};
    if (source && source->kind != first) c.fault("source", std::string("expected ") + names[unsigned(first)]);
    if (sink && sink->kind != second) c.fault("sink", std::string("expected ") + names[unsigned(second)]);
  }
};

template <class Factors>
void scale(Dependence& row, const Factors& factors) {
  const std::uint64_t by = factors.of_site(row.sink);
  grow(by, row.count, row.iters, row.intra, row.carried, row.no_loop, row.concurrent,
       row.uncertain);
  for (auto& count : row.distance.histogram) grow(by, count);
}

}  // namespace memprof::feedback
