// slab_worth_test.cc - what an arena saves where its objects do not miss the TLB.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/decide/slab_worth.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <cstdlib>

#include "consumers/decide/huge_pages.h"

namespace {

using namespace memprof;
using decide::CostModel;
using decide::ObjectFacts;
using decide::Reason;

// 100,000 objects of 32 bytes that miss the caches and not the TLB.
ObjectFacts small_objects() {
  ObjectFacts facts;
  facts.allocator = "malloc";
  facts.objects = 100000;
  facts.bytes = facts.span = 3200000;
  facts.accesses = facts.program_accesses = 100000000;
  facts.l1_misses = 2000000;
  facts.l2_misses = 1000000;
  return facts;
}

// As many, most of them where others have died.
ObjectFacts swept_objects() {
  ObjectFacts facts = small_objects();
  facts.span = 800000;
  facts.l1_misses = facts.l2_misses = 0;
  return facts;
}

Reason reason(const ObjectFacts& facts) { return decide::decide_huge_pages({}, facts, nullptr, {}).reason; }

TEST(SlabWorth, KnowsMalloc) {
  for (std::size_t bytes = 0; bytes < 1024; bytes++) {
    void* const p = std::malloc(bytes);
    EXPECT_EQ(decide::heap_object_bytes(bytes), malloc_usable_size(p) + 8) << bytes;
    std::free(p);
  }
}

TEST(SlabWorth, HeadersTakeLines) {
  const auto worth = decide::slab_worth(small_objects(), CostModel());
  EXPECT_NEAR(worth.denser, 1 / 3.0, 1e-9);  // 32 of 48
  EXPECT_NEAR(worth.line_cycles, (2e6 * 10 + 1e6 * 35) / 3, 1);
  EXPECT_EQ(worth.reuse_cycles, 0);
  ObjectFacts facts = small_objects();
  facts.bytes = facts.span = 24 * facts.objects;  // 32 either way
  EXPECT_EQ(decide::slab_worth(facts, CostModel()).cycles(), 0);
  facts.bytes = facts.span = 208 * facts.objects;  // 208 of 224: too little to move them
  EXPECT_EQ(decide::slab_worth(facts, CostModel()).cycles(), 0);
}

TEST(SlabWorth, DeadObjectsAreReused) {
  const auto worth = decide::slab_worth(swept_objects(), CostModel());
  EXPECT_NEAR(worth.reused, 75000, 1e-6);
  EXPECT_NEAR(worth.reuse_cycles, 75000 * 150, 1e-3);
  ObjectFacts few_alive = swept_objects();
  few_alive.span = 100000;
  EXPECT_EQ(decide::slab_worth(few_alive, CostModel()).reuse_cycles, 0);
}

TEST(SlabWorth, NoneForLargeOrAlignedObjects) {
  ObjectFacts facts = swept_objects();
  facts.allocator = "posix_memalign";
  EXPECT_EQ(decide::slab_worth(facts, CostModel()).cycles(), 0);
  facts = swept_objects();
  facts.bytes = facts.objects * (64 << 10);
  EXPECT_EQ(decide::slab_worth(facts, CostModel()).cycles(), 0);
  EXPECT_EQ(decide::slab_worth(ObjectFacts(), CostModel()).cycles(), 0);
}

TEST(SlabWorth, NoneAmongOthers) {
  ObjectFacts facts = small_objects();
  facts.small_bytes = facts.span + facts.span / 10;
  EXPECT_GT(decide::slab_worth(facts, CostModel()).cycles(), 0);
  facts.small_bytes = facts.span + facts.span / 8;
  EXPECT_EQ(decide::slab_worth(facts, CostModel()).cycles(), 0);
}

TEST(SlabWorth, MakesAnArena) {
  EXPECT_EQ(reason(small_objects()), Reason::taken);
  EXPECT_EQ(reason(swept_objects()), Reason::taken);
  const auto decision = decide::decide_huge_pages({}, swept_objects(), nullptr, {});
  EXPECT_NEAR(decision.number("saved_cycles"), 75000 * 150, 1e-3);
  EXPECT_EQ(decision.count("slab_bytes"), 32u);
  EXPECT_NE(decision.text.find("75000 of them where others have died"), std::string::npos) << decision.text;
}

TEST(SlabWorth, OnlyWhereItIsAPartOfTheTime) {
  ObjectFacts facts = swept_objects();
  facts.program_accesses = 1000000000;
  EXPECT_EQ(reason(facts), Reason::fits_tlb);  // 1.1 %
  facts = swept_objects();
  facts.objects /= 100, facts.program_accesses /= 100, facts.bytes /= 100, facts.span = 300000;
  EXPECT_EQ(reason(facts), Reason::fits_tlb);  // less than 0.8 million cycles
}

}  // namespace
