// huge_pages_test.cc - which allocation calls get an arena: every gate, the facts.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/decide/huge_pages.h"

#include <gtest/gtest.h>

#include "runtime/arena/arena.h"
#include "testsuite/unit/decide/gate_shown.h"

namespace {

using namespace memprof;
using decide::AllocationIndex;
using decide::CostModel;
using decide::Decision;
using decide::ObjectFacts;
using decide::Reason;

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

Decision decide_it(const ObjectFacts& facts, const CostModel& model = {}) {
  return gate_shown(decide::decide_huge_pages({}, facts, nullptr, model));
}

Reason reason(const ObjectFacts& facts) { return decide_it(facts).reason; }

std::uint64_t blocks(const Decision& decision) {
  return decision.count("blocks", decide::k_all_blocks);
}

TEST(HugePages, KnowsTheSizesOfTheLibrary) {
  for (std::uint64_t bytes = 0; bytes <= mprt_arena::k_max_small; bytes++)
    ASSERT_EQ(decide::slab_object_bytes(bytes), mprt_arena::class_of(bytes).bytes) << bytes;
  EXPECT_EQ(decide::slab_object_bytes(mprt_arena::k_max_small + 1), 0u);
}

TEST(HugePages, TakesWhatMissesTheTlb) {
  EXPECT_EQ(reason(good_nodes()), Reason::taken);
  EXPECT_EQ(reason(good_array()), Reason::taken);
  const auto decision = decide_it(good_nodes());
  // 20,000,000 * (1 - 8 MiB / 48 MB).
  EXPECT_NEAR(decision.number("misses"), 16504746, 1);
  EXPECT_NE(decision.text.find("1000000 objects of 48 bytes, span 48.0 MB"),
            std::string::npos) << decision.text;
  // 23 pages of 2 MB; 40 cycles a miss.
  EXPECT_EQ(decision.count("pages"), 23u);
  EXPECT_NEAR(decision.number("saved_cycles"), 660189840, 40);
  EXPECT_NE(decision.text.find("worth 660.2 million cycles, first touch of 23 huge pages 2.3"),
            std::string::npos) << decision.text;
  EXPECT_EQ(blocks(decision), decide::k_all_blocks);
}

TEST(HugePages, BelievesTheModelOfTheTlb) {
  ObjectFacts facts = good_nodes();
  facts.modelled_misses = 1000000;
  facts.page_changes = 0;
  EXPECT_EQ(decide_it(facts).number("misses"), 1000000);
  EXPECT_EQ(reason(facts), Reason::taken);
  facts.modelled_misses = 1000;
  EXPECT_EQ(reason(facts), Reason::few_misses);
}

// Points of 56 bytes that are visited 8 KB at a time: 30 lines for each page.
TEST(HugePages, LaysNeighboursAcrossLinesWhereTheyAreVisitedTogether) {
  ObjectFacts facts = good_nodes();
  facts.bytes = 56000000;
  facts.page_changes = 0;
  facts.modelled_misses = 1000000;
  facts.l2_misses = 30000000;
  const auto decision = decide_it(facts);
  EXPECT_EQ(decision.count("first"), 32u);
  EXPECT_NE(decision.text.find("each in halves of two lines"), std::string::npos)
      << decision.text;
  // Where each visit is of another page, one line is best.
  facts.l2_misses = 1100000;
  EXPECT_EQ(decide_it(facts).count("first"), 0u);
  // Other sizes do not fill lines, or more than one.
  facts.l2_misses = 30000000;
  for (const std::uint64_t bytes : {40u, 48u, 80u, 128u}) {
    facts.bytes = bytes * facts.objects;
    EXPECT_EQ(decide_it(facts).count("first"), 0u) << bytes;
  }
}

TEST(HugePages, RefusesWhatTheTlbReaches) {
  ObjectFacts facts = good_nodes();
  facts.bytes = facts.span = (8 << 20) - 1;
  EXPECT_EQ(reason(facts), Reason::fits_tlb);
}

TEST(HugePages, RefusesFewMisses) {
  ObjectFacts facts = good_nodes();
  facts.page_changes = 23000;  // * (1 - 8 / 48) < 20,000
  facts.program_accesses = 100000;
  EXPECT_EQ(reason(facts), Reason::few_misses);
  facts.page_changes = 110000;
  EXPECT_EQ(reason(facts), Reason::taken);
  facts.program_accesses = 110000000;
  EXPECT_EQ(reason(facts), Reason::few_misses);
}

// 23 pages: 1.5 * 2,300,000 cycles = 86250 misses of 40.
TEST(HugePages, RefusesWhatDoesNotRepayTheFirstTouch) {
  ObjectFacts facts = good_nodes();
  facts.page_changes = 0;
  facts.program_accesses = 1000000;
  facts.modelled_misses = 86249;
  EXPECT_EQ(reason(facts), Reason::unrepaid);
  EXPECT_NE(decide_it(facts).text.find(
                "worth 3.4 million cycles, first touch of 23 huge pages 2.3: not repaid"),
            std::string::npos);
  facts.modelled_misses = 86250;
  EXPECT_EQ(reason(facts), Reason::taken);
  CostModel model;
  model.huge_page_cycles *= 2;
  EXPECT_EQ(decide_it(facts, model).reason, Reason::unrepaid);
}

// In a large block, misses of accesses line by line do not count; of small objects
// they do.
TEST(HugePages, LeavesOutWhatIsReadInOrder) {
  ObjectFacts facts = good_array();
  facts.page_changes = 0;
  facts.modelled_misses = 2000000;
  facts.ordered_misses = 1600000;  // 128 pages: 480,000 needed
  EXPECT_EQ(reason(facts), Reason::unrepaid);
  facts.ordered_misses = 1500000;
  EXPECT_EQ(reason(facts), Reason::taken);
  facts = good_nodes();
  facts.ordered_changes = facts.page_changes;
  EXPECT_EQ(reason(facts), Reason::taken);
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
  auto decision = decide_it(facts);
  EXPECT_EQ(decision.reason, Reason::taken);
  EXPECT_EQ(blocks(decision), 2u);
  EXPECT_EQ(decision.count("pages"), 16u);
  EXPECT_NE(decision.text.find("first touch of 16 huge pages 1.6; only for number 2 of them"),
            std::string::npos) << decision.text;

  facts.blocks[0].modelled_misses = 300000;  // 32 pages: 120,000 needed
  decision = decide_it(facts);
  EXPECT_EQ(blocks(decision), 3u);
  facts.blocks[2].modelled_misses = 300000;  // it may be larger another time
  decision = decide_it(facts);
  EXPECT_EQ(blocks(decision), decide::k_all_blocks);

  for (auto& block : facts.blocks) block.modelled_misses = 0;
  EXPECT_EQ(reason(facts), Reason::unrepaid);
  facts.hot_blocks = 1;  // the list, which alone makes walks that read memory
  decision = decide_it(facts);
  EXPECT_EQ(decision.reason, Reason::taken);
  EXPECT_EQ(blocks(decision), 1u);
  facts.blocks[0].accesses = 1000;  // sparse
  EXPECT_EQ(reason(facts), Reason::unrepaid);
  facts.hot_blocks = 0;
  EXPECT_EQ(reason(facts), Reason::unrepaid);
  for (auto& block : facts.blocks) block.bytes = 1 << 20;
  EXPECT_EQ(reason(facts), Reason::middle_size);
  EXPECT_EQ(blocks(decide_it(facts, CostModel::eager())), decide::k_all_blocks);
}

// A block of which few pages are used.
TEST(HugePages, RefusesSparseBlocksOfSeveral) {
  ObjectFacts facts = good_array();
  facts.objects = 2;
  facts.page_changes = 0;
  facts.modelled_misses = 1000000;
  facts.blocks = {{128 << 20, 65535, 500000, 0}, {128 << 20, 65536, 500000, 0}};
  EXPECT_EQ(blocks(decide_it(facts)), 2u);
}

TEST(HugePages, RefusesOtherMemory) {
  ObjectFacts facts = good_nodes();
  facts.kind = feedback::GroupKind::mapped;
  EXPECT_EQ(reason(facts), Reason::not_heap);
  facts = good_nodes();
  facts.allocator = "strdup";
  EXPECT_EQ(reason(facts), Reason::wrapped);
  EXPECT_NE(decide_it(facts).text.find("strdup"), std::string::npos);
}

TEST(HugePages, TellsTheMallocInAWrapper) {
  ObjectFacts facts = good_nodes();
  facts.allocator = "xmalloc";
  EXPECT_TRUE(decide_it(facts).take());
  decide::AllocationCode code;
  EXPECT_TRUE(decide::decide_huge_pages({}, facts, &code, {}).take());
  facts.carved = true;  // a pool
  EXPECT_EQ(reason(facts), Reason::wrapped);
  for (const char* name : {"malloc", "operator new", "strdup", "mmap", "_gfortran_allocate", ""})
    EXPECT_FALSE(decide::wrapper(name)) << name;
  EXPECT_TRUE(decide::wrapper("xmalloc"));
}

TEST(HugePages, BelievesTheCompilerAboutTheCall) {
  decide::AllocationCode code;
  EXPECT_EQ(decide::decide_huge_pages({}, good_nodes(), &code, {}).text,
            "no huge pages: allocated by another function, which is not one that can be replaced");
  code.replaceable = true;
  ObjectFacts facts = good_nodes();
  facts.allocator = "xmalloc";
  EXPECT_TRUE(decide::decide_huge_pages({}, facts, &code, {}).take());
  decide::Candidate candidate;
  candidate.veto = "v:2";
  EXPECT_EQ(decide::decide_huge_pages(candidate, facts, &code, {}).text,
            "no huge pages: vetoed by v:2");
}

TEST(HugePages, RefusesMiddleSizes) {
  ObjectFacts facts = good_nodes();
  facts.bytes = facts.objects * 33000;
  EXPECT_EQ(reason(facts), Reason::middle_size);
  facts.bytes = facts.objects * (5 << 20);
  EXPECT_NE(reason(facts), Reason::middle_size);
}

// 65536 pages; a hash table of which little is used.
TEST(HugePages, RefusesSparseBlocks) {
  ObjectFacts facts = good_array();
  facts.accesses = 130000;
  EXPECT_EQ(reason(facts), Reason::sparse);
  facts.accesses = 132000;
  EXPECT_EQ(reason(facts), Reason::taken);
}

}  // namespace
