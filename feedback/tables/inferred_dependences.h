// inferred_dependences.h - the table inferred_dependences: dependences of sampled loads whose writer was not seen.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "feedback/table.h"

namespace memprof::feedback {

// Sample mode: executions of a load that met no writer in their burst, shared out over
// the stores that were seen to write such places. These pairs were not seen to meet: neither
// loop nor distance is known.
struct InferredDependence {
  Id source = k_none, sink = k_none;
  std::uint64_t count = 0;  // executions of the sink
  double frequency = 0;     // count / executions of the sink
};

template <class V> void describe(V& v, InferredDependence& r) {
  v.source("source", r.source);
  v.id("sink", r.sink, Need::required);
  v.integer("count", r.count, Need::required);
  v.ratio("frequency", r.frequency, Need::required);
}

inline auto key(const InferredDependence& r) { return std::tie(r.sink, r.source); }
inline void add_row(InferredDependence& sum, const InferredDependence& r) {
  add_count(sum.count, r.count);
}

// One row per (source, sink), a store and a load; those of a sink together <= E; frequency =
// count / E.
template <>
struct Rules<InferredDependence> {
  std::set<std::pair<Id, Id>> seen;
  std::map<Id, Count> shared_out;  // by sink

  template <class Checker>
  void check(Checker& c, const InferredDependence& r) {
    if (!seen.emplace(r.source, r.sink).second) c.fault("", "a second row with this source and sink");
    const auto* sink = c.site(r.sink);
    const auto* source = c.site(r.source);
    if (source && source->kind != Access::store) c.fault("source", "expected a store");
    if (sink && sink->kind != Access::load) c.fault("sink", "expected a load");
    if (r.count == 0) c.fault("count", "expected 1 or more");
    if (!sink) return;
    Count& all = shared_out[r.sink];
    all = c.sum(all, r.count);
    c.at_most("count", all, sink->executions, "(with the rows before) the sink's executions");
    c.check_ratio("frequency", r.frequency, r.count, sink->executions);
  }
};

template <class Factors>
void scale(InferredDependence& row, const Factors& factors) {
  grow(factors.of_site(row.sink), row.count);
}

}  // namespace memprof::feedback
