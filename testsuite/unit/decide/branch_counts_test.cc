// branch_counts_test.cc - which branches get measured probabilities, from invented profiles.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/decide/branch_counts.h"

#include <gtest/gtest.h>

#include "testsuite/unit/decide/gate_shown.h"

namespace {

using namespace memprof;
using decide::BranchCode;
using decide::BranchFacts;
using decide::CostModel;
using decide::Decision;
using decide::FlowEdge;
using decide::Reason;

// 0 -> 1 (the rare side) or 2, both -> 3.
constexpr FlowEdge k_diamond[] = {{0, 1, .4}, {0, 2, .6}, {1, 3, 1}, {2, 3, 1}};
constexpr unsigned k_classes[] = {0, 1, 2, 3};
constexpr double k_guesses[] = {10, 4, 6, 10};

BranchCode diamond() {
  BranchCode code;
  code.block_count = 4;
  code.edge_count = 4;
  code.edges = k_diamond;
  code.classes = k_classes;
  code.guesses = k_guesses;
  return code;
}

Decision decide_it(std::vector<std::optional<double>> blocks, const BranchCode* code, std::uint64_t accesses = 1000000) {
  decide::Candidate candidate;
  candidate.transformation = decide::Transformation::branch_counts;
  const BranchFacts facts{{2000000, accesses, 0, 0}, {std::move(blocks), std::vector<std::optional<double>>(4)}};
  return gate_shown(decide::decide_branch_counts(candidate, facts, code, CostModel{}));
}

TEST(BranchCounts, GivesEachSideItsShare) {
  const BranchCode code = diamond();
  const Decision decision = decide_it({99998, 998, {}, {}}, &code);
  ASSERT_TRUE(decision.take());
  EXPECT_EQ(decision.text, "branch counts: 1 of 1 branches have measured probabilities");
  ASSERT_EQ(decision.probabilities.size(), 4u);
  EXPECT_DOUBLE_EQ(decision.probabilities[0], 999 / 100000.0);
  EXPECT_DOUBLE_EQ(decision.probabilities[1], 99001 / 100000.0);
  EXPECT_EQ(decision.block_counts, (std::vector<double>{99998, 998, 99000, 99998}));
  // No branch.
  EXPECT_EQ(decision.probabilities[2], -1);
  EXPECT_EQ(decision.number("share"), 0.5);
}

TEST(BranchCounts, MakesASideThatWasNeverSeenRareAndNotImpossible) {
  const BranchCode code = diamond();
  const Decision decision = decide_it({1000, 0, {}, {}}, &code);
  ASSERT_TRUE(decision.take());
  EXPECT_GT(decision.probabilities[0], 0);
  EXPECT_LT(decision.probabilities[0], 0.001);
}

TEST(BranchCounts, KeepsTheGuessWhereTheProfileDoesNotKnow) {
  const BranchCode code = diamond();
  EXPECT_EQ(decide_it({1000, {}, {}, {}}, &code).text, "no branch counts: the profile knows 0 of 1 branches");
  // Fifteen executions are chance.
  EXPECT_FALSE(decide_it({15, 3, {}, {}}, &code).take());
  EXPECT_TRUE(decide_it({16, 3, {}, {}}, &code).take());
}

TEST(BranchCounts, RefusesWhatTheCodeDoesNotAllow) {
  BranchCode code = diamond();
  code.obstacle = "GCC has a profile of its own";
  EXPECT_EQ(decide_it({1000, 3, {}, {}}, &code).reason, Reason::code_shape);
  EXPECT_EQ(decide_it({1000, 3, {}, {}}, nullptr).reason, Reason::needs_code);
}

TEST(BranchCounts, RefusesAShortRun) {
  const BranchCode code = diamond();
  EXPECT_EQ(decide_it({1000, 3, {}, {}}, &code, 100).gate.name, "executions");
}

TEST(BranchCounts, TakesTheSiteOfABlockThatWasExecutedMost) {
  BranchFacts facts;
  facts.known.blocks.resize(3);
  const CostModel model;
  facts.add(1, 50, 0, model);
  facts.add(1, 70, 0.2, model);
  facts.add(1, 60, 0, model);
  facts.add(2, 5000, 1.96, model);  // seen once
  EXPECT_EQ(facts.known.blocks, (std::vector<std::optional<double>>{{}, 70, {}}));
}

}  // namespace
