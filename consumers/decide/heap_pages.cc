// heap_pages.cc - whether malloc's own heap gets huge pages.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Problem: an arena is for the objects of one call, and only where they miss the TLB.  But
// each page of 4 KB that a program touches for the first time costs a page fault, 512 times
// as many as with pages of 2 MB.  A program that builds a tree and walks it once spends a
// third of its time in them.  And many small kinds of objects miss the TLB together
// although none does by itself.
//
// Before:                              After:
//
//   n = malloc (sizeof *n);              n = __mprt_hot_malloc (sizeof *n, &heap_cell);
//                                          // = malloc, which then looks whether the heap
//                                          // has grown (runtime/arena/arena_heap.cc)
//
// The heap is what malloc gives out, without what has an arena.  Objects below 32 MB are in
// one piece of memory; larger ones are mapped by themselves, and get huge pages one by one.
//
// Gates, after those of an arena have refused one (fits-tlb, few-misses, middle-size,
// unrepaid), or have granted one to small objects with an alignment, which cannot have it, or to
// some of a call's large ones only:
//
//   1. part      the objects of the call are 1 % of what the program allocates: the others
//                need not look
//   2. size      1 MB of heap.  Training inputs are small; where the heap stays small in
//                the rebuilt program, nothing is done at run time
//   3. sparse    each small page of the heap is accessed some times, and of the objects
//   4. worth     page faults and misses of the TLB spared are 0.05 % of the time, with one
//                cycle for each access of the program
//
// Page faults: those of the peak of the heap; of objects of 128 KB and more, those of each
// object, because malloc may return such memory to the system when it is freed.
//
// Example: a tree of 131,071 nodes of 32 bytes: 4.2 MB, 1024 pages, at 1500 cycles each
// 1.5 million; two huge pages for 0.2 million.  1.3 million are 62 % of the time of 2.1
// million accesses: taken.
//
// What it does not do: heaps of other threads than the first, which malloc maps elsewhere.
#include "consumers/decide/heap_pages.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "consumers/decide/co_allocation.h"
#include "consumers/decide/huge_pages.h"
#include "consumers/decide/text.h"
#include "consumers/decide/whole.h"

namespace memprof::decide {
namespace {

// As malloc's first threshold (DEFAULT_MMAP_THRESHOLD).
constexpr double k_mapped_at_first = 128 << 10;
// As in runtime/arena/arena.h: the largest object of a slab.
constexpr double k_largest_small = 32 << 10;

double mean_bytes(const ObjectFacts& facts) {
  return static_cast<double>(facts.bytes) / std::max(1.0, static_cast<double>(facts.objects));
}

// Whether the objects leave malloc's heap.  An arena has no small ones with an alignment.  Of large ones
// some may be chosen for their misses: then the heap is better for all, as it spares the faults of the
// others, too, unless it is known which of them the page walks are for.
bool leaves_heap(const ObjectFacts& facts, const Decision& own) {
  const bool some = own.count("blocks", k_all_blocks) != k_all_blocks && !facts.hot_blocks;
  const bool aligned_small = aligned(facts.allocator) && mean_bytes(facts) <= k_largest_small;
  return own.take() && !aligned_small && !some;
}

}  // namespace

double worth_of_pages(double faults, double misses, const CostModel& model) {
  const double small_pages = static_cast<double>(model.huge_page_bytes) / model.page_bytes;
  return misses * model.tlb_miss_cycles +
         faults * (model.page_fault_cycles - model.huge_page_cycles / small_pages);
}

HeapFacts heap_facts(const AllocationIndex& index, const CostModel& model) {
  HeapFacts heap;
  for (const auto& [key, facts] : index.entries()) {
    if (facts.kind != feedback::GroupKind::heap || shares_arena(facts, model) ||
        leaves_heap(facts, decide_huge_pages({}, facts, nullptr, model)))
      continue;
    heap.bytes += facts.span;
    heap.allocated += facts.bytes;
    heap.accesses += facts.accesses;
    heap.program_accesses = facts.program_accesses;
    heap.misses += facts.modelled_misses;
    const bool each = mean_bytes(facts) >= k_mapped_at_first;
    heap.faults += static_cast<double>(each ? facts.bytes : facts.span) / model.page_bytes;
  }
  const auto grow = [&](std::uint64_t& count) {
    count = whole(static_cast<double>(count) * model.input_scale);
  };
  grow(heap.bytes);
  grow(heap.accesses);
  grow(heap.program_accesses);
  heap.faults *= model.input_scale;
  heap.misses *= model.input_scale;
  return heap;
}

Decision decide_allocation(const Candidate& candidate, const ObjectFacts& facts,
                           const HeapFacts& heap, const AllocationCode* code,
                           const CostModel& model) {
  Decision own = decide_huge_pages(candidate, facts, code, model);
  const double worth = worth_of_pages(heap.faults, heap.misses, model);
  const bool stays = own.take() ? !leaves_heap(facts, own) : too_few_misses(own.reason) || own.reason == Reason::middle_size;
  if (!stays || !dense(facts.accesses, facts.span, model) ||
      hollow(facts.large, facts.resident) ||
      static_cast<double>(facts.bytes) < model.min_heap_part * static_cast<double>(heap.allocated) ||
      heap.bytes < model.min_heap_bytes ||
      !dense(heap.accesses, heap.bytes, model) ||
      worth < model.min_heap_share * static_cast<double>(heap.program_accesses))
    return own;
  Decision shared = conclude(
      candidate, Transformation::huge_pages, Reason::taken,
      "huge pages for malloc's heap: " +
          format("%.0f objects of ", static_cast<double>(facts.objects)) +
          format("%.0f bytes in ", mean_bytes(facts)) + bytes_text(heap.bytes) +
          format(", %.0f page faults", heap.faults) +
          format(" and %.0f misses of the TLB, ", heap.misses) +
          format("worth %.1f million cycles", worth / 1e6));
  // Of what the heap saves, the part of this call: other calls have theirs.
  const double part =
      static_cast<double>(facts.bytes) / std::max(1.0, static_cast<double>(heap.allocated));
  shared.numbers = {{"objects", facts.objects},   {"span", facts.span},
                    {"accesses", facts.accesses}, {"heap", heap.bytes},
                    {"page_faults", heap.faults}, {"heap_misses", heap.misses},
                    {"saved_cycles", worth * part}, {"blocks", std::uint64_t{0}}};
  return shared;
}

}  // namespace memprof::decide
