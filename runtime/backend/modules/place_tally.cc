// place_tally.cc - how many words sites have touched at places.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/modules/place_tally.h"

#include <algorithm>
#include <tuple>

namespace memprof::backend {

std::size_t HashOfPlace::operator()(const Place& p) const {
  const std::uint64_t h =
      (std::uint64_t{p.group} << 32 | p.object) * 0x9e3779b97f4a7c15u + p.part;
  return static_cast<std::size_t>((h ^ h >> 29) * 0xbf58476d1ce4e5b9u);
}

void PlaceTally::add(SiteId site, const Place& place, std::uint64_t words) {
  const std::uint64_t hash = HashOfPlace()(place) + site * 0x9e3779b97f4a7c15u;
  std::uint32_t& recent = recent_[hash >> 32 & (recent_.size() - 1)];
  if (recent < rows_.size() && rows_[recent].site == site && rows_[recent].place == place) {
    rows_[recent].words += words;
    return;
  }
  recent = static_cast<std::uint32_t>(rows_.size());
  rows_.push_back({site, place, words});
}

template <typename Key>
std::span<const PlaceTally::Row> PlaceTally::sorted(Key key) {
  std::sort(rows_.begin(), rows_.end(),
            [&](const Row& a, const Row& b) { return key(a) < key(b); });
  std::size_t n = 0;
  for (const Row& row : rows_) {
    if (n != 0 && key(rows_[n - 1]) == key(row))
      rows_[n - 1].words += row.words;
    else
      rows_[n++] = row;
  }
  rows_.resize(n);
  return rows_;
}

std::span<const PlaceTally::Row> PlaceTally::by_site() {
  return sorted([](const Row& row) { return std::tie(row.site, row.place); });
}

std::span<const PlaceTally::Row> PlaceTally::by_place() {
  return sorted([](const Row& row) { return std::tie(row.place, row.site); });
}

}  // namespace memprof::backend
