// reuse.h - the table reuse: misses by the size of the cache.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>

#include "feedback/table.h"

namespace memprof::feedback {

// How often a site in a group would miss in a cache of any size that replaces the least recently
// used of its lines (or in a TLB, of its pages), estimates for all executions. From the size of a
// point to that of the next one, misses fall from the one number to the other; after the last
// point they stay. Lines have 64 bytes, pages 4 KB.
struct Reuse {
  Id site = k_none;
  Id group = k_none;  // none: addresses of no known object
  struct Point {
    std::uint64_t size = 0;  // lines or pages
    std::uint64_t misses = 0;
  };
  std::vector<Point> lines, pages;  // sizes rise, misses fall
  // Of a store. `misses' of a point: lines that it wrote and that leave a cache of `size' lines before they are
  // accessed again; and the lower ends of the 95 % intervals of these numbers.
  std::vector<Point> leaving, leaving_least;
};

template <class V> void describe(V& v, Reuse& r) {
  v.id("site", r.site, Need::required);
  v.id("group", r.group, Need::optional);
  v.pairs("lines", r.lines, &Reuse::Point::size, &Reuse::Point::misses, Need::optional);
  v.pairs("pages", r.pages, &Reuse::Point::size, &Reuse::Point::misses, Need::optional);
  v.pairs("leaving", r.leaving, &Reuse::Point::size, &Reuse::Point::misses, Need::optional);
  v.pairs("leaving_least", r.leaving_least, &Reuse::Point::size, &Reuse::Point::misses, Need::optional);
}

inline auto key(const Reuse& r) { return std::tie(r.site, r.group); }
void add_row(Reuse& sum, const Reuse& r);

// Whether sizes rise and misses do not, from point to point.
bool falls_p(std::span<const Reuse::Point> points);

// One row per (site, group); sizes rise, misses do not.
template <>
struct Rules<Reuse> {
  std::set<std::pair<Id, Id>> seen;

  template <class Checker>
  void check(Checker& c, const Reuse& r) {
    if (!seen.emplace(r.site, r.group).second) c.fault("", "a second row with this site and group");
    if (!falls_p(r.lines) || !falls_p(r.pages) || !falls_p(r.leaving) || !falls_p(r.leaving_least)) c.fault("", "expected larger sizes and no more misses from point to point");
  }
};

template <class Factors>
void scale(Reuse&, const Factors&) {}

}  // namespace memprof::feedback
