// miss_curve.cc - misses of each site in each group for a cache of any size, from windows.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/modules/reuse/miss_curve.h"

#include <algorithm>
#include <cmath>

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

// The first class in which so few accesses are at risk that nothing is known.
std::size_t end_of(const LifeTable& table) {
  const auto risk = table.at_risk();
  std::size_t n = 0;
  for (std::size_t i = 0; i < risk.size(); i++)
    if (risk[i] >= k_least_at_risk) n = i + 1;
  return n;
}

// Whether windows were too short for what TABLE has at risk before its end. Else it has been
// seen, and the few that are left may be of any kind.
bool ends_with_windows(const LifeTable& table, std::size_t end) {
  double seen = 0, censored = 0;
  for (std::size_t i = end - std::min(end, DistanceClass::k_per_octave); i < end; i++) {
    seen += table.seen[i];
    censored += table.censored[i];
  }
  return censored > seen;
}

}  // namespace

MissCurves::MissCurves(const WindowReuse& reuse, std::span<const double> lines,
                       std::span<const double> accesses)
    : tails_(lines.size()), windows_(reuse.windows()) {
  const auto& rows = reuse.rows();
  const std::vector<WindowReuse::Parts> parts = reuse.parts();
  WindowReuse::Parts program;
  std::vector<WindowReuse::Parts> memories(lines.size());
  for (std::size_t i = 0; i < rows.size(); i++) {
    add(program, parts[i]);
    add(memories[rows[i].memory], parts[i]);
  }
  reach_ = DistanceClass::least(end_of(sum_of(program)));
  const PartHazards of_program = part_hazards(program, {});
  std::vector<PartHazards> of_memory;
  for (const auto& table : memories) of_memory.push_back(part_hazards(table, of_program));
  for (std::size_t i = 0; i < rows.size(); i++) {
    const PartHazards own = part_hazards(parts[i], of_memory[rows[i].memory]);
    Row& row = rows_.emplace_back();
    row.memory = rows[i].memory;
    row.met = rows[i].accesses > 0;
    row.accesses = accesses[i];
    for (unsigned p = 0; p <= k_parts; p++) row.curves[p] = survival(own[p]);
    const LifeTable table = sum_of(parts[i]);
    const std::size_t end = end_of(table);
    row.reach = ends_with_windows(table, end) ? DistanceClass::least(end) : reach_;
    row.tail = row.accesses * survival_at(row.curves[k_parts], row.reach);
  }
  for (const Row& row : rows_) {
    Tail& tail = tails_[row.memory];
    tail.all += row.accesses;
    if (row.met) tail.accesses += row.tail;
  }
  const auto footprints = reuse.footprint().counts();
  for (std::uint32_t memory = 0; memory < tails_.size(); memory++) {
    Tail& tail = tails_[memory];
    // A line is accessed once at least.
    tail.lines = tail.all = std::min(tail.all, lines[memory]);
    const auto it = footprints.find(memory);
    if (it == footprints.end()) continue;
    const auto marked = static_cast<double>(reuse.marked()), windows = static_cast<double>(windows_);
    const double seen = it->second.all(windows) * marked;
    if (std::isinf(lines[memory])) tail.all = std::min(tail.all, seen);
    // Only where it is certain that some lines are not in use.
    if (it->second.at_most(windows) * marked < tail.all / 2) tail.lines = seen;
    tail.lines = std::min(tail.lines, tail.all);
  }
  find_first_accesses(reuse);
  find_first_accesses_unmet();
  find_distances();
}

void MissCurves::find_first_accesses(const WindowReuse& reuse) {
  const auto& from = reuse.rows();
  std::vector<double> weights(tails_.size());
  const auto weight = [&](std::size_t i) {
    return from[i].unmet > 0 ? rows_[i].tail * from[i].new_lines / from[i].unmet : 0;
  };
  for (std::size_t i = 0; i < rows_.size(); i++) weights[from[i].memory] += weight(i);
  for (std::size_t i = 0; i < rows_.size(); i++) {
    if (weight(i) == 0) continue;
    const double lines = tails_[from[i].memory].all * weight(i) / weights[from[i].memory];
    rows_[i].first = std::min(lines, rows_[i].tail) / rows_[i].accesses;
  }
}

