// dependence_loads.h - loads of a range that read what was there before it.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// All their writers are older than the loop's entry, so an outer loop or the program carries the
// dependence, at a distance that does not change during the range: only the stamps of the writers
// matter, and loads can go upwards whatever the direction of the program. Page by page:
//
//   empty      there is no dependence
//   segments   if the places of a segment agree with those of the loads, the stamps are again a
//              progression, of which at most a few parts fall into different buckets
//   cells      are handed on as they are, or counted at once if the second step is at hand; those
//              of one bucket together. A page remembers cells that are in the order of time
//              (SortedRuns): of these, two for each bucket matter
//
// If each page has at most one of the loads, they are handed on as cells, whatever the form of
// their pages.
#pragma once

#include <cstdint>

#include "runtime/backend/modules/dependence/dependence_search.h"

namespace memprof::backend {

class RangeLoads {
 public:
  explicit RangeLoads(DependenceSearch& search) : search_(search) {}

  // COUNT executions of one load: all read the same.
  void load(SiteId site, std::uint64_t address, std::uint64_t width, std::uint64_t count = 1);
  // The first COUNT loads of a row.
  void load_row(const RangeAccess& access, std::uint64_t count);

 private:
  // Loads of one access, upwards.
  struct Loads {
    SiteId site;
    std::uint64_t address, step, count, width;
    std::uint32_t reciprocal = reciprocal_of(step);
    // How many more of them begin in the BYTES bytes of a page after one that does.
    std::uint64_t more_in(std::uint64_t bytes) const { return steps_in(bytes, reciprocal); }
  };
  static constexpr std::uint64_t k_scattered = 1024;  // cells in an answer

  void load_progression(const Loads& loads);
  void load_scattered(const Loads& loads);
  void load_page(const Loads& loads, std::uint64_t address, std::uint64_t m);
  std::uint64_t tell_cells(const Loads& loads, const Cell* cell, std::size_t second,
                           std::size_t step, std::uint64_t count);
  void load_cells(const Loads& loads, PageEntry& page, std::uint64_t address, std::uint64_t m);
  void load_list(const Loads& loads, const SegmentList& list, std::uint32_t older,
                 std::uint64_t address, std::uint64_t m);
  void load_each(const Loads& loads, std::uint64_t address, std::uint64_t m);
  void progression(SiteId sink, Cell cell, std::int64_t pace, std::uint64_t count);

  DependenceSearch& search_;
};

}  // namespace memprof::backend
