// shadow_memory.h - the last writer of each byte of the program's memory, and when it wrote.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Exact for every byte, but neither a word per byte nor a store per access:
// memory is cut into pages of 4 KB, and a page is in one of six forms.
//
//   empty      nothing is known to have written it
//   segments   a short list, oldest first, of runs of stores: bytes first,
//              first + step, ..., each `width' long, by one site, equally far
//              apart in time.  What a range record stores takes one segment per page,
//              and so does a large single store.  The newest segment that holds
//              a byte is its writer.
//   coarse     512 cells, one for 8 bytes, all of which have this writer or none
//   dense      1024 cells, one for 4 bytes:
//
//       stamp : 40 | site : 24     all four bytes have this writer
//       0                          they have no writer
//       index : 40 | 0 : 24        unlike bytes: four cells in a side table
//
//   compact    4096 cells of 4 bytes, one for each byte (shadow_page.h)
//   fine       2048 or 4096 cells of 8 bytes, one for 2 bytes or for each byte
//
// Small single stores and too many segments make a page coarse as long as all that is
// stored there are multiples of 8 bytes at such addresses (doubles, pointers), and dense
// from then on; a run of stores that covers the whole page makes it a list again, and so do
// a few that cover it together, each of them one field of all elements (shadow_sweeps.h).
//
//   page:   0                                                        4096
//   list:   [site 7: 0, step 16, width 8 ........]      [site 9: 3000..3999]
//
// Pages of unlike bytes (arrays of char and short, written one by one) become
// compact when the side table takes as much memory for them as a compact page does,
// which is four times the program's. Accesses to unlike bytes are slow; pages that
// have many become fine, which is as quick as dense, but takes eight times the
// program's memory. The more memory fine pages take, the more accesses a page must
// have had: as long as it is little, pages of unlike bytes become fine at once. What
// a compact page cannot say makes it fine, too.
//
//   nodes of pointers and doubles                     empty, coarse
//   bytes stored at random all over a large array     empty, dense, compact
//   the buffers of a compressor                       empty, dense, fine
//
// A page with coarse or dense cells remembers which of them, read one after the other, were
// found to be of one site in the order of time (SortedRuns in shadow_page.h), until they
// are written: a later reader need not look at each.
//
//   row of a matrix, stored element by element in a loop that takes ever longer:
//   time  7 9 12 16 21 ..., read as a whole by each later row: two cells say all
//
// A birth or a death of an object removes the writers of its bytes: whole pages
// are given back, in a list it is a segment without a site.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "runtime/backend/shadow/shadow_page.h"
#include "runtime/backend/shadow/shadow_pages.h"

namespace memprof::backend {

class ShadowMemory {
 public:
  ShadowMemory();
  ~ShadowMemory();
  ShadowMemory(const ShadowMemory&) = delete;
  ShadowMemory& operator=(const ShadowMemory&) = delete;

