// shadow_newest.cc - how old the writers of a stretch of memory are at least.
// SPDX-License-Identifier: GPL-3.0-or-later
//
//   list:   [site 7: 0, step 16 .. 4080, times 10 to 265]  [site 9: 3000..3999, time 400]
//   newest() of bytes 0..999: 265, without a look at which of site 7's stores are there
#include <algorithm>
#include <span>

#include "runtime/backend/shadow/shadow_page.h"

namespace memprof::backend {
namespace {

constexpr Stamp k_unknown = ~Stamp{0};

Stamp newest_of(const SegmentList& list, std::uint64_t offset, std::uint64_t end) {
  Stamp newest = 0;
  for (const Segment& s : std::span(list.items, list.size)) {
    if (s.site == k_no_site || s.first >= end || s.end <= offset) continue;
    const std::uint32_t later = s.pace > 0 && s.reciprocal != 0 ? s.index(s.end - 1u) : 0;
    newest = std::max(newest, cell_stamp(s.cell(later)));
  }
  return newest;
}

}  // namespace

Stamp PageEntry::newest(std::uint64_t offset, std::uint64_t end) const {
  if (empty()) return 0;
  if (list_p()) return newest_of(*list(), offset, end);
  const DensePage* const dense = this->dense();
  if (compact() || (dense && dense->unlike != 0)) return k_unknown;
  const Cell* cell = cells() + index(offset);
  const Cell* const last = cells() + index(end - 1);
  // Four of which none waits for another.
  Cell a = 0, b = 0, c = 0, d = 0;
  for (; last - cell >= 4; cell += 4) {
    a = std::max(a, cell[0]);
    b = std::max(b, cell[1]);
    c = std::max(c, cell[2]);
    d = std::max(d, cell[3]);
  }
  for (; cell <= last; cell++) a = std::max(a, *cell);
  return cell_stamp(std::max({a, b, c, d}));
}

}  // namespace memprof::backend
