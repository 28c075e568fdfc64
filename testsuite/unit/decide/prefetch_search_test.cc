// prefetch_search_test.cc - which searches get prefetches of both next places.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/decide/prefetch.h"
#include "testsuite/unit/decide/gate_shown.h"

#include <gtest/gtest.h>

namespace {

using namespace memprof;
using decide::CostModel;
using decide::Decision;
using decide::LoadFacts;
using decide::PrefetchCode;
using decide::Reason;

// 100000 searches in 2^22 doubles; 5 of 22 steps miss L2.
LoadFacts large_array() {
  LoadFacts load;
  load.executions = load.iterations = 2200000;
  load.invocations = 100000;
  load.span = 32 << 20;
  load.objects = 1;
  load.stride_known = true;
  load.stride_share = 0.05;
  load.line_local = 0.14;
  load.l2_misses = 500000;
  load.l1_misses = 940000;
  return load;
}

PrefetchCode branch() {
  PrefetchCode code;
  code.shape = decide::Shape::search;
  code.instructions = 10;
  code.waits = 0.5;
  return code;
}

Decision decide_it(const LoadFacts& load, const PrefetchCode& code, const CostModel& model = {}) {
  return gate_shown(decide::decide_prefetch({}, load, &code, nullptr, model));
}

TEST(PrefetchOfSearches, AsksForBothPlaces) {
  const Decision decision = decide_it(large_array(), branch());
  ASSERT_EQ(decision.reason, Reason::taken) << decision.text;
  EXPECT_EQ(decision.count("distance"), 1u);
  // 5 + 10 + 0.5 * (68 + 0.2 * 10) cycles become 8 + 10 + 70 / 3.
  EXPECT_NEAR(decision.gain, 1.21, 0.01);
  EXPECT_EQ(decision.text.find("search prefetch of both next places: 22.0 steps, 2200000 executions"),
            0u) << decision.text;
}

// Each step waits then, not only those after a wrong guess.
TEST(PrefetchOfSearches, GainsMoreWithConditionalMoves) {
  PrefetchCode code = branch();
  code.waits = 0;
  EXPECT_NEAR(decide_it(large_array(), code).gain, 1.74, 0.01);
}

// The upper half of the steps is in the cache, which the model would say.
TEST(PrefetchOfSearches, TakesTheUpperStepsForHitsWithoutAModel) {
  LoadFacts load = large_array();
  load.l2_misses.reset();
  load.l1_misses = 0;
  // log2 (32 MB / 2 MB) = 4 of 22.
  EXPECT_NEAR(decide_it(load, branch()).gain, 1.17, 0.01);
}

TEST(PrefetchOfSearches, RefusesWhatTheCacheHolds) {
  LoadFacts load = large_array();
  load.l2_misses = load.executions / 20;
  EXPECT_EQ(decide_it(load, branch()).reason, Reason::hits_cache);
  load.span = 100000;
  EXPECT_EQ(decide_it(load, branch()).reason, Reason::fits_cache);
}

TEST(PrefetchOfSearches, RefusesStepsThatComputeMoreThanTheyWait) {
  PrefetchCode code = branch();
  code.instructions = 1500;
  const Decision decision = decide_it(large_array(), code);
  EXPECT_EQ(decision.reason, Reason::overlapped);
  EXPECT_EQ(decision.gate.name, "gain");
}

TEST(PrefetchOfSearches, RefusesTooFewAndTooManySteps) {
  LoadFacts load = large_array();
  load.invocations = load.iterations / 4;
  EXPECT_EQ(decide_it(load, branch()).reason, Reason::short_loop);
  load.invocations = load.iterations / 1000;
  const Decision decision = decide_it(load, branch());
  EXPECT_EQ(decision.reason, Reason::code_shape);
  EXPECT_NE(decision.text.find("1000.0 steps are too many for a search in 33.6 MB"),
            std::string::npos) << decision.text;
  EXPECT_TRUE(decide_it(load, branch(), CostModel::eager()).take());
}

// GCC made an inner loop of the likelier side, which is left every other step.
TEST(PrefetchOfSearches, DoesNotKnowTheStepsOfTwoLoops) {
  LoadFacts load = large_array();
  load.invocations = load.iterations / 2;
  PrefetchCode code = branch();
  code.in_two_loops = true;
  const Decision decision = decide_it(load, code);
  EXPECT_TRUE(decision.take()) << decision.text;
  EXPECT_NEAR(decision.number("trip_count"), 22, 0.1);
}

TEST(PrefetchOfSearches, RefusesLoadsOfFewIterations) {
  LoadFacts load = large_array();
  load.iterations = 3 * load.executions;
  EXPECT_EQ(decide_it(load, branch()).reason, Reason::conditional);
  load.invocations = 0;
  EXPECT_EQ(decide_it(load, branch()).reason, Reason::code_shape);
}

}  // namespace
