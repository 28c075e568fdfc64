// life_table.h - reuse distances of which some are only known to be longer, or shorter, than seen.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A window sees the distance of an access if the line was accessed before in the window; else
// only that it is longer than the number of lines that the window had seen so far: the distance is
// *censored* there. It is neither a hit nor a miss. And where only one line in 2^s is looked at,
// short distances are too coarse to be used: such an access is only known to be *near*, below
// 16 * 2^s. The curve that fits all of that best comes from repeating two steps:
//
//     1. deal out the near accesses of each s to the classes of distances below 16 * 2^s, as the
//        curve says so far (Turnbull's self-consistency, 1976)
//     2. hazard of a class = seen there / (at risk - half of those censored there), at risk: neither
//        seen nor censored in a class below; survival = product of 1 - hazard (Kaplan and Meier,
//        1958)
//
// The survival at a distance is the share of accesses with a longer one: the miss ratio of a cache
// with as many lines, if it replaces the least recently used one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace memprof::backend {

// Classes: distance 0, then k_per_octave for each power of two (some of short distances are empty).
struct DistanceClass {
  static constexpr std::size_t k_per_octave = 8, k_count = k_per_octave * 26 + 1;

  static std::size_t of(std::uint64_t distance);
  // The least distance of class number N; of k_count, beyond all.
  static double least(std::size_t n);
};

struct LifeTable {
  static constexpr std::size_t k_shifts = 16;

  std::array<double, DistanceClass::k_count> seen{}, censored{};
  std::array<double, k_shifts> near{};  // by s: distances below near_limit (s)

  // The first class that is not near where one line in 2^SHIFT is looked at.
  static std::size_t near_limit(unsigned shift) {
    return shift == 0 ? 0 : DistanceClass::of(std::uint64_t{16} << shift);
  }
  LifeTable& operator+=(const LifeTable& other);
  LifeTable& operator-=(const LifeTable& other);
  // By class, with all near accesses below it.
  std::array<double, DistanceClass::k_count> at_risk() const;
};

using Hazards = std::array<double, DistanceClass::k_count>;

// Hazards of TABLE. Where it knows little, they are drawn towards those of PARENT, which count as
// much as k_parent_weight accesses.
Hazards hazards(const LifeTable& table, const Hazards& parent);
inline constexpr double k_parent_weight = 4;

// The share of accesses whose distance is at least that of a class, by its number.
using SurvivalCurve = std::array<double, DistanceClass::k_count + 1>;
SurvivalCurve survival(const Hazards& hazards);
// ... at least DISTANCE.
double survival_at(const SurvivalCurve& curve, double distance);

}  // namespace memprof::backend
