// life_table.cc - reuse distances of which some are only known to be longer than seen.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/modules/reuse/life_table.h"

#include <algorithm>
#include <cmath>

namespace memprof::backend {

namespace {

template <std::size_t N>
void add(std::array<double, N>& sum, const std::array<double, N>& other, double sign) {
  for (std::size_t i = 0; i < N; i++) sum[i] += sign * other[i];
}

// TABLE with its near accesses dealt out as HAZARDS say.
LifeTable dealt_out(const LifeTable& table, const Hazards& hazards) {
  const SurvivalCurve curve = survival(hazards);
  LifeTable result = table;
  for (unsigned s = 1; s < LifeTable::k_shifts; s++) {
    if (table.near[s] == 0) continue;
    const std::size_t limit = LifeTable::near_limit(s);
    const double below = 1 - curve[limit];
    for (std::size_t i = 0; i < limit; i++)
      result.seen[i] += table.near[s] * (below > 0 ? (curve[i] - curve[i + 1]) / below : i == 0);
    result.near[s] = 0;
  }
  return result;
}

}  // namespace

std::size_t DistanceClass::of(std::uint64_t distance) {
  if (distance == 0) return 0;
  const double place = k_per_octave * std::log2(static_cast<double>(distance));
  return std::min(1 + static_cast<std::size_t>(place + 1e-9), k_count - 1);
}

double DistanceClass::least(std::size_t n) {
  return n == 0 ? 0 : std::exp2(static_cast<double>(n - 1) / k_per_octave);
}

LifeTable& LifeTable::operator+=(const LifeTable& other) {
  add(seen, other.seen, 1);
  add(censored, other.censored, 1);
  add(near, other.near, 1);
  return *this;
}

LifeTable& LifeTable::operator-=(const LifeTable& other) {
  add(seen, other.seen, -1);
  add(censored, other.censored, -1);
  add(near, other.near, -1);
  return *this;
}

std::array<double, DistanceClass::k_count> LifeTable::at_risk() const {
  std::array<double, DistanceClass::k_count> risk{};
  double n = 0;
  for (std::size_t i = risk.size(); i-- > 0;) {
    n += seen[i] + censored[i];
    risk[i] = std::max(n - censored[i] / 2, 0.0);
  }
  return risk;
}

Hazards hazards(const LifeTable& table, const Hazards& parent) {
  constexpr unsigned k_rounds = 4;
  Hazards result{};
  for (unsigned round = 0; round < k_rounds; round++) {
    // At first as if there were no near accesses.
    LifeTable dealt = table;
    if (round != 0) dealt = dealt_out(table, result);
    const auto risk = dealt.at_risk();
    for (std::size_t i = 0; i < result.size(); i++)
      result[i] = std::clamp(
          (dealt.seen[i] + k_parent_weight * parent[i]) / (risk[i] + k_parent_weight), 0.0, 1.0);
  }
  return result;
}

SurvivalCurve survival(const Hazards& hazards) {
  SurvivalCurve curve{};
  curve[0] = 1;
  for (std::size_t i = 0; i < hazards.size(); i++) curve[i + 1] = curve[i] * (1 - hazards[i]);
  return curve;
}

// Between the ends of a class, linear in the logarithm of the distance.
double survival_at(const SurvivalCurve& curve, double distance) {
  if (distance <= 0) return 1;
  const double place = std::max(1 + DistanceClass::k_per_octave * std::log2(distance), 0.0);
  const auto n = static_cast<std::size_t>(place);
  if (n >= DistanceClass::k_count) return curve[DistanceClass::k_count];
  const double part = place - static_cast<double>(n);
  return curve[n] + (curve[n + 1] - curve[n]) * part;
}

}  // namespace memprof::backend
