// heap_pages_test.cc - which allocation calls make huge pages for malloc's heap.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/decide/heap_pages.h"
#include "consumers/decide/huge_pages.h"

#include <gtest/gtest.h>

namespace {

using namespace memprof;
using decide::AllocationIndex;
using decide::CostModel;
using decide::Decision;
using decide::HeapFacts;
using decide::ObjectFacts;
using decide::Reason;

// A tree that is built and walked once.
ObjectFacts nodes() {
  ObjectFacts facts;
  facts.allocator = "malloc";
  facts.objects = 131071;
  facts.bytes = facts.span = 131071 * 32;
  facts.accesses = 1000000;
  facts.program_accesses = 2100000;
  return facts;
}

HeapFacts heap_of(const ObjectFacts& facts) {
  HeapFacts heap;
  heap.bytes = facts.span;
  heap.allocated = facts.bytes;
  heap.accesses = facts.accesses;
  heap.program_accesses = facts.program_accesses;
  heap.faults = static_cast<double>(facts.span) / 4096;
  return heap;
}

Decision decide_it(const ObjectFacts& facts, const HeapFacts& heap) {
  return decide::decide_allocation({}, facts, heap, nullptr, CostModel{});
}

bool shares(const ObjectFacts& facts, const HeapFacts& heap) {
  const Decision decision = decide_it(facts, heap);
  return decision.take() && decision.count("blocks", 1) == 0 && decision.count("heap") > 0;
}

TEST(HeapPages, SparesPageFaultsOfWhatTheTlbReaches) {
  EXPECT_EQ(decide_huge_pages({}, nodes(), nullptr, CostModel{}).reason, Reason::fits_tlb);
  const Decision decision = decide_it(nodes(), heap_of(nodes()));
  EXPECT_TRUE(shares(nodes(), heap_of(nodes())));
  // 1024 faults, of 1500 cycles less a 512th of 100,000.
  EXPECT_NEAR(decision.number("saved_cycles"), 1336000, 1000);
  EXPECT_EQ(decision.text,
            "huge pages for malloc's heap: 131071 objects of 32 bytes in 4.2 MB, 1024 page "
            "faults and 0 misses of the TLB, worth 1.3 million cycles");
}

// Each begins a line of its own, which an arena does not give: they stay in the heap.
TEST(HeapPages, KeepsSmallObjectsWithAnAlignment) {
  ObjectFacts facts = nodes();
  facts.bytes = facts.span = std::uint64_t{64} << 20;
  facts.accesses = 20000000;
  facts.program_accesses = 40000000;
  facts.modelled_misses = 10000000;
  EXPECT_TRUE(decide_huge_pages({}, facts, nullptr, CostModel{}).take());
  EXPECT_FALSE(shares(facts, heap_of(facts)));
  for (const char* allocator : {"memalign", "aligned_alloc", "posix_memalign"}) {
    facts.allocator = allocator;
    EXPECT_TRUE(decide_huge_pages({}, facts, nullptr, CostModel{}).take()) << allocator;
    EXPECT_TRUE(shares(facts, heap_of(facts))) << allocator;
  }
  facts.allocator = "valloc";
  EXPECT_EQ(decide_it(facts, heap_of(facts)).reason, Reason::wrapped);
}

TEST(HeapPages, LeavesWhatHasAnArena) {
  ObjectFacts facts = nodes();
  facts.objects *= 16;
  facts.bytes = facts.span *= 16;
  facts.page_changes = 1000000;
  const Decision decision = decide_it(facts, heap_of(facts));
  EXPECT_TRUE(decision.take());
  EXPECT_EQ(decision.count("heap"), 0u);
}

TEST(HeapPages, LeavesSmallSparseAndBusyHeaps) {
  const ObjectFacts facts = nodes();
  HeapFacts heap = heap_of(facts);
  heap.bytes = 1000000;
  EXPECT_FALSE(shares(facts, heap));
  heap = heap_of(facts);
  heap.accesses = 2000;
  EXPECT_FALSE(shares(facts, heap));
  heap = heap_of(facts);
  heap.program_accesses = 3000000000;  // 1.3 million cycles are 0.04 %
  EXPECT_FALSE(shares(facts, heap));
  heap.misses = 10000;
  EXPECT_TRUE(shares(facts, heap));
}

TEST(HeapPages, LeavesCallsThatMakeLittleOfTheHeap) {
  HeapFacts heap = heap_of(nodes());
  heap.allocated = 99 * nodes().bytes;
  EXPECT_TRUE(shares(nodes(), heap));
  heap.allocated = 101 * nodes().bytes;
  EXPECT_FALSE(shares(nodes(), heap));
}

TEST(HeapPages, TakesLargeBlocksThatAreTouched) {
  ObjectFacts facts = nodes();
  facts.objects = 1;
  facts.bytes = facts.span = 32 << 20;
  EXPECT_TRUE(shares(facts, heap_of(facts)));
  HeapFacts heap = heap_of(facts);
  facts.accesses = 10000;  // of 8192 pages
  EXPECT_FALSE(shares(facts, heap));
}

// Of two large arrays one misses: huge pages for the heap are for both.
TEST(HeapPages, TakesAllLargeBlocksWhereSomeMiss) {
  ObjectFacts facts = nodes();
  facts.objects = 2;
  facts.bytes = facts.span = 2 * 16 << 20;
  facts.accesses = 4000000;
  facts.program_accesses = 8000000;
  facts.modelled_misses = 1000000;
  facts.blocks = {{16 << 20, 2000000, 0}, {16 << 20, 2000000, 1000000}};
  const Decision own = decide_huge_pages({}, facts, nullptr, CostModel{});
  ASSERT_TRUE(own.take());
  EXPECT_EQ(own.count("blocks"), 2u);
  EXPECT_TRUE(shares(facts, heap_of(facts)));
  facts.hot_blocks = 2;  // it is known that page tables are read from memory for the second
  EXPECT_EQ(decide_it(facts, heap_of(facts)).count("blocks"), 2u);
  facts.hot_blocks.reset();
  HeapFacts sparse = heap_of(facts);
  sparse.accesses = 2000;
  EXPECT_EQ(decide_it(facts, sparse).count("blocks"), 2u);
}

TEST(HeapPages, LeavesWhatMallocIsNotCalledFor) {
  ObjectFacts facts = nodes();
  facts.allocator = "strdup";
  EXPECT_EQ(decide_it(facts, heap_of(facts)).reason, Reason::wrapped);
  facts.allocator = "xmalloc";
  EXPECT_TRUE(shares(facts, heap_of(facts)));
  facts = nodes();
  facts.kind = feedback::GroupKind::mapped;
  EXPECT_EQ(decide_it(facts, heap_of(facts)).reason, Reason::not_heap);
}

TEST(HeapPages, ObeysVetoes) {
  decide::Candidate candidate;
  candidate.veto = "veto:1";
  const Decision decision =
      decide::decide_allocation(candidate, nodes(), heap_of(nodes()), nullptr, CostModel{});
  EXPECT_EQ(decision.reason, Reason::vetoed);
}

// 40 arrays of 1 MB one after the other, and nodes; the arena's objects count for nothing.
TEST(HeapPages, CountsTheFaultsOfEachLargeBlock) {
  feedback::Profile profile;
  profile.run.accesses = 500000000;
  const auto add = [&](feedback::Id id, std::uint64_t objects, std::uint64_t bytes,
                       std::uint64_t span) {
    feedback::Group group;
    group.id = id;
    group.file = "a.c";
    group.line = static_cast<std::uint32_t>(id);
    group.allocator = "malloc";
    group.objects = objects;
    group.bytes = bytes;
    group.span = span;
    group.accesses = 1000;
    profile.groups.push_back(group);
  };
  add(1, 40, 40 << 20, 1 << 20);
  add(2, 1000, 48000, 48000);
  add(3, 1000000, 80000000, 80000000);
  profile.cache.push_back({});
  profile.cache.back().group = 3;
  profile.cache.back().tlb = 10000000;
  add(4, 1, 64 << 20, 64 << 20);
  CostModel model;
  const HeapFacts heap = decide::heap_facts(AllocationIndex(profile, model), model);
  EXPECT_EQ(heap.bytes, (65u << 20) + 48000u);
  EXPECT_EQ(heap.allocated, (104u << 20) + 48000u);
  EXPECT_NEAR(heap.faults, 104 * 256 + 48000 / 4096.0, 0.1);
  EXPECT_EQ(heap.accesses, 3000u);
  model.input_scale = 4;
  EXPECT_EQ(decide::heap_facts(AllocationIndex(profile, model), model).bytes,
            4 * ((65u << 20) + 48000u));
}

}  // namespace
