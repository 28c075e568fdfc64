// object_relative.h - the table object_relative: linear descriptors of what a site accesses in a group.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "feedback/table.h"

namespace memprof::feedback {

// A linear memory access descriptor of D dimensions: start + i * stride for
// 0 <= i < count.  (Wu et al., CGO 2004, section 4.1.)
template <int D>
struct Lmad {
  std::array<std::int64_t, D> start{}, stride{};
  std::uint64_t count = 0;
};

// What came after the last LMAD of a closed stream.
template <int D>
struct Overflow {
  std::array<std::int64_t, D> min{}, max{};
  std::array<std::uint64_t, D> granularity{};  // gcd of |v - first|
  std::uint64_t count = 0;                     // 0: the stream never closed
  std::uint64_t t_closed = 0;                  // time of the first dropped one
};

template <int D>
struct LmadStream {
  std::vector<Lmad<D>> lmads;
  std::uint64_t captured = 0;  // accesses described by the LMADs
  Overflow<D> overflow;
};

struct ObjectRelative {
  Id site = k_none, group = k_none;
  std::uint64_t accesses = 0;
  LmadStream<3> v3;  // (object, offset, time)
  LmadStream<2> v2;  // (object, offset)
  LmadStream<1> v1;  // (offset)
  LmadStream<1> o1;  // (object)
};

template <int D>
bool empty_p(const Overflow<D>& o) { return o.count == 0; }
template <int D>
bool empty_p(const LmadStream<D>& s) {
  return s.lmads.empty() && s.captured == 0 && s.overflow.count == 0;
}

template <class V, int D> void describe(V& v, Overflow<D>& r) {
  v.numbers("min", r.min);
  v.numbers("max", r.max);
  v.numbers("granularity", r.granularity);
  v.integer("count", r.count, Need::required);
  v.integer("t_closed", r.t_closed, Need::optional);
}

template <class V, int D> void describe(V& v, LmadStream<D>& r) {
  v.lmads("lmads", r.lmads);
  v.integer("captured", r.captured, Need::required);
  v.object("overflow", r.overflow);
}

template <class V> void describe(V& v, ObjectRelative& r) {
  v.id("site", r.site, Need::required);
  v.id("group", r.group, Need::required);
  v.integer("accesses", r.accesses, Need::required);
  v.object("v3", r.v3);
  v.object("v2", r.v2);
  v.object("v1", r.v1);
  v.object("o1", r.o1);
}

inline auto key(const ObjectRelative& r) { return std::tie(r.site, r.group); }
// Of each kind of stream the better one stays.
void add_row(ObjectRelative& sum, const ObjectRelative& r);

// One row per (site, group); their accesses <= E; in each stream the LMADs' counts make up
// `captured', which with the overflow's makes up the accesses (<=, once merged).
template <>
struct Rules<ObjectRelative> {
  std::set<std::pair<Id, Id>> seen;
  std::map<Id, Count> of_sites;  // accesses

  template <class Checker>
  void check(Checker& c, const ObjectRelative& r) {
    if (!seen.emplace(r.site, r.group).second) c.fault("", "a second row with this site and group");
    check_stream(c, "v3", r.v3, r.accesses);
    check_stream(c, "v2", r.v2, r.accesses);
    check_stream(c, "v1", r.v1, r.accesses);
    check_stream(c, "o1", r.o1, r.accesses);
    Count& all = of_sites[r.site];
    all = c.sum(all, r.accesses);
  }

  // Over the groups of each site.
  template <class Checker>
  void check_sums(Checker& c) const {
    for (const auto& [id, all] : of_sites)
      if (const auto* s = c.site(id))
        c.at_most("", all, s->executions, ("the executions of site " + c.num(id)).c_str());
  }

  template <class Checker, int D>
  void check_stream(Checker& c, const char* name, const LmadStream<D>& stream, Count accesses) {
    Count captured = 0;
    for (std::size_t i = 0; i < stream.lmads.size(); i++) {
      if (stream.lmads[i].count == 0)
        c.fault(std::string(name) + "/lmads", "descriptor " + c.num(i) + " has count 0");
      captured = c.sum(captured, stream.lmads[i].count);
    }
    const std::string field = std::string(name) + "/captured";
    if (captured != stream.captured)
      c.fault(field, c.num(stream.captured) + " is not the sum of the descriptors' counts, " +
                       c.num(captured));
    const Count all = c.sum(stream.captured, stream.overflow.count);
    c.at_most(field, all, accesses, "(with the overflow) the accesses");
    if (c.profile().run.runs == 1 && all < accesses)
      c.fault(field, c.num(all) + " (with the overflow) is less than the accesses, " +
                       c.num(accesses));
    for (int d = 0; d < D; d++)
      if (stream.overflow.min[d] > stream.overflow.max[d])
        c.fault(std::string(name) + "/overflow/min/" + c.num(d), "min is more than max");
  }
};

template <class Factors>
void scale(ObjectRelative&, const Factors&) {}

}  // namespace memprof::feedback
