// place_tally.cc - how many words sites have touched at places.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/modules/sampled/place_tally.h"

#include <algorithm>
#include <tuple>

namespace memprof::backend {

std::size_t HashOfPlace::operator()(const Place& p) const {
  const std::uint64_t h =
      (std::uint64_t{p.group} << 32 | p.object) * 0x9e3779b97f4a7c15u + p.part;
  return static_cast<std::size_t>((h ^ h >> 29) * 0xbf58476d1ce4e5b9u);
}

PlaceTally::Slot& PlaceTally::slot_of(SiteId site, const Place& place) {
  const std::uint64_t hash = HashOfPlace()(place) + site * 0x9e3779b97f4a7c15u;
  for (std::size_t i = hash >> 32;; i++) {
    Slot& slot = slots_[i & (slots_.size() - 1)];
    if (slot.filling != filling_) return slot;
    if (const Row& row = rows_[slot.row]; row.site == site && row.place == place) return slot;
  }
}

void PlaceTally::add(SiteId site, const Place& place, std::uint64_t words) {
  Slot& slot = slot_of(site, place);
  if (slot.filling == filling_) {
    rows_[slot.row].words += words;
    return;
  }
  slot = {filling_, static_cast<std::uint32_t>(rows_.size())};
  rows_.push_back({site, place, words});
  if (rows_.size() * 2 > slots_.size()) grow();
}

void PlaceTally::grow() {
  slots_.assign(slots_.size() * 2, {});
  for (std::uint32_t i = 0; i < rows_.size(); i++)
    slot_of(rows_[i].site, rows_[i].place) = {filling_, i};
}

std::span<const PlaceTally::Row> PlaceTally::by_site() {
  std::ranges::sort(rows_, {}, [](const Row& row) { return std::tie(row.site, row.place); });
  return rows_;
}

void PlaceTally::sort_by_place(std::span<Row> rows) {
  std::ranges::sort(rows, {}, [](const Row& row) { return std::tie(row.place, row.site); });
}

}  // namespace memprof::backend
