// branch_flow_test.cc - executions of blocks and edges from those of some, against walks through random graphs.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/decide/branch_flow.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

namespace {

using namespace memprof;
using decide::FlowCounts;
using decide::FlowEdge;
using Counts = std::vector<std::optional<double>>;

// Of blocks that are a class each.
FlowCounts balanced(const std::vector<FlowEdge>& edges, FlowCounts known) {
  std::vector<unsigned> classes(known.blocks.size());
  std::iota(classes.begin(), classes.end(), 0);
  return decide::balanced(edges, classes, std::move(known));
}

// Of EDGES, with no edge known.
Counts from_blocks(const std::vector<FlowEdge>& edges, Counts blocks) {
  return balanced(edges, {std::move(blocks), Counts(edges.size())}).edges;
}

TEST(BranchFlow, FindsTheSideWithoutAccesses) {
  const std::vector<FlowEdge> diamond{{0, 1, .5}, {0, 2, .5}, {1, 3, 1}, {2, 3, 1}};
  EXPECT_EQ(from_blocks(diamond, {100, 70, {}, 100}), (Counts{70, 30, 70, 30}));
}

TEST(BranchFlow, FindsTheExitOfALoopFromItsBody) {
  // 0 -> 1 (header) -> 2 (body) -> 1, 1 -> 3
  const std::vector<FlowEdge> loop{{0, 1, 1}, {1, 2, .9}, {2, 1, 1}, {1, 3, .1}};
  EXPECT_EQ(from_blocks(loop, {{}, 1000, 990, {}}), (Counts{10, 990, 990, 10}));
}

TEST(BranchFlow, FindsTheExitOfALoopFromItsEntries) {
  // 0 -> 1 (header) -> 2 (latch) -> 1, 2 -> 3: only the latch has an access.
  const std::vector<FlowEdge> loop{{0, 1, 1}, {1, 2, 1}, {2, 1, .9}, {2, 3, .1}};
  EXPECT_EQ(from_blocks(loop, {{}, {}, 1000, {}}), (Counts{{}, 1000, {}, {}}));
  const FlowCounts found = balanced(loop, {{{}, {}, 1000, {}}, {10, {}, {}, {}}});
  EXPECT_EQ(found.edges, (Counts{10, 1000, 990, 10}));
  EXPECT_EQ(found.blocks, (Counts{10, 1000, 1000, 10}));
}

TEST(BranchFlow, KnowsOfABlockWhatItKnowsOfItsClass) {
  // A loop 0 -> 1, 1 -> {2, 3} -> 4, 4 -> 1, 4 -> 5, with an access in 1 only.
  const std::vector<FlowEdge> loop{{0, 1, 1}, {1, 2, .5}, {1, 3, .5}, {2, 4, 1}, {3, 4, 1}, {4, 1, .9}, {4, 5, .1}};
  const std::vector<unsigned> classes{0, 1, 2, 3, 1, 0};
  const FlowCounts known{{{}, 1000, {}, {}, {}, {}}, {10, {}, {}, {}, {}, {}, {}}};
  const FlowCounts found = decide::balanced(loop, classes, known);
  EXPECT_EQ(found.edges, (Counts{10, {}, {}, {}, {}, 990, 10}));
  EXPECT_EQ(found.blocks, (Counts{10, 1000, {}, {}, 1000, 10}));
}

TEST(BranchFlow, DoesNotGuess) {
  const std::vector<FlowEdge> diamond{{0, 1, .5}, {0, 2, .5}, {1, 3, 1}, {2, 3, 1}};
  EXPECT_EQ(from_blocks(diamond, {100, {}, {}, {}}), (Counts{{}, {}, {}, {}}));
  EXPECT_TRUE(from_blocks({}, {}).empty());
}

TEST(BranchFlow, KeepsWhatWasMeasuredWhereSamplesDoNotAddUp) {
  const std::vector<FlowEdge> diamond{{0, 1, .5}, {0, 2, .5}, {1, 3, 1}, {2, 3, 1}};
  EXPECT_EQ(from_blocks(diamond, {100, 70, 40, {}}), (Counts{70, 40, 70, 40}));
  // More than there are: nothing is left for the other side.
  EXPECT_EQ(from_blocks(diamond, {100, 120, {}, {}}), (Counts{120, 0, 120, 0}));
}

TEST(BranchFlow, GivesBlocksThatAreNotKnownWhatGccGuesses) {
  const std::vector<FlowEdge> diamond{{0, 1, .25}, {0, 2, .75}, {1, 3, 1}, {2, 3, 1}};
  const Counts none(4);
  EXPECT_EQ(decide::all_blocks(diamond, {{400, {}, {}, {}}, none}, 0), (std::vector<double>{400, 100, 300, 400}));
  EXPECT_EQ(decide::all_blocks(diamond, {none, none}, 8), (std::vector<double>{8, 2, 6, 8}));
  // What is known stays, and counts for what comes after it.
  EXPECT_EQ(decide::all_blocks(diamond, {{400, 10, {}, {}}, none}, 0), (std::vector<double>{400, 10, 300, 310}));
}

TEST(BranchFlow, EndsInALoopWithoutAnExit) {
  const std::vector<FlowEdge> loop{{0, 1, 1}, {1, 1, 1}};
  const std::vector<double> counts = decide::all_blocks(loop, {Counts(2), Counts(2)}, 1);
  EXPECT_EQ(counts[0], 1);
  EXPECT_EQ(counts[1], 100);
}

// Walks from block 0 to the last one; each block but the last has one to three edges, the first of them onwards.
struct Walks {
  std::vector<FlowEdge> edges;
  std::vector<double> taken;
  Counts blocks;

  Walks(std::mt19937& random, unsigned count) : blocks(count, 0.0) {
    for (unsigned from = 0; from + 1 < count; from++)
      for (unsigned way = 0, ways = 1 + random() % 3; way < ways; way++)
        edges.push_back({from, way == 0 ? from + 1 : static_cast<unsigned>(1 + random() % (count - 1)), 0});
    taken.resize(edges.size());
    for (int walk = 0; walk < 50; walk++) go(random, count);
  }

  void go(std::mt19937& random, unsigned count) {
    unsigned at = 0;
    for (*blocks[at] += 1; at + 1 < count; *blocks[at] += 1) {
      std::vector<std::size_t> ways;
      for (std::size_t edge = 0; edge < edges.size(); edge++)
        if (edges[edge].from == at) ways.push_back(edge);
      const std::size_t way = ways[random() % ways.size()];
      taken[way]++;
      at = edges[way].to;
    }
  }
};

TEST(BranchFlow, AgreesWithWalksThroughRandomGraphs) {
  std::mt19937 random(7);
  std::size_t known = 0, all = 0;
  for (int graph = 0; graph < 500; graph++) {
    const Walks walks(random, 3 + random() % 12);
    Counts blocks = walks.blocks;
    for (auto& block : blocks)
      if (random() % 3 == 0) block.reset();
    const Counts found = from_blocks(walks.edges, blocks);
    ASSERT_EQ(found.size(), walks.edges.size());
    for (std::size_t edge = 0; edge < found.size(); edge++) {
      all++;
      known += found[edge].has_value();
      EXPECT_EQ(found[edge].value_or(walks.taken[edge]), walks.taken[edge]) << "graph " << graph << ", edge " << edge;
    }
  }
  EXPECT_GT(known * 4, all);
  EXPECT_LT(known, all);
}

}  // namespace
