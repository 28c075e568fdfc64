// row_sums.cc - how rows add up that hold more than counts.
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <string>
#include <utility>

#include "feedback/derive.h"
#include "feedback/json_text.h"
#include "feedback/model.h"
#include "feedback/reuse_curve.h"
#include "feedback/schema.h"
#include "feedback/writer.h"

namespace memprof::feedback {
namespace {

// Histograms of a sum have at most 256 strides: the shortest ones, whatever their counts.
// The others count as `other'.  By length, as a stride that is among the shortest of all
// is so in each part of the sum, and then no count of it is lost; which are most frequent
// is only known at the end.
constexpr std::size_t k_most_strides = 256;

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

// PART: a row of strides, or its within_object.
template <typename Part>
void keep_short(Part& part) {
  std::vector<StrideCount>& histogram = part.histogram;
  sort_strides(histogram);
  if (histogram.size() <= k_most_strides) return;
  const auto length = [](std::int64_t s) {
    return s < 0 ? 0 - static_cast<std::uint64_t>(s) : static_cast<std::uint64_t>(s);
  };
  const auto end = histogram.begin() + k_most_strides;
  std::nth_element(histogram.begin(), end, histogram.end(), [&](const auto& a, const auto& b) {
    return std::pair(length(a.stride), a.stride) < std::pair(length(b.stride), b.stride);
  });
  for (auto it = end; it != histogram.end(); ++it) add_count(part.other, it->count);
  histogram.erase(end, histogram.end());
}

// Adds up instead of growing, so that memory follows the different strides of a site, not
// the number of profiles.
template <typename Part>
void append(Part& part, const std::vector<StrideCount>& more) {
  if (part.histogram.size() + more.size() > part.histogram.capacity()) keep_short(part);
  part.histogram.insert(part.histogram.end(), more.begin(), more.end());
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
  append(sum, r.histogram);
  append(sum.within_object, r.within_object.histogram);
}

void keep_short_strides(Stride& row) {
  keep_short(row);
  keep_short(row.within_object);
}

void sort_members(CoAccess& row) {
  std::sort(row.groups.begin(), row.groups.end());
  auto last = row.groups.begin();
  for (auto at = last; at != row.groups.end(); ++at)
    if (at == last) continue;
    else if (*at == *last) add_count(last->visits, at->visits);
    else *++last = *at;
  if (last != row.groups.end()) row.groups.erase(last + 1, row.groups.end());
}

void add_row(Cache& sum, const Cache& r) {
  for (const auto& [count, error] :
       {std::pair(&Cache::l1, &Cache::Errors::l1), std::pair(&Cache::l2, &Cache::Errors::l2),
        std::pair(&Cache::llc, &Cache::Errors::llc), std::pair(&Cache::tlb, &Cache::Errors::tlb)}) {
    add_count(sum.*count, r.*count);
    add_count(sum.errors.*error, r.errors.*error);
  }
  sum.guessed = sum.guessed && r.guessed;
}

void add_row(Reuse& sum, const Reuse& r) {
  sum.lines = sum_of(sum.lines, r.lines);
  sum.pages = sum_of(sum.pages, r.pages);
  sum.leaving = sum_of(sum.leaving, r.leaving);
  sum.leaving_least = sum_of(sum.leaving_least, r.leaving_least);
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
