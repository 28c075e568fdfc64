// window_reuse.cc - reuse distances of the accesses in windows, by site and memory.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/modules/reuse/window_reuse.h"

#include <algorithm>

namespace memprof::backend {

WindowReuse::MemoryId WindowReuse::memory_of(const WindowUse& use) {
  std::pair<GroupId, std::uint64_t> key{use.group, use.bytes >= k_large ? use.base : 0};
  auto it = memory_numbers_.find(key);
  if (it == memory_numbers_.end()) {
    if (memories_.size() >= k_most_memories) key.second = 0;
    const auto next = static_cast<MemoryId>(memories_.size());
    it = memory_numbers_.try_emplace(key, next).first;
    if (it->second == next) memories_.push_back({key.first, key.second});
  }
  Memory& memory = memories_[it->second];
  if (memory.base != 0) memory.bytes = std::max(memory.bytes, use.bytes);
  return it->second;
}

std::size_t WindowReuse::row_of(SiteId site, MemoryId memory) {
  const std::uint64_t key = std::uint64_t{site} << 32 | memory;
  const auto next = static_cast<std::uint32_t>(rows_.size());
  const std::uint32_t number = row_numbers_.add(key, next);
  if (number == next) rows_.push_back({site, memories_[memory].group, memory});
  return number;
}

void WindowReuse::add_row(SiteId site, GroupId group) {
  for (auto it = memory_numbers_.lower_bound({group, 0});
       it != memory_numbers_.end() && it->first.first == group; ++it)
    if (row_numbers_.find(std::uint64_t{site} << 32 | it->second)) return;
  row_of(site, memory_of({.group = group}));
}

void WindowReuse::note(std::size_t row, const Window& window, What what,
                       std::size_t number, double count) {
  const std::uint64_t part = window.number % k_parts;
  counts_.add(row * k_per_row + part * k_counts + what * DistanceClass::k_count + number) += count;
}

std::vector<WindowReuse::Parts> WindowReuse::parts() const {
  std::vector<Parts> parts(rows_.size());
  for (const auto& [key, count] : counts_.rows()) {
    const std::uint64_t in_row = key % k_per_row, of = in_row % k_counts;
    LifeTable& table = parts[key / k_per_row][in_row / k_counts];
    const std::uint64_t number = of % DistanceClass::k_count;
    switch (static_cast<What>(of / DistanceClass::k_count)) {
      case seen: table.seen[number] = count; break;
      case censored: table.censored[number] = count; break;
      case near: table.near[number] = count; break;
    }
  }
  return parts;
}

void WindowReuse::look_at(const WindowUse& use, Window& window, std::size_t row) {
  if (use.shift > window.shift) {
    window.shift = use.shift;
    window.stack.drop([&](std::uint64_t number) {
      return WindowSample::looked_at(WindowSample::hash(number), window.seed, window.shift);
    });
  }
  const std::uint64_t lines = window.stack.lines();
  const auto distance = window.stack.use(use.number);
  const std::size_t last =
      DistanceClass::of(distance ? *distance << window.shift : (lines << window.shift) + window.beyond);
  const bool is_near = last < LifeTable::near_limit(window.shift);
  if (distance && is_near)
    note(row, window, near, window.shift, 1);
  else
    note(row, window, distance ? seen : censored, last, 1);
  if (use.count == 1) return;
  const auto more = static_cast<double>(use.count - 1);
  if (window.shift == 0)
    note(row, window, seen, 0, more);
  else
    note(row, window, near, window.shift, more);
}

void WindowReuse::use(const WindowUse& use) {
  Window& window = open_[use.thread];
  if (use.kind == WindowUse::begin || use.kind == WindowUse::end) {
    if (window.number != 0) accesses_ += use.count;
    window.stack.clear();
    window.number = use.kind == WindowUse::begin ? ++windows_ : 0;
    window.seed = use.number;
    window.beyond = in_units(use.base);
    window.shift = 0;
    return;
  }
  if (use.kind == WindowUse::cut) {
    window.stack.clear();
    window.beyond = in_units(use.count);
    window.shift = 0;
    return;
  }
  if (use.kind != kind_ || window.number == 0) return;
  const MemoryId memory = memory_of(use);
  const std::size_t row = row_of(use.site, memory);
  if (use.marked) {
    const Footprint::Met met = footprint_.use(use.number, memory, window.number);
    // The later a window, the more has been met before.
    const auto weight = static_cast<double>(window.number * window.number);
    rows_[row].unmet += weight * (met != Footprint::Met::here);
    rows_[row].new_lines += weight * (met == Footprint::Met::never);
  }
  if (!use.looked_at) return;
  rows_[row].accesses += static_cast<double>(use.count << use.shift);
  look_at(use, window, row);
}

}  // namespace memprof::backend
