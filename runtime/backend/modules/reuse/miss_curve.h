// miss_curve.h - misses of each site in each group for a cache of any size, from windows.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Steps, for lines and for pages alike:
//
//   1. All life tables of a group make that of the group, those of all groups that of the
//      program. Hazards of a row are drawn towards those of its group, these towards those of
//      the program, where they come from few accesses.
//   2. `reach' is the longest distance that windows have seen often enough. Up to there the
//      survival curve says what a cache misses.
//   3. What is left after it, the *tail*, has two kinds of accesses. As many as the group has
//      lines (Footprint) are the first ones to their line: no cache has these. They are dealt
//      out to the sites that were seen accessing lines that no window had met before. The others
//      are reused at a distance between reach and the lines of the whole program: a cache of that
//      size has them all, and in between as many as if all distances were equally likely.
//
// Example: 8 MB, 131,072 lines, 12 rounds in random order. Windows reach 20,000 lines. The chase's
// survival is 1 up to there, so that a cache of 1 MB misses each time. Of 32 MB it never misses
// but for the first round, since the program has no more than 131,072 lines.
//
// Errors are halves of 95 % intervals, from leaving out each part of the windows in turn, and from
// what step 3 does not know.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "runtime/backend/modules/reuse/window_reuse.h"

namespace memprof::backend {

// A share of the accesses of a row, and how far off it may be.
struct Misses {
  double share = 0, error = 0;
};

class MissCurves {
 public:
  // GROUP_LINES (group): the most lines that a group can have. ACCESSES (row): of a row of REUSE, in
  // the whole run.
  MissCurves(const WindowReuse& reuse, const std::function<double(GroupId)>& group_lines,
             const std::function<double(std::size_t)>& accesses);

  // Of a row's accesses, in a cache of SIZE lines.
  Misses misses(std::size_t row, double size) const;
  // Lines of the program.
  double footprint() const { return footprint_; }

 private:
  static constexpr unsigned k_parts = WindowReuse::k_parts;
  // With number k_parts: all of them; else all but one.
  using Curves = std::array<SurvivalCurve, k_parts + 1>;

  struct Row {
    Curves curves;
    double first = 0;  // share of the accesses that are the first ones to their line
  };

  double misses(const Row& row, unsigned left_out, double size) const;

  std::vector<Row> rows_;
  std::uint64_t windows_ = 0;
  double reach_ = 0, footprint_ = 0;
};

}  // namespace memprof::backend
