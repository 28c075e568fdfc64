// miss_curve.cc - misses of each site in each group for a cache of any size, from windows.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/modules/reuse/miss_curve.h"

#include <algorithm>
#include <cmath>
#include <map>

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
    for (unsigned p = 0; p <= k_parts; p++) row.curves[p] = survival(own[p]);
  }
  // Lines of the groups, and whose accesses were the first to them.
  std::map<GroupId, double> lines, weights;
  for (const auto& [group, counts] : reuse.footprint().counts()) {
    const auto marked = static_cast<double>(reuse.marked());
    lines[group] = std::min(counts.all(static_cast<double>(windows_)) * marked, group_lines(group));
    footprint_ += lines[group];
  }
  std::vector<double> tails, own(rows.size());
  for (std::size_t i = 0; i < rows.size(); i++) {
    tails.push_back(accesses(i) * survival_at(rows_[i].curves[k_parts], reach_));
    if (rows[i].unmet > 0) own[i] = tails[i] * rows[i].new_lines / rows[i].unmet;
    weights[rows[i].group] += own[i];
  }
  for (std::size_t i = 0; i < rows.size(); i++) {
    const double weight = weights[rows[i].group];
    if (weight == 0 || tails[i] == 0) continue;
    rows_[i].first = std::min(lines[rows[i].group] * own[i] / weight, tails[i]) / accesses(i);
  }
}

double MissCurves::misses(const Row& row, unsigned left_out, double size) const {
  const SurvivalCurve& curve = row.curves[left_out];
  if (size < reach_) return survival_at(curve, size);
  const double tail = survival_at(curve, reach_), first = std::min(row.first, tail);
  if (size >= footprint_) return first;
  return first + (tail - first) * (footprint_ - size) / (footprint_ - reach_);
}

Misses MissCurves::misses(std::size_t number, double size) const {
  const Row& row = rows_[number];
  Misses result{misses(row, k_parts, size), 1};
  if (windows_ < k_parts) return result;
  double variance = 0;
  for (unsigned p = 0; p < k_parts; p++) {
    const double difference = misses(row, p, size) - result.share;
    variance += difference * difference;
  }
  constexpr double k_quantile = 2.36;  // Student's, of k_parts - 1 degrees of freedom
  double half = k_quantile * std::sqrt(variance * (k_parts - 1) / k_parts);
  if (size >= reach_) {
    const double tail = survival_at(row.curves[k_parts], reach_);
    half += std::max(result.share - row.first, size < footprint_ ? tail - result.share : 0.0);
  }
  result.error = result.share > 0 ? half / result.share : 0;
  return result;
}

}  // namespace memprof::backend
