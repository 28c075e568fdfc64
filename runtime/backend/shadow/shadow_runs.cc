// shadow_runs.cc - cells of a page that are of one site, in the order of time.
// SPDX-License-Identifier: GPL-3.0-or-later
//
//   stamps   7 9 12 16 21 | 3     one run of five: it ends where time goes back
//
//   sorted()  compares the cells that a reader is about to read; the page remembers the result
//   cut()     precedes each store: the part of a run before the store remains. A run of stores
//             upwards that overwrites a run replaces it
#include <algorithm>

#include "runtime/backend/shadow/shadow_page.h"

namespace memprof::backend {

SortedRun* SortedRuns::find(const SortedRun& wanted) {
  for (SortedRun& r : runs) {
    if (r.count == 0 || r.step != wanted.step || r.second != wanted.second) continue;
    const int distance = wanted.first - r.first;
    if (distance < 0 || distance >= r.count * r.step) continue;
    if (r.step == 1 || distance % r.step == 0) return &r;
  }
  return nullptr;
}

void SortedRuns::cut(SortedRun& r, std::uint32_t first, std::uint32_t last) {
  // The first access of it whose last cell is not before them.
  const std::uint32_t begin = r.first + r.second;
  const std::uint32_t k = first <= begin ? 0 : (first - begin + r.step - 1) / r.step;
  if (k < r.count && r.first + k * r.step <= last)
    r.count = static_cast<std::uint16_t>(k < k_shortest ? 0 : k);
}

bool SortedRuns::cut(std::uint32_t first, std::uint32_t last) {
  bool any = false;
  for (SortedRun& r : runs) {
    if (r.count != 0) cut(r, first, last);
    any |= r.count != 0;
  }
  return any;
}

bool SortedRuns::cut(const SortedRun& s, bool in_order) {
  const std::uint32_t last = s.first + (s.count - 1u) * s.step + s.second;
  bool any = false;
  for (SortedRun& r : runs) {
    if (r.count == 0) continue;
    if (r.step != s.step) {
      cut(r, s.first, last);
    } else {
      // Where its accesses begin, seen from those of the other.
      const int distance = (r.first - s.first) % s.step;
      const auto place = static_cast<std::uint32_t>(distance < 0 ? distance + s.step : distance);
      if (place == 0 && r.second == s.second && in_order && s.count >= k_shortest &&
          r.first <= last && s.first < r.first + r.count * r.step)
        r = s;
      else if (place <= s.second || place + r.second >= s.step)
        cut(r, s.first, last);
    }
    any |= r.count != 0;
  }
  return any;
}

std::uint32_t PageEntry::sorted(const SortedRun& wanted) {
  SortedRuns& runs = this->runs();
  if (!sorted_p()) runs = {};
  SortedRun* run = runs.find(wanted);
  SortedRun fresh = wanted;
  if (!run) {
    fresh.count = 0;
    run = &fresh;
  }
  const std::uint32_t before = run->count == 0 ? 0 : (wanted.first - run->first) / run->step;
  const std::uint32_t end = before + wanted.count;
  const Cell* cell = cells() + run->first + run->count * run->step;
  for (; run->count < end; run->count++, cell += run->step)
    if (!writer_p(*cell) || *cell != cell[run->second] ||
        (run->count != 0 && (cell_site(cell[-run->step]) != cell_site(*cell) ||
                             cell_stamp(cell[-run->step]) > cell_stamp(*cell))))
      break;
  if (run == &fresh) {
    if (fresh.count < SortedRuns::k_shortest) return 0;
    runs.runs[runs.next++ % SortedRuns::k_runs] = fresh;
    set_sorted(true);
  }
  runs.stores = 0;
  return std::min<std::uint32_t>(wanted.count, run->count - before);
}

void PageEntry::cut(const Segment& s) {
  if (!sorted_p()) return;
  SortedRuns& runs = this->runs();
  const unsigned shift = this->shift();
  const auto number = [shift](std::uint32_t n) { return static_cast<std::uint16_t>(n >> shift); };
  bool any = ++runs.stores <= SortedRuns::k_max_stores;
  if (any && s.reciprocal != 0 && aligned(s.first | s.step, s.width, shift))
    any = runs.cut({number(s.first), number(s.step), static_cast<std::uint16_t>(number(s.width) - 1),
                    static_cast<std::uint16_t>(s.index(s.end - 1u) + 1)},
                   s.site != k_no_site && s.pace > 0);
  else if (any)
    any = runs.cut(number(s.first), number(s.end - 1u));
  set_sorted(any);
}

}  // namespace memprof::backend
