// reuse_curve.cc - misses for a cache of any size, from a row of the table reuse.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "feedback/reuse_curve.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "feedback/model.h"

namespace memprof::feedback {

double misses_at(std::span<const Reuse::Point> points, double size) {
  if (points.empty()) return 0;
  const auto next = std::ranges::find_if(
      points, [size](const Reuse::Point& p) { return static_cast<double>(p.size) > size; });
  if (next == points.begin()) return static_cast<double>(next->misses);
  const Reuse::Point& before = *std::prev(next);
  const auto misses = static_cast<double>(before.misses);
  if (next == points.end() || before.size == 0) return misses;
  const double part = std::log(size / static_cast<double>(before.size)) /
                      std::log(static_cast<double>(next->size) / static_cast<double>(before.size));
  return misses + (static_cast<double>(next->misses) - misses) * part;
}

bool falls_p(std::span<const Reuse::Point> points) {
  for (std::size_t i = 1; i < points.size(); i++)
    if (points[i].size <= points[i - 1].size || points[i].misses > points[i - 1].misses) return false;
  return true;
}

std::vector<Reuse::Point> sum_of(std::span<const Reuse::Point> a, std::span<const Reuse::Point> b) {
  std::set<std::uint64_t> sizes;
  for (const auto& points : {a, b})
    for (const Reuse::Point& p : points) sizes.insert(p.size);
  std::vector<Reuse::Point> sum;
  for (const std::uint64_t size : sizes) {
    std::uint64_t misses = 0;
    for (const auto& points : {a, b}) {
      const double own = misses_at(points, static_cast<double>(size));
      add_count(misses, own < 0x1p63 ? static_cast<std::uint64_t>(std::llround(own)) : ~std::uint64_t{0});
    }
    sum.push_back({size, misses});
  }
  return without_level_points(std::move(sum));
}

std::vector<Reuse::Point> without_level_points(std::vector<Reuse::Point> points) {
  std::vector<Reuse::Point> kept;
  for (std::size_t i = 0; i < points.size(); i++)
    if (i == 0 || points[i].misses != points[i - 1].misses ||
        (i + 1 < points.size() && points[i + 1].misses != points[i].misses))
      kept.push_back(points[i]);
  return kept;
}

}  // namespace memprof::feedback
