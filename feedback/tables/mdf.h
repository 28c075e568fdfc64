// mdf.h - the table mdf: how often a load reads what a store has ever written, estimated.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "feedback/table.h"

namespace memprof::feedback {

// Memory dependence frequency, estimated from LMADs (LEAP: Wu et al., CGO 2004): the share
// of the loads that read what any earlier store of `source' wrote.
struct Mdf {
  Id source = k_none, sink = k_none;
  double lo = 0, est = 0, hi = 0;
  // The same in executions: in a sum whose sink has more than ratios can keep
  // (merge.cc), else zero.
  std::array<std::uint64_t, 3> counts{};
};

template <class V> void describe(V& v, Mdf& r) {
  v.source("source", r.source);
  v.id("sink", r.sink, Need::required);
  v.ratio("lo", r.lo, Need::required);
  v.ratio("est", r.est, Need::required);
  v.ratio("hi", r.hi, Need::required);
  v.numbers("counts", r.counts, Need::optional);
}

inline auto key(const Mdf& r) { return std::tie(r.sink, r.source); }

// 0 <= lo <= est <= hi <= 1.
template <>
struct Rules<Mdf> {
  std::set<std::pair<Id, Id>> seen;

  template <class Checker>
  void check(Checker& c, const Mdf& r) {
    if (!(r.lo <= r.est + c.k_tolerance && r.est <= r.hi + c.k_tolerance &&
          r.hi <= 1 + c.k_tolerance))
      c.fault("", "expected lo <= est <= hi <= 1");
    if (const auto* sink = c.site(r.sink); sink && r.counts != decltype(r.counts){}) {
      const char* const names[] = {"lo", "est", "hi"};
      const double shares[] = {r.lo, r.est, r.hi};
      for (unsigned i = 0; i < 3; i++)
        c.check_ratio(names[i], shares[i], r.counts[i], sink->executions);
    }
    if (!seen.emplace(r.source, r.sink).second) c.fault("", "a second row with this source and sink");
    const auto* sink = c.site(r.sink);
    if (sink && sink->kind != Access::load) c.fault("sink", "expected a load");
    const auto* source = c.site(r.source);
    if (source && source->kind != Access::store) c.fault("source", "expected a store");
  }
};

template <class Factors>
void scale(Mdf&, const Factors&) {}

}  // namespace memprof::feedback
