// object_manager.h - any address to the object that lives there.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Three tables over the address space lead to rows, one per live object:
//
//     regions    u32 per 4 GB   row              a large object covers it all
//     pages      u32 per 4 KB   0                nothing lives in the page, but
//                                                for what covers its region
//                               row              a large object covers it all
//                               k_flag           look at the granules
//     granules   u32 per 16 B   0                nothing lives in the granule
//                               row              one object does
//                               k_flag | list    several do
//
// Objects of at least k_large bytes set the regions and pages that they cover
// wholly, and granules only at their two ends: a birth of 64 TB, as of a
// database that maps more than it will ever hold, writes 8 MB at most, and a
// random walk over it touches 4 bytes per region. Malloc's objects never share a
// granule; globals and objects of custom allocators may, down to 1 byte each.
//
// A row is 24 bytes: base, size, group, serial number. Rows of dead objects
// are used again, the latest first, so that they stay as dense as the heap.
//
// A birth kills what it overlaps (its death was not seen) and counts that.
// Wu et al., CGO 2004: the object management component.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "runtime/backend/base/sparse_table.h"
#include "runtime/backend/event/batch.h"
#include "runtime/backend/program/group_table.h"

namespace memprof::backend {

struct Object {
  std::uint64_t base;
  std::uint64_t size_and_flags;
  GroupId group;
  std::uint32_t serial;

  static constexpr std::uint64_t k_cached = std::uint64_t{1} << 63;
  static constexpr std::uint64_t k_worth_caching = std::uint64_t{1} << 62;
  std::uint64_t size() const { return size_and_flags & ~(k_cached | k_worth_caching); }
  // Whether its accessor should keep its range: objects at least so large, and variables.
  static constexpr std::uint64_t k_cache_bytes = 256;
  bool worth_caching() const { return (size_and_flags & k_worth_caching) != 0; }
  std::uint64_t end() const { return base + size(); }
  // In bytes, as far as 32 bits can say it.
  std::uint32_t short_size() const {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(size(), ~std::uint32_t{0}));
  }
};

class ObjectManager {
 public:
  explicit ObjectManager(GroupTable& groups);

  // The object that holds the byte at ADDRESS, or null. The pointer is good
  // until the next birth or death.
  Object* find(std::uint64_t address) {
    if (address >> k_address_bits) [[unlikely]] return nullptr;
    // Most objects that are looked up are small, and large ones have granules at their ends only.
    std::uint32_t cell = granules_.get(address);
    if (cell == 0) {
      cell = pages_.get(address);
      if (cell == k_flag) return nullptr;
      if (cell == 0) cell = regions_[address >> k_region_bits];
    } else if (cell & k_flag) [[unlikely]] {
      return find_shared(cell, address);
    }
    Object* object = &rows_[cell];  // row 0 has size 0
    return address - object->base < object->size() ? object : nullptr;
  }

  // Ask for what find() reads: first for the place of the address, then, when that has
  // had time to come, for the object. Any word will do: what is no address asks in vain.
  // See ShadowMemory::prefetch.
  [[gnu::always_inline]] void prefetch_place(std::uint64_t word) const {
    __builtin_prefetch(granules_.place_of_any(word));
  }
  [[gnu::always_inline]] void prefetch_object(std::uint64_t word) const {
    __builtin_prefetch(&rows_[*granules_.place_of_any(word)]);
  }

  // Makes an object; evicted() are those that had to die for it. An object of 0 bytes
  // has no byte that find() could find, and nothing else has to die for it, but what was empty
  // at the same address. Null if the range is no user memory.
  const Object* birth(std::uint64_t base, std::uint64_t size, GroupId group);
  // Makes an object inside a block, which stays (carved_objects.cc). Null if nothing was made:
  // it is there already, or the range is no user memory.
  const Object* carve(std::uint64_t base, std::uint64_t size, GroupId group);
  // All that overlaps these bytes dies: returns it, pieces too, and adds the BLOCKS that began there.
  std::vector<Object> clear(std::uint64_t base, std::uint64_t size, std::vector<Object>& blocks);
  // Makes an object of what is left of a block or a mapping: it counts as none of its group.
  void put_piece(std::uint64_t first, std::uint64_t last, GroupId group);
  static bool piece_p(const Object& object) { return object.serial >= k_first_piece; }
  feedback::GroupKind kind(const Object& object) const { return groups_[object.group].kind; }
  // The object that begins at ADDRESS, the empty one last, or null.
  const Object* begins_at(std::uint64_t address);
  const std::vector<Object>& evicted() const { return evicted_; }
  // The object that began at ADDRESS and is dead now; evicted() are those carved from it.
  std::optional<Object> death(std::uint64_t address);
  // True only if no byte of [first, last) belongs to an object; may be false
  // when an object merely lives in the same 16 bytes.
  bool nothing_in(std::uint64_t first, std::uint64_t last) const;

  // Code that keeps the range of an object marks it; the epoch changes when a
  // marked object dies.
  void mark_cached(Object& object) { object.size_and_flags |= Object::k_cached; }
  std::uint32_t epoch() const { return epoch_; }
  // A small object was found TIMES times in a row. It is worth caching if that is
  // often. Its death would make all forget what they keep: so each one doubles what often is.
  void found_again(Object& object, std::uint64_t times) const {
    if (times >= often_) object.size_and_flags |= Object::k_worth_caching;
  }