  // Below k_address_limit, as all addresses here.
  void store(std::uint64_t address, std::uint64_t width, Cell cell) {
    if (!overwrite(page(address), address, width, cell)) store_slow(address, width, cell);
  }
  // What most accesses need: some bytes of one page, which is given.  The writer of
  // all of them; 0; or something else that is no writer if that is harder to say.
  [[gnu::always_inline]] static Cell writer(PageEntry page, std::uint64_t address,
                                            std::uint64_t width) {
    const std::uint64_t offset = address % k_page;
    if (page.empty()) return offset + width > k_page ? k_several : 0;
    const Cell* const cells = page.cells();
    const std::uint64_t first = page.index(offset), last = page.index(offset + width - 1);
    const Cell cell = cells[first];
    if (first == last) [[likely]] return cell;
    if (offset + width > k_page || cell != cells[last]) return k_several;
    return alike_p(cells + first, cells + last, cell) ? cell : k_several;
  }
  // False: that is harder to do.
  [[gnu::always_inline]] static bool overwrite(PageEntry page, std::uint64_t address,
                                               std::uint64_t width, Cell cell) {
    if (!page.open_p() || !aligned(address, width, page.shift())) [[unlikely]] return false;
    return overwrite_cells(page, address % k_page, width, cell);
  }
  // The same; 2^UNIT divides the width, and should divide the address.
  [[gnu::always_inline]] static bool overwrite(PageEntry page, std::uint64_t address,
                                               std::uint64_t width, unsigned unit, Cell cell) {
    if (!page.open_p(unit) || (address & ((1u << unit) - 1)) != 0) [[unlikely]] return false;
    return overwrite_cells(page, address % k_page, width, cell);
  }
  // What writer() says, and the same as overwrite(), if it is a writer or 0.
  [[gnu::always_inline]] static Cell exchange(PageEntry page, std::uint64_t address,
                                              std::uint64_t width, Cell cell) {
    const std::uint64_t offset = address % k_page;
    if (!page.open_p() || offset + width > k_page) [[unlikely]] return k_several;
    const unsigned shift = page.shift();
    if (!aligned(address, width, shift)) return k_several;
    Cell* const first = page.cells() + page.index(offset);
    Cell* const last = page.cells() + page.index(offset + width - 1);
    const Cell old = *first;
    if (old != *last || unlike_p(old) || !alike_p(first, last, old)) return k_several;
    fill(first, last, cell);
    return old;
  }
  void store_run(const StoreRun& run);
  void clear(std::uint64_t address, std::uint64_t width) {
    // Most objects are small.
    const std::uint64_t offset = address % k_page;
    if (aligned(address, width, k_granule_shift) && width < k_page &&
        offset + width <= k_page && address < k_address_limit) {
      const PageEntry page = this->page(address);
      if (page.empty()) return;
      const DensePage* const dense = page.dense();
      if (page.open_p() &&
          (dense ? dense->unlike == 0 : aligned(address, width, page.shift()))) {
        std::fill_n(page.cells() + page.index(offset), width >> page.shift(), Cell{0});
        return;
      }
    }
    clear_slow(address, width);
  }

  // No byte has a writer.
  void forget();

  // The form of the page of an address; to be looked at only.
  PageEntry page(std::uint64_t address) const {
    return leaves_[address >> k_leaf_shift][address / k_page % k_leaf_pages];
  }
  // The same of an address that may be none: its upper bits are left out.
  PageEntry page_of_any(std::uint64_t address) const {
    const std::uint64_t number = address << 16 >> 28;
    return leaves_[number / k_leaf_pages][number % k_leaf_pages];
  }
  PageEntry& entry(std::uint64_t address) {
    PageEntry* leaf = leaves_[address >> k_leaf_shift];
    if (leaf == no_leaf_) [[unlikely]] leaf = make_leaf(address >> k_leaf_shift);
    return leaf[address / k_page % k_leaf_pages];
  }

  // Prefetches the cells of ADDRESS and of the bytes after it: the cells of a small
  // object have two lines. A function that does nothing else is
  // without effect for GCC, which removes its calls unless they are inlined first.
  [[gnu::always_inline]] void prefetch(std::uint64_t address) const {
    const PageEntry page = page_of_any(address);
    // Of a page without cells it is any address.
    const auto line = reinterpret_cast<std::uintptr_t>(page.near_cell(address % k_page));
    __builtin_prefetch(reinterpret_cast<const void*>(line));
    __builtin_prefetch(reinterpret_cast<const void*>(line + 64));
  }

  // Accesses of 4 and 8 bytes have four and eight cells in fine pages: how many, which is
  // as hard to foresee as the program's data, is asked once, not by a loop.
  //
  // Whether the cells between FIRST and LAST are CELL.
  [[gnu::always_inline]] static bool alike_p(const Cell* first, const Cell* last, Cell cell) {
    const auto apart = last - first;
    if (apart < 2) return true;
    if (((first[1] ^ cell) | (last[-1] ^ cell)) != 0) return false;
    if (apart <= 3) return true;
    if (apart == 7)
      return ((first[2] ^ cell) | (first[3] ^ cell) | (first[4] ^ cell) | (first[5] ^ cell)) == 0;
    return std::all_of(first + 2, last - 1, [cell](Cell c) { return c == cell; });
  }
  // FIRST .. LAST become CELL.
  [[gnu::always_inline]] static void fill(Cell* first, Cell* last, Cell cell) {
    const auto apart = last - first;
    *first = *last = cell;
    if (apart < 2) return;
    first[1] = last[-1] = cell;
    if (apart <= 3) return;
    first[2] = last[-2] = cell;
    if (apart < 6) return;
    for (Cell* c = first + 3; c < last - 2; c++) *c = cell;
  }

  Cell common_writer(Cell unlike, std::uint64_t offset, std::uint64_t width) const {
    return pages_.common_writer(unlike, offset, width);
  }
  void note_visits(PageEntry& entry, std::uint64_t count) { pages_.note_visits(entry, count); }
  void note_search(PageEntry& entry) { pages_.note_search(entry); }