void MissCurves::find_first_accesses_unmet() {
  std::vector<double> left(tails_.size()), accesses(tails_.size());
  for (std::size_t memory = 0; memory < tails_.size(); memory++) left[memory] = tails_[memory].all;
  for (const Row& row : rows_) {
    left[row.memory] -= row.first * row.accesses;
    if (!row.met) accesses[row.memory] += row.accesses;
  }
  for (Row& row : rows_)
    if (!row.met && accesses[row.memory] > 0)
      row.first = std::clamp(left[row.memory] / accesses[row.memory], 0.0, 1.0);
}

// The more of the last accesses within reach were seen again, the more alike are all distances.
void MissCurves::find_distances() {
  for (Tail& tail : tails_) {
    if (tail.accesses == 0) continue;
    for (const Tail& t : tails_)
      tail.most += std::min(t.lines, t.accesses * tail.lines / tail.accesses);
  }
  for (Row& row : rows_) {
    const SurvivalCurve& curve = row.curves[k_parts];
    const double from = row.reach / 4, left = survival_at(curve, from);
    row.least = row.most = std::max(tails_[row.memory].most, row.reach);
    if (left == 0 || row.most == row.reach) continue;
    const double fall = 1 - survival_at(curve, row.reach) / left;
    const double if_alike = (row.reach - from) / (row.most - from);
    row.least -= (row.most - row.reach) * std::min(fall / if_alike, 1.0);
  }
}

double MissCurves::misses(const Row& row, unsigned left_out, double size) const {
  const SurvivalCurve& curve = row.curves[left_out];
  if (!row.met && size < row.reach) return std::max(survival_at(curve, size), row.first);
  if (size < row.reach) return survival_at(curve, size);
  const double left = std::max(survival_at(curve, row.reach), row.met ? 0 : row.first);
  const double first = std::min(row.first, left);
  if (size >= row.most) return first;
  if (size <= row.least) return left;
  return first + (left - first) * (row.most - size) / (row.most - row.least);
}

double MissCurves::misses(const Row& row, unsigned left_out, std::span<const double> sizes) const {
  double sum = 0;
  for (const double size : sizes) sum += misses(row, left_out, size);
  return sum / static_cast<double>(sizes.size());
}

Misses MissCurves::misses(std::size_t number, std::span<const double> sizes) const {
  const Row& row = rows_[number];
  Misses result{misses(row, k_parts, sizes), 0, windows_ < k_parts || !row.met};
  if (result.guessed) {
    const double first = row.accesses > 0 ? tails_[row.memory].all / row.accesses : 0;
    result.error = std::max(result.share, std::min(first, 1.0) - result.share);
    return result;
  }
  double variance = 0;
  for (unsigned p = 0; p < k_parts; p++) {
    const double difference = misses(row, p, sizes) - result.share;
    variance += difference * difference;
  }
  constexpr double k_quantile = 2.36;  // Student's, of k_parts - 1 degrees of freedom
  double half = k_quantile * std::sqrt(variance * (k_parts - 1) / k_parts);
  if (sizes.back() >= row.reach) {
    const double tail = survival_at(row.curves[k_parts], row.reach);
    half += std::max(result.share - row.first, tail - result.share) / 2 + row.first;
  }
  constexpr double k_other = 1.15;
  const double size = sizes[sizes.size() / 2];
  half += std::max(misses(row, k_parts, size / k_other) - result.share,
                   result.share - misses(row, k_parts, size * k_other));
  result.error = std::min(half, std::max(result.share, 1 - result.share));
  return result;
}

// A line is lost when as many others have come to its set as this has ways. If lines come to sets at
// random, that takes a number of lines with a gamma distribution (approximated as Wilson and
// Hilferty do, 1931). If a loop sweeps all that it uses, sets fill nearly evenly; then distances
// are nearly equal, and the curve falls steeply.
Misses MissCurves::misses_with_sets(std::size_t number, double size, double ways) const {
  constexpr double k_near = 1.6;
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
