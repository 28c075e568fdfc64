// allocation_index_test.cc - the facts about an allocation call, from rows of a profile.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/decide/allocation_index.h"

#include <gtest/gtest.h>

namespace {

using namespace memprof;
using decide::AllocationIndex;
using decide::ObjectFacts;

// Facts of one call from the rows of two groups and three sites.
TEST(AllocationIndex, GathersFactsOfACall) {
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

  AllocationIndex index(profile, {});
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
  AllocationIndex modelled(profile, {});
  EXPECT_NEAR(modelled.find({"a.c", 7, "make", ""})->page_changes, 70, 1e-9);
  EXPECT_EQ(modelled.find({"a.c", 9, "make", ""})->modelled_misses, 33);
  profile.cache[0].site = 0;
  EXPECT_EQ(AllocationIndex(profile, {}).find({"a.c", 7, "make", ""})->page_changes, 0);
}

// Calls of one line that had been inlined into two functions.
TEST(AllocationIndex, AddsObjectsOfSeveralCalls) {
  ObjectFacts sum, other;
  sum.objects = 1;
  sum.span = 100;
  sum.modelled_misses = 5;
  sum.blocks.resize(1);
  sum.watched = "w";
  sum.arena.number = 3;
  other.objects = 2;
  other.span = 50;
  other.modelled_misses = 2;
  other.ordered_changes = 1;
  other.program_accesses = 9;
  sum.add(other);
  EXPECT_EQ(sum.objects, 3u);
  EXPECT_EQ(sum.span, 150u);
  EXPECT_EQ(sum.modelled_misses, 7);
  EXPECT_EQ(sum.ordered_changes, 1);
  EXPECT_EQ(sum.program_accesses, 0u);  // of the program, not of the call
  EXPECT_TRUE(sum.blocks.empty());
  EXPECT_EQ(sum.watched, "");
  EXPECT_EQ(sum.arena.number, 0u);
}

// Three blocks of a call; a site that stays in one, one that goes from block to block,
// and one whose stream is only known in sum.
TEST(AllocationIndex, TellsBlocksApart) {
  feedback::Profile profile;
  feedback::Group group;
  group.id = 0;
  group.allocator = "malloc";
  group.objects = 3;
  group.bytes = group.span = 30 << 20;
  profile.groups = {group};
  const auto row = [&](feedback::Id site, std::uint64_t tlb, feedback::LmadStream<1> objects) {
    feedback::Cache misses;
    misses.site = site;
    misses.group = 0;
    misses.tlb = tlb;
    profile.cache.push_back(misses);
    feedback::ObjectRelative accesses;
    accesses.site = site;
    accesses.group = 0;
    accesses.accesses = 1000;
    accesses.o1 = std::move(objects);
    accesses.v1.lmads = {{{0}, {8}, 100 * (site + 1)}};
    profile.object_relative.push_back(accesses);
  };
  row(0, 400, {{{{2}, {0}, 1000}}, 1000, {}});
  row(1, 90, {{{{0}, {1}, 3}}, 3, {}});
  feedback::LmadStream<1> sum;
  sum.overflow = {{0}, {2}, {2}, 1000, 5};
  row(2, 50, sum);
  feedback::Stride steps;  // of site 0: a quarter of its page changes is by lines
  steps.site = 0;
  steps.executions = 1000;
  steps.histogram = {{64, 640}};
  steps.other = 30;
  profile.strides = {steps};

  AllocationIndex index(profile, {});
  const auto& facts = index.entries()[0].facts;
  EXPECT_EQ(facts.modelled_misses, 540);
  EXPECT_NEAR(facts.ordered_misses, 100, 1e-9);
  ASSERT_EQ(facts.blocks.size(), 3u);
  EXPECT_NEAR(facts.blocks[0].modelled_misses, 55, 1e-9);
  EXPECT_NEAR(facts.blocks[1].modelled_misses, 30, 1e-9);
  EXPECT_NEAR(facts.blocks[2].modelled_misses, 355, 1e-9);
  EXPECT_EQ(facts.blocks[0].accesses, 833u);
  EXPECT_EQ(facts.blocks[1].bytes, 1593u);
  EXPECT_EQ(facts.blocks[2].bytes, 2393u);

  // Hottest first, by walks that read memory, until less than 5 % is left or the TLB is full.
  EXPECT_FALSE(facts.hot_blocks);
  const auto walked = [&](feedback::Id in, std::uint64_t object, std::uint64_t walk_dram) {
    feedback::Pages row;
    row.group = in;
    row.object = object;
    row.walks = 1000 - walk_dram;
    row.memory.walk_dram = walk_dram;
    profile.pages.push_back(row);
  };
  walked(0, 1, 20), walked(0, 2, 300), walked(0, 3, 40), walked(feedback::k_none, 0, 640);
  const auto hot = [&](const decide::CostModel& model) {
    return AllocationIndex(profile, model).entries()[0].facts.hot_blocks.value_or(99);
  };
  EXPECT_EQ(hot({}), 6u);  // after 640 and 300 there are 60 of 1000 left, after 40 there are 20
  decide::CostModel full;
  full.tlb_bytes = 0;
  EXPECT_EQ(hot(full), 0u);
  for (feedback::Pages& r : profile.pages) r.memory.walk_dram = 0;
  EXPECT_EQ(hot({}), 99u);
  profile.pages.clear();

  // Not where the numbers are no calls, or the objects are many or of two groups.
  profile.groups[0].allocator = "realloc";
  EXPECT_TRUE(AllocationIndex(profile, {}).entries()[0].facts.blocks.empty());
  profile.groups[0].allocator = "malloc";
  profile.groups[0].objects = 65;
  EXPECT_TRUE(AllocationIndex(profile, {}).entries()[0].facts.blocks.empty());
  profile.groups[0].objects = 3;
  profile.groups.push_back(profile.groups[0]);
  profile.groups[1].id = 1;
  profile.groups[1].context = "b.c:9";
  EXPECT_TRUE(AllocationIndex(profile, {}).entries()[0].facts.blocks.empty());
}

}  // namespace