  // Calls FN with every object, in no order.
  template <typename Fn>
  void for_each(Fn&& fn) const {
    for (std::uint32_t row = 1; row < rows_used_; row++)
      if (const Object& object = rows_[row]; object.size()) fn(object);
    for (const auto& [base, object] : empty_) fn(object);
  }

  std::uint64_t births() const { return births_; }
  std::uint64_t live() const { return live_; }
  std::uint64_t bytes_alive() const { return bytes_alive_; }  // of the heap and of mappings
  std::uint64_t evictions() const { return evictions_; }
  std::uint64_t unknown_deaths() const { return unknown_deaths_; }

 private:
  static constexpr std::uint32_t k_flag = 0x80000000;
  static constexpr std::uint64_t k_page = 4096, k_large = 8192;
  // A leaf of the table of pages, so that those of a region need not be there.
  static constexpr int k_region_bits = 32;
  static constexpr std::uint64_t k_region = std::uint64_t{1} << k_region_bits;
  // 24 bytes each: more than a machine with 256 GB can hold of the smallest.
  static constexpr std::size_t k_max_live = std::size_t{1} << 29;

  // Whether a small object may be born there at once: all of it is in one page, and its granules
  // are empty, as those of malloc's objects are.
  bool take_empty(std::uint64_t first, std::uint64_t last, std::uint32_t row);
  // The same anywhere; what it overlaps dies.
  void take_any(std::uint64_t first, std::uint64_t last, std::uint32_t row);
  // Whether a small object that has its granules to itself has left them.
  bool leave_own(const Object& object);
  static bool in_one_page(std::uint64_t first, std::uint64_t last) {
    return first / k_page == (last - 1) / k_page;
  }
  // Of what is in one page.
  std::span<std::uint32_t> granules_of(std::uint64_t first, std::uint64_t last) {
    return {&granules_.at(first), ((last - 1) >> 4) - (first >> 4) + 1};
  }
  const Object* put(std::uint64_t base, std::uint64_t size, GroupId group);
  struct Block {
    Object whole;
  };
  static constexpr std::uint32_t k_first_piece = 0x80000000;  // serial numbers of pieces
  Block* divided_block(std::uint64_t first, std::uint64_t last);
  Block* block_at(std::uint64_t first, std::uint64_t last, GroupId group);
  void regroup(Object& block);
  std::optional<Object> end_block(std::uint64_t address);
  void evict_empty(std::uint64_t first, std::uint64_t last);
  std::uint32_t take_row();
  Object* find_shared(std::uint32_t cell, std::uint64_t address);
  enum class Part { granules, pages, regions };
  template <typename Fn>
  static void for_parts(std::uint64_t first, std::uint64_t last, Fn&& fn);
  void set_part(std::uint64_t first, std::uint64_t last, Part part, std::uint32_t row);
  void clear_part(std::uint64_t first, std::uint64_t last, Part part, std::uint32_t row);
  template <typename Fn, typename Granules>
  bool look_through(std::uint64_t first, std::uint64_t last, Fn&& fn, Granules&& granules) const;
  void set_granules(std::uint64_t first, std::uint64_t last, std::uint32_t row);
  void clear_granules(std::uint64_t first, std::uint64_t last,
                      std::uint32_t row);
  void evict(std::uint64_t first, std::uint64_t last);
  void kill(std::uint32_t row);
  static constexpr std::uint64_t k_often = 32, k_very_often = std::uint64_t{1} << 32;
  std::uint32_t row_of(const Object* object) const {
    return static_cast<std::uint32_t>(object - &rows_[0]);
  }

  static bool heap_p(const GroupCounts& group) {
    return group.kind == feedback::GroupKind::heap || group.kind == feedback::GroupKind::mapped;
  }
  // BYTES of GROUP come alive, or die.
  void begin_life(GroupCounts& group, std::uint64_t bytes) {
    group.live += bytes;
    if (heap_p(group)) bytes_alive_ += bytes;
  }
  void end_life(GroupCounts& group, std::uint64_t bytes) {
    group.live -= bytes;
    if (heap_p(group)) bytes_alive_ -= bytes;
  }

  GroupTable& groups_;
  std::vector<std::uint32_t> regions_;
  SparseTable<std::uint32_t, 12> pages_;
  SparseTable<std::uint32_t, 4> granules_;
  SparseArray<Object> rows_;
  std::uint32_t rows_used_ = 1;
  std::vector<std::uint32_t> free_rows_;
  std::vector<std::vector<std::uint32_t>> lists_;  // rows in a shared granule
  std::vector<std::uint32_t> free_lists_;
  std::map<std::uint64_t, Object> empty_;  // objects of 0 bytes, by address
  std::map<std::uint64_t, Block> blocks_;  // that objects were carved from, by base
  std::uint32_t pieces_ = 0;               // that there have been
  std::vector<Object> evicted_;
  std::vector<std::uint32_t> overlapping_;
  std::uint64_t often_ = k_often;  // see found_again()
  std::uint32_t epoch_ = 1;
  std::uint64_t births_ = 0, live_ = 0, evictions_ = 0, unknown_deaths_ = 0;
  std::uint64_t bytes_alive_ = 0;
};

}  // namespace memprof::backend
