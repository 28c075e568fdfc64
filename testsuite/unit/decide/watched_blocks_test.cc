// watched_blocks_test.cc - which allocation calls are watched, from which size on.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/decide/watched_blocks.h"

#include <gtest/gtest.h>

namespace {

using namespace memprof;
using decide::AllocationIndex;
using decide::ObjectFacts;
using decide::largest_block;
using decide::watched_name;

const AllocationIndex::Key k_call{"a.c", 7, "main", "double"};

// Two arrays, one after the other.
ObjectFacts arrays() {
  ObjectFacts facts;
  facts.allocator = "malloc";
  facts.objects = 2;
  facts.bytes = 2 * 131072;
  facts.span = 131072;
  return facts;
}

TEST(WatchedBlocks, NamesEachCall) {
  const std::string name = watched_name(k_call, arrays());
  EXPECT_EQ(name.size(), 16u);
  EXPECT_EQ(name.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_EQ(name, watched_name(k_call, arrays()));
  for (const AllocationIndex::Key& other :
       {AllocationIndex::Key{"b.c", 7, "main", "double"}, {"a.c", 8, "main", "double"},
        {"a.c", 7, "make", "double"}, {"a.c", 7, "main", "long"}, {"a.c", 7, "maindo", "uble"}})
    EXPECT_NE(name, watched_name(other, arrays()));
}

TEST(WatchedBlocks, LeavesOthersAlone) {
  ObjectFacts facts = arrays();
  facts.bytes = 2 * 16383;
  EXPECT_EQ(watched_name(k_call, facts), "");
  facts.bytes = 2 * 16384;
  EXPECT_NE(watched_name(k_call, facts), "");
  facts.allocator = "xmalloc";
  EXPECT_EQ(watched_name(k_call, facts), "");
  facts = arrays();
  facts.kind = feedback::GroupKind::mapped;
  EXPECT_EQ(watched_name(k_call, facts), "");
  EXPECT_EQ(watched_name(k_call, {}), "");
}

// Never less than the largest was.
TEST(WatchedBlocks, KnowsTheLargestBlock) {
  ObjectFacts facts = arrays();
  EXPECT_EQ(largest_block(facts), 131072u);
  facts.span = facts.bytes;  // both at a time: one may have all but a byte
  EXPECT_EQ(largest_block(facts), 2 * 131072u);
  facts.blocks = {{131072}, {131072}};
  EXPECT_EQ(largest_block(facts), 131072u);
  facts.blocks[1].bytes = 0;  // never accessed
  EXPECT_EQ(largest_block(facts), 131072u);
  facts.blocks[0].bytes = 1000;
  EXPECT_EQ(largest_block(facts), 2 * 131072u - 1000);
  facts.objects = 1;
  facts.blocks.clear();
  EXPECT_EQ(largest_block(facts), 2 * 131072u);
}

}  // namespace
