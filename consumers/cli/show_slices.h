// show_slices.h - the 64 slices of a run, joined until they fit into the rows that were asked for.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>

#include "feedback/table.h"
#include "feedback/tables/timeline.h"

namespace memprof::cli {

class JoinedSlices {
 public:
  // At most TOP (0: all): 64, 32, 16, ...
  explicit JoinedSlices(std::size_t top) {
    while (top != 0 && rows_ > 1 && rows_ > top) rows_ /= 2;
  }
  std::size_t rows() const { return rows_; }
  // The slices of ALL that row I joins, and their sum.
  std::span<const std::uint64_t> part(const feedback::Timeline::Slices& all, std::size_t i) const {
    const std::size_t joined = all.size() / rows_;
    return std::span(all).subspan(i * joined, joined);
  }
  std::uint64_t sum(const feedback::Timeline::Slices& all, std::size_t i) const {
    std::uint64_t n = 0;
    for (const std::uint64_t one : part(all, i)) feedback::add_count(n, one);
    return n;
  }

 private:
  std::size_t rows_ = feedback::Timeline::k_slices;
};

}  // namespace memprof::cli
