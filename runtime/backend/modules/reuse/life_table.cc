// life_table.cc - reuse distances of which some are only known to be longer than seen.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/modules/reuse/life_table.h"

#include <algorithm>
#include <cmath>

namespace memprof::backend {

namespace {

void add(std::array<double, DistanceClass::k_count>& sum,
         const std::array<double, DistanceClass::k_count>& other, double sign) {
  for (std::size_t i = 0; i < sum.size(); i++) sum[i] += sign * other[i];
}

}  // namespace

std::size_t DistanceClass::of(std::uint64_t distance) {
  if (distance == 0) return 0;
  const auto power = static_cast<std::size_t>(std::bit_width(distance) - 1);
  const bool upper = static_cast<double>(distance) >= std::ldexp(std::sqrt(2.0), static_cast<int>(power));
  return std::min(1 + 2 * power + upper, k_count - 1);
}

double DistanceClass::least(std::size_t n) {
  return n == 0 ? 0 : std::exp2(static_cast<double>(n - 1) / 2);
}

LifeTable& LifeTable::operator+=(const LifeTable& other) {
  add(entered, other.entered, 1);
  add(seen, other.seen, 1);
  add(censored, other.censored, 1);
  return *this;
}

LifeTable& LifeTable::operator-=(const LifeTable& other) {
  add(entered, other.entered, -1);
  add(seen, other.seen, -1);
  add(censored, other.censored, -1);
  return *this;
}

std::array<double, DistanceClass::k_count> LifeTable::at_risk() const {
  std::array<double, DistanceClass::k_count> risk{};
  double n = 0;
  for (std::size_t i = 0; i < risk.size(); i++) {
    n += entered[i];
    risk[i] = std::max(n - censored[i] / 2, 0.0);
    n -= seen[i] + censored[i];
  }
  return risk;
}

Hazards hazards(const LifeTable& table, const Hazards& parent) {
  const auto risk = table.at_risk();
  Hazards result{};
  for (std::size_t i = 0; i < result.size(); i++)
    result[i] = std::clamp(
        (table.seen[i] + k_parent_weight * parent[i]) / (risk[i] + k_parent_weight), 0.0, 1.0);
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
  const double place = std::max(1 + 2 * std::log2(distance), 0.0);
  const auto n = static_cast<std::size_t>(place);
  if (n >= DistanceClass::k_count) return curve[DistanceClass::k_count];
  const double part = place - static_cast<double>(n);
  return curve[n] + (curve[n + 1] - curve[n]) * part;
}

}  // namespace memprof::backend
