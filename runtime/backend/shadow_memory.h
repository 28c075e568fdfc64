// shadow_memory.h - who wrote each byte of the program's memory last, and when.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Exact for every byte, but neither a word per byte nor a store per access:
// memory is cut into pages of 4 KB, and a page is in one of four forms.
//
//   empty      nothing is known to have written it
//   segments   a short list, oldest first, of runs of stores: bytes first,
//              first + step, ..., each `width' long, by one site, one clock tick
//              apart.  What a range record stores takes one segment per page,
//              and so does a large single store.  The newest segment that holds
//              a byte is its writer.
//   dense      1024 cells, one for 4 bytes:
//
//       site : 24 | stamp : 40      all four bytes have this writer
//       0                           nobody wrote them
//       0 : 24    | index : 40      unlike bytes: four cells in a side table
//
//   fine       2048 or 4096 cells, one for 2 bytes or for each byte
//
// Small single stores and too many segments make a page dense; too many granules
// of unlike bytes (arrays of short and char), or too many accesses to these, make
// it fine; a run of stores that
// covers the whole page makes it a list again.
//
//   page:   0                                                        4096
//   list:   [site 7: 0, step 16, width 8 ........]      [site 9: 3000..3999]
//
// A birth or a death of an object removes the writers of its bytes: whole pages
// are given back, in a list it is a segment without a site.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/backend/batch.h"
#include "runtime/backend/loop_context.h"

namespace memprof::backend {

// A writer: site and stamp; 0: nobody.
using Cell = std::uint64_t;
inline constexpr unsigned k_stamp_bits = 40;
inline constexpr Cell k_stamp_mask = (Cell{1} << k_stamp_bits) - 1;

constexpr Cell make_cell(SiteId site, Stamp stamp) {
  return Cell{site} << k_stamp_bits | (stamp & k_stamp_mask);
}
constexpr SiteId cell_site(Cell cell) { return static_cast<SiteId>(cell >> k_stamp_bits); }
constexpr Stamp cell_stamp(Cell cell) { return cell & k_stamp_mask; }

inline constexpr std::uint64_t k_page = 4096;
inline constexpr unsigned k_granule_shift = 2;
inline constexpr std::uint64_t k_granule = 1 << k_granule_shift;
inline constexpr std::uint64_t k_address_limit = std::uint64_t{1} << 48;

constexpr bool in_memory(std::uint64_t address, std::uint64_t width) {
  return address < k_address_limit && width <= k_address_limit - address;
}

// COUNT stores, upwards: address, address + step, ...; stamp, stamp + direction,
// ...  They do not overlap each other: width <= step or count == 1.
struct StoreRun {
  std::uint64_t address, step, count, width;
  SiteId site;  // k_no_site: nobody
  Stamp stamp;
  int direction;  // of time: 1 or -1
};

// One in a page.
struct Segment {
  Stamp stamp;              // of the first store
  std::uint32_t reciprocal; // ceil(2^24 / step); 0 for a single store
  SiteId site : 24;
  std::int32_t direction : 8;
  std::uint16_t first;      // offset in the page
  std::uint16_t end;        // just after the last byte, at most 4096
  std::uint16_t step;       // 4096 for a single store
  std::uint16_t width;

  // Number of the store at or before OFFSET, which is in [first, end).  Exact
  // because offsets and steps are at most 2^12.
  std::uint32_t index(std::uint32_t offset) const {
    return static_cast<std::uint32_t>((std::uint64_t{offset} - first) * reciprocal >> 24);
  }
  Cell cell(std::uint32_t i) const {
    if (site == k_no_site) return 0;
    return make_cell(site, stamp + static_cast<Stamp>(std::int64_t{direction} * i));
  }
};

struct SegmentList {
  std::uint16_t size, capacity;
  std::uint32_t searches;
  Segment items[];
};

struct DensePage {
  Cell cells[k_page / k_granule];
  std::uint32_t unlike;  // cells that refer to the side table
  std::uint32_t visits;  // to these
};

// One cell for each 2^shift bytes of a page; shift is 0 or 1.
struct FinePage {
  Cell* cells;
  unsigned shift;

