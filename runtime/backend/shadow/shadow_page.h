// shadow_page.h - the forms that a page of the shadow memory can have.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What they are for is in shadow_memory.h.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "runtime/backend/base/page_steps.h"
#include "runtime/backend/event/batch.h"
#include "runtime/backend/program/loop_context.h"

namespace memprof::backend {

// A writer: stamp and site; 0: none. No writer has site 0, so one test tells writers
// from all else.
using Cell = std::uint64_t;
inline constexpr unsigned k_stamp_bits = 40, k_site_bits = 24;
inline constexpr Stamp k_stamp_mask = (Stamp{1} << k_stamp_bits) - 1;
inline constexpr Cell k_site_mask = (Cell{1} << k_site_bits) - 1;

constexpr Cell make_cell(SiteId site, Stamp stamp) { return stamp << k_site_bits | site; }
// The same for a site that may be k_no_site.
constexpr Cell cell_of(SiteId site, Stamp stamp) {
  return site == k_no_site ? 0 : make_cell(site, stamp);
}
constexpr SiteId cell_site(Cell cell) { return static_cast<SiteId>(cell & k_site_mask); }
constexpr Stamp cell_stamp(Cell cell) { return cell >> k_site_bits; }
constexpr bool writer_p(Cell cell) { return (cell & k_site_mask) != 0; }
// A cell that is no writer: it refers to more, or is k_several.
constexpr bool unlike_p(Cell cell) { return !writer_p(cell) && cell != 0; }
// The same site COUNT ticks later, or earlier.
constexpr Cell later(Cell cell, std::int64_t count) {
  return cell + (static_cast<Cell>(count) << k_site_bits);
}
// Cells of one site follow each other in the order of time.
constexpr Cell by_site(Cell cell) { return std::rotl(cell, k_stamp_bits); }
constexpr Cell from_by_site(Cell ordered) { return std::rotr(ordered, k_stamp_bits); }

// What pages without cells begin with, and what represents the writer of bytes that have
// several: not a writer, and not 0.
inline constexpr Cell k_several = ~k_site_mask;

inline constexpr std::uint64_t k_page = 4096;
static_assert(k_page <= k_steps_limit);
inline constexpr unsigned k_granule_shift = 2;
inline constexpr std::uint64_t k_granule = 1 << k_granule_shift;
inline constexpr std::uint64_t k_address_limit = std::uint64_t{1} << 48;

constexpr bool in_memory(std::uint64_t address, std::uint64_t width) {
  return address < k_address_limit && width <= k_address_limit - address;
}

// Whether WIDTH bytes at ADDRESS are whole parts of 2^SHIFT bytes.
constexpr bool aligned(std::uint64_t address, std::uint64_t width, unsigned shift) {
  return ((address | width) & ((1u << shift) - 1)) == 0;
}

// COUNT stores, upwards: address, address + step, ...; stamp, stamp + pace, ...
// They do not overlap each other: width <= step or count == 1.
struct StoreRun {
  std::uint64_t address, step, count, width;
  SiteId site;  // k_no_site: no writer
  Stamp stamp;
  int pace;  // ticks from each to the next, at most k_max_pace; negative: they go back in time
};

inline constexpr int k_max_pace = 127;

// One in a page.
struct Segment {
  Stamp stamp;              // of the first store
  std::uint32_t reciprocal; // of the step; 0 for a single store
  SiteId site : 24;
  std::int32_t pace : 8;
  std::uint16_t first;      // offset in the page
  std::uint16_t end;        // just after the last byte, at most 4096
  std::uint16_t step;       // 4096 for a single store
  std::uint16_t width;

  // One store, of the bytes [offset, end).
  static Segment single(std::uint32_t offset, std::uint32_t end, SiteId site, Stamp stamp) {
    Segment s{};
    s.stamp = stamp;
    s.site = site;
    s.first = static_cast<std::uint16_t>(offset);
    s.end = static_cast<std::uint16_t>(end);
    s.step = k_page;
    s.width = static_cast<std::uint16_t>(end - offset);
    return s;
  }
  // Number of the store at or before OFFSET, which is in [first, end).
  std::uint32_t index(std::uint32_t offset) const { return steps_in(offset - first, reciprocal); }
  Cell cell(std::uint32_t i) const {
    return cell_of(site, stamp + static_cast<Stamp>(std::int64_t{pace} * i));
  }
};

// Stores of one segment that wrote the bytes from an offset on.
struct WriterRun {
  Cell cell;  // of the first; 0: there is no writer
  int pace;
  std::uint64_t count;
  std::uint32_t next;  // offset of the byte after these bytes
};

struct alignas(16) SegmentList {
  Cell several = k_several;
  std::uint16_t size, capacity;
  std::uint32_t searches;
  Segment items[];

