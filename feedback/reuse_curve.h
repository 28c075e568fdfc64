// reuse_curve.h - misses for a cache of any size, from a row of the table reuse.
// SPDX-License-Identifier: GPL-3.0-or-later
//
//     lines [[16, 900], [64, 900], [128, 100]]
//     16 lines: 900 misses     96 lines: 332     128 lines and more: 100
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "feedback/model.h"

namespace memprof::feedback {

// Misses of a cache with SIZE lines (or pages). Between two points linear in the logarithm of the
// size; before the first one as many as there, after the last one as many as there.
double misses_at(std::span<const Reuse::Point> points, double size);

// The curve of all misses of both.
std::vector<Reuse::Point> sum_of(std::span<const Reuse::Point> a, std::span<const Reuse::Point> b);

}  // namespace memprof::feedback