  // Calls fn(cell, pace, count) for the writers of the bytes: those of cell and of
  // count - 1 more stores of the same site, each PACE ticks later.  A writer may
  // come repeatedly; bytes without one are left out.
  template <typename Fn>
  void for_each_writer(std::uint64_t address, std::uint64_t width, Fn&& fn);

  // No writer of the bytes [low, high) is later, but perhaps all of them are earlier.
  Stamp newest(std::uint64_t low, std::uint64_t high) const {
    Stamp newest = 0;
    while (low < high) {
      const std::uint64_t offset = low % k_page, end = std::min(k_page, offset + (high - low));
      newest = std::max(newest, page(low).newest(offset, end));
      low += end - offset;
    }
    return newest;
  }

  std::uint64_t bytes_used() const { return pages_.bytes_used(); }

 private:
  static constexpr unsigned k_leaf_shift = 30;  // a leaf of the table: 1 GB
  static constexpr std::uint64_t k_leaf_pages = (std::uint64_t{1} << k_leaf_shift) / k_page;
  // Of whole cells of a page.
  [[gnu::always_inline]] static bool overwrite_cells(PageEntry page, std::uint64_t offset,
                                                     std::uint64_t width, Cell cell) {
    const std::uint64_t first = page.index(offset), last = page.index(offset + width - 1);
    Cell* const cells = page.cells();
    if (first == last) [[likely]] {
      if (unlike_p(cells[first])) [[unlikely]] return false;
      cells[first] = cell;
      return true;
    }
    if (offset + width > k_page) [[unlikely]] return false;
    if (page.shift() == k_granule_shift)
      for (std::uint64_t i = first; i <= last; i++)
        if (unlike_p(cells[i])) [[unlikely]] return false;
    fill(cells + first, cells + last, cell);
    return true;
  }

  PageEntry* make_leaf(std::uint64_t number);
  void clear_slow(std::uint64_t address, std::uint64_t width);
  void store_slow(std::uint64_t address, std::uint64_t width, Cell cell);

  std::vector<PageEntry*> leaves_;
  PageEntry* no_leaf_;  // represents all that there are not: empty pages
  ShadowPages pages_;
};

template <typename Fn>
void ShadowMemory::for_each_writer(std::uint64_t address, std::uint64_t width, Fn&& fn) {
  for (const std::uint64_t end = address + width; address < end;) {
    auto offset = static_cast<std::uint32_t>(address % k_page);
    const auto stop = static_cast<std::uint32_t>(std::min(end - address + offset, k_page));
    const PageEntry page = this->page(address);
    address += stop - offset;
    if (page.empty()) continue;
    if (page.list_p()) {
      while (offset < stop) {
        const WriterRun run = page.list()->find_run(offset, stop);
        if (run.cell != 0) fn(run.cell, run.pace, run.count);
        offset = run.next;
      }
      continue;
    }
    Cell last = 0;
    if (const PlainPage plain = page.plain()) {
      for (const Cell *c = plain.first(offset), *last_cell = plain.end(stop); c < last_cell; c++) {
        if (*c == last || *c == 0) continue;
        last = *c;
        fn(last, 0, std::uint64_t{1});
      }
      continue;
    }
    if (const CompactPage* compact = page.compact()) {
      for (CompactPage::Small small = 0; offset < stop; offset++) {
        if (compact->at(offset) == small) continue;
        small = compact->at(offset);
        if (small != 0) fn(compact->decode(small), 0, std::uint64_t{1});
      }
      continue;
    }
    const DensePage& dense = *page.dense();
    for (; offset < stop; offset = (offset / k_granule + 1) * k_granule) {
      const Cell cell = dense.cells[offset / k_granule];
      if (cell == last || cell == 0) continue;
      if (!unlike_p(cell)) {
        fn(cell, 0, std::uint64_t{1});
        last = cell;
        continue;
      }
      const Cell* bytes = pages_.bytes_of(cell);
      const std::uint32_t first = offset / k_granule * k_granule;
      for (std::uint32_t b = offset; b < std::min<std::uint32_t>(first + k_granule, stop); b++)
        if (bytes[b - first] != 0) fn(bytes[b - first], 0, std::uint64_t{1});
    }
  }
}

}  // namespace memprof::backend
