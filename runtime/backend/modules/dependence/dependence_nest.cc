// dependence_nest.cc - all rows of a range at once.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/modules/dependence/dependence_nest.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "runtime/backend/event/range_rows.h"
#include "runtime/backend/modules/dependence/dependence_count.h"
#include "runtime/backend/modules/dependence/dependence_range.h"

namespace memprof::backend {
namespace {

// Of which the shadow's page has more than of a row.
bool columns_are_long(const RangeAccess& a) {
  const auto in_page = [](std::int64_t step, std::uint64_t count) {
    return step == 0 ? count : std::min(count, k_page / magnitude(step));
  };
  return in_page(a.row_step, a.rows) > in_page(a.step, a.count);
}

// Whether what A stores can be runs of rows; or of columns, with TICKS ticks to a row.
bool rows_are_runs(const RangeAccess& a) {
  return a.width != 0 && (a.count == 1 || magnitude(a.step) >= a.width);
}
bool columns_are_runs(const RangeAccess& a, std::uint64_t ticks) {
  return columns_are_long(a) && ticks <= k_max_pace && magnitude(a.row_step) >= a.width &&
         meeting(a, a) == Meeting::iteration;
}

}  // namespace

bool NestSearch::run(std::span<const RangeAccess> accesses, const Range& range) {
  if (!search_.counting_ || g_fault != Fault::none) return false;
  for (const RangeAccess& a : accesses)
    if (Hull hull; !RangeSearch::find_hull(a, hull) || (a.store && !rows_are_runs(a))) return false;
  if (!iterations_apart(accesses)) return false;
  const bool goes_on = range.inside && range.outer != 0;
  const Stamp entered = goes_on ? search_.counting_->entered(range.outer) : 0;
  if (goes_on && (entered == ~Stamp{0} || reads_inside(accesses, entered))) return false;
  const std::uint64_t ticks = range.count + (range.outer != 0);
  search_.settle();
  search_.in_range_ = search_.gathers_ = true;
  for (const RangeAccess& a : accesses)
    if (!a.store) load_rows(a);
  search_.gathers_ = false;
  search_.settle();
  search_.counting_->end_gathering();
  for (const RangeAccess& a : accesses)
    if (a.store) store_rows(a, ticks);
  search_.in_range_ = false;
  search_.clock_ += range.rows * ticks;
  search_.answer({.kind = Answer::Kind::end, .count = search_.clock_});
  search_.settle();
  if (goes_on) search_.counting_->iterated(range.outer, range.rows, ticks);
  return true;
}

void NestSearch::load_rows(const RangeAccess& a) {
  if (columns_are_long(a))
    for (std::uint64_t k = 0; k < a.count; k++) loads_.load_row(a.column(k), a.rows);
  else
    for (std::uint64_t i = 0; i < a.rows; i++) loads_.load_row(a.row(i), a.count);
}

// Each row has TICKS ticks, the last of which are its own iterations.
void NestSearch::store_rows(const RangeAccess& a, std::uint64_t ticks) {
  const Stamp first = search_.clock_ + ticks - a.count + 1;
  if (columns_are_runs(a, ticks))
    for (std::uint64_t k = 0; k < a.count; k++)
      search_.shadow_.store_run(RangeSearch::run_of(a.column(k), first + k, static_cast<int>(ticks)));
  else
    for (std::uint64_t i = 0; i < a.rows; i++)
      search_.shadow_.store_run(RangeSearch::run_of(a.row(i), first + i * ticks));
}

// Whether what the loads read may have been stored after the time ENTERED.
bool NestSearch::reads_inside(std::span<const RangeAccess> accesses, Stamp entered) const {
  // What is not much farther apart than it is wide is looked at as a whole.
  constexpr std::uint64_t k_near = 128;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> dense;
  for (const RangeAccess& a : accesses) {
    if (a.store) continue;
    Hull whole;
    RangeSearch::find_hull(a, whole);
    const std::uint64_t row = std::max(magnitude(a.step), a.width) * a.count;
    const bool near = magnitude(a.step) <= k_near;
    if (near && magnitude(a.row_step) <= std::max(k_near, 2 * row)) {
      dense.emplace_back(whole.low, whole.high);
      continue;
    }
    for (std::uint64_t i = 0; i < (a.row_step == 0 ? 1 : a.rows); i++)
      for (std::uint64_t k = 0; k < (near ? 1 : a.count); k++) {
        RangeAccess part = a.row(i);
        part.address += k * static_cast<std::uint64_t>(a.step);
        if (!near) part.count = 1;
        Hull hull;
        RangeSearch::find_hull(part, hull);
        if (search_.shadow_.newest(hull.low, hull.high) > entered) return true;
      }
  }
  std::ranges::sort(dense);
  std::uint64_t done = 0;
  for (const auto& [low, high] : dense) {
    if (high <= done) continue;
    if (search_.shadow_.newest(std::max(low, done), high) > entered) return true;
    done = high;
  }
  return false;
}

}  // namespace memprof::backend
