// place_tally.h - sample mode: how many words sites have touched at places.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/backend/descriptor.h"

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

// Exact whatever order words are added in. A key that comes again soon is counted where it is;
// the rest is left to sorting.
class PlaceTally {
 public:
  struct Row {
    SiteId site;
    Place place;
    std::uint64_t words;
  };
  void add(SiteId site, const Place& place, std::uint64_t words);
  // With each key once.
  std::span<const Row> by_site();
  std::span<const Row> by_place();
  std::size_t size() const { return rows_.size(); }
  const Row& operator[](std::size_t i) const { return rows_[i]; }
  void clear() { rows_.clear(); }

 private:
  template <typename Key>
  std::span<const Row> sorted(Key key);

  std::vector<Row> rows_;
  std::array<std::uint32_t, 1024> recent_{};  // by hash; maybe of another key, or no row
};

}  // namespace memprof::backend