  explicit operator bool() const { return cells != nullptr; }
  Cell* first(std::uint64_t offset) const { return cells + (offset >> shift); }
  // One after the last cell of the bytes before END.
  Cell* end(std::uint64_t end) const { return cells + ((end - 1) >> shift) + 1; }
  bool aligned(std::uint64_t address, std::uint64_t width) const {
    return ((address | width) & shift) == 0;
  }
  std::size_t bytes() const { return k_page * sizeof(Cell) >> shift; }
};

// A page's place in the page table: a pointer, and the form of the page in the low
// bits: 0 nothing or a list, else one more than log2 of the bytes that a cell
// stands for. Whatever the form, the cells come first.
class PageEntry {
 public:
  bool empty() const { return word_ == 0; }
  bool cells_p() const { return form() != 0; }
  bool list_p() const { return !cells_p() && !empty(); }
  bool fine_p() const { return form() - 1 < k_granule_shift; }
  // If cells_p().
  unsigned shift() const { return form() - 1; }
  Cell* cells() const { return reinterpret_cast<Cell*>(word_ - form()); }
  // Null, if the page has another form.
  DensePage* dense() const {
    return form() == k_granule_shift + 1 ? reinterpret_cast<DensePage*>(cells()) : nullptr;
  }
  FinePage fine() const { return fine_p() ? FinePage{cells(), shift()} : FinePage{nullptr, 0}; }
  // If !cells_p().
  SegmentList* list() const { return reinterpret_cast<SegmentList*>(word_); }
  void set(DensePage* page) { set(page->cells, k_granule_shift); }
  void set(const FinePage& page) { set(page.cells, page.shift); }
  void set(SegmentList* list) { word_ = reinterpret_cast<std::uint64_t>(list); }
  void clear() { word_ = 0; }

 private:
  unsigned form() const { return word_ & 3; }
  void set(Cell* cells, unsigned shift) {
    word_ = reinterpret_cast<std::uint64_t>(cells) + shift + 1;
  }

  std::uint64_t word_ = 0;
};

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
  // all of them, or k_several if that is harder to say.
  [[gnu::always_inline]] static Cell writer(PageEntry page, std::uint64_t address,
                                            std::uint64_t width) {
    const std::uint64_t offset = address % k_page;
    if (offset + width > k_page) [[unlikely]] return k_several;
    if (!page.cells_p()) return page.empty() ? 0 : k_several;
    const Cell* const first = page.cells() + (offset >> page.shift());
    const Cell* const last = page.cells() + ((offset + width - 1) >> page.shift());
    const Cell cell = *first;
    if (unlike_p(cell) | (cell != *last)) return k_several;
    for (const Cell* c = first + 1; c < last; c++) [[unlikely]]
      if (*c != cell) return k_several;
    return cell;
  }
  // False: that is harder to do.
  [[gnu::always_inline]] static bool overwrite(PageEntry page, std::uint64_t address,
                                               std::uint64_t width, Cell cell) {
    const std::uint64_t offset = address % k_page;
    if (!page.cells_p() || offset + width > k_page) [[unlikely]] return false;
    const unsigned shift = page.shift();
    if (((address | width) & ((1u << shift) - 1)) != 0) return false;
    Cell* const first = page.cells() + (offset >> shift);
    Cell* const last = page.cells() + ((offset + width - 1) >> shift);
    if (unlike_p(*first) || unlike_p(*last)) return false;
    *first = cell;
    *last = cell;
    for (Cell* c = first + 1; c < last; c++) {
      if (unlike_p(*c)) return false;
      *c = cell;
    }
    return true;
  }
  void store_run(const StoreRun& run);
  void clear(std::uint64_t address, std::uint64_t width) {
    // Most objects are small.
    const std::uint64_t offset = address % k_page;
    if (((address | width) & 3) == 0 && width < k_page && offset + width <= k_page &&
        address < k_address_limit) {
      const PageEntry page = this->page(address);
      if (page.empty()) return;
      if (DensePage* dense = page.dense(); dense && dense->unlike == 0) {
        std::fill_n(dense->cells + offset / k_granule, width / k_granule, Cell{0});
        return;
      }
    }
    clear_slow(address, width);
  }

  // Nobody has written anything.
  void forget();

  // The form of the page of an address; to be looked at only.
  PageEntry page(std::uint64_t address) const {
    return leaves_[address >> k_leaf_shift][address / k_page % k_leaf_pages];
  }
  PageEntry& entry(std::uint64_t address) {
    PageEntry* leaf = leaves_[address >> k_leaf_shift];
    if (leaf == no_leaf_) [[unlikely]] leaf = make_leaf(address >> k_leaf_shift);
    return leaf[address / k_page % k_leaf_pages];
  }

  // Asks for the writers of what lies at ADDRESS.
  void prefetch(std::uint64_t address) const {
    if (address >= k_address_limit) return;
    const PageEntry page = this->page(address);
    if (page.cells_p()) __builtin_prefetch(page.cells() + (address % k_page >> page.shift()));
  }

  static bool unlike_p(Cell cell) { return cell - 1 < k_stamp_mask; }
  const Cell* bytes_of(Cell unlike) const {
    return &side_[(unlike - 1) / k_side_chunk][(unlike - 1) % k_side_chunk * k_granule];
  }

  // Writer of the bytes [offset, offset + width) of a list, or k_several.
  static constexpr Cell k_several = ~Cell{0};
  // The same for bytes that begin in the granule of a cell of unlike bytes.
  Cell common_writer(Cell unlike, std::uint64_t offset, std::uint64_t width) const {
    const Cell* bytes = bytes_of(unlike) + offset;
    if (width == 1) return *bytes;
    return width == 2 && offset <= k_granule - 2 && bytes[0] == bytes[1] ? *bytes : k_several;
  }
  static Cell find(const SegmentList& list, std::uint32_t offset, std::uint32_t width);
  // COUNT loads went to unlike granules of a dense page.
  void note_visits(PageEntry& entry, std::uint64_t count) {
    entry.dense()->visits += static_cast<std::uint32_t>(count);
    refine(entry);
  }
  // A list was searched for a single access; one that often is becomes dense.
  void note_search(PageEntry& entry) {
    if (++entry.list()->searches == k_max_searches) make_dense(entry);
  }

