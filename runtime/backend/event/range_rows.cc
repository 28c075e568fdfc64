// range_rows.cc - ranges whose iterations have nothing to do with each other.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Two accesses of the same steps meet if, some rows and iterations apart,
//
//     - width of B < distance + i * row step + k * step < width of A
//
// The larger step leaves few i, or it is too hard; each of them leaves an interval of k.
#include "runtime/backend/event/range_rows.h"

#include <algorithm>
#include <utility>

#include "runtime/backend/base/interval.h"

namespace memprof::backend {
namespace {

constexpr std::int64_t k_most = 4;  // i

struct Level {
  std::int64_t step, count;
};

// Rows and iterations may be counted downwards, too.
Level level(std::int64_t step, std::uint64_t count) {
  return {static_cast<std::int64_t>(magnitude(step)), static_cast<std::int64_t>(count)};
}

bool same_steps(const RangeAccess& a, const RangeAccess& b) {
  return a.step == b.step && a.count == b.count && a.row_step == b.row_step && a.rows == b.rows;
}

bool hulls_meet(const RangeAccess& a, const RangeAccess& b) {
  const auto x = a.extent(), y = b.extent();
  return x.low < y.high && y.low < x.high;
}

}  // namespace

Meeting meeting(const RangeAccess& a, const RangeAccess& b) {
  Level major = level(a.row_step, a.rows), minor = level(a.step, a.count);
  if (major.step < minor.step) std::swap(major, minor);
  const auto distance = static_cast<std::int64_t>(b.address - a.address);
  const std::int64_t low = 1 - static_cast<std::int64_t>(b.width);
  const std::int64_t high = static_cast<std::int64_t>(a.width) - 1;
  const std::int64_t span = minor.step * (minor.count - 1);
  Interval<std::int64_t> i{1 - major.count, major.count - 1};
  i.cut(major.step, distance, low - span, high + span);
  if (i.high - i.low >= k_most) return Meeting::elsewhere;
  Meeting result = Meeting::none;
  for (std::int64_t z = i.low; z <= i.high; z++) {
    Interval<std::int64_t> k{1 - minor.count, minor.count - 1};
    k.cut(minor.step, distance + z * major.step, low, high);
    if (k.empty()) continue;
    if (z != 0 || k.low != 0 || k.high != 0) return Meeting::elsewhere;
    result = Meeting::iteration;
  }
  return result;
}

bool iterations_apart(std::span<const RangeAccess> accesses) {
  for (const RangeAccess& store : accesses) {
    if (!store.store) continue;
    for (const RangeAccess& a : accesses) {
      if (&a == &store || !hulls_meet(store, a)) continue;
      if (!same_steps(store, a)) return false;
      const Meeting m = meeting(store, a);
      if (m != Meeting::none && (m == Meeting::elsewhere || a.store || &store < &a)) return false;
    }
  }
  return true;
}

}  // namespace memprof::backend
