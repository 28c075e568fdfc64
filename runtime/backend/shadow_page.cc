// shadow_page.cc - pages of the shadow: sorted runs of cells, and cells of 4 bytes.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/shadow_page.h"

#include <algorithm>

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

Cell CompactPage::writer(std::uint64_t offset, std::uint64_t width) const {
  const Small small = at(offset);
  for (std::uint64_t i = 1; i < width; i++)
    if (at(offset + i) != small) return k_several;
  return decode(small);
}

bool CompactPage::write(std::uint32_t offset, std::uint32_t end, Cell cell) {
  Small small;
  if (!encode(cell, small)) return false;
  while (offset < end) {
    const std::uint32_t stop = std::min(end, (offset / k_chunk + 1) * k_chunk);
    std::fill_n(&at(offset), stop - offset, small);
    offset = stop;
  }
  return true;
}

bool CompactPage::fill(const Segment& s) {
  std::uint32_t i = 0;
  for (std::uint32_t offset = s.first; offset < s.end; offset += s.step, i++)
    if (!write(offset, std::min<std::uint32_t>(offset + s.width, s.end), s.cell(i))) return false;
  return true;
}

bool CompactPage::number(Cell key) {
  std::uint32_t unused = 0;
  for (std::uint32_t k = 1; k < k_keys; k++) {
    if (keys[k] == key) {
      last = k;
      return true;
    }
    if (keys[k] == 0) unused = k;
  }
  if (unused == 0) return false;
  keys[unused] = key;
  last = unused;
  return true;
}

bool CompactPage::collect() {
  if (chunks[0] == nullptr) return false;
  std::uint32_t used = 0;  // a set of numbers
  static_assert(k_keys <= 32);
  for (const Small* cells : chunks)
    for (std::uint32_t i = 0; i < k_chunk; i++) used |= 1u << (cells[i] >> k_low_bits);
  for (std::uint32_t k = 1; k < k_keys; k++)
    if ((used >> k & 1) == 0) keys[k] = 0;
  return std::count(keys + 1, keys + k_keys, Cell{0}) >= k_keys / 2;
}

}  // namespace memprof::backend
