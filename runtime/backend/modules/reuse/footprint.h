// footprint.h - how many lines a group has, from what windows have seen of it.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A window sees a part of the lines that the program uses. How many it never saw follows from
// how many were seen once and twice: where most lines of a group were seen again and again, all
// are known; where all were seen once, nearly none is (Chao's estimator for incidences, 1987):
//
//     lines = seen + (windows - 1) / windows * once * (once - 1) / (2 * (twice + 1))
//
// Looked at are marked lines, which are the same in all windows (window_use.h).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <unordered_map>
#include <utility>

namespace memprof::backend {

class Footprint {
 public:
  enum class Met { here, before, never };  // in this window, in one before, in none

  // Window number WINDOW, from 1, accesses LINE of the group that ID names.
  Met use(std::uint64_t line, std::uint32_t id, std::uint64_t window) {
    Known& known = lines_[line];
    if (known.window == window) return Met::here;
    const bool first = std::exchange(known.window, window) == 0;
    if (first) known.id = id;
    known.times = std::min(known.times + 1, 3u);
    return first ? Met::never : Met::before;
  }

  struct Counts {
    double seen = 0, once = 0, twice = 0;

    // Infinite: nothing is known.
    double all(double windows) const {
      if (windows < 2) return HUGE_VAL;
      return seen + (windows - 1) / std::max(windows, 1.0) * once * (once - 1) / (2 * (twice + 1));
    }
    // The upper end of its 95 % interval, as Chao gives it.
    double at_most(double windows) const {
      if (windows < 2 || twice == 0) return HUGE_VAL;
      const double unseen = all(windows) - seen, r = once / twice;
      if (unseen <= 0) return seen;
      const double variance = twice * (r * r / 2 + r * r * r + r * r * r * r / 4);
      return seen + unseen * std::exp(1.96 * std::sqrt(std::log1p(variance / (unseen * unseen))));
    }
  };
  // By id.
  std::unordered_map<std::uint32_t, Counts> counts() const {
    std::unordered_map<std::uint32_t, Counts> result;
    for (const auto& [line, known] : lines_) {
      Counts& c = result[known.id];
      c.seen++;
      c.once += known.times == 1;
      c.twice += known.times == 2;
    }
    return result;
  }

 private:
  struct Known {
    std::uint64_t window = 0;
    std::uint32_t id = 0, times = 0;
  };
  std::unordered_map<std::uint64_t, Known> lines_;
};

}  // namespace memprof::backend
