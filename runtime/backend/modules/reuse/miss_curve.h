// miss_curve.h - misses of each site in each memory for a cache of any size, from windows.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Steps, for lines and for pages alike:
//
//   1. All life tables of a memory (window_reuse.h) make that of the memory, those of all memories
//      that of the program. Hazards of a row are drawn towards those of its memory, these towards
//      those of the program, where they come from few accesses.
//   2. `reach' is the longest distance that windows have seen often enough: of a row that windows were
//      too short for, of this row; else of the program. Up to there the survival curve says what a
//      cache misses.
//   3. What is left after it, the *tail*, has two kinds of accesses. As many as the memory has
//      lines are the first ones to their line: no cache has these. They are dealt out to the sites
//      that were seen accessing lines that no window had met before, and what these cannot have to
//      sites that no window met: what is done once, at the start, is seldom in one.
//   4. How far apart the others are follows from how many there are (Kac's lemma, 1947): if T
//      accesses of the tail go to F lines, T / F of them go to a line, and between two of these
//      lie F / T of all other tails' accesses, to at most as many lines as their memories have
//      (here F is how many lines are in use, Footprint):
//
//          distance = sum over the memories h of min (F_h, T_h * F / T)
//
//      A cache of that size has them all. Of a smaller one they miss all if the memory is swept in
//      one order, as many as do not fit if it is accessed at random; the end of the survival curve
//      says which: it falls in the one case and not in the other.
//
// Example: 8 MB, 131,072 lines, 12 rounds in random order. Windows reach 20,000 lines. The chase's
// survival is 1 up to there, so that a cache of 1 MB misses each time. Of 32 MB only the first
// round misses, since the distance is that of 131,072 lines.
//
// Errors are halves of 95 % intervals: from leaving out each part of the windows in turn, from what
// step 4 does not know, from which of a memory's sites make the first accesses (none or all of those that
// it is given, or that are left, where no window met it), and from what a cache that is 15 % larger
// or smaller would miss. Of what no window met all else is not known at all.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/backend/modules/reuse/window_reuse.h"

namespace memprof::backend {

// A share of the accesses of a row, and how far off it may be, as a share, too.
struct Misses {
  double share = 0, error = 0;
  bool guessed = false;  // no window met the row, or there were too few
};

class MissCurves {
 public:
  // LINES: of each memory of REUSE, used or not; infinite: that is not known. ACCESSES: of each
  // row, in the whole run.
  MissCurves(const WindowReuse& reuse, std::span<const double> lines,
             std::span<const double> accesses);

  // Of a row's accesses, in a cache of SIZE lines that replaces the least recently used of all.
  Misses misses(std::size_t row, double size) const {
    return misses(row, std::array<double, 1>{size});
  }
  // ... of one of its set, which has WAYS lines.
  Misses misses_with_sets(std::size_t row, double size, double ways) const;

 private:
  static constexpr unsigned k_parts = WindowReuse::k_parts;
  // With number k_parts: all of them; else all but one.
  using Curves = std::array<SurvivalCurve, k_parts + 1>;

  struct Tail {  // of a memory
    double accesses = 0;
    double lines = 0;  // in use
    double all = 0;    // lines
    double most = 0;   // distance
  };
  struct Row {
    WindowReuse::MemoryId memory;
    Curves curves;
    bool met = false;  // by a window
    double reach = 0;  // its own
    double accesses = 0;
    double tail = 0;   // of these
    double first = 0;  // share of the accesses that are the first ones to their line
    // The others of the tail are reused at distances between these, equally likely.
    double least = 0, most = 0;
  };

  void find_first_accesses(const WindowReuse& reuse);
  void find_first_accesses_unmet();
  void find_distances();

  double misses(const Row& row, unsigned left_out, double size) const;
  // On average over SIZES.
  double misses(const Row& row, unsigned left_out, std::span<const double> sizes) const;
  Misses misses(std::size_t row, std::span<const double> sizes) const;

  std::vector<Row> rows_;
  std::vector<Tail> tails_;  // by memory
  std::uint64_t windows_ = 0;
  double reach_ = 0;
};

}  // namespace memprof::backend
