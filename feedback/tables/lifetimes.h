// lifetimes.h - the table lifetimes: how long objects live, and in which loops.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "feedback/table.h"

namespace memprof::feedback {

// Objects of a group that were born and died in one iteration of a loop, and in one
// call of a function.
struct Lifetime {
  Id group = k_none;
  Id loop = k_none;  // the innermost such loop; none: they were local to none
  std::uint64_t objects = 0;  // that have died
  std::uint64_t alive = 0;    // that have not
  std::uint64_t min = 0, max = 0, total = 0;  // accesses from birth to death
  bool always = false;        // every object of the group was local to `loop'
  std::string function;       // the innermost such function; empty: none
  std::string context;        // of the births, "g < f < main", by the variant context
};

template <class V> void describe(V& v, Lifetime& r) {
  v.id("group", r.group, Need::required);
  v.id("loop", r.loop, Need::optional);
  v.integer("objects", r.objects, Need::optional);
  v.integer("alive", r.alive, Need::optional);
  v.integer("min", r.min, Need::optional);
  v.integer("max", r.max, Need::optional);
  v.integer("total", r.total, Need::optional);
  v.flag("always", r.always, Need::optional);
  v.text("function", r.function, Need::optional);
  v.text("context", r.context, Need::optional);
}

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

// One row per (group, loop, function, context); min <= max <= total.
template <>
struct Rules<Lifetime> {
  std::set<std::tuple<Id, Id, std::string, std::string>> seen;

  template <class Checker>
  void check(Checker& c, const Lifetime& r) {
    if (!seen.emplace(r.group, r.loop, r.function, r.context).second)
      c.fault("", "a second row with this group, loop, function and context");
    c.at_most("min", r.min, r.max, "max");
    c.at_most("max", r.max, r.total, "the total");
    if (r.always && (r.loop == k_none || r.alive != 0)) c.fault("always", "not local to a loop");
  }
};

template <class Factors>
void scale(Lifetime&, const Factors&) {}

}  // namespace memprof::feedback
