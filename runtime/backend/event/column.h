// column.h - the executions of one site in a batch, one after the other.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A column lists what one site did during the batch, in the order of time. It is a chain of
// chunks; each chunk has up to 23 items; each item has an address, a time and the number of its
// target, which says what is the same for many items: object, group, width, thread.
//
//     for (const Column& column : batch.columns)
//       Batch::for_items(column, [&](const Item& item) { ... batch.group_of(item) ... });
#pragma once

#include <cstdint>

#include "runtime/backend/base/ids.h"

namespace memprof::backend {

// What consecutive executions of a site have in common.
struct Target {
  std::uint64_t base;    // of the object: offset = address - base
  std::uint64_t width;   // bytes
  GroupId group;         // 0, and base 0: the address belongs to no live object
  std::uint32_t object;  // serial number in its group
  std::uint32_t thread;
  std::uint32_t object_bytes = 0;  // see Object::short_size
};

// One execution, or a RangeAccess that represents many.
struct Item {
  std::uint64_t address;
  std::uint32_t time;    // accesses between the start of the batch and this one
  std::uint32_t target;  // index in Batch::targets, or k_range_item | number of
                         // the RangeAccess
};
inline constexpr std::uint32_t k_range_item = 0x80000000;

// The decoder writes many columns in turn; chunks let each of them grow in place. The link to the
// next chunk is in the first line of memory, which a reader loads first anyway.
struct Chunk {
  static constexpr std::uint32_t k_size = 23;
  Chunk* next;
  bool mixed;  // the items may have different targets
  alignas(16) Item items[k_size];

  // Prefetches the first two lines; the processor's own prefetcher continues.
  [[gnu::always_inline]] void prefetch() const {
    __builtin_prefetch(this);
    __builtin_prefetch(reinterpret_cast<const char*>(this) + 64);
  }
  // The chunk whose items end at END.
  static Chunk& that_ends(Item* end) {
    return *reinterpret_cast<Chunk*>(reinterpret_cast<char*>(end) - sizeof(Chunk));
  }
};
static_assert(sizeof(Chunk) == 384);

struct Column {
  SiteId site;
  std::uint32_t size;  // items
  Chunk* first;
};

}  // namespace memprof::backend
