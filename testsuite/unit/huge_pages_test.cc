// huge_pages_test.cc - which allocation calls get an arena: every gate, the facts.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/decide/huge_pages.h"

#include <gtest/gtest.h>

#include "runtime/use/arena.h"

namespace {

using namespace memprof;
using decide::ArenaIndex;
using decide::ArenaReason;
using decide::CostModel;
using decide::ObjectFacts;

// Nodes of a tree, looked up at random.
ObjectFacts good_nodes() {
  ObjectFacts facts;
  facts.allocator = "malloc";
  facts.objects = 1000000;
  facts.bytes = facts.span = 48000000;
  facts.accesses = 40000000;
  facts.program_accesses = 100000000;
  facts.page_changes = 20000000;
  return facts;
}

ObjectFacts good_array() {
  ObjectFacts facts = good_nodes();
  facts.objects = 1;
  facts.bytes = facts.span = 256 << 20;
  return facts;
}

ArenaReason reason(const ObjectFacts& facts) {
  return decide::decide_huge_pages(facts, {}).reason;
}

TEST(HugePages, KnowsTheSizesOfTheLibrary) {
  for (std::uint64_t bytes = 0; bytes <= mprt_arena::k_max_small; bytes++)
    ASSERT_EQ(decide::slab_object_bytes(bytes), mprt_arena::class_of(bytes).bytes) << bytes;
  EXPECT_EQ(decide::slab_object_bytes(mprt_arena::k_max_small + 1), 0u);
}

TEST(HugePages, TakesWhatMissesTheTlb) {
  EXPECT_EQ(reason(good_nodes()), ArenaReason::taken);
  EXPECT_EQ(reason(good_array()), ArenaReason::taken);
  const auto advice = decide::decide_huge_pages(good_nodes(), {});
  // 20,000,000 * (1 - 8 MiB / 48 MB).
  EXPECT_NEAR(advice.misses, 16504746, 1);
  EXPECT_NE(advice.text().find("1000000 objects of 48 bytes, span 48.0 MB"),
            std::string::npos) << advice.text();
}

TEST(HugePages, BelievesTheModelOfTheTlb) {
  ObjectFacts facts = good_nodes();
  facts.modelled_misses = 1000000;
  facts.page_changes = 0;
  EXPECT_EQ(decide::decide_huge_pages(facts, {}).misses, 1000000);
  EXPECT_EQ(reason(facts), ArenaReason::taken);
  facts.modelled_misses = 1000;
  EXPECT_EQ(reason(facts), ArenaReason::few_misses);
}

TEST(HugePages, RefusesWhatTheTlbReaches) {
  ObjectFacts facts = good_nodes();
  facts.span = (8 << 20) - 1;
  EXPECT_EQ(reason(facts), ArenaReason::fits_tlb);
}

TEST(HugePages, RefusesFewMisses) {
  ObjectFacts facts = good_nodes();
  facts.page_changes = 23000;  // * (1 - 8 / 48) < 20,000
  facts.program_accesses = 100000;
  EXPECT_EQ(reason(facts), ArenaReason::few_misses);
  facts.page_changes = 25000;
  EXPECT_EQ(reason(facts), ArenaReason::taken);
  facts.program_accesses = 25000000;
  EXPECT_EQ(reason(facts), ArenaReason::few_misses);
}

TEST(HugePages, RefusesOtherMemory) {
  ObjectFacts facts = good_nodes();
  facts.kind = feedback::GroupKind::mapped;
  EXPECT_EQ(reason(facts), ArenaReason::not_heap);
  facts = good_nodes();
  facts.allocator = "xmalloc";
  EXPECT_EQ(reason(facts), ArenaReason::wrapped);
  EXPECT_NE(decide::decide_huge_pages(facts, {}).text().find("xmalloc"), std::string::npos);
}

TEST(HugePages, RefusesMiddleSizes) {
  ObjectFacts facts = good_nodes();
  facts.bytes = facts.objects * 33000;
  EXPECT_EQ(reason(facts), ArenaReason::middle_size);
  facts.bytes = facts.objects * (5 << 20);
  EXPECT_NE(reason(facts), ArenaReason::middle_size);
}

// 65536 pages; a hash table of which little is used.
TEST(HugePages, RefusesSparseBlocks) {
  ObjectFacts facts = good_array();
  facts.accesses = facts.page_changes = 130000;
  facts.program_accesses = 1000000;
  EXPECT_EQ(reason(facts), ArenaReason::sparse);
  facts.accesses = facts.page_changes = 132000;
  EXPECT_EQ(reason(facts), ArenaReason::taken);
}

// Facts of one call from the rows of two groups and three sites.
TEST(HugePages, GathersFactsOfACall) {
  feedback::Profile profile;
  profile.run.accesses = 5000;
  for (feedback::Id id : {0u, 1u, 2u}) {
    feedback::Group group;
    group.id = id;
    group.file = "a.c";
    group.line = id == 2 ? 9 : 7;
    group.function = "make";
    group.allocator = "malloc";
    group.context = std::to_string(id);
    group.objects = 10;
    group.bytes = 1000;
    group.span = 500;
    group.accesses = 300;
    profile.groups.push_back(group);
  }
  feedback::Stride half;
  half.site = 0;
  half.executions = 100;
  half.histogram = {{2048, 60}, {-4096, 10}, {8, 0}};
  half.other = 30;
  feedback::Stride never = half;
  never.site = 1;
  never.histogram = {{0, 100}};
  never.other = 0;
  profile.strides = {half, never};
  profile.points_to = {{0, {{0, 60}, {1, 40}}}, {1, {{0, 100}}}, {2, {{0, 100}}}};

  ArenaIndex index(profile, {});
  ASSERT_EQ(index.entries().size(), 2u);
  const ObjectFacts* facts = index.find({"a.c", 7, "make", ""});
  ASSERT_NE(facts, nullptr);
  EXPECT_EQ(facts->objects, 20u);
  EXPECT_EQ(facts->span, 1000u);
  EXPECT_EQ(facts->program_accesses, 5000u);
  // 60 half pages, 10 whole ones, 30 unknown = 70 of 100.
  EXPECT_NEAR(facts->page_changes, 70, 1e-9);
  EXPECT_EQ(index.find({"a.c", 9, "make", ""})->page_changes, 0);
  EXPECT_EQ(index.find({"a.c", 8, "make", ""}), nullptr);
  EXPECT_EQ(index.find({"a.c", 7, "make", "struct s"}), nullptr);

  // Of sites that the model of the TLB looked at, strides do not count.
  feedback::Cache misses;
  misses.site = 1;
  misses.group = 2;
  misses.tlb = 33;
  profile.cache = {misses};
  ArenaIndex modelled(profile, {});
  EXPECT_NEAR(modelled.find({"a.c", 7, "make", ""})->page_changes, 70, 1e-9);
  EXPECT_EQ(modelled.find({"a.c", 9, "make", ""})->modelled_misses, 33);
  profile.cache[0].site = 0;
  EXPECT_EQ(ArenaIndex(profile, {}).find({"a.c", 7, "make", ""})->page_changes, 0);
}

}  // namespace
