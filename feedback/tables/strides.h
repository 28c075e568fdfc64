// strides.h - the table strides: distances between consecutive executions of a site.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "feedback/table.h"

namespace memprof::feedback {

struct StrideCount {
  std::int64_t stride = 0;
  std::uint64_t count = 0;
};

// Classes of Youfeng Wu, PLDI 2002, and `constant' for a strong stride of 0.
enum class StrideClass : std::uint8_t { none, constant, ssst, pmst, wsst };

struct Stride {
  Id site = k_none;
  std::uint64_t executions = 0;
  std::int64_t dominant = 0;       // most frequent; ties: the smaller
  double share = 0;                // its count / executions
  StrideClass klass = StrideClass::none;
  std::vector<StrideCount> histogram;  // by count falling, then stride rising
  std::uint64_t other = 0;         // strides that have no entry
  std::uint64_t repeats = 0;       // executions whose stride equals the last
  // Strides between consecutive executions that stayed in one object, by
  // offset; share = count of the dominant one / executions.
  struct WithinObject {
    std::int64_t dominant = 0;
    double share = 0;
    StrideClass klass = StrideClass::none;
    std::vector<StrideCount> histogram;  // as above
    std::uint64_t other = 0;
    // In rows as they are written: histogram and other are the row's own.
    bool all = false;
  } within_object;
};

// In the order of the enumerators.
inline constexpr const char* k_stride_class_names[] = {"none", "constant", "ssst", "pmst", "wsst",
                                                       nullptr};

inline bool empty_p(const Stride::WithinObject& w) {
  return w.histogram.empty() && w.klass == StrideClass::none && !w.all;
}

template <class V> void describe(V& v, Stride::WithinObject& r) {
  v.integer("dominant", r.dominant, Need::optional);
  v.ratio("share", r.share, Need::optional);
  v.choice("class", r.klass, k_stride_class_names, Need::required);
  v.pairs("histogram", r.histogram, &StrideCount::stride, &StrideCount::count,
          Need::optional);
  v.flag("all", r.all, Need::optional);
  v.integer("other", r.other, Need::optional);
}

template <class V> void describe(V& v, Stride& r) {
  v.id("site", r.site, Need::required);
  v.integer("executions", r.executions, Need::required);
  v.integer("dominant", r.dominant, Need::optional);
  v.ratio("share", r.share, Need::optional);
  v.choice("class", r.klass, k_stride_class_names, Need::required);
  v.pairs("histogram", r.histogram, &StrideCount::stride, &StrideCount::count,
          Need::required);
  v.integer("other", r.other, Need::optional);
  v.integer("repeats", r.repeats, Need::optional);
  v.object("within_object", r.within_object);
}

inline auto key(const Stride& r) { return std::tie(r.site); }
// What derive() computes is not computed again.
void add_row(Stride& sum, const Stride& r);
// A sum keeps its 256 shortest strides; the others count as `other'.
void keep_short_strides(Stride& row);

// One row per site; executions = E; the histogram is sorted and, with `other', less than E;
// dominant and share are its first entry's.
template <>
struct Rules<Stride> {
  std::set<Id> seen;

  template <class Checker>
  void check(Checker& c, const Stride& r) {
    if (!seen.insert(r.site).second) c.fault("site", "a second row with this site");
    if (const auto* s = c.site(r.site); s && s->executions != r.executions)
      c.fault("executions", c.num(r.executions) + " is not the site's, " +
                              c.num(s->executions));
    check_histogram(c, "", r, r.executions);
    c.at_most("repeats", r.repeats, r.executions, "the executions");
    if (!r.within_object.histogram.empty() || r.within_object.other != 0)
      check_histogram(c, "within_object/", r.within_object, r.executions);
  }

  // Of the row or of its within_object, for executions E.
  template <class Checker, typename Part>
  void check_histogram(Checker& c, const std::string& prefix, const Part& part, Count executions) {
    std::set<std::int64_t> strides;
    Count all = part.other;
    for (std::size_t i = 0; i < part.histogram.size(); i++) {
      const StrideCount& entry = part.histogram[i];
      const std::string field = prefix + "histogram/" + c.num(i);
      if (entry.count == 0) c.fault(field + "/1", "expected 1 or more");
      if (!strides.insert(entry.stride).second)
        c.fault(field + "/0", "a second entry for this stride");
      if (i > 0 && entry.count > part.histogram[i - 1].count)
        c.fault(field + "/1", "more than the entry before: not sorted");
      all = c.sum(all, entry.count);
    }
    if (all >= executions && !c.saturated(executions))
      c.fault(prefix + "histogram",
            "its counts and `other' make " + c.num(all) + ", but " + c.num(executions) +
                " executions have fewer strides");
    const bool any = !part.histogram.empty();
    if (part.dominant != (any ? part.histogram[0].stride : 0))
      c.fault(prefix + "dominant", "not the first stride of the histogram");
    c.check_ratio(prefix + "share", part.share, any ? part.histogram[0].count : 0,
                executions);
  }
};

template <class Factors>
void scale(Stride& row, const Factors& factors) {
  const std::uint64_t by = factors.of_site(row.site);
  grow(by, row.executions, row.other, row.repeats, row.within_object.other);
  for (StrideCount& s : row.histogram) grow(by, s.count);
  for (StrideCount& s : row.within_object.histogram) grow(by, s.count);
}

}  // namespace memprof::feedback
