// derive.cc - what a stride row says about its histogram.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "feedback/derive.h"

#include <algorithm>

namespace memprof::feedback {

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
      histogram[n - 1].count += entry.count;
    else
      histogram[n++] = entry;
  }
  histogram.resize(n);
  std::stable_sort(histogram.begin(), histogram.end(),
                   [](const StrideCount& a, const StrideCount& b) {
                     return a.count > b.count;
                   });
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

}  // namespace memprof::feedback
