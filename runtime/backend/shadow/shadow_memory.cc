// shadow_memory.cc - who wrote each byte of the program's memory last, and when.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/shadow/shadow_memory.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>

#include "runtime/backend/shadow/shadow_pools.h"

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

// The bytes [offset, end) of a page, by one store.
Segment single(std::uint32_t offset, std::uint32_t end, SiteId site, Stamp stamp) {
  Segment s{};
  s.stamp = stamp;
  s.site = site;
  s.first = static_cast<std::uint16_t>(offset);
  s.end = static_cast<std::uint16_t>(end);
  s.step = k_page;
  s.width = static_cast<std::uint16_t>(end - offset);
  return s;
}

bool whole_page(const Segment& s) {
  return s.first == 0 && s.end == k_page && (s.reciprocal == 0 || s.step == s.width);
}

}  // namespace

ShadowMemory::ShadowMemory()
    : leaves_(k_address_limit >> k_leaf_shift),
      no_leaf_(static_cast<PageEntry*>(map_pages(k_leaf_pages * sizeof(PageEntry)))),
      side_(1),
      pools_(std::make_unique<Pools>()) {
  std::fill(leaves_.begin(), leaves_.end(), no_leaf_);
  static_assert(sizeof(Segment) == 24);
  static_assert(offsetof(DensePage, runs) == sizeof(DensePage::cells));
  static_assert(k_capacities[4] == k_max_segments);
}

ShadowMemory::~ShadowMemory() {
  for (PageEntry* leaf : leaves_)
    if (leaf != no_leaf_) munmap(leaf, k_leaf_pages * sizeof(PageEntry));
  munmap(no_leaf_, k_leaf_pages * sizeof(PageEntry));
}

PageEntry* ShadowMemory::make_leaf(std::uint64_t number) {
  assert(number < leaves_.size());
  leaves_[number] = static_cast<PageEntry*>(map_pages(k_leaf_pages * sizeof(PageEntry)));
  return leaves_[number];
}

std::uint32_t ShadowMemory::take_chunk() {
  bytes_used_ += k_chunk_bytes;
  if (const std::uint32_t number = side_free_; number != 0) {
    side_free_ = side_[number].next;
    return number;
  }
  bool fresh;
  side_.push_back({static_cast<Cell*>(pools_->chunks.take(&fresh)), 0});
  return static_cast<std::uint32_t>(side_.size() - 1);
}

void ShadowMemory::release_chunks(std::uint32_t& chunk) {
  while (chunk != 0) {
    const std::uint32_t next = side_[chunk].next;
    side_[chunk].next = side_free_;
    side_free_ = chunk;
    chunk = next;
    bytes_used_ -= k_chunk_bytes;
  }
}

