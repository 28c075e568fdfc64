// window_reuse.h - reuse distances of the accesses in windows, by site and memory.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Follows the windows of each thread (event/window_use.h) and notes for each access that is
// looked at how far its line, or page, was reused, or how far at least. Windows are dealt out to
// k_parts parts, so that the error of what is computed can be estimated by leaving out each
// (a delete-a-group jackknife).
//
// A *memory* is a large object, or all small ones of a group together: two arrays of one
// allocation site are often used in quite different ways. Large objects one after the other at the
// same address are one memory.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "feedback/flat_map.h"
#include "runtime/backend/event/window_use.h"
#include "runtime/backend/modules/reuse/distance_stack.h"
#include "runtime/backend/modules/reuse/footprint.h"
#include "runtime/backend/modules/reuse/life_table.h"

namespace memprof::backend {

class WindowReuse {
 public:
  static constexpr unsigned k_parts = 8;
  using Parts = std::array<LifeTable, k_parts>;

  using MemoryId = std::uint32_t;  // an index of memories()
  struct Memory {
    GroupId group;
    std::uint64_t base = 0, bytes = 0;  // of a large object, else 0
  };
  static constexpr std::uint64_t k_large = std::uint64_t{1} << 20;  // bytes

  // Lines or pages. Of a site in a memory:
  struct Row {
    SiteId site;
    GroupId group;
    MemoryId memory;
    double accesses = 0;  // in windows, looked at or not
    // To marked lines that the window had not met, and of these to lines that none had met before,
    // both weighted.
    double unmet = 0, new_lines = 0;
  };

  explicit WindowReuse(WindowUse::Kind kind) : kind_(kind) {}

  // A use of its kind, or the begin or end of a window, or a cut.
  void use(const WindowUse& use);

  std::uint64_t windows() const { return windows_; }
  std::uint64_t accesses() const { return accesses_; }  // in all of them
  const std::vector<Row>& rows() const { return rows_; }
  const std::vector<Memory>& memories() const { return memories_; }
  // There is a row of SITE in GROUP, even if no window met it.
  void add_row(SiteId site, GroupId group);
  // Of each row; all uses have been noted.
  std::vector<Parts> parts() const;
  // Of this many lines (pages), one is marked on average.
  std::uint64_t marked() const {
    return kind_ == WindowUse::line ? WindowSample::k_marked_lines : WindowSample::k_marked_pages;
  }
  const Footprint& footprint() const { return footprint_; }

 private:
  // What a life table counts.
  enum What : std::uint32_t { seen, censored, near };

  struct Window {  // of a thread
    DistanceStack stack;
    std::uint64_t number = 0, seed = 0;
    std::uint64_t beyond = 0;  // lines (pages) that were accessed before, none of which comes again
    unsigned shift = 0;
  };
  // Consecutive classes of a part.
  static constexpr std::uint32_t k_counts = 3 * DistanceClass::k_count;
  static constexpr std::uint32_t k_per_row = k_parts * k_counts;

  static constexpr std::size_t k_most_memories = 4096;  // further large objects are as small ones

  std::uint64_t in_units(std::uint64_t lines) const {
    return kind_ == WindowUse::line ? lines : lines >> (WindowSample::k_page_bits - WindowSample::k_line_bits);
  }
  MemoryId memory_of(const WindowUse& use);
  std::size_t row_of(SiteId site, MemoryId memory);
  // NUMBER: of the class, or of near accesses the shift.
  void note(std::size_t row, const Window& window, What what, std::size_t number, double count);
  void look_at(const WindowUse& use, Window& window, std::size_t row);

  const WindowUse::Kind kind_;
  std::uint64_t windows_ = 0, accesses_ = 0;
  std::unordered_map<std::uint32_t, Window> open_;  // by thread
  std::vector<Memory> memories_;
  std::map<std::pair<GroupId, std::uint64_t>, MemoryId> memory_numbers_;  // by group and base
  std::vector<Row> rows_;
  feedback::FlatMap<std::uint64_t, std::uint32_t> row_numbers_;
  feedback::FlatMap<std::uint64_t, double> counts_;  // row * k_per_row + part, what and class
  Footprint footprint_;
};

}  // namespace memprof::backend
