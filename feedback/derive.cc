// derive.cc - what follows from other fields of the same row.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "feedback/derive.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "feedback/model.h"
#include "feedback/schema.h"

namespace memprof::feedback {
namespace {

// The object that all of the stream is in, if it is one.
std::optional<std::int64_t> only_object(const LmadStream<2>& v2) {
  std::optional<std::int64_t> object;
  for (const Lmad<2>& lmad : v2.lmads) {
    if (lmad.stride[0] != 0 || lmad.start[0] != object.value_or(lmad.start[0]))
      return std::nullopt;
    object = lmad.start[0];
  }
  const Overflow<2>& o = v2.overflow;
  if (o.count == 0) return object;
  if (o.min[0] != o.max[0] || o.granularity[0] != 0 ||
      o.min[0] != object.value_or(o.min[0]))
    return std::nullopt;
  return o.min[0];
}

LmadStream<1> offsets_of(const LmadStream<2>& v2) {
  LmadStream<1> v1;
  for (const Lmad<2>& lmad : v2.lmads)
    v1.lmads.push_back({{lmad.start[1]}, {lmad.stride[1]}, lmad.count});
  v1.captured = v2.captured;
  const Overflow<2>& o = v2.overflow;
  if (o.count != 0)
    v1.overflow = {{o.min[1]}, {o.max[1]}, {o.granularity[1]}, o.count, o.t_closed};
  return v1;
}

LmadStream<1> all_in(std::int64_t object, const LmadStream<2>& v2) {
  LmadStream<1> o1;
  if (__builtin_add_overflow(v2.captured, v2.overflow.count, &o1.captured))
    o1.captured = ~std::uint64_t(0);
  o1.lmads = {{{object}, {0}, o1.captured}};
  return o1;
}

// v3 without the time; it has the descriptors of v2 whenever time has a stride
// where object and offset have one.
LmadStream<2> without_time(const LmadStream<3>& v3) {
  LmadStream<2> v2;
  for (const Lmad<3>& lmad : v3.lmads)
    v2.lmads.push_back({{lmad.start[0], lmad.start[1]},
                        {lmad.stride[0], lmad.stride[1]},
                        lmad.count});
  v2.captured = v3.captured;
  return v2;
}

// The distance of a dependence whose executions all are at one distance, and
// that less than the last bucket: `carried' says whether it is 0 or 1.
Distance only_distance(const Dependence& row) {
  Distance d;
  if (row.loop == k_none) return d;
  const bool carried = row.carried != 0;
  d.histogram[carried] = row.count;
  d.min = d.max = carried;
  return d;
}

template <int D>
bool same(const LmadStream<D>& a, const LmadStream<D>& b) {
  auto equal = [](const Lmad<D>& x, const Lmad<D>& y) {
    return std::tie(x.start, x.stride, x.count) == std::tie(y.start, y.stride, y.count);
  };
  auto key = [](const Overflow<D>& o) {
    return std::tie(o.min, o.max, o.granularity, o.count, o.t_closed);
  };
  return a.captured == b.captured && key(a.overflow) == key(b.overflow) &&
         std::equal(a.lmads.begin(), a.lmads.end(), b.lmads.begin(), b.lmads.end(), equal);
}

}  // namespace

double ratio(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : double(part) / double(whole);
}

void sort_strides(std::vector<StrideCount>& histogram) {
  std::sort(histogram.begin(), histogram.end(),
            [](const StrideCount& a, const StrideCount& b) {
              return a.stride < b.stride;
            });
  std::size_t n = 0;
  for (const StrideCount& entry : histogram) {
    if (entry.count == 0) continue;
    if (n > 0 && histogram[n - 1].stride == entry.stride)
      add_count(histogram[n - 1].count, entry.count);
    else
      histogram[n++] = entry;
  }
  histogram.resize(n);
  std::sort(histogram.begin(), histogram.end(), stride_before);
}

StrideClass stride_class(const std::vector<StrideCount>& histogram,
                         std::uint64_t repeats, std::uint64_t executions) {
  if (histogram.empty() || executions == 0) return StrideClass::none;
  std::uint64_t top4 = 0;
  for (std::size_t i = 0; i < histogram.size() && i < 4; i++)
    top4 += histogram[i].count;
  const double share = ratio(histogram[0].count, executions);
  const double same = ratio(repeats, executions);
  if (share >= k_ssst_share)
    return histogram[0].stride == 0 ? StrideClass::constant : StrideClass::ssst;
  if (ratio(top4, executions) > k_pmst_top4 && same > k_pmst_repeats)
    return StrideClass::pmst;
  if (share > k_wsst_share && same > k_wsst_repeats) return StrideClass::wsst;
  return StrideClass::none;
}

void derive(Stride& row) {
  auto set = [&row](auto& part, std::uint64_t repeats) {
    sort_strides(part.histogram);
    const bool any = !part.histogram.empty();
    part.dominant = any ? part.histogram[0].stride : 0;
    part.share = any ? ratio(part.histogram[0].count, row.executions) : 0;
    part.klass = stride_class(part.histogram, repeats, row.executions);
  };
  set(row, row.repeats);
  set(row.within_object, 0);
}

ObjectRelative shortened(ObjectRelative row) {
  if (const auto object = only_object(row.v2)) {
    if (same(row.v1, offsets_of(row.v2))) row.v1 = {};
    if (same(row.o1, all_in(*object, row.v2))) row.o1 = {};
  }
  if (row.v3.overflow.count == 0 && same(row.v2, without_time(row.v3))) row.v2 = {};
  return row;
}

void expand(ObjectRelative& row) {
  if (empty_p(row.v2) && row.v3.overflow.count == 0) row.v2 = without_time(row.v3);
  if (const auto object = only_object(row.v2)) {
    if (empty_p(row.v1)) row.v1 = offsets_of(row.v2);
    if (empty_p(row.o1)) row.o1 = all_in(*object, row.v2);
  }
}

Stride shortened(Stride row) {
  Stride::WithinObject& w = row.within_object;
  auto equal = [](const StrideCount& a, const StrideCount& b) {
    return a.stride == b.stride && a.count == b.count;
  };
  if (w.histogram.empty() || w.other != row.other ||
      !std::equal(w.histogram.begin(), w.histogram.end(), row.histogram.begin(),
                  row.histogram.end(), equal))
    return row;
  const StrideClass klass = w.klass;
  w = {};
  w.klass = klass;
  w.all = true;
  return row;
}

void expand(Stride& row) {
  Stride::WithinObject& w = row.within_object;
  if (!w.all) return;
  w.all = false;
  w.histogram = row.histogram;
  w.other = row.other;
  w.dominant = row.dominant;
  w.share = row.share;
}

Dependence shortened(Dependence row) {
  const Distance d = only_distance(row);
  if (row.distance.min == d.min && row.distance.max == d.max &&
      row.distance.histogram == d.histogram)
    row.distance = {};
  return row;
}

void expand(Dependence& row) {
  if (empty_p(row.distance)) row.distance = only_distance(row);
}

void upgrade(Dependence& row) {
  if (row.loop == k_none) {
    row.no_loop = row.count;
    row.intra = row.carried = 0;
    row.distance = {};
  } else if (row.carried <= row.count && row.intra <= row.count &&
             row.intra > row.count - row.carried) {
    row.intra = row.count - row.carried;
  }
}

}  // namespace memprof::feedback
