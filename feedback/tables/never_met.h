// never_met.h - the table never_met: loads and stores of one loop that never met.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "feedback/table.h"

namespace memprof::feedback {

// Loads and stores of one loop that were compared for `mdf' and never met: in no captured
// execution did a load of `sinks' read what a store of `sources' had written.
struct NeverMet {
  Id loop = k_none;  // the innermost one around both
  double hi = 0;     // in at most this share of its executions a load may have: never_met.h
  std::vector<Id> sinks, sources;  // sorted
};

template <class V> void describe(V& v, NeverMet& r) {
  v.id("loop", r.loop, Need::required);
  v.ratio("hi", r.hi, Need::required);
  v.ids("sinks", r.sinks, Need::required);
  v.ids("sources", r.sources, Need::required);
}

inline auto key(const NeverMet& r) { return std::tie(r.loop, r.hi, r.sources, r.sinks); }

// Loads and stores of the loop; no pair twice, or in mdf, too.
template <>
struct Rules<NeverMet> {
  std::set<std::pair<Id, Id>> seen;

  template <class Checker>
  void check(Checker& c, const NeverMet& r) {
    if (r.hi > 1) c.fault("hi", "expected 1 or less");
    check_members(c, "sinks", r.sinks, Access::load, r.loop);
    check_members(c, "sources", r.sources, Access::store, r.loop);
    for (const Id sink : r.sinks)
      for (const Id source : r.sources)
        if (c.template rules<Mdf>().seen.contains({source, sink}))
          c.fault("", "site " + c.num(sink) + " met site " + c.num(source) + " in mdf");
        else if (!seen.emplace(source, sink).second)
          c.fault("", "sites " + c.num(sink) + " and " + c.num(source) + " are in a row before");
  }

  template <class Checker>
  void check_members(Checker& c, const char* field, const std::vector<Id>& members, Access kind, Id loop) {
    if (members.empty()) c.fault(field, "expected a site");
    for (std::size_t i = 0; i < members.size(); i++) {
      const auto* s = c.site(members[i]);
      if (!s) continue;
      const std::string place = std::string(field) + '/' + c.num(i);
      if (s->kind != kind) c.fault(place, kind == Access::load ? "expected a load" : "expected a store");
      if (c.common_loop(s->loop, loop) != loop)
        c.fault(place, "site " + c.num(s->id) + " is not in loop " + c.num(loop));
    }
  }
};

template <class Factors>
void scale(NeverMet&, const Factors&) {}

}  // namespace memprof::feedback
