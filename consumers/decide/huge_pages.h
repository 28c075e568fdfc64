// huge_pages.h - which allocation calls get an arena with huge pages.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// decide_huge_pages is a pure function of what the profile says about the objects
// of one allocation call (ObjectFacts) and the machine (CostModel).  ArenaIndex
// gathers those facts over all modules of a profile.
#pragma once

#include <cstdint>
#include <map>
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
  double modelled_misses = 0, page_changes = 0;
};

struct ObjectFacts {
  feedback::GroupKind kind = feedback::GroupKind::heap;
  std::string allocator;
  std::uint64_t objects = 0, bytes = 0;
  std::uint64_t span = 0;           // peak of the bytes alive
  std::uint64_t accesses = 0;
  std::uint64_t program_accesses = 0;
  // Misses of the sites that a model of the TLB looked at; of the other sites,
  // the accesses that leave the page of the one before by the same site.
  double modelled_misses = 0;
  double page_changes = 0;
  // Of these, those of accesses line by line: the processor looks up the next page
  // before they get there.
  double ordered_misses = 0, ordered_changes = 0;
  // By serial number; empty when there are many, or cannot be told apart.
  std::vector<BlockFacts> blocks;
};

enum class ArenaReason : std::uint8_t {
  taken,
  not_heap,        // mapped by the program, global, ...
  wrapped,         // by a function that is not known to be malloc's kind
  fits_tlb,        // the span is within the reach of the TLB
  few_misses,      // too few accesses change the page
  middle_size,     // too large for a slab, too small for pages of its own
  sparse,          // pages are hardly touched; huge ones would be waste
  unrepaid         // the misses spared are worth less than the first touch
};
const char* name(ArenaReason reason);

// Every object of a call.
constexpr std::uint64_t k_all_blocks = ~std::uint64_t{0};

struct ArenaAdvice {
  ArenaReason reason = ArenaReason::few_misses;
  ObjectFacts facts;
  // Which large objects of the call, by serial number (bit 0: the first); those
  // behind the last bit get no huge pages.
  std::uint64_t blocks = k_all_blocks;
  double misses = 0;        // of the TLB, expected
  double miss_share = 0;    // of the accesses of the whole program
  std::uint64_t reach = 0;  // bytes that the span was compared with
  // Of the objects that get them, or would: pages, and cycles that the misses
  // take and that the first touch of the pages does.
  std::uint64_t pages = 0;
  double saved_cycles = 0, touch_cycles = 0;

  bool take() const { return reason == ArenaReason::taken; }
  // One line, such as "site arena with huge pages: 1200000 objects of 48 bytes,
  // span 57.6 MB, ...".
  std::string text() const;
};

ArenaAdvice decide_huge_pages(const ObjectFacts& facts, const CostModel& model);

// The bytes from one object of BYTES to the next in an arena; 0: it is too large for
// a slab.
std::uint64_t slab_object_bytes(std::uint64_t bytes);

// Whether the rebuild can route calls of ALLOCATOR.
bool routable(const std::string& allocator);

class ArenaIndex {
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

  ArenaIndex(const feedback::Profile& profile, const CostModel& model);
  // Null when the profile saw no object of that call.
  const ObjectFacts* find(const Key& key) const;
  // Heap and mapped groups, in the order of the profile.
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  std::vector<Entry> entries_;
  std::map<Key, std::size_t> by_key_;
};

}  // namespace memprof::decide
