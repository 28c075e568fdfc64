// huge_pages_test.cc - which allocation calls get an arena: every gate, the facts.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/decide/huge_pages.h"

#include <gtest/gtest.h>

#include "runtime/arena/arena.h"

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
  // 23 pages of 2 MB; 40 cycles a miss.
  EXPECT_EQ(advice.pages, 23u);
  EXPECT_NEAR(advice.saved_cycles, 660189840, 40);
  EXPECT_NE(advice.text().find("worth 660.2 million cycles, first touch of 23 huge pages 2.3"),
            std::string::npos) << advice.text();
  EXPECT_EQ(advice.blocks, decide::k_all_blocks);
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
  facts.page_changes = 110000;
  EXPECT_EQ(reason(facts), ArenaReason::taken);
  facts.program_accesses = 110000000;
  EXPECT_EQ(reason(facts), ArenaReason::few_misses);
}

// 23 pages: 1.5 * 2,300,000 cycles = 86250 misses of 40.
TEST(HugePages, RefusesWhatDoesNotRepayTheFirstTouch) {
  ObjectFacts facts = good_nodes();
  facts.page_changes = 0;
  facts.program_accesses = 1000000;
  facts.modelled_misses = 86249;
  EXPECT_EQ(reason(facts), ArenaReason::unrepaid);
  EXPECT_NE(decide::decide_huge_pages(facts, {}).text().find(
                "worth 3.4 million cycles, first touch of 23 huge pages 2.3: not repaid"),
            std::string::npos);
  facts.modelled_misses = 86250;
  EXPECT_EQ(reason(facts), ArenaReason::taken);
  CostModel model;
  model.huge_page_cycles *= 2;
  EXPECT_EQ(decide::decide_huge_pages(facts, model).reason, ArenaReason::unrepaid);
}

// In a large block, misses of accesses line by line do not count; of small objects
// they do.
TEST(HugePages, LeavesOutWhatIsReadInOrder) {
  ObjectFacts facts = good_array();
  facts.page_changes = 0;
  facts.modelled_misses = 2000000;
  facts.ordered_misses = 1600000;  // 128 pages: 480,000 needed
  EXPECT_EQ(reason(facts), ArenaReason::unrepaid);
  facts.ordered_misses = 1500000;
  EXPECT_EQ(reason(facts), ArenaReason::taken);
  facts = good_nodes();
  facts.ordered_changes = facts.page_changes;
  EXPECT_EQ(reason(facts), ArenaReason::taken);
}

// A list that is read in order, a table, something small, and a block never touched.
TEST(HugePages, ChoosesBlocks) {
  ObjectFacts facts = good_array();
  facts.objects = 4;
  facts.bytes = facts.span = 100 << 20;
  facts.blocks = {{64 << 20, 16000000, 1000, 0},
                  {32 << 20, 4000000, 900000, 0},
                  {1 << 20, 1000000, 0, 0},
                  {0, 0, 0, 0}};
  facts.page_changes = 0;
  facts.modelled_misses = 1000000;
  auto advice = decide::decide_huge_pages(facts, {});
  EXPECT_EQ(advice.reason, ArenaReason::taken);
  EXPECT_EQ(advice.blocks, 2u);
  EXPECT_EQ(advice.pages, 16u);
  EXPECT_NE(advice.text().find("first touch of 16 huge pages 1.6; only for number 2 of them"),
            std::string::npos) << advice.text();

  facts.blocks[0].modelled_misses = 300000;  // 32 pages: 120,000 needed
  advice = decide::decide_huge_pages(facts, {});
  EXPECT_EQ(advice.blocks, 3u);
  facts.blocks[2].modelled_misses = 300000;  // it may be larger another time
  advice = decide::decide_huge_pages(facts, {});
  EXPECT_EQ(advice.blocks, decide::k_all_blocks);

  for (auto& block : facts.blocks) block.modelled_misses = 0;
  EXPECT_EQ(reason(facts), ArenaReason::unrepaid);
  for (auto& block : facts.blocks) block.bytes = 1 << 20;
  EXPECT_EQ(reason(facts), ArenaReason::middle_size);
  EXPECT_EQ(decide::decide_huge_pages(facts, CostModel::eager()).blocks, decide::k_all_blocks);
}

// A block of which few pages are used.
TEST(HugePages, RefusesSparseBlocksOfSeveral) {
  ObjectFacts facts = good_array();
  facts.objects = 2;
  facts.page_changes = 0;
  facts.modelled_misses = 1000000;
  facts.blocks = {{128 << 20, 65535, 500000, 0}, {128 << 20, 65536, 500000, 0}};
  EXPECT_EQ(decide::decide_huge_pages(facts, {}).blocks, 2u);
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
  facts.accesses = 130000;
  EXPECT_EQ(reason(facts), ArenaReason::sparse);
  facts.accesses = 132000;
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

// Three blocks of a call; a site that stays in one, one that goes from block to block,
// and one whose stream is only known in sum.
TEST(HugePages, TellsBlocksApart) {
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

  ArenaIndex index(profile, {});
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

  // Not where the numbers are no calls, or the objects are many or of two groups.
  profile.groups[0].allocator = "realloc";
  EXPECT_TRUE(ArenaIndex(profile, {}).entries()[0].facts.blocks.empty());
  profile.groups[0].allocator = "malloc";
  profile.groups[0].objects = 65;
  EXPECT_TRUE(ArenaIndex(profile, {}).entries()[0].facts.blocks.empty());
  profile.groups[0].objects = 3;
  profile.groups.push_back(profile.groups[0]);
  profile.groups[1].id = 1;
  profile.groups[1].context = "b.c:9";
  EXPECT_TRUE(ArenaIndex(profile, {}).entries()[0].facts.blocks.empty());
}

}  // namespace
