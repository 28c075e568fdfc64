// life_table.h - reuse distances of which some are only known to be longer than seen.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A window sees the distance of an access if the line was accessed before in the window; else
// only that it is longer than the number of lines that the window had seen so far: the distance is
// *censored* there. It is neither a hit nor a miss. And where only one line in 2^s is looked at,
// short distances are too coarse to be used: such an access *enters* at a distance of 16 * 2^s.
// Kaplan and Meier's estimator (1958), in classes of distances, uses each for what it says:
//
//     at risk in a class    entered there or before, and neither seen nor censored before
//     hazard                seen in the class / (at risk - half of those censored there)
//     survival              product of 1 - hazard: the share of accesses with a longer distance
//
// That share is the miss ratio of a cache with as many lines, if it replaces the least recently
// used one.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace memprof::backend {

// Classes: distance 0, then two for each power of two.
struct DistanceClass {
  static constexpr std::size_t k_count = 2 * 30 + 1;

  static std::size_t of(std::uint64_t distance);
  // The least distance of class number N; of k_count, beyond all.
  static double least(std::size_t n);
};

struct LifeTable {
  std::array<double, DistanceClass::k_count> entered{}, seen{}, censored{};

  LifeTable& operator+=(const LifeTable& other);
  LifeTable& operator-=(const LifeTable& other);
  // By class.
  std::array<double, DistanceClass::k_count> at_risk() const;
};

using Hazards = std::array<double, DistanceClass::k_count>;

// Hazards of TABLE. Where it knows little, they are drawn towards those of PARENT, which count as
// much as k_parent_weight accesses.
Hazards hazards(const LifeTable& table, const Hazards& parent);

// The share of accesses whose distance is at least that of a class, by its number.
using SurvivalCurve = std::array<double, DistanceClass::k_count + 1>;
SurvivalCurve survival(const Hazards& hazards);
// ... at least DISTANCE.
double survival_at(const SurvivalCurve& curve, double distance);

inline constexpr double k_parent_weight = 4;

}  // namespace memprof::backend
