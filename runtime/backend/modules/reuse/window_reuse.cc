// window_reuse.cc - reuse distances of the accesses in windows, by site and group.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/modules/reuse/window_reuse.h"

namespace memprof::backend {

std::size_t WindowReuse::row_of(SiteId site, GroupId group) {
  const std::uint64_t key = std::uint64_t{site} << 32 | group;
  const auto next = static_cast<std::uint32_t>(rows_.size());
  const std::uint32_t number = row_numbers_.add(key, next);
  if (number == next) rows_.push_back({site, group});
  return number;
}

void WindowReuse::note(std::size_t row, const Window& window, What what,
                       std::size_t distance_class, double count) {
  const std::uint64_t part = window.number % k_parts;
  counts_.add(row * k_per_row + part * k_counts + what * DistanceClass::k_count +
              distance_class) += count;
}

std::vector<WindowReuse::Parts> WindowReuse::parts() const {
  std::vector<Parts> parts(rows_.size());
  for (const auto& [key, count] : counts_.rows()) {
    const std::uint64_t in_row = key % k_per_row, of = in_row % k_counts;
    LifeTable& table = parts[key / k_per_row][in_row / k_counts];
    const auto what = static_cast<What>(of / DistanceClass::k_count);
    (what == entered ? table.entered : what == seen ? table.seen
                                                    : table.censored)[of % DistanceClass::k_count] =
        count;
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
  const std::size_t entry = entry_class(window.shift);
  const std::size_t last = DistanceClass::of(distance.value_or(lines) << window.shift);
  if (last >= entry) {
    note(row, window, entered, entry, 1);
    note(row, window, distance ? seen : censored, last, 1);
  }
  if (entry == 0 && use.count > 1) {
    const auto more = static_cast<double>(use.count - 1);
    note(row, window, entered, 0, more);
    note(row, window, seen, 0, more);
  }
}

void WindowReuse::use(const WindowUse& use) {
  Window& window = open_[use.thread];
  if (use.kind == WindowUse::begin || use.kind == WindowUse::end) {
    window.stack.clear();
    window.number = use.kind == WindowUse::begin ? ++windows_ : 0;
    window.seed = use.number;
    window.shift = 0;
    return;
  }
  if (use.kind != kind_ || window.number == 0) return;
  const std::size_t row = row_of(use.site, use.group);
  if (use.marked) {
    const Footprint::Met met = footprint_.use(use.number, use.group, window.number);
    rows_[row].unmet += met != Footprint::Met::here;
    rows_[row].new_lines += met == Footprint::Met::never;
  }
  if (!use.looked_at) return;
  rows_[row].accesses += static_cast<double>(use.count << use.shift);
  look_at(use, window, row);
}

}  // namespace memprof::backend
