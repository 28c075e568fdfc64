// carved_objects.cc - objects inside of blocks: pools and arenas of the program's own.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// No two objects of the manager overlap, so a block out of which objects are carved is divided:
// what is carved is an object, and what is left of the block on both sides are pieces of it,
// objects of the block's group.
//
//     block   [0 ...................... 4096)   group malloc at pool.c:7
//     carve   [64, 96)
//     ->      [0, 64) piece, [64, 96) object of pool_get at a.c:3, [96, 4096) piece
//
// Carving the same bytes again ends the life of what was there. The death of the block is that of
// all that is in it.
#include <algorithm>
#include <utility>

#include "runtime/backend/program/object_manager.h"

namespace memprof::backend {

ObjectManager::Block* ObjectManager::divided_block(std::uint64_t first, std::uint64_t last) {
  auto it = blocks_.upper_bound(first);
  if (it == blocks_.begin()) return nullptr;
  --it;
  return last <= it->second.whole.end() ? &it->second : nullptr;
}

// The block that objects of GROUP are carved from at [first, last), or null: it is all of an object,
// or lies in none. A function that puts a header before what malloc gives is no pool.
ObjectManager::Block* ObjectManager::block_at(std::uint64_t first, std::uint64_t last,
                                              GroupId group) {
  if (Block* block = divided_block(first, last)) return block;
  Object* object = find(first);
  if (!object || last > object->end()) return nullptr;
  const bool most = last - first >= object->size() / 2;
  if (object->group == group ? most : last - first == object->size()) return nullptr;
  if (object->group == group) regroup(*object);
  return &(blocks_[object->base] = {*object});
}

// The call that carves the first object has also allocated BLOCK, which was taken for what the call
// returns.
void ObjectManager::regroup(Object& block) {
  feedback::Group name = groups_.name(block.group);
  name.context = "in " + name.allocator;
  name.allocator = "malloc";
  name.type.clear();
  const GroupId other = groups_.intern(std::move(name));
  GroupCounts& from = groups_[block.group];
  GroupCounts& to = groups_[other];
  from.objects--, to.objects++;
  from.bytes -= block.size(), to.bytes += block.size();
  end_life(from, block.size());
  begin_life(to, block.size());
  if (from.objects == 0) from.span = 0;
  to.span = std::max(to.span, to.live);
  block.group = other;
  block.serial = static_cast<std::uint32_t>(to.objects - 1);
}

void ObjectManager::put_piece(std::uint64_t first, std::uint64_t last, GroupId group) {
  if (first >= last) return;
  const std::uint32_t row = take_row();
  live_++;
  begin_life(groups_[group], last - first);
  if (!take_empty(first, last, row)) take_any(first, last, row);
  rows_[row] = {first, last - first, group, k_first_piece + pieces_++};
}

const Object* ObjectManager::carve(std::uint64_t base, std::uint64_t size, GroupId group) {
  evicted_.clear();
  const std::uint64_t end = base + size;
  const std::uint64_t limit = std::uint64_t{1} << k_address_bits;
  if (base >= limit || size >= limit - base) return nullptr;
  if (size == 0) return begins_at(base) ? nullptr : birth(base, size, group);
  Block* const block = block_at(base, end, group);
  if (!block) {
    // What malloc has just made for the call; or memory that nothing is known of.
    const Object* known = find(base);
    return known && end <= known->end() ? nullptr : birth(base, size, group);
  }
  const GroupId rest = block->whole.group;
  if (rest != group) groups_.note_parent(group, rest);
  evict(base, end);
  std::vector<Object> gone = std::exchange(evicted_, {});
  for (const Object& object : gone) {
    put_piece(object.base, base, rest);
    put_piece(end, object.end(), rest);
  }
  const Object* const made = put(base, size, group);
  // Pieces were not announced, so their end is not, either.
  std::erase_if(gone, piece_p);
  std::erase_if(gone, [block](const Object& o) { return o.base == block->whole.base &&
                                                        o.serial == block->whole.serial &&
                                                        o.group == block->whole.group; });
  evicted_ = std::move(gone);
  return made;
}

// The block that begins at ADDRESS dies with all that was carved from it.
std::optional<Object> ObjectManager::end_block(std::uint64_t address) {
  const auto it = blocks_.find(address);
  if (it == blocks_.end()) return {};
  const Object whole = it->second.whole;
  blocks_.erase(it);
  evict(whole.base, whole.end());
  std::erase_if(evicted_, piece_p);
  return whole;
}

std::vector<Object> ObjectManager::clear(std::uint64_t base, std::uint64_t size,
                                         std::vector<Object>& blocks) {
  evicted_.clear();
  const std::uint64_t limit = std::uint64_t{1} << k_address_bits;
  if (base >= limit || size >= limit - base) return {};
  for (auto it = blocks_.lower_bound(base); it != blocks_.end() && it->first < base + size;) {
    if (!piece_p(it->second.whole)) blocks.push_back(it->second.whole);
    it = blocks_.erase(it);
  }
  evict(base, base + size);
  return std::exchange(evicted_, {});
}

}  // namespace memprof::backend
