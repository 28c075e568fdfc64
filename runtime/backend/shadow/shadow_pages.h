// shadow_pages.h - stores into pages of the shadow memory, and the form that each page takes.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// shadow_memory.h finds the page of an address; what happens in that page is here. shadow_pages.cc
// writes to a page in its form, shadow_forms.cc changes the form. Bytes of a granule with different
// writers are four cells in the side table, of which a page has whole chunks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "runtime/backend/shadow/shadow_page.h"

namespace memprof::backend {

struct ShadowPools;

class ShadowPages {
 public:
  ShadowPages();
  ~ShadowPages();

  // The bytes [offset, offset + width) of a page get the writer CELL.
  void store(PageEntry& entry, std::uint32_t offset, std::uint32_t width, Cell cell);
  void put(PageEntry& entry, const Segment& segment);
  // The page becomes empty.
  void drop(PageEntry& entry);

  const Cell* bytes_of(Cell unlike) const {
    const std::uint64_t index = cell_stamp(unlike);
    return &side_[index / SideChunk::k_groups].cells[index % SideChunk::k_groups * k_granule];
  }
  // Writer of bytes that begin in the granule of a cell of unlike bytes, or k_several.
  Cell common_writer(Cell unlike, std::uint64_t offset, std::uint64_t width) const {
    const Cell* bytes = bytes_of(unlike) + offset;
    if (width == 1) return *bytes;
    return width == 2 && offset <= k_granule - 2 && bytes[0] == bytes[1] ? *bytes : k_several;
  }
  // COUNT loads read unlike granules of a dense page, or a compact page.
  void note_visits(PageEntry& entry, std::uint64_t count) {
    CompactPage* compact = entry.compact();
    std::uint32_t& visits = compact ? compact->visits : entry.dense()->visits;
    visits += static_cast<std::uint32_t>(count);
    refine(entry);
  }
  // A list was searched for a single access. After k_max_searches of them it becomes cells.
  void note_search(PageEntry& entry) {
    if (++entry.list()->searches == k_max_searches) make_cells(entry, 0);
  }

  // forget() makes the listed pages empty. The first call of begin_to_list() returns true: the
  // caller lists all pages that there are. From then on, pages list themselves.
  bool begin_to_list() { return !std::exchange(lists_, true); }
  void list(PageEntry& entry) {
    if (!entry.empty()) used_.push_back(&entry);
  }
  void forget();

  std::uint64_t bytes_used() const { return bytes_used_; }

  static inline std::uint64_t fine_step = 4 << 20;  // less in tests

 private:
  // A dense page takes 2 bytes per byte of the program, this number of segments 0.15.
  static constexpr std::uint16_t k_max_segments = 24;
  static constexpr std::uint32_t k_max_searches = 256;
  // A dense page with this number of unlike granules takes as much as a compact one.
  static constexpr std::uint32_t k_max_unlike = 256;
  // How many accesses to unlike bytes are worth the memory of a fine page: the first number if many
  // granules are unlike, the second if few are; twice as many for each fine_step of fine pages.
  static constexpr std::uint64_t k_max_visits = 1 << 8, k_max_visits_of_few = 1 << 14;
  // Single stores of at least this many bytes become segments.
  static constexpr std::uint64_t k_large_store = 64;

  // shadow_pages.cc
  void fill(PageEntry& entry, const Segment& segment);
  void fill(DensePage& page, const Segment& segment);
  static void fill(const PlainPage& page, const Segment& segment);
  void write(PageEntry& entry, std::uint32_t offset, std::uint32_t width, Cell cell);
  void write(DensePage& page, std::uint32_t offset, std::uint32_t width, Cell cell);
  void write_bytes(DensePage& page, Cell& cell, std::uint32_t from, std::uint32_t to, Cell value);
  Cell take_side(DensePage& page);
  void release_side(DensePage& page, Cell& cell);
  std::uint32_t take_chunk();
  // All chunks of a page.
  void release_chunks(std::uint32_t& chunk);

  // shadow_forms.cc
  // Makes an empty page or a list coarse or dense, so that offsets that have no other bits than
  // BITS can be written.
  void make_cells(PageEntry& entry, std::uint32_t bits);
  void make_dense(PageEntry& entry);  // from coarse
  // Divides the cells of a page with cells for such offsets.
  void divide(PageEntry& entry, std::uint32_t bits);
  DensePage* new_dense();
  PlainPage new_plain(unsigned shift);
  // Makes a dense or a compact page finer if it is time.
  void refine(PageEntry& entry) {
    const DensePage* const dense = entry.dense();
    const std::uint64_t visits = dense ? dense->visits : entry.compact()->visits;
    const bool few = dense && dense->unlike < k_max_unlike;
    if (visits >= (few ? k_max_visits_of_few : k_max_visits)
                      << std::min<std::uint64_t>(fine_bytes_ / fine_step, 16))
      make_fine(entry);
    else if (dense && !few)
      make_compact(entry);
  }
  // Writes the cells of all bytes of PAGE to BYTES.
  void expand(PageEntry page, Cell* bytes) const;
  void make_compact(PageEntry& entry);
  // From any form with cells. COARSE: two bytes to a cell, if their writers allow it.
  void make_fine(PageEntry& entry, bool coarse = true);
  void note_use(PageEntry& entry) {
    if (lists_ && entry.empty()) used_.push_back(&entry);
  }

  std::vector<SideChunk> side_;  // the first one represents none
  std::uint32_t side_free_ = 0;  // first of a list of free chunks
  std::unique_ptr<ShadowPools> pools_;
  std::uint64_t bytes_used_ = 0;
  std::uint64_t fine_bytes_ = 0;  // of these, in fine pages
  std::vector<PageEntry*> used_;  // pages to forget
  bool lists_ = false;
};

}  // namespace memprof::backend