  // Calls fn(cell, direction, count) for the writers of the bytes: those of cell
  // and of count - 1 more stores of the same site, each one tick later (or
  // earlier, if direction is -1).  A writer may come repeatedly; bytes without
  // one are left out.
  template <typename Fn>
  void for_each_writer(std::uint64_t address, std::uint64_t width, Fn&& fn);

  std::uint64_t bytes_used() const { return bytes_used_; }

 private:
  // Stores of one segment that a part of a page was last written by.
  struct WriterRun {
    Cell cell;  // of the first; 0: nobody
    int direction;
    std::uint64_t count;
    std::uint32_t next;  // offset of the byte after the part
  };
  static WriterRun find_run(const SegmentList& list, std::uint32_t offset,
                            std::uint32_t stop);

  static constexpr unsigned k_leaf_shift = 30;  // a leaf of the table: 1 GB
  static constexpr std::uint64_t k_leaf_pages = (std::uint64_t{1} << k_leaf_shift) / k_page;
  static constexpr std::uint64_t k_side_chunk = 1 << 12;  // in groups of 4 cells
  // A dense page is 2 bytes per byte; so many segments are 0.15.
  static constexpr std::uint16_t k_max_segments = 24;
  static constexpr std::uint32_t k_max_searches = 256;
  // A dense page with so many unlike granules takes as much as a fine one.
  static constexpr std::uint32_t k_max_unlike = 768;
  // So many accesses to unlike granules are worth the memory of a fine page.
  static constexpr std::uint32_t k_max_visits = 1 << 14;
  // Single stores of so many bytes become segments.
  static constexpr std::uint64_t k_large_store = 64;

  struct Pools;

  PageEntry* make_leaf(std::uint64_t number);
  void clear_slow(std::uint64_t address, std::uint64_t width);
  void store_slow(std::uint64_t address, std::uint64_t width, Cell cell);
  void store_in_page(PageEntry& entry, std::uint32_t offset, std::uint32_t width, Cell cell);
  void put(PageEntry& entry, const Segment& segment);
  void fill(PageEntry& entry, const Segment& segment);
  void fill(DensePage& page, const Segment& segment);
  void write(DensePage& page, std::uint32_t offset, std::uint32_t width, Cell cell);
  void write_bytes(DensePage& page, Cell& cell, std::uint32_t from, std::uint32_t to, Cell value);
  DensePage& make_dense(PageEntry& entry);
  FinePage take_fine(unsigned shift);
  // Makes a dense page fine if it is time.
  void refine(PageEntry& entry) {
    const DensePage& page = *entry.dense();
    if (page.unlike > k_max_unlike || page.visits > k_max_visits) make_fine(entry);
  }
  void make_fine(PageEntry& entry);
  void make_finest(PageEntry& entry);
  void write(PageEntry& entry, std::uint32_t offset, std::uint32_t width, Cell cell);
  void drop(PageEntry& entry);
  void note_touched(PageEntry& entry) {
    if (forgetful_ && entry.empty()) touched_.push_back(&entry);
  }
  void release_side(DensePage& page, Cell& cell);

  std::vector<PageEntry*> leaves_;
  PageEntry* no_leaf_;  // stands for all that there are not: empty pages
  std::vector<std::unique_ptr<Cell[]>> side_;
  Cell side_free_ = 0;  // first of a list of free groups; linked by their cell 0
  std::uint64_t side_used_ = 0;
  std::unique_ptr<Pools> pools_;
  std::uint64_t bytes_used_ = 0;
  // From the first forget() on: the pages to forget.
  std::vector<PageEntry*> touched_;
  bool forgetful_ = false;
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
        const WriterRun run = find_run(*page.list(), offset, stop);
        if (run.cell != 0) fn(run.cell, run.direction, run.count);
        offset = run.next;
      }
      continue;
    }
    Cell last = 0;
    if (const FinePage fine = page.fine()) {
      for (const Cell *c = fine.first(offset), *last_cell = fine.end(stop); c < last_cell; c++) {
        if (*c == last || *c == 0) continue;
        last = *c;
        fn(last, 0, std::uint64_t{1});
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
      const Cell* bytes = bytes_of(cell);
      const std::uint32_t first = offset / k_granule * k_granule;
      for (std::uint32_t b = offset; b < std::min<std::uint32_t>(first + k_granule, stop); b++)
        if (bytes[b - first] != 0) fn(bytes[b - first], 0, std::uint64_t{1});
    }
  }
}

}  // namespace memprof::backend
