// time_cells.h - a run of unknown length, cut into cells of equal length.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// How long a run will be is not known before its end. So there are at most 128 cells, and when the clock
// leaves the last one, each two that follow each other become one:
//
//     cells of 1000    a  b  c  d | e        here 4 instead of 128
//     cells of 2000    ab cd e
//
// In the end 65 or more are in use, unless the run is very short; deal_out() makes any number of equal
// parts of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace memprof::backend {

class TimeScale {
 public:
  static constexpr std::size_t k_cells = 128;

  // The clock says TIME. Returns how often pairs of cells have to become one.
  unsigned reach(std::uint64_t time) {
    unsigned joins = 0;
    while (time >> bits_ >= k_cells) bits_++, joins++;
    return joins;
  }
  // The cell of a time that was reached.
  std::size_t cell(std::uint64_t time) const { return static_cast<std::size_t>(time >> bits_); }
  // Where a cell begins.
  std::uint64_t begin(std::size_t cell) const { return std::uint64_t{cell} << bits_; }
  // TIME in cells.
  double cells(std::uint64_t time) const {
    return static_cast<double>(time) / static_cast<double>(begin(1));
  }

 private:
  unsigned bits_ = 0;
};

// What each two cells have becomes one by COMBINE.
template <typename T, typename Combine>
void join_pairs(std::vector<T>& cells, Combine&& combine) {
  for (std::size_t i = 0; i < cells.size(); i++)
    cells[i / 2] = i % 2 == 0 ? cells[i] : combine(cells[i / 2], cells[i]);
  cells.resize((cells.size() + 1) / 2);
}

// Deals N, of the time from FROM to TO, out to PARTS equal parts of [0, END): fn (part, its share).
// Times are in cells.
template <typename Fn>
void deal_out(double from, double to, double end, std::size_t parts, double n, Fn&& fn) {
  to = std::min(to, end);
  const double length = end / static_cast<double>(parts);
  const auto part_of = [&](double time) { return std::min(static_cast<std::size_t>(time / length), parts - 1); };
  if (to <= from) return fn(part_of(from), n);
  for (std::size_t i = part_of(from); i < parts && static_cast<double>(i) * length < to; i++) {
    const double begin = std::max(from, static_cast<double>(i) * length);
    const double last = i + 1 == parts ? to : std::min(to, static_cast<double>(i + 1) * length);
    if (last > begin) fn(i, n * (last - begin) / (to - from));
  }
}

}  // namespace memprof::backend
