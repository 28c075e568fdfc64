// live_memory.h - how many bytes of the heap and of mappings were alive over the run.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The decoder keeps it, because it sees all births and deaths: modules learn nothing of those between
// bursts. Times are those of the module `timeline'.
#pragma once

#include <array>

#include "runtime/backend/base/time_cells.h"

namespace memprof::backend {

class LiveMemory {
 public:
  // From TIME on, which is not before that of the last call, BYTES are alive.
  void note(std::uint64_t time, std::uint64_t bytes) {
    for (unsigned i = scale_.reach(time); i > 0; i--)
      join_pairs(most_, [](std::uint64_t a, std::uint64_t b) { return std::max(a, b); });
    // What was alive before lives on up to here.
    const std::size_t cell = scale_.cell(time);
    while (most_.size() <= cell) most_.push_back(bytes_);
    most_[cell] = std::max(most_[cell], bytes);
    bytes_ = bytes;
    end_ = std::max(end_, time + 1);
  }
  std::uint64_t end() const { return end_; }
  std::uint64_t bytes() const { return bytes_; }

  // The most in each of N equal parts of the time up to END.
  template <std::size_t N>
  std::array<std::uint64_t, N> parts(std::uint64_t end) const {
    std::array<std::uint64_t, N> parts{};
    const double last = scale_.cells(end);
    const auto deal = [&](double from, double to, std::uint64_t bytes) {
      deal_out(from, to, last, N, 1, [&](std::size_t part, double) { parts[part] = std::max(parts[part], bytes); });
    };
    for (std::size_t i = 0; i < most_.size(); i++) deal(static_cast<double>(i), static_cast<double>(i + 1), most_[i]);
    if (static_cast<double>(most_.size()) < last) deal(static_cast<double>(most_.size()), last, bytes_);
    return parts;
  }

 private:
  TimeScale scale_;
  std::vector<std::uint64_t> most_;  // by cell
  std::uint64_t bytes_ = 0, end_ = 0;
};

}  // namespace memprof::backend
