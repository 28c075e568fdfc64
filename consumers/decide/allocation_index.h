// allocation_index.h - what a profile says about the objects of an allocation call.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Gathers the rows of several modules (groups, cache, strides, points_to,
// object_relative, co_access) into the ObjectFacts that decide_huge_pages and decide_co_allocation work
// on.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "consumers/decide/cost_model.h"
#include "feedback/model.h"

namespace memprof::decide {

// One of few large objects of a call.
struct BlockFacts {
  std::uint64_t bytes = 0;  // up to the last one that was accessed
  std::uint64_t accesses = 0;
  // As in ObjectFacts, without what is read in order.
  double modelled_misses = 0, page_changes = 0, modelled_changes = 0;
};

// The arena that the call would share with others, or have for itself (co_allocation.h).
struct ArenaFacts {
  std::uint32_t number = 0;         // the same for all its calls; 0: the profile does not say
  std::vector<std::string> others;  // "a.c:31"
  feedback::CoAccess::Misses before, after;  // of all its calls
  feedback::CoAccess::Misses alone_before, ordered;  // of this call
  double program_cycles = 0;
  std::uint64_t object_bytes = 0;  // in the arena, from one object of this call to the next
};

struct ObjectFacts {
  feedback::GroupKind kind = feedback::GroupKind::heap;
  std::string allocator;
  bool carved = false;  // by a pool of the program, out of blocks that it has from malloc
  std::uint64_t objects = 0, bytes = 0;
  std::uint64_t span = 0;           // peak of the bytes alive
  std::uint64_t large = 0, resident = 0;  // as feedback::Group has them
  std::uint64_t accesses = 0;
  std::uint64_t program_accesses = 0;
  std::uint64_t small_bytes = 0;  // of all calls with objects that fit a slab, their spans
  // Misses of the sites that a model of the TLB looked at; of the other sites,
  // the accesses that leave the page of the one before by the same site.
  double modelled_misses = 0;
  double page_changes = 0;
  // Of the sites that the model of the TLB looked at: misses of L1 and L2, page changes.
  double l1_misses = 0, l2_misses = 0, modelled_changes = 0;
  // Of these, those of accesses line by line: the processor looks up the next page
  // before they get there.
  double ordered_misses = 0, ordered_changes = 0;
  // By serial number; empty when there are many, or cannot be told apart.
  std::vector<BlockFacts> blocks;
  // Of these, the ones that make the processor read page tables from memory (walk_rank.h; bit 0: the
  // first). None: the profile does not say.
  std::optional<std::uint64_t> hot_blocks;
  ArenaFacts arena;
  std::string watched;  // see watched_blocks.h

  // Adds the objects of another call. Single blocks and arenas of one call mean nothing then.
  void add(const ObjectFacts& other);
};

class AllocationIndex {
 public:
  // An allocation call: what a profile calls the group of its objects.
  struct Key {
    std::string file;
    std::uint32_t line = 0;
    std::string function, type;
    auto operator<=>(const Key&) const = default;
  };
  struct Entry {
    Key key;
    ObjectFacts facts;
  };

  AllocationIndex(const feedback::Profile& profile, const CostModel& model);
  // Null when the profile saw no object of that call.
  const ObjectFacts* find(const Key& key) const;
  // Heap and mapped groups, in the order of the profile.
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  std::vector<Entry> entries_;
  std::map<Key, std::size_t> by_key_;
};

}  // namespace memprof::decide
