// cache.h - the table cache: misses in a model of the caches and the TLB.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "feedback/table.h"

namespace memprof::feedback {

// Misses of a site in a group that a model of the caches and the TLB saw, scaled
// to all executions: estimates.  Run::caches describes the model.
struct Cache {
  Id site = k_none;
  Id group = k_none;  // none: addresses of no known object
  std::uint64_t l1 = 0, l2 = 0, llc = 0, tlb = 0;
  // Sample mode: half of the 95 % interval of each. Those of a sum are added, as if all runs were off
  // in the same direction.
  struct Errors {
    std::uint64_t l1 = 0, l2 = 0, llc = 0, tlb = 0;
  };
  Errors errors;
  bool guessed = false;  // no window has met the site, or there were few: what its group misses
};

template <class V> void describe(V& v, Cache& r) {
  v.id("site", r.site, Need::required);
  v.id("group", r.group, Need::optional);
  v.integer("l1", r.l1, Need::optional);
  v.integer("l2", r.l2, Need::optional);
  v.integer("llc", r.llc, Need::optional);
  v.integer("tlb", r.tlb, Need::optional);
  v.integer("l1_error", r.errors.l1, Need::optional);
  v.integer("l2_error", r.errors.l2, Need::optional);
  v.integer("llc_error", r.errors.llc, Need::optional);
  v.integer("tlb_error", r.errors.tlb, Need::optional);
  v.flag("guessed", r.guessed, Need::optional);
}

inline auto key(const Cache& r) { return std::tie(r.site, r.group); }
void add_row(Cache& sum, const Cache& r);

// One row per (site, group); llc <= l2 <= l1 <= lines that E can touch.
template <>
struct Rules<Cache> {
  static constexpr std::uint32_t k_line = 64;
  std::set<std::pair<Id, Id>> seen;

  template <class Checker>
  void check(Checker& c, const Cache& r) {
    if (!seen.emplace(r.site, r.group).second) c.fault("", "a second row with this site and group");
    c.at_most("l2", r.l2, r.l1, "l1");
    c.at_most("llc", r.llc, r.l2, "l2");
    const auto* s = c.site(r.site);
    if (!s || s->width == 0 || s->width > k_line || c.saturated(r.l1)) return;
    if (double(r.l1) > 2 * double(s->executions) * (1 + s->error) * c.k_rounding)
      c.fault("l1", c.num(r.l1) + " misses of " + c.num(s->executions) +
                      " executions, each of at most two lines");
  }
};

template <class Factors>
void scale(Cache&, const Factors&) {}

}  // namespace memprof::feedback
