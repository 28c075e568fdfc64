// shadow_sweeps.cc - pages of cells whose fields are stored by one loop each.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/shadow/shadow_sweeps.h"

namespace memprof::backend {
namespace {

// Whether the cells of the field at FIRST are what one run has stored, with the steps of S: it.
bool field_run(PageEntry page, std::uint32_t first, const Segment& s, Segment& run) {
  const unsigned shift = page.shift();
  const Cell* cell = page.cells() + (first >> shift);
  const std::size_t step = s.step >> shift, width = s.width >> shift;
  const auto pace = static_cast<std::int64_t>(cell_stamp(cell[step]) - cell_stamp(*cell));
  if (!writer_p(*cell) || pace < -k_max_pace || pace > k_max_pace) return false;
  run = s;
  run.first = static_cast<std::uint16_t>(first);
  run.end = static_cast<std::uint16_t>(first + (s.end - s.first));
  run.site = cell_site(*cell);
  run.stamp = cell_stamp(*cell);
  run.pace = static_cast<std::int32_t>(pace);
  Cell expected = *cell;
  for (std::uint32_t n = k_page / s.step; n != 0; n--, cell += step) {
    for (std::size_t i = 0; i < width; i++)
      if (cell[i] != expected) return false;
    expected = later(expected, pace);
  }
  return true;
}

}  // namespace

std::uint16_t sweeps(PageEntry page, const Segment& s, Segment* runs) {
  const std::uint32_t step = s.step, width = s.width;
  const bool sweep = s.reciprocal != 0 && s.site != k_no_site && k_page % step == 0 &&
                     step % width == 0 && step <= k_most_sweeps * width && s.first < step &&
                     s.first % width == 0 && s.end == k_page - step + s.first + width;
  const DensePage* const dense = page.dense();
  if (!sweep || !page.sortable_p() || (dense && dense->unlike != 0) ||
      !aligned(width, 0, page.shift()))
    return 0;
  std::uint16_t n = 0;
  for (std::uint32_t first = 0; first < step; first += width, n++) {
    if (first == s.first)
      runs[n] = s;
    else if (!field_run(page, first, s, runs[n]))
      return 0;
  }
  return n;
}

}  // namespace memprof::backend
