// shadow_pages.cc - stores into pages of the shadow memory.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/shadow/shadow_pages.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

#include "runtime/backend/shadow/shadow_pools.h"
#include "runtime/backend/shadow/shadow_sweeps.h"

namespace memprof::backend {
namespace {

// Whether the bytes of OLDER are all bytes of NEWER.
bool covers(const Segment& newer, const Segment& older) {
  if (newer.first > older.first || newer.end < older.end) return false;
  if (newer.reciprocal == 0 || newer.step == newer.width) return true;
  if (older.reciprocal == 0) {
    const std::uint32_t r = (older.first - newer.first) % newer.step;
    return r + (older.end - older.first) <= newer.width;
  }
  return newer.step == older.step && newer.width >= older.width &&
         (older.first - newer.first) % newer.step + older.width <= newer.width;
}

bool whole_page(const Segment& s) {
  return s.first == 0 && s.end == k_page && (s.reciprocal == 0 || s.step == s.width);
}

}  // namespace

ShadowPages::ShadowPages() : side_(1), pools_(std::make_unique<ShadowPools>()) {
  static_assert(sizeof(Segment) == 24);
  static_assert(offsetof(DensePage, runs) == sizeof(DensePage::cells));
  static_assert(k_capacities[4] == k_max_segments);
}

ShadowPages::~ShadowPages() = default;

void ShadowPages::forget() {
  for (PageEntry* e : used_)
    if (!e->empty()) drop(*e);
  used_.clear();
}

std::uint32_t ShadowPages::take_chunk() {
  bytes_used_ += k_chunk_bytes;
  if (const std::uint32_t number = side_free_; number != 0) {
    side_free_ = side_[number].next;
    return number;
  }
  bool fresh;
  side_.push_back({static_cast<Cell*>(pools_->chunks.take(&fresh)), 0});
  return static_cast<std::uint32_t>(side_.size() - 1);
}

void ShadowPages::release_chunks(std::uint32_t& chunk) {
  while (chunk != 0) {
    const std::uint32_t next = side_[chunk].next;
    side_[chunk].next = side_free_;
    side_free_ = chunk;
    chunk = next;
    bytes_used_ -= k_chunk_bytes;
  }
}

Cell ShadowPages::take_side(DensePage& page) {
  page.unlike++;
  if (const Cell group = page.free_group; group != 0) {
    page.free_group = bytes_of(group)[0];
    return group;
  }
  if (page.chunk == 0 || page.fresh == SideChunk::k_groups) {
    const std::uint32_t chunk = take_chunk();
    side_[chunk].next = page.chunk;
    page.chunk = chunk;
    page.fresh = 0;
  }
  return make_cell(k_no_site, page.chunk * SideChunk::k_groups + page.fresh++);
}

void ShadowPages::release_side(DensePage& page, Cell& cell) {
  const_cast<Cell*>(bytes_of(cell))[0] = page.free_group;
  page.free_group = cell;
  cell = 0;
  if (--page.unlike == 0) {
    page.free_group = 0;
    release_chunks(page.chunk);
  }
}

// Bytes FROM .. TO-1 of a granule.
void ShadowPages::write_bytes(DensePage& page, Cell& cell, std::uint32_t from,
                               std::uint32_t to, Cell value) {
  if (from == 0 && to == k_granule) {
    if (unlike_p(cell)) release_side(page, cell);
    cell = value;
    return;
  }
  if (cell == value) return;
  page.visits++;
  if (!unlike_p(cell)) {
    const Cell index = take_side(page);
    std::fill_n(const_cast<Cell*>(bytes_of(index)), k_granule, cell);
    cell = index;
  }
  Cell* group = const_cast<Cell*>(bytes_of(cell));
  std::fill(group + from, group + to, value);
  if (group[0] == group[1] && group[1] == group[2] && group[2] == group[3]) {
    const Cell all = group[0];
    release_side(page, cell);
    cell = all;
  }
}

void ShadowPages::write(DensePage& page, std::uint32_t offset, std::uint32_t width, Cell cell) {
  const std::uint32_t end = offset + width;
  Cell* cells = page.cells;
  if (offset % k_granule != 0) {
    const std::uint32_t stop = std::min<std::uint32_t>(end, (offset / k_granule + 1) * k_granule);
    write_bytes(page, cells[offset / k_granule], offset % k_granule,
                stop - offset / k_granule * k_granule, cell);
    offset = stop;
  }
  if (page.unlike == 0) {
    for (; offset + k_granule <= end; offset += k_granule) cells[offset / k_granule] = cell;
  } else {
    for (; offset + k_granule <= end; offset += k_granule)
      write_bytes(page, cells[offset / k_granule], 0, k_granule, cell);
  }
  if (offset < end)
    write_bytes(page, cells[offset / k_granule], 0, end - offset, cell);
}

void ShadowPages::fill(DensePage& page, const Segment& s) {
  std::uint32_t i = 0;
  if (page.unlike == 0 && aligned(s.first | s.step, s.width, k_granule_shift) && s.width <= 8 &&
      s.reciprocal != 0) {
    // The common runs: aligned, 4 or 8 bytes.
    Cell cell = s.cell(0);
    const std::int64_t pace = s.site == k_no_site ? 0 : s.pace;
    const std::size_t second = s.width / k_granule - 1;
    Cell* const end = page.cells + s.end / k_granule;
    for (Cell* p = page.cells + s.first / k_granule; p < end; p += s.step / k_granule) {
      p[0] = cell;
      p[second] = cell;
      cell = later(cell, pace);
    }
    return;
  }
  for (std::uint32_t offset = s.first; offset < s.end; offset += s.step, i++)
    write(page, offset, std::min<std::uint32_t>(s.width, s.end - offset), s.cell(i));
}

void ShadowPages::drop(PageEntry& entry) {
  if (entry.list_p()) {
    pools_->give_list(entry.list());
  } else if (DensePage* page = entry.dense()) {
    release_chunks(page->chunk);
    pools_->dense.give(page);
    bytes_used_ -= sizeof(DensePage);
  } else if (CompactPage* compact = entry.compact()) {
    release_chunks(compact->chunk);
    pools_->dense.give(compact->dense());
    pools_->compact.give(compact);
    bytes_used_ -= sizeof(DensePage) + sizeof(CompactPage);
  } else if (const PlainPage plain = entry.plain()) {
    pools_->plain(plain).give(plain.cells);
    bytes_used_ -= plain.bytes();
    if (!plain.coarse()) fine_bytes_ -= plain.bytes();
  }
  entry.clear();
}

void ShadowPages::write(PageEntry& entry, std::uint32_t offset, std::uint32_t width,
                         Cell cell) {
  if (entry.sorted_p()) entry.cut(Segment::single(offset, offset + width, cell_site(cell), 0));
  if (CompactPage* compact = entry.compact()) {
    if (compact->write(offset, offset + width, cell)) {
      note_visits(entry, 1);
      return;
    }
    make_fine(entry);
  }
  divide(entry, offset | width);
  if (DensePage* dense = entry.dense()) {
    write(*dense, offset, width, cell);
    refine(entry);
    return;
  }
  const PlainPage page = entry.plain();
  std::fill(page.first(offset), page.end(offset + width), cell);
}

void ShadowPages::fill(const PlainPage& page, const Segment& s) {
  const std::size_t width = s.width >> page.shift;
  const std::size_t step = s.step >> page.shift;
  const std::int64_t pace = s.site == k_no_site ? 0 : s.pace;
  Cell cell = s.cell(0);
  for (Cell *c = page.first(s.first), *end = page.end(s.end); c < end; c += step) {
    *c = cell;
    if (width > 1) std::fill(c + 1, c + width, cell);
    cell = later(cell, pace);
  }
}

void ShadowPages::fill(PageEntry& entry, const Segment& s) {
  entry.cut(s);
  if (CompactPage* compact = entry.compact()) {
    if (compact->fill(s)) {
      note_visits(entry, 1);
      return;
    }
    make_fine(entry);
  }
  divide(entry, bits_of(s));
  if (DensePage* dense = entry.dense()) {
    fill(*dense, s);
    refine(entry);
  } else {
    fill(entry.plain(), s);
  }
}

void ShadowPages::put(PageEntry& entry, const Segment& segment) {
  if (whole_page(segment)) {
    drop(entry);
    if (segment.site == k_no_site) return;
  } else if (!entry.empty() && !entry.list_p()) {
    Segment runs[k_most_sweeps];
    const std::uint16_t n = sweeps(entry, segment, runs);
    if (n == 0) {
      fill(entry, segment);
      return;
    }
    drop(entry);
    SegmentList* const list = pools_->take_list(n);
    std::copy_n(runs, n, list->items);
    list->size = n;
    entry.set(list);
    return;
  }
  SegmentList* list = nullptr;
  if (entry.list_p()) {
    list = entry.list();
    std::uint16_t out = 0;
    bool touched = false;
    for (std::uint16_t i = 0; i < list->size; i++) {
      const Segment& old = list->items[i];
      if (covers(segment, old)) continue;
      touched |= old.first < segment.end && segment.first < old.end;
      if (out != i) list->items[out] = old;
      out++;
    }
    list->size = out;
    if (segment.site == k_no_site && !touched) {
      if (out == 0) drop(entry);
      return;
    }
  } else if (segment.site == k_no_site) {
    return;
  }
  if (!list || list->size == list->capacity) {
    if (list && list->size == k_max_segments) {
      make_cells(entry, bits_of(segment));
      fill(entry, segment);
      return;
    }
    SegmentList* larger = pools_->take_list(list ? static_cast<std::uint16_t>(list->size + 1) : 1);
    if (list) {
      larger->size = list->size;
      larger->searches = list->searches;
      std::memcpy(static_cast<void*>(larger->items), list->items, list->size * sizeof(Segment));
      pools_->give_list(list);
    }
    list = larger;
    note_use(entry);
    entry.set(list);
  }
  list->items[list->size++] = segment;
}

void ShadowPages::store(PageEntry& page, std::uint32_t offset, std::uint32_t width,
                                 Cell cell) {
  const bool cells = !page.empty() && !page.list_p();
  if (!cells || width == k_page) {
    if (width >= k_large_store || cell == 0) {
      put(page, Segment::single(offset, offset + width, cell_site(cell), cell_stamp(cell)));
      return;
    }
    make_cells(page, offset | width);
  }
  write(page, offset, width, cell);
}

}  // namespace memprof::backend