  // Writer of the bytes [offset, offset + width), 0 or k_several.
  Cell find(std::uint32_t offset, std::uint32_t width) const;
  // The longest run from OFFSET on that ends at or before STOP and has one segment, or no writer.
  WriterRun find_run(std::uint32_t offset, std::uint32_t stop) const;
};

// What the side table is made of: a kilobyte that one page has, linked with the
// others of the page. 32 groups of four cells, or 256 cells of a compact page.
inline constexpr std::uint32_t k_chunk_bytes = 1024;
struct SideChunk {
  static constexpr std::uint64_t k_groups = k_chunk_bytes / (k_granule * sizeof(Cell));
  Cell* cells;
  std::uint32_t next;  // number; 0: none
};

// Cells that were found to be of one site, in the order of time, no one earlier than the one
// before it: first, first + step, ... So a reader of all of them need look at two. Each is
// like the one `second' cells after it: an access has both.
struct SortedRun {
  std::uint16_t first, step, second;
  std::uint16_t count;  // 0: of none
};

// Those that are known of a page. A store ends them where it writes (PageEntry::cut).
struct alignas(64) SortedRuns {
  static constexpr std::uint32_t k_runs = 7;
  static constexpr std::uint32_t k_shortest = 32;
  // Stores to a page between two reads of its runs.
  static constexpr std::uint16_t k_max_stores = 64;

  SortedRun runs[k_runs];
  std::uint16_t next;    // to be replaced
  std::uint16_t stores;  // since they were looked up

  // The one that cell FIRST is in, or null.
  SortedRun* find(const SortedRun& wanted);
  // The cells of STORED are about to get new writers, in the order of time or not;
  // or all from FIRST to LAST. What is left of a run is what is before. False: there is none.
  bool cut(const SortedRun& stored, bool in_order);
  bool cut(std::uint32_t first, std::uint32_t last);

 private:
  static void cut(SortedRun& run, std::uint32_t first, std::uint32_t last);
};
static_assert(sizeof(SortedRuns) == 64);

struct alignas(64) DensePage {
  Cell cells[k_page / k_granule];
  SortedRuns runs;
  Cell free_group;       // a list, linked by their first cells
  std::uint32_t unlike;  // cells that refer to the side table
  std::uint32_t visits;  // to these
  std::uint32_t chunk;   // of the side table, the newest; 0: none
  std::uint32_t fresh;   // groups of it that were never taken
};

// A cell of 4 bytes for each byte of a page. A writer is a key, which is the site
// and the upper bits of the stamp, and the lower bits. A page has few sites, so
// keys are numbered:
//
//       key : 5 | stamp : 27       0: no writer
//
// The cells are in chunks of 256, of which the first eight are what was the dense
// page: a page that turns compact needs no memory but this header.
struct alignas(16) CompactPage {
  using Small = std::uint32_t;
  static constexpr unsigned k_low_bits = 27;
  static constexpr Cell k_low_mask = (Cell{1} << k_low_bits) - 1;
  static constexpr std::uint32_t k_keys = 1u << (32 - k_low_bits);
  static constexpr std::uint32_t k_chunk = k_chunk_bytes / sizeof(Small);

  Cell several = k_several;
  std::uint32_t visits;
  std::uint32_t chunk;  // as in the dense page
  std::uint32_t last;   // key that was looked up
  Cell keys[k_keys];    // as by_site() has them; 0: unused; the first one always
  Small* chunks[k_page / k_chunk];

  Small& at(std::uint64_t offset) const { return chunks[offset / k_chunk][offset % k_chunk]; }
  Cell decode(Small small) const {
    return from_by_site(keys[small >> k_low_bits] | (small & k_low_mask));
  }
  DensePage* dense() const { return reinterpret_cast<DensePage*>(chunks[0]); }
  // What represents CELL. False: there are too many keys.
  bool encode(Cell cell, Small& small) {
    small = 0;
    if (cell == 0) return true;
    const Cell key = by_site(cell) & ~k_low_mask;
    if (keys[last] != key && !number(key) && !(collect() && number(key))) return false;
    small = static_cast<Small>(last << k_low_bits | (cell_stamp(cell) & k_low_mask));
    return true;
  }
  // Writer of some bytes, or k_several.
  Cell writer(std::uint64_t offset, std::uint64_t width) const;
  // Bytes [offset, end). The same for runs of stores. False: too many keys, and a
  // part may be written.
  bool write(std::uint32_t offset, std::uint32_t end, Cell cell);
  bool fill(const Segment& segment);
  // Finds the number of a key, or gives it one, in LAST. False: all are in use.
  bool number(Cell key);

