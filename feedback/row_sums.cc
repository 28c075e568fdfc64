// row_sums.cc - how rows add up that hold more than counts.
// SPDX-License-Identifier: GPL-3.0-or-later
#include <string>

#include "feedback/derive.h"
#include "feedback/json_text.h"
#include "feedback/row_keys.h"
#include "feedback/schema.h"
#include "feedback/writer.h"

namespace memprof::feedback {
namespace {

// Longer histograms of strides are sorted while rows are still being added.
constexpr std::size_t k_long_histogram = 256;

// The stream that captures more; of equal ones the shorter text, so that the order in which
// profiles are merged does not matter.
template <int D>
bool better(const LmadStream<D>& a, const LmadStream<D>& b) {
  if (a.captured != b.captured) return a.captured > b.captured;
  std::string x, y;
  RowWriter(x).row(const_cast<LmadStream<D>&>(a));
  RowWriter(y).row(const_cast<LmadStream<D>&>(b));
  return x.size() != y.size() ? x.size() < y.size() : x < y;
}

template <int D>
void keep_better(LmadStream<D>& kept, const LmadStream<D>& other) {
  if (better(other, kept)) kept = other;
}

void append(std::vector<StrideCount>& histogram, const std::vector<StrideCount>& more) {
  histogram.insert(histogram.end(), more.begin(), more.end());
  if (histogram.size() > k_long_histogram) sort_strides(histogram);
}

}  // namespace

void add_row(ObjectRelative& sum, const ObjectRelative& r) {
  add_count(sum.accesses, r.accesses);
  keep_better(sum.v3, r.v3);
  keep_better(sum.v2, r.v2);
  keep_better(sum.v1, r.v1);
  keep_better(sum.o1, r.o1);
}

void add_row(Stride& sum, const Stride& r) {
  add_count(sum.other, r.other);
  add_count(sum.repeats, r.repeats);
  add_count(sum.within_object.other, r.within_object.other);
  append(sum.histogram, r.histogram);
  append(sum.within_object.histogram, r.within_object.histogram);
}

void add_row(PointsTo& sum, const PointsTo& r) {
  const auto before = [](const PointsTo::Target& a, const PointsTo::Target& b) {
    return a.group < b.group;
  };
  std::sort(sum.groups.begin(), sum.groups.end(), before);
  for (const PointsTo::Target& target : r.groups) {
    const auto at = std::lower_bound(sum.groups.begin(), sum.groups.end(), target, before);
    if (at != sum.groups.end() && at->group == target.group)
      add_count(at->count, target.count);
    else
      sum.groups.insert(at, target);
  }
}

}  // namespace memprof::feedback
