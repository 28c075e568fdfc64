// miss_curve.cc - misses of each site in each group for a cache of any size, from windows.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/modules/reuse/miss_curve.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <cstdio>
#include <cstdlib>

namespace memprof::backend {

namespace {

constexpr unsigned k_parts = WindowReuse::k_parts;
// Accesses at risk that make a distance known.
constexpr double k_least_at_risk = 10;

// Hazards of all parts together, at k_parts, and of all but one.
using PartHazards = std::array<Hazards, k_parts + 1>;

LifeTable sum_of(const WindowReuse::Parts& parts) {
  LifeTable sum;
  for (const LifeTable& part : parts) sum += part;
  return sum;
}

PartHazards part_hazards(const WindowReuse::Parts& parts, const PartHazards& parents) {
  const LifeTable all = sum_of(parts);
  PartHazards result;
  for (unsigned i = 0; i <= k_parts; i++) {
    LifeTable table = all;
    if (i < k_parts) table -= parts[i];
    result[i] = hazards(table, parents[i]);
  }
  return result;
}

void add(WindowReuse::Parts& sum, const WindowReuse::Parts& other) {
  for (unsigned i = 0; i < k_parts; i++) sum[i] += other[i];
}

// The first distance at which so few accesses are at risk that nothing is known.
double reach_of(const LifeTable& table) {
  const auto risk = table.at_risk();
  std::size_t n = 0;
  for (std::size_t i = 0; i < risk.size(); i++)
    if (risk[i] >= k_least_at_risk) n = i + 1;
  return DistanceClass::least(n);
}

}  // namespace

MissCurves::MissCurves(const WindowReuse& reuse,
                       const std::function<double(GroupId)>& group_lines,
                       const std::function<double(std::size_t)>& accesses)
    : windows_(reuse.windows()) {
  const auto& rows = reuse.rows();
  const std::vector<WindowReuse::Parts> parts = reuse.parts();
  WindowReuse::Parts program;
  std::map<GroupId, WindowReuse::Parts> groups;
  for (std::size_t i = 0; i < rows.size(); i++) {
    add(program, parts[i]);
    add(groups[rows[i].group], parts[i]);
  }
  reach_ = reach_of(sum_of(program));
  const PartHazards of_program = part_hazards(program, {});
  std::map<GroupId, PartHazards> of_group;
  for (const auto& [group, table] : groups) of_group[group] = part_hazards(table, of_program);
  for (std::size_t i = 0; i < rows.size(); i++) {
    const PartHazards own = part_hazards(parts[i], of_group[rows[i].group]);
    Row& row = rows_.emplace_back();
    row.group = rows[i].group;
    row.met = rows[i].accesses > 0;
    row.accesses = accesses(i);
    for (unsigned p = 0; p <= k_parts; p++) row.curves[p] = survival(own[p]);
    row.tail = row.accesses * survival_at(row.curves[k_parts], reach_);
  }
  const auto footprints = reuse.footprint().counts();
  for (const auto& [group, table] : groups) {
    Tail& tail = tails_[group];
    tail.all = tail.lines = group_lines(group);
    if (const auto it = footprints.find(group); it != footprints.end()) {
      const double seen =
          it->second.all(static_cast<double>(windows_)) * static_cast<double>(reuse.marked());
      tail.lines = std::min(tail.lines, seen);
      if (std::isinf(tail.all)) tail.all = tail.lines;
    }
  }
  for (Row& row : rows_)
    if (row.met) tails_[row.group].accesses += row.tail;
  find_first_accesses(reuse);
  find_first_accesses_unmet();
  std::map<GroupId, SurvivalCurve> curves;
  for (const auto& [group, hazards] : of_group) curves[group] = survival(hazards[k_parts]);
  find_distances(curves);
  if (FILE* f = fopen("/tmp/rd", "a")) {
    fprintf(f, "windows %lu accesses %lu reach %.0f\n", windows_, reuse.accesses(), reach_);
    for (auto& [g, t] : tails_) {
      fprintf(f, " group %u tail %.0f lines %.0f (most %.0f) least %.0f most %.0f\n", g, t.accesses, t.lines, group_lines(g), t.least, t.most);
      fprintf(f, "   S:");
      if (curves.count(g)) for (int i = 0; i < 170; i += 8) fprintf(f, " %.4f", curves[g][i + 1]);
      auto risk = LifeTable(sum_of(groups[g])).at_risk();
      fprintf(f, "\n     R:");
      for (int i = 0; i < 170; i += 8) fprintf(f, " %.0f", risk[i + 1]);
      fprintf(f, "\n");
    }
    fclose(f);
  }
}

void MissCurves::find_first_accesses(const WindowReuse& reuse) {
  const auto& from = reuse.rows();
  std::map<GroupId, double> weights;
  const auto weight = [&](std::size_t i) {
    return from[i].unmet > 0 ? rows_[i].tail * from[i].new_lines / from[i].unmet : 0;
  };
  for (std::size_t i = 0; i < rows_.size(); i++) weights[from[i].group] += weight(i);
  for (std::size_t i = 0; i < rows_.size(); i++) {
    if (weight(i) == 0) continue;
    const double lines = tails_[from[i].group].all * weight(i) / weights[from[i].group];
    rows_[i].first = std::min(lines, rows_[i].tail) / rows_[i].accesses;
  }
}

void MissCurves::find_first_accesses_unmet() {
  std::map<GroupId, double> left, accesses;
  for (const auto& [group, tail] : tails_)
    if (std::isfinite(tail.all)) left[group] = tail.all;
  for (const Row& row : rows_) {
    left[row.group] -= row.first * row.accesses;
    if (!row.met) accesses[row.group] += row.accesses;
  }
  for (Row& row : rows_)
    if (!row.met && accesses[row.group] > 0)
      row.first = std::clamp(left[row.group] / accesses[row.group], 0.0, 1.0);
}

// The more of the last accesses within reach were seen again, the more alike are all distances.
void MissCurves::find_distances(const std::map<GroupId, SurvivalCurve>& curves) {
  for (auto& [group, tail] : tails_) {
    if (tail.accesses == 0) continue;
    for (const auto& [other, t] : tails_)
      tail.most += std::min(t.lines, t.accesses * tail.lines / tail.accesses);
    tail.least = tail.most = std::max(tail.most, reach_);
    const double from = reach_ / 4, left = survival_at(curves.at(group), from);
    if (left == 0 || tail.most <= reach_) continue;
    const double fall = 1 - survival_at(curves.at(group), reach_) / left;
    const double if_alike = (reach_ - from) / (tail.most - from);
    tail.least -= (tail.most - reach_) * std::min(fall / if_alike, 1.0);
  }
}

double MissCurves::misses(const Row& row, unsigned left_out, double size) const {
  const SurvivalCurve& curve = row.curves[left_out];
  if (!row.met && size < reach_) return std::max(survival_at(curve, size), row.first);
  if (size < reach_) return survival_at(curve, size);
  const double left = std::max(survival_at(curve, reach_), row.met ? 0 : row.first);
  const double first = std::min(row.first, left);
  const Tail& tail = tails_.at(row.group);
  if (size >= tail.most) return first;
  if (size <= tail.least) return left;
  return first + (left - first) * (tail.most - size) / (tail.most - tail.least);
}

double MissCurves::misses(const Row& row, unsigned left_out, std::span<const double> sizes) const {
  double sum = 0;
  for (const double size : sizes) sum += misses(row, left_out, size);
  return sum / static_cast<double>(sizes.size());
}

Misses MissCurves::misses(std::size_t number, std::span<const double> sizes) const {
  const Row& row = rows_[number];
  Misses result{misses(row, k_parts, sizes), 1};
  if (windows_ < k_parts || !row.met || result.share == 0) return result;
  double variance = 0;
  for (unsigned p = 0; p < k_parts; p++) {
    const double difference = misses(row, p, sizes) - result.share;
    variance += difference * difference;
  }
  constexpr double k_quantile = 2.36;  // Student's, of k_parts - 1 degrees of freedom
  double half = k_quantile * std::sqrt(variance * (k_parts - 1) / k_parts);
  if (sizes.back() >= reach_) {
    const double tail = survival_at(row.curves[k_parts], reach_);
    half += std::max(result.share - row.first, tail - result.share) / 2;
  }
  constexpr double k_tenth = 1.1;
  const double size = sizes[sizes.size() / 2];
  half += std::max(misses(row, k_parts, size / k_tenth) - result.share,
                   result.share - misses(row, k_parts, size * k_tenth));
  result.error = half / result.share;
  return result;
}

// A line is lost when as many others have come to its set as this has ways. If lines come to sets at
// random, that takes a number of lines with a gamma distribution (approximated as Wilson and
// Hilferty do, 1931). If a loop sweeps all that it uses, sets fill nearly evenly; then distances
// are nearly equal, and the curve falls steeply.
Misses MissCurves::misses_with_sets(std::size_t number, double size, double ways) const {
  constexpr double k_near = 4.0 / 3;
  const Row& row = rows_[number];
  const double before = misses(row, k_parts, size / k_near);
  const double steep = before > 0 ? 1 - misses(row, k_parts, size * k_near) / before : 1;
  std::array<double, 5> sizes = {-1.28, -0.52, 0, 0.52, 1.28};
  for (double& s : sizes) {
    const double even = 1.04 + 0.08 * s, root = 1 - 1 / (9 * ways) + s / (3 * std::sqrt(ways));
    s = size * (steep * even + (1 - steep) * root * root * root);
  }
  return misses(number, sizes);
}

}  // namespace memprof::backend
