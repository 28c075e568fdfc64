// dependence_search.cc - accesses that need more than a look at one cell.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/modules/dependence/dependence_search.h"

#include <algorithm>

#include "runtime/backend/modules/dependence/dependence_count.h"
#include "runtime/backend/modules/dependence/dependence_nest.h"
#include "runtime/backend/modules/dependence/dependence_range.h"
#include "runtime/backend/modules/dependence/dependence_series.h"

namespace memprof::backend {
namespace {

void widen(std::uint64_t& address, std::uint64_t& width) {
  const std::uint64_t end = (address + width + 7) / 8 * 8;
  address = address / 8 * 8;
  width = end - address;
}

}  // namespace

Cell DependenceSearch::find_slow(SiteId site, std::uint64_t address, std::uint64_t width,
                                 std::uint64_t count) {
  if (faulty_) {
    if (g_fault == Fault::first_byte && width != 0) width = 1;
    if (g_fault == Fault::granule8) widen(address, width);
  }
  if (width == 0 || !in_memory(address, width)) return 0;
  const std::uint64_t offset = address % k_page;
  const PageEntry page = shadow_.page(address);
  if (offset + width > k_page || page.plain_p()) return find_bytes(site, address, width, count);
  if (page.empty()) return 0;
  Cell cell = k_several;
  if (const CompactPage* compact = page.compact()) {
    cell = compact->writer(offset, width);
    if (!in_range_) shadow_.note_visits(shadow_.entry(address), 1);
  } else if (const DensePage* dense = page.dense()) {
    if (const Cell first = dense->cells[offset / k_granule]; unlike_p(first))
      cell = shadow_.common_writer(first, offset % k_granule, width);
    if (!in_range_) shadow_.note_visits(shadow_.entry(address), 1);
  } else {
    cell = page.list()->find(static_cast<std::uint32_t>(offset),
                              static_cast<std::uint32_t>(width));
    if (!in_range_) shadow_.note_search(shadow_.entry(address));
  }
  return cell == k_several ? find_bytes(site, address, width, count) : cell;
}

// Several writers, or bytes in two pages.
Cell DependenceSearch::find_bytes(SiteId site, std::uint64_t address, std::uint64_t width,
                                  std::uint64_t count) {
  answer({.kind = Answer::Kind::bytes, .sink = site, .count = count});
  shadow_.for_each_writer(address, width, [this](Cell cell, int pace, std::uint64_t n) {
    answer({.kind = Answer::Kind::part, .cell = cell, .step = pace, .count = n});
  });
  answer({.kind = Answer::Kind::end_bytes});
  return Answers::k_in_list;
}

Cell* DependenceSearch::series(const BlockSeries& series, Cell* cell) {
  return SeriesSearch(*this).run(series, cell);
}

void DependenceSearch::range(const Batch& batch, const Range& range) {
  RangeSearch(*this, range).run(batch.accesses_of(range));
}

bool DependenceSearch::rows(const Batch& batch, const Range& range) {
  return NestSearch(*this).run(batch.accesses_of(range), range);
}

void DependenceSearch::doubt(std::uint64_t address, std::uint64_t width) {
  if (!in_memory(address, width)) return;
  const std::uint64_t end = address + width;
  for (std::uint64_t a = address, bytes; a < end; a += bytes) {
    const PageEntry page = shadow_.page(a);
    bytes = k_page - a % k_page;
    if (page.empty()) continue;
    bytes = a % 8 == 0 && end - a >= 8 ? 8 : 1;
    Cell cell = ShadowMemory::writer(page, a, bytes);
    if (!writer_p(cell) && cell != 0) {
      bytes = 1;
      cell = 0;
      shadow_.for_each_writer(a, 1, [&cell](Cell of_byte, int, std::uint64_t) { cell = of_byte; });
    }
    if (writer_p(cell) && (cell_site(cell) & k_uncertain) == 0)
      shadow_.store(a, bytes, make_cell(cell_site(cell) | k_uncertain, cell_stamp(cell)));
  }
}

void DependenceSearch::settle() { counting_->settle(*out_); }

void DependenceSearch::fault_store(std::uint64_t& address, std::uint64_t& width) {
  if (g_fault == Fault::granule8 && width != 0) widen(address, width);
}

void DependenceSearch::clear(std::uint64_t address, std::uint64_t width) {
  if (g_fault == Fault::no_clear || address >= k_address_limit) return;
  shadow_.clear(address, std::min(width, k_address_limit - address));
}

}  // namespace memprof::backend
