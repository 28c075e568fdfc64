// time_counts.h - counts by cells of a run, and their parts of its slices.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cmath>

#include "runtime/backend/base/time_cells.h"

namespace memprof::backend {

// What was seen in each cell. Whole numbers, so that their sums do not depend on the order.
class TimeCounts {
 public:
  void add(std::size_t cell, std::uint64_t n) {
    if (cell >= seen_.size()) seen_.resize(cell + 1);
    seen_[cell] += n;
    all_ += n;
  }
  void join() {
    join_pairs(seen_, [](std::uint64_t a, std::uint64_t b) { return a + b; });
  }
  std::uint64_t all() const { return all_; }
  // Adds SUM to PARTS, dealt out as what was seen. The run ends at END, in cells.
  template <std::size_t N>
  void deal(double sum, double end, std::array<double, N>& parts) const {
    for (std::size_t i = 0; i < seen_.size(); i++)
      if (seen_[i] != 0)
        deal_out(static_cast<double>(i), static_cast<double>(i + 1), end, N,
                 sum * static_cast<double>(seen_[i]) / static_cast<double>(all_),
                 [&](std::size_t slice, double n) { parts[slice] += n; });
  }

 private:
  std::vector<std::uint64_t> seen_;
  std::uint64_t all_ = 0;
};

// Rounded, so that they add up to their sum.
template <std::size_t N>
std::array<std::uint64_t, N> rounded(const std::array<double, N>& parts) {
  std::array<std::uint64_t, N> slices{};
  double sum = 0;
  std::uint64_t before = 0;
  for (std::size_t i = 0; i < N; i++) {
    sum += parts[i];
    const auto until = static_cast<std::uint64_t>(std::round(std::min(sum, 0x1p63)));
    slices[i] = until - before;
    before = until;
  }
  return slices;
}

}  // namespace memprof::backend
