// place_tally.h - sample mode: how many words sites have touched at places.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/backend/event/descriptor.h"

namespace memprof::backend {

// What matters of an address (inferred_dependences.h).
struct Place {
  GroupId group;
  std::uint32_t object;  // or all of the group
  std::uint32_t part;    // word of a field, or region and residue
  auto operator<=>(const Place&) const = default;
};
struct HashOfPlace {
  std::size_t operator()(const Place& p) const;
};

// A row for each site and place; exact whatever order words are added in. It is filled and
// cleared with each burst, so an open table of the numbers of rows says of which filling they
// are, and clearing it touches nothing.
class PlaceTally {
 public:
  struct Row {
    SiteId site;
    Place place;
    std::uint64_t words;
  };
  void add(SiteId site, const Place& place, std::uint64_t words);
  // In the order in which their keys came.
  std::span<const Row> rows() const { return rows_; }
  // In the order of sites, then of places. What follows is clear().
  std::span<const Row> by_site();
  // ROWS in the order of places, then of sites.
  static void sort_by_place(std::span<Row> rows);
  std::size_t size() const { return rows_.size(); }
  const Row& operator[](std::size_t i) const { return rows_[i]; }
  void clear() {
    rows_.clear();
    filling_++;
  }

 private:
  struct Slot {
    std::uint32_t filling = 0, row = 0;
  };
  // Of a row, or the one where it belongs.
  Slot& slot_of(SiteId site, const Place& place);
  void grow();

  std::vector<Row> rows_;
  std::vector<Slot> slots_ = std::vector<Slot>(64);  // a power of two
  std::uint32_t filling_ = 1;
};

}  // namespace memprof::backend
