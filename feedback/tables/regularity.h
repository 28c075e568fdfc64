// regularity.h - the table regularity: which references are in streams of equal steps.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "feedback/table.h"

namespace memprof::feedback {

// Streams: arithmetic progressions of addresses, as long and of such a step as the least
// ones of the class (regularity.h).
struct StreamClass {
  std::uint64_t length = 0;  // elements
  std::uint64_t step = 0;    // bytes, up or down
  std::uint64_t streams = 0;
  std::uint64_t elements = 0;  // of all of them
};

// How regular the addresses of a site are (Mohan et al., SC 2003).
struct Regularity {
  Id site = k_none;
  std::uint64_t references = 0;
  std::uint64_t regular = 0;  // of these, those in streams
  // Windows: references that were looked at, from which all other numbers but `references' are
  // scaled; 0: all of them.
  std::uint64_t looked = 0;
  std::uint64_t before = 0;  // `regular' as it was after at most half as many windows
  // The rest is about streams whose third element the site referred to. By length and step.
  std::vector<StreamClass> streams;
  std::uint64_t squares = 0;  // sum of the squares of their lengths
  std::uint64_t steps = 0;    // sum of the bytes of their steps
  std::uint64_t pages = 0;    // sum of the pages that they span
  std::uint64_t wide = 0;     // streams that span 10 pages and more
  struct Period {
    std::uint64_t period = 0;    // references from each element to the next
    std::uint64_t elements = 0;  // of streams nine tenths of whose elements are so far apart
  };
  std::vector<Period> periods;
};

template <class V> void describe(V& v, StreamClass& r) {
  v.integer("length", r.length, Need::required);
  v.integer("step", r.step, Need::required);
  v.integer("streams", r.streams, Need::required);
  v.integer("elements", r.elements, Need::required);
}

template <class V> void describe(V& v, Regularity& r) {
  v.id("site", r.site, Need::required);
  v.integer("references", r.references, Need::required);
  v.integer("regular", r.regular, Need::optional);
  v.integer("looked", r.looked, Need::optional);
  v.integer("before", r.before, Need::optional);
  v.rows("streams", r.streams, Need::optional);
  v.integer("squares", r.squares, Need::optional);
  v.integer("steps", r.steps, Need::optional);
  v.integer("pages", r.pages, Need::optional);
  v.integer("wide", r.wide, Need::optional);
  v.pairs("periods", r.periods, &Regularity::Period::period, &Regularity::Period::elements,
          Need::optional);
}

inline auto key(const Regularity& r) { return std::tie(r.site); }
void add_row(Regularity& sum, const Regularity& r);  // regularity.cc

// One row per site; regular <= references <= E in full mode; streams by length and step, of at
// least three elements; no period twice.
template <>
struct Rules<Regularity> {
  std::set<Id> seen;

  template <class Checker>
  void check(Checker& c, const Regularity& r) {
    if (!seen.insert(r.site).second) c.fault("site", "a second row with this site");
    c.at_most("regular", r.regular, r.references, "references");
    c.at_most("looked", r.looked, r.references, "references");
    c.at_most("before", r.before, r.references, "references");
    const auto* s = c.site(r.site);
    if (s && c.profile().run.mode == "full")
      c.at_most("references", r.references, s->executions, "the site's executions");
    for (std::size_t i = 0; i < r.streams.size(); i++) {
      const StreamClass& of = r.streams[i];
      if (i != 0 && std::tie(of.length, of.step) <=
                        std::tie(r.streams[i - 1].length, r.streams[i - 1].step))
        c.fault("streams/" + c.num(i), "not after the class before");
      if (of.elements / 3 < of.streams && !c.saturated(of.elements))
        c.fault("streams/" + c.num(i), "of less than three elements");
    }
    for (std::size_t i = 1; i < r.periods.size(); i++)
      if (r.periods[i].period <= r.periods[i - 1].period)
        c.fault("periods/" + c.num(i), "not after the period before");
  }
};

template <class Factors>
void scale(Regularity&, const Factors&) {}

}  // namespace memprof::feedback