 private:
  // Takes the numbers that no cell has any more from their keys. False: these are
  // so few that it would be needed again too soon, or the page has no cells yet.
  bool collect();
};

// One cell for each 2^shift bytes of a page, all of which it says everything about: shift
// is 0 or 1 (fine) or 3 (coarse).
struct PlainPage {
  static constexpr unsigned k_coarse_shift = 3;
  Cell* cells;
  unsigned shift;

  explicit operator bool() const { return cells != nullptr; }
  Cell* first(std::uint64_t offset) const { return cells + (offset >> shift); }
  // One after the last cell of the bytes before END.
  Cell* end(std::uint64_t end) const { return cells + ((end - 1) >> shift) + 1; }
  bool coarse() const { return shift == k_coarse_shift; }
  // Coarse ones have SortedRuns after their cells.
  std::size_t bytes() const {
    return (k_page * sizeof(Cell) >> shift) + (coarse() ? sizeof(SortedRuns) : 0);
  }
};

// A page's place in the page table: a pointer, and in its low bits log2 of how many bytes
// a cell represents. A page that has no cells is as one with a single cell for all of its
// bytes, or more, which says that there is more to ask: so code that only reads a cell need
// not know the form.
class PageEntry {
 public:
  bool empty() const { return word_ == 0; }
  bool cells_p() const { return (word_ & k_no_cells) == 0 && !empty(); }
  // Cells of which nothing else is known that a store would have to mend.
  bool open_p() const {
    return (word_ & k_no_cells) == 0 && static_cast<std::int64_t>(word_) > 0;
  }
  // The same, each of at most 2^SHIFT bytes, which are few.
  bool open_p(unsigned shift) const {
    return (word_ & k_form_mask) <= shift && static_cast<std::int64_t>(word_) > 0;
  }
  // Cells of which runs() may have some; and whether it has.
  bool sortable_p() const { return cells_p() && form() >= k_granule_shift; }
  bool sorted_p() const { return static_cast<std::int64_t>(word_) < 0; }
  bool list_p() const { return form() == k_list; }
  bool plain_p() const { return cells_p() && form() != k_granule_shift; }
  // Unless empty.
  unsigned shift() const { return form(); }
  Cell* cells() const { return reinterpret_cast<Cell*>(word_ & ~(k_form_mask | k_sorted)); }
  // If sortable_p().
  SortedRuns& runs() const {
    return *reinterpret_cast<SortedRuns*>(cells() + (k_page >> shift()));
  }
  void set_sorted(bool sorted) { word_ = sorted ? word_ | k_sorted : word_ & ~k_sorted; }
  // Of a byte's cell, which is only to be read, unless cells_p().
  std::uint64_t index(std::uint64_t offset) const { return offset >> (word_ & 63); }
  // In the line of that; whatever the form: for prefetches.
  const void* near_cell(std::uint64_t offset) const {
    return reinterpret_cast<const void*>((word_ & ~k_sorted) + index(offset) * sizeof(Cell));
  }
  // Null, if the page has another form.
  DensePage* dense() const {
    return form() == k_granule_shift ? reinterpret_cast<DensePage*>(cells()) : nullptr;
  }
  CompactPage* compact() const {
    return form() == k_compact ? reinterpret_cast<CompactPage*>(cells()) : nullptr;
  }
  PlainPage plain() const {
    return plain_p() ? PlainPage{cells(), shift()} : PlainPage{nullptr, 0};
  }
  // How many of the cells of WANTED, from the first one on, are of one site and in the order of
  // time; 0 if they are too few to matter. The page, which is sortable, remembers them.
  std::uint32_t sorted(const SortedRun& wanted);
  // SEGMENT is about to be stored: ends the sorted runs that it overwrites.
  void cut(const Segment& segment);
  // No writer of the bytes [offset, end) is later, but perhaps all of them are earlier.
  Stamp newest(std::uint64_t offset, std::uint64_t end) const;
  // If list_p() or empty().
  SegmentList* list() const { return reinterpret_cast<SegmentList*>(cells()); }
  void set(DensePage* page) { set(page->cells, k_granule_shift); }
  void set(const PlainPage& page) { set(page.cells, page.shift); }
  void set(CompactPage* page) { set(&page->several, k_compact); }
  void set(SegmentList* list) { set(&list->several, k_list); }
  void clear() { word_ = 0; }

 private:
  // Cells are aligned to 64 bytes, so that a shift by the word is one by its low bits; the
  // others to 16, which does as well, as they have one cell anyway.
  static constexpr std::uint64_t k_form_mask = 15;
  static constexpr unsigned k_no_cells = 8, k_list = 12, k_compact = 13;
  static constexpr std::uint64_t k_sorted = std::uint64_t{1} << 63;
  unsigned form() const { return word_ & k_form_mask; }
  void set(Cell* cells, unsigned form) {
    word_ = reinterpret_cast<std::uint64_t>(cells) + form;
  }

  std::uint64_t word_ = 0;
};

}  // namespace memprof::backend
