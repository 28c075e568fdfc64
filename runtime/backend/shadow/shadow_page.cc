// shadow_page.cc - pages of the shadow with cells of 4 bytes.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/shadow/shadow_page.h"

#include <algorithm>

namespace memprof::backend {

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
