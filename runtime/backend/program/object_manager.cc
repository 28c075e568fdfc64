// object_manager.cc - any address to the object that lives there.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/program/object_manager.h"

#include <algorithm>

namespace memprof::backend {

ObjectManager::ObjectManager(GroupTable& groups)
    : groups_(groups),
      regions_(std::size_t{1} << (k_address_bits - k_region_bits)),
      rows_(k_max_live) {}

Object* ObjectManager::find_shared(std::uint32_t cell, std::uint64_t address) {
  for (std::uint32_t row : lists_[cell & ~k_flag])
    if (address - rows_[row].base < rows_[row].size()) return &rows_[row];
  return nullptr;
}

// Calls fn(a, b, part) for the parts of an object: the whole regions and pages of a large one and
// what is left at its ends, or the granules of a small one.
template <typename Fn>
void ObjectManager::for_parts(std::uint64_t first, std::uint64_t last, Fn&& fn) {
  // Whole units of the size UNIT, and what is left as the next smaller PART.
  const auto split = [](std::uint64_t a, std::uint64_t b, std::uint64_t unit, auto&& whole,
                        auto&& rest) {
    const std::uint64_t inner = (a + unit - 1) & ~(unit - 1), outer = b & ~(unit - 1);
    if (inner >= outer) {
      rest(a, b);
      return;
    }
    if (a < inner) rest(a, inner);
    whole(inner, outer);
    if (outer < b) rest(outer, b);
  };
  const auto granules = [&](std::uint64_t a, std::uint64_t b) { fn(a, b, Part::granules); };
  if (last - first < k_large) {
    granules(first, last);
    return;
  }
  split(first, last, k_page,
        [&](std::uint64_t a, std::uint64_t b) {
          split(a, b, k_region, [&](std::uint64_t c, std::uint64_t d) { fn(c, d, Part::regions); },
                [&](std::uint64_t c, std::uint64_t d) { fn(c, d, Part::pages); });
        },
        granules);
}

void ObjectManager::set_granules(std::uint64_t first, std::uint64_t last,
                                 std::uint32_t row) {
  pages_.fill(first, last, k_flag);
  for (std::uint64_t a = first & ~std::uint64_t{15}; a < last; a += 16) {
    std::uint32_t& cell = granules_.at(a);
    if (!cell) [[likely]] {
      cell = row;
      continue;
    }
    if (!(cell & k_flag)) {
      std::uint32_t list;
      if (free_lists_.empty()) {
        list = static_cast<std::uint32_t>(lists_.size());
        lists_.emplace_back();
      } else {
        list = free_lists_.back();
        free_lists_.pop_back();
      }
      lists_[list].push_back(cell);
      cell = k_flag | list;
    }
    lists_[cell & ~k_flag].push_back(row);
  }
}

void ObjectManager::clear_granules(std::uint64_t first, std::uint64_t last,
                                   std::uint32_t row) {
  for (std::uint64_t a = first & ~std::uint64_t{15}; a < last; a += 16) {
    std::uint32_t& cell = granules_.at(a);
    if (!(cell & k_flag)) {
      cell = 0;
      continue;
    }
    auto& list = lists_[cell & ~k_flag];
    std::erase(list, row);
    if (list.size() > 1) continue;
    free_lists_.push_back(cell & ~k_flag);
    cell = list.front();
    list.clear();
  }
}

void ObjectManager::set_part(std::uint64_t first, std::uint64_t last, Part part,
                             std::uint32_t row) {
  switch (part) {
    case Part::granules: set_granules(first, last, row); break;
    case Part::pages: pages_.fill(first, last, row); break;
    case Part::regions:
      pages_.clear(first, last);
      std::fill(&regions_[first >> k_region_bits], &regions_[last >> k_region_bits], row);
      break;
  }
}

void ObjectManager::clear_part(std::uint64_t first, std::uint64_t last, Part part,
                               std::uint32_t row) {
  switch (part) {
    case Part::granules: clear_granules(first, last, row); break;
    case Part::pages: pages_.clear(first, last); break;
    case Part::regions: set_part(first, last, part, 0); break;
  }
}

void ObjectManager::take_any(std::uint64_t first, std::uint64_t last, std::uint32_t row) {
  evict(first, last);
  for_parts(first, last, [&](std::uint64_t a, std::uint64_t b, Part part) {
    set_part(a, b, part, row);
  });
}

bool ObjectManager::take_empty(std::uint64_t first, std::uint64_t last, std::uint32_t row) {
  if (!in_one_page(first, last)) return false;
  std::uint32_t& page = pages_.at(first);
  if (page != k_flag && (page != 0 || regions_[first >> k_region_bits] != 0)) return false;
  const auto cells = granules_of(first, last);
  if (std::ranges::any_of(cells, [](std::uint32_t cell) { return cell != 0; })) return false;
  page = k_flag;
  std::ranges::fill(cells, row);
  return true;
}

bool ObjectManager::leave_own(const Object& object) {
  if (!in_one_page(object.base, object.end())) return false;
  const auto cells = granules_of(object.base, object.end());
  // Those in between belong to no other object.
  if (((cells.front() | cells.back()) & k_flag) != 0) return false;
  std::ranges::fill(cells, 0);
  return true;
}

std::uint32_t ObjectManager::take_row() {
  if (free_rows_.empty()) {
    if (rows_used_ == rows_.capacity()) throw std::bad_alloc();
    return rows_used_++;
  }
  const std::uint32_t row = free_rows_.back();
  free_rows_.pop_back();
  return row;
}

const Object* ObjectManager::birth(std::uint64_t base, std::uint64_t size,
                                   GroupId group) {
  if (!blocks_.empty()) blocks_.erase(base);
  return put(base, size, group);
}

const Object* ObjectManager::put(std::uint64_t base, std::uint64_t size, GroupId group) {
  evicted_.clear();
  const std::uint64_t limit = std::uint64_t{1} << k_address_bits;
  if (base >= limit || size >= limit - base) return nullptr;
  if (!empty_.empty()) evict_empty(base, base + std::max<std::uint64_t>(size, 1));
  GroupCounts& counts = groups_[group];
  const auto serial = static_cast<std::uint32_t>(counts.objects);
  births_++, live_++;
  counts.objects++;
  counts.bytes += size;
  begin_life(counts, size);
  counts.span = std::max(counts.span, counts.live);
  if (size == 0) return &(empty_[base] = {base, 0, group, serial});
  const std::uint64_t end = base + size;
  const std::uint32_t row = take_row();
  if (!take_empty(base, end, row)) take_any(base, end, row);
  const bool worth_caching =
      size >= Object::k_cache_bytes || counts.kind == feedback::GroupKind::global;
  rows_[row] = {base, size | (worth_caching ? Object::k_worth_caching : 0), group, serial};
  return &rows_[row];
}

// Those at [first, last) die.
void ObjectManager::evict_empty(std::uint64_t first, std::uint64_t last) {
  for (auto it = empty_.lower_bound(first); it != empty_.end() && it->first < last;) {
    evicted_.push_back(it->second);
    evictions_++, live_--;
    it = empty_.erase(it);
  }
}

const Object* ObjectManager::begins_at(std::uint64_t address) {
  if (const Object* found = find(address); found && found->base == address) return found;
  const auto it = empty_.find(address);
  return it != empty_.end() ? &it->second : nullptr;
}

void ObjectManager::kill(std::uint32_t row) {
  const Object& object = rows_[row];
  if (object.size_and_flags & Object::k_cached) {
    epoch_++;
    if (object.size() < Object::k_cache_bytes && often_ < k_very_often) often_ *= 2;
  }
  if (!leave_own(object))
    for_parts(object.base, object.end(), [&](std::uint64_t a, std::uint64_t b, Part part) {
      clear_part(a, b, part, row);
    });
  end_life(groups_[object.group], object.size());
  rows_[row] = {};
  free_rows_.push_back(row);
  live_--;
}

std::optional<Object> ObjectManager::death(std::uint64_t address) {
  evicted_.clear();
  if (!blocks_.empty())
    if (auto block = end_block(address)) return block;
  const Object* found = begins_at(address);
  if (!found) {
    unknown_deaths_++;
    return {};
  }
  const Object object = *found;
  if (object.size() != 0) {
    kill(row_of(found));
  } else {
    empty_.erase(address);
    live_--;
  }
  return object;
}

// Calls fn(row) for what covers a region or page of [first, last), and granules(a, b) for pages
// that have some, as long as both say true. Rows may come more than once.
template <typename Fn, typename Granules>
bool ObjectManager::look_through(std::uint64_t first, std::uint64_t last, Fn&& fn,
                                 Granules&& granules) const {
  std::uint64_t page = first & ~(k_page - 1);
  while (page < last) {
    const std::uint32_t region = regions_[page >> k_region_bits];
    if (region && !fn(region)) return false;
    if (region || !pages_.written(page)) {
      page = (page | (k_region - 1)) + 1;
      continue;
    }
    const std::uint32_t cell = pages_.get(page);
    const std::uint64_t next = page + k_page;
    if (cell == k_flag) {
      if (!granules(std::max(page, first & ~std::uint64_t{15}), std::min(next, last)))
        return false;
    } else if (cell && !fn(cell)) {
      return false;
    }
    page = next;
  }
  return true;
}

void ObjectManager::evict(std::uint64_t first, std::uint64_t last) {
  overlapping_.clear();
  const auto note = [&](std::uint32_t row) {
    if (rows_[row].base < last && rows_[row].end() > first &&
        (overlapping_.empty() || overlapping_.back() != row))
      overlapping_.push_back(row);
    return true;
  };
  look_through(first, last, note, [&](std::uint64_t a, std::uint64_t b) {
    for (std::uint64_t g = a; g < b; g += 16) {
      const std::uint32_t inner = granules_.get(g);
      if (!inner) continue;
      if (!(inner & k_flag)) {
        note(inner);
        continue;
      }
      for (std::uint32_t row : lists_[inner & ~k_flag]) note(row);
    }
    return true;
  });
  std::sort(overlapping_.begin(), overlapping_.end());
  overlapping_.erase(std::unique(overlapping_.begin(), overlapping_.end()),
                     overlapping_.end());
  for (std::uint32_t row : overlapping_) {
    evicted_.push_back(rows_[row]);
    kill(row);
    evictions_++;
  }
}

bool ObjectManager::nothing_in(std::uint64_t first, std::uint64_t last) const {
  if (last > std::uint64_t{1} << k_address_bits) return false;
  return look_through(first, last, [](std::uint32_t) { return false; },
                      [&](std::uint64_t a, std::uint64_t b) { return granules_.zero(a, b); });
}

}  // namespace memprof::backend
