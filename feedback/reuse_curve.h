// reuse_curve.h - misses for a cache of any size, from a row of the table reuse.
// SPDX-License-Identifier: GPL-3.0-or-later
//
//     lines [[16, 900], [64, 900], [128, 100]]
//     16 lines: 900 misses     96 lines: 432     128 lines and more: 100
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "feedback/model.h"

namespace memprof::feedback {

// Misses of a cache with SIZE lines (or pages). Between two points linear in the logarithm of the
// size; before the first one as many as there, after the last one as many as there.
double misses_at(std::span<const Reuse::Point> points, double size);

// The lower end of the interval of COUNT, whose half width is ERROR: for gates of what misses repay.
inline std::uint64_t at_least(std::uint64_t count, std::uint64_t error) {
  return count - std::min(count, error);
}

// POINTS, which are in order, without the points between or after others with as many misses.
std::vector<Reuse::Point> without_level_points(std::vector<Reuse::Point> points);

// The curve of all misses of both. The order in which several are added does not matter, as all have
// points at powers of two only.
std::vector<Reuse::Point> sum_of(std::span<const Reuse::Point> a, std::span<const Reuse::Point> b);

}  // namespace memprof::feedback
