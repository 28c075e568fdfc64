// shadow_pools.h - memory for the pages of a shadow memory, by their form.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Internal to shadow/.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/backend/shadow/shadow_page.h"
#include "runtime/backend/shadow/shadow_pool.h"

namespace memprof::backend {

inline constexpr std::uint16_t k_capacities[] = {2, 4, 8, 16, 24};

constexpr std::size_t list_bytes(std::uint16_t capacity) {
  return sizeof(SegmentList) + capacity * sizeof(Segment);
}

// All bits of the offsets where its stores begin and end.
inline std::uint32_t bits_of(const Segment& s) {
  return s.first | s.end | s.width | s.step;
}

struct ShadowPools {
  Pool dense{sizeof(DensePage)}, compact{sizeof(CompactPage)}, chunks{k_chunk_bytes};
  Pool byte_cells{PlainPage{nullptr, 0}.bytes()}, pair_cells{PlainPage{nullptr, 1}.bytes()};
  Pool coarse{PlainPage{nullptr, PlainPage::k_coarse_shift}.bytes()};
  Pool lists[5]{Pool(list_bytes(2)), Pool(list_bytes(4)), Pool(list_bytes(8)),
                Pool(list_bytes(16)), Pool(list_bytes(24))};

  Pool& plain(const PlainPage& page) {
    return page.coarse() ? coarse : page.shift == 0 ? byte_cells : pair_cells;
  }
  static unsigned size_class(std::uint16_t capacity) {
    unsigned i = 0;
    while (k_capacities[i] < capacity) i++;
    return i;
  }
  SegmentList* take_list(std::uint16_t capacity) {
    const unsigned i = size_class(capacity);
    bool fresh;
    auto* list = static_cast<SegmentList*>(lists[i].take(&fresh));
    *list = {.size = 0, .capacity = k_capacities[i], .searches = 0};
    return list;
  }
  void give_list(SegmentList* list) { lists[size_class(list->capacity)].give(list); }
};

}  // namespace memprof::backend
