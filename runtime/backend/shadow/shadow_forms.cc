// shadow_forms.cc - a page of the shadow memory goes from one form to another.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// shadow_page.h has the forms. A page takes the form that is smallest for what was stored:
//
//     one store of 4000 bytes                      a list of one segment
//     many stores of whole words                   cells of 8 bytes, then of 2
//     stores of single bytes, next to each other   cells of 1 byte
#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>

#include "runtime/backend/shadow/shadow_pages.h"
#include "runtime/backend/shadow/shadow_pools.h"

namespace memprof::backend {

DensePage* ShadowPages::new_dense() {
  bool fresh;
  auto* page = static_cast<DensePage*>(pools_->dense.take(&fresh));
  if (!fresh) std::memset(page, 0, sizeof *page);
  bytes_used_ += sizeof *page;
  return page;
}

// Its cells are not cleared.
PlainPage ShadowPages::new_plain(unsigned shift) {
  PlainPage page{nullptr, shift};
  bool fresh;
  page.cells = static_cast<Cell*>(pools_->plain(page).take(&fresh));
  bytes_used_ += page.bytes();
  if (!page.coarse()) fine_bytes_ += page.bytes();
  return page;
}

void ShadowPages::make_cells(PageEntry& entry, std::uint32_t bits) {
  SegmentList* const list = entry.list_p() ? entry.list() : nullptr;
  if (list)
    for (std::uint32_t i = 0; i < list->size; i++) bits |= bits_of(list->items[i]);
  note_use(entry);
  if (aligned(bits, 0, PlainPage::k_coarse_shift)) {
    const PlainPage page = new_plain(PlainPage::k_coarse_shift);
    std::memset(page.cells, 0, page.bytes());
    for (std::uint32_t i = 0; list && i < list->size; i++) fill(page, list->items[i]);
    entry.set(page);
  } else {
    DensePage* const page = new_dense();
    for (std::uint32_t i = 0; list && i < list->size; i++) fill(*page, list->items[i]);
    entry.set(page);
  }
  if (list) pools_->give_list(list);
}

void ShadowPages::make_dense(PageEntry& entry) {
  DensePage* const page = new_dense();
  const Cell* from = entry.cells();
  constexpr std::uint64_t k_parts = 1 << (PlainPage::k_coarse_shift - k_granule_shift);
  for (Cell* to = page->cells; to < std::end(page->cells); to += k_parts)
    std::fill_n(to, k_parts, *from++);
  drop(entry);
  entry.set(page);
}

void ShadowPages::expand(PageEntry page, Cell* bytes) const {
  if (const CompactPage* compact = page.compact()) {
    for (std::uint64_t i = 0; i < k_page; i++) bytes[i] = compact->decode(compact->at(i));
    return;
  }
  const std::uint64_t width = std::uint64_t{1} << page.shift();
  for (std::uint64_t i = 0; i < k_page; i += width) {
    const Cell cell = page.cells()[i / width];
    if (page.dense() && unlike_p(cell))
      std::copy_n(bytes_of(cell), width, bytes + i);
    else
      std::fill_n(bytes + i, width, cell);
  }
}

void ShadowPages::divide(PageEntry& entry, std::uint32_t bits) {
  const PlainPage page = entry.plain();
  if (!page || aligned(bits, 0, page.shift)) return;
  if (page.coarse())
    make_dense(entry);
  else
    make_fine(entry, false);
}

void ShadowPages::make_compact(PageEntry& entry) {
  std::array<Cell, k_page> bytes;
  std::array<CompactPage::Small, k_page> cells;
  expand(entry, bytes.data());
  bool fresh;
  auto* page = static_cast<CompactPage*>(pools_->compact.take(&fresh));
  *page = {};
  for (std::uint64_t i = 0; i < k_page; i++)
    if (!page->encode(bytes[i], cells[i])) {
      pools_->compact.give(page);
      make_fine(entry);
      return;
    }
  DensePage* const dense = entry.dense();
  page->visits = dense->visits;
  // As many chunks as in the dense page's cells; that has as many, or a few more.
  constexpr std::size_t half = std::size(CompactPage{}.chunks) / 2;
  static_assert(half * k_chunk_bytes == sizeof dense->cells);
  std::uint32_t rest = dense->chunk;
  for (std::size_t i = 0; i < half; i++) {
    page->chunks[i] = reinterpret_cast<CompactPage::Small*>(dense) + i * CompactPage::k_chunk;
    std::uint32_t chunk = rest;
    if (chunk != 0)
      rest = side_[chunk].next;
    else
      chunk = take_chunk();
    page->chunks[half + i] = reinterpret_cast<CompactPage::Small*>(side_[chunk].cells);
    side_[chunk].next = page->chunk;
    page->chunk = chunk;
  }
  release_chunks(rest);
  for (std::uint64_t i = 0; i < k_page; i += CompactPage::k_chunk)
    std::copy_n(&cells[i], CompactPage::k_chunk, &page->at(i));
  bytes_used_ += sizeof *page;
  entry.set(page);
}

void ShadowPages::make_fine(PageEntry& entry, bool coarse) {
  std::array<Cell, k_page> bytes;
  expand(entry, bytes.data());
  drop(entry);
  for (std::uint64_t i = 0; i < k_page && coarse; i += 2) coarse = bytes[i] == bytes[i + 1];
  const unsigned shift = coarse;
  const PlainPage fine = new_plain(shift);
  for (std::uint64_t i = 0; i < k_page; i += 1u << shift) *fine.first(i) = bytes[i];
  entry.set(fine);
}

}  // namespace memprof::backend
