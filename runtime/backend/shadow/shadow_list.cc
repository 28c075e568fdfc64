// shadow_list.cc - the last writers of the bytes of a page, as a list of segments.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The newest segment that holds a byte is its writer, so both search from the end:
//
//   list:   [site 7: 0, step 16, width 8 ........]      [site 9: 3000..3999]
//
//   find()      8 bytes at 32: site 7's third store; at 40: none; at 36: several
#include <algorithm>

#include "runtime/backend/shadow/shadow_page.h"

namespace memprof::backend {

Cell SegmentList::find(std::uint32_t offset, std::uint32_t width) const {
  const std::uint32_t stop = offset + width;
  for (std::uint32_t i = size; i-- > 0;) {
    const Segment& s = items[i];
    if (stop <= s.first || offset >= s.end) continue;
    if (offset < s.first) return k_several;
    const std::uint32_t n = s.index(offset);
    const std::uint32_t r = offset - s.first - n * s.step;
    if (r + width <= s.width && stop <= s.end) return s.cell(n);
    if (r < s.width || r + width > s.step) return k_several;
  }
  return 0;
}

WriterRun SegmentList::find_run(std::uint32_t offset, std::uint32_t stop) const {
  for (std::uint32_t i = size; i-- > 0;) {
    const Segment& s = items[i];
    if (s.end <= offset || s.first >= stop) continue;
    if (s.first > offset) {
      stop = s.first;  // there a newer writer begins
      continue;
    }
    const std::uint32_t n = s.index(offset);
    const std::uint32_t store = s.first + n * s.step;
    if (offset - store >= s.width) {  // between two stores
      stop = std::min<std::uint32_t>(stop, store + s.step);
      continue;
    }
    if (s.reciprocal != 0 && s.step == s.width) {
      stop = std::min<std::uint32_t>(stop, s.end);
      return {s.cell(n), s.pace, s.index(stop - 1) - n + 1, stop};
    }
    return {s.cell(n), 0, 1, std::min<std::uint32_t>({stop, store + s.width, s.end})};
  }
  return {0, 0, 0, stop};
}

}  // namespace memprof::backend
