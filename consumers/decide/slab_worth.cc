// slab_worth.cc - what an arena saves where its objects do not miss the TLB.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/decide/slab_worth.h"

#include <algorithm>

#include "consumers/decide/huge_pages.h"

namespace memprof::decide {
namespace {

// Below this share of the lines, other things decide which of the two is better: which line an object begins
// in, and what is allocated between the objects.
constexpr double k_least_denser = 0.15;
// Of the small objects that are alive, the share that makes the others not matter.
constexpr double k_alone = 0.9;

bool alone(const ObjectFacts& facts) {
  return static_cast<double>(facts.span) >= k_alone * static_cast<double>(facts.small_bytes);
}

}  // namespace

std::uint64_t heap_object_bytes(std::uint64_t bytes) {
  return std::max<std::uint64_t>(32, (bytes + 8 + 15) & ~std::uint64_t{15});
}

SlabWorth slab_worth(const ObjectFacts& facts, const CostModel& model) {
  SlabWorth worth;
  const std::uint64_t slab = slab_bytes(facts);
  if (slab == 0 || aligned(facts.allocator) || !alone(facts)) return worth;
  const double apart = static_cast<double>(heap_object_bytes(facts.bytes / facts.objects));
  worth.denser = std::max(0.0, 1 - static_cast<double>(slab) / apart);
  if (worth.denser >= k_least_denser)
    worth.line_cycles = worth.denser * (facts.l1_misses * model.l1_miss_cycles +
                                        facts.l2_misses * model.l2_miss_cycles);
  if (facts.span >= model.min_reuse_bytes) {
    const double bytes = static_cast<double>(facts.bytes), span = static_cast<double>(facts.span);
    worth.reused = static_cast<double>(facts.objects) * std::max(0.0, 1 - span / bytes);
    worth.reuse_cycles = worth.reused * model.reuse_cycles;
  }
  return worth;
}

bool repays(const SlabWorth& worth, const ObjectFacts& facts, const CostModel& model) {
  const double program = static_cast<double>(facts.program_accesses);
  return worth.cycles() >= std::max(model.min_arena_cycles, model.min_arena_share * program);
}

}  // namespace memprof::decide