Cell ShadowMemory::take_side(DensePage& page) {
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

void ShadowMemory::release_side(DensePage& page, Cell& cell) {
  const_cast<Cell*>(bytes_of(cell))[0] = page.free_group;
  page.free_group = cell;
  cell = 0;
  if (--page.unlike == 0) {
    page.free_group = 0;
    release_chunks(page.chunk);
  }
}

// Bytes FROM .. TO-1 of a granule.
void ShadowMemory::write_bytes(DensePage& page, Cell& cell, std::uint32_t from,
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

void ShadowMemory::write(DensePage& page, std::uint32_t offset, std::uint32_t width, Cell cell) {
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

void ShadowMemory::fill(DensePage& page, const Segment& s) {
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

void ShadowMemory::drop(PageEntry& entry) {
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

void ShadowMemory::forget() {
  if (!forgetful_) {
    forgetful_ = true;
    for (PageEntry* leaf : leaves_)
      if (leaf != no_leaf_)
        for (PageEntry* e = leaf; e < leaf + k_leaf_pages; e++)
          if (!e->empty()) touched_.push_back(e);
  }
  for (PageEntry* e : touched_)
    if (!e->empty()) drop(*e);
  touched_.clear();
}

void ShadowMemory::write(PageEntry& entry, std::uint32_t offset, std::uint32_t width,
                         Cell cell) {
  if (entry.sorted_p()) cut(entry, single(offset, offset + width, cell_site(cell), 0));
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

void ShadowMemory::fill(const PlainPage& page, const Segment& s) {
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

void ShadowMemory::fill(PageEntry& entry, const Segment& s) {
  cut(entry, s);
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

void ShadowMemory::put(PageEntry& entry, const Segment& segment) {
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
    note_touched(entry);
    entry.set(list);
  }
  list->items[list->size++] = segment;
}

void ShadowMemory::store_in_page(PageEntry& page, std::uint32_t offset, std::uint32_t width,
                                 Cell cell) {
  const bool cells = !page.empty() && !page.list_p();
  if (!cells || width == k_page) {
    if (width >= k_large_store || cell == 0) {
      put(page, single(offset, offset + width, cell_site(cell), cell_stamp(cell)));
      return;
    }
    make_cells(page, offset | width);
  }
  write(page, offset, width, cell);
}

void ShadowMemory::store_slow(std::uint64_t address, std::uint64_t width, Cell cell) {
  while (width != 0) {
    const std::uint64_t offset = address % k_page;
    const std::uint64_t size = std::min(width, k_page - offset);
    store_in_page(entry(address), static_cast<std::uint32_t>(offset),
                  static_cast<std::uint32_t>(size), cell);
    address += size;
    width -= size;
  }
}

void ShadowMemory::store_run(const StoreRun& run) {
  if (run.width == 0 || run.count == 0) return;
  const auto stamp_of = [&run](std::uint64_t i) {
    return run.stamp + static_cast<Stamp>(run.pace) * i;
  };
  const std::uint64_t start = run.address % k_page;
  if (run.count == 1 && start + run.width <= k_page) {
    put(entry(run.address), single(static_cast<std::uint32_t>(start),
                                   static_cast<std::uint32_t>(start + run.width), run.site,
                                   run.stamp));
    return;
  }
  // Elements that do not share pages, or that are as large as pages.
  if (run.count == 1 || run.step > k_page / 8 || run.width > k_page / 8) {
    for (std::uint64_t i = 0; i < run.count; i++)
      store(run.address + i * run.step, run.width, cell_of(run.site, stamp_of(i)));
    return;
  }
  Segment s{};
  s.site = run.site;
  s.step = static_cast<std::uint16_t>(run.step);
  s.width = static_cast<std::uint16_t>(run.width);
  s.reciprocal = reciprocal_of(run.step);
  s.pace = run.pace;
  for (std::uint64_t i = 0; i < run.count;) {
    const std::uint64_t address = run.address + i * run.step;
    const std::uint64_t offset = address % k_page;
    // Elements that lie in this page as a whole, then the one that straddles.
    std::uint64_t n = offset + run.width > k_page
                          ? 0
                          : steps_in(k_page - run.width - offset, s.reciprocal) + 1;
    n = std::min(n, run.count - i);
    if (n != 0) {
      s.stamp = stamp_of(i);
      s.first = static_cast<std::uint16_t>(offset);
      s.end = static_cast<std::uint16_t>(offset + (n - 1) * run.step + run.width);
      if (n == 1)
        put(entry(address), single(s.first, s.end, s.site, s.stamp));
      else
        put(entry(address), s);
      i += n;
    }
    const std::uint64_t next = run.address + i * run.step;
    if (i < run.count && next / k_page == address / k_page) {
      const std::uint64_t split = (next / k_page + 1) * k_page;
      put(entry(next), single(static_cast<std::uint32_t>(next % k_page), k_page, run.site,
                              stamp_of(i)));
      put(entry(split), single(0, static_cast<std::uint32_t>(next + run.width - split),
                               run.site, stamp_of(i)));
      i++;
    }
  }
}

void ShadowMemory::clear_slow(std::uint64_t address, std::uint64_t width) {
  while (width != 0) {
    if (leaves_[address >> k_leaf_shift] == no_leaf_) {
      const std::uint64_t skip = (((address >> k_leaf_shift) + 1) << k_leaf_shift) - address;
      if (skip >= width) return;
      address += skip;
      width -= skip;
      continue;
    }
    const std::uint64_t offset = address % k_page;
    const std::uint64_t size = std::min(width, k_page - offset);
    PageEntry& page = entry(address);
    if (!page.empty()) {
      if (size == k_page)
        drop(page);
      else
        put(page, single(static_cast<std::uint32_t>(offset),
                         static_cast<std::uint32_t>(offset + size), k_no_site, 0));
    }
    address += size;
    width -= size;
  }
}

}  // namespace memprof::backend
