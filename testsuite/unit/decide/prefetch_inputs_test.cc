// prefetch_inputs_test.cc - loads that the cache held with the inputs of the profile.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/decide/prefetch.h"
#include "testsuite/unit/decide/gate_shown.h"
#include "testsuite/unit/decide/indirect_code.h"

#include <gtest/gtest.h>

namespace {

using namespace memprof;
using decide::CostModel;
using decide::Decision;
using decide::LoadFacts;
using decide::PrefetchCode;
using decide::Reason;
using decide::Shape;
using decide::good_code;

// degree[neighbour[e]]: everything but its size speaks for it; a training input of 262 KB in
// L2 of 1 MB, where nearly all accesses miss L1.
LoadFacts small_load() {
  LoadFacts load;
  load.executions = load.iterations = 10000000;
  load.invocations = 100000;
  load.span = load.block_bytes = 256 << 10;
  load.objects = 1;
  load.stride_known = true;
  load.stride_share = 0.01;
  load.l1_misses = load.executions / 10 * 9;
  load.l2_misses = 0;
  load.watched = "0123456789abcdef";
  return load;
}

Decision decide_it(const LoadFacts& load, const PrefetchCode& code, const CostModel& model) {
  return gate_shown(decide::decide_prefetch({}, load, &code, nullptr, model));
}

CostModel small_cache() {
  CostModel model;
  model.l2_bytes = model.modelled_l2_bytes = 1 << 20;
  return model;
}

TEST(PrefetchInputs, WaitsForLargerInputsWhereTheCacheHeldThoseOfTheProfile) {
  const Decision decision = decide_it(small_load(), good_code(), small_cache());
  ASSERT_TRUE(decision.take()) << decision.text;
  // With 1 MB nothing misses, with 2 MB 45 %.
  EXPECT_EQ(decision.count("at_least"), 2u << 20);
  EXPECT_EQ(decision.count("distance"), 20u);  // 300 cycles of the last level by 15
  EXPECT_EQ(decision.watched, "0123456789abcdef");
  EXPECT_EQ(decision.number("saved_cycles"), 0);
  EXPECT_NE(decision.text.find("inputs 8 times as large as in the profile; where a block of its "
                               "allocation call has 2.1 MB"),
            std::string::npos) << decision.text;
  // 1.17 times as fast with 2 MB is too little for what no profile saw; 1.32 with 4 MB.
  PrefetchCode flowing = good_code();
  flowing.waits = 0;
  LoadFacts one_entry = small_load();
  one_entry.invocations = 1;
  EXPECT_EQ(decide_it(one_entry, flowing, small_cache()).count("at_least"), 4u << 20);
  // Inputs of which the user says that they are larger are the ones that may grow.
  CostModel twice = small_cache();
  twice.input_scale = 2;
  EXPECT_EQ(decide_it(small_load(), good_code(), twice).count("at_least"), 2u << 20);
  twice.input_scale = 8;
  EXPECT_EQ(decide_it(small_load(), good_code(), twice).count("at_least"), 0u);
  EXPECT_TRUE(decide_it(small_load(), good_code(), twice).take());
}

TEST(PrefetchInputs, OnTrialWhereverItMightGain) {
  PrefetchCode code = good_code();
  code.trial = true;
  // Of a block that nothing watches, too: the program measures instead of comparing sizes.
  LoadFacts load = small_load();
  load.watched.clear();
  load.block_bytes = 0;
  const Decision decision = decide_it(load, code, small_cache());
  ASSERT_TRUE(decision.take()) << decision.text;
  EXPECT_EQ(decision.count("at_least"), 0u);
  EXPECT_EQ(decision.count("trial"), 1u);
  EXPECT_EQ(decision.count("unsure"), 1u);
  EXPECT_EQ(decision.number("saved_cycles"), 0);
  EXPECT_NE(decision.text.find("; on trial, off at first"), std::string::npos) << decision.text;
  // What all gates let pass begins as decided.
  CostModel large = small_cache();
  large.input_scale = 8;
  const Decision sure = decide_it(load, code, large);
  EXPECT_EQ(sure.count("trial"), 1u);
  EXPECT_EQ(sure.count("unsure"), 0u);
  EXPECT_GT(sure.number("saved_cycles"), 0);
  // No trial makes up for what the code lacks, or for few executions.
  code.obstacle = "the index is not known";
  EXPECT_FALSE(decide_it(load, code, small_cache()).take());
  code.obstacle = nullptr;
  load.executions = load.iterations = 1000;
  EXPECT_EQ(decide_it(load, code, small_cache()).reason, Reason::few_executions);
}

TEST(PrefetchInputs, WaitsForNoLargerInputsWhereTheyDoNotMatter) {
  LoadFacts load = small_load();
  load.block_bytes = 0;  // of unknown size
  EXPECT_EQ(decide_it(load, good_code(), small_cache()).reason, Reason::fits_cache);
  load = small_load();
  load.span = load.block_bytes = 1 << 10;  // nor with 64 times as much
  EXPECT_EQ(decide_it(load, good_code(), small_cache()).reason, Reason::fits_cache);
  load = small_load();
  load.l1_misses = load.executions / 20;
  EXPECT_EQ(decide_it(load, good_code(), small_cache()).reason, Reason::fits_cache);
  load = small_load();
  load.executions = 100;
  EXPECT_EQ(decide_it(load, good_code(), small_cache()).reason, Reason::few_executions);
  // Nodes of a list are not in one block.
  load = small_load();
  load.objects = 1000000;
  load.stride = 48;
  load.stride_share = 0.99;
  PrefetchCode linked;
  linked.shape = Shape::linked;
  linked.instructions = 20;
  EXPECT_EQ(decide_it(load, linked, small_cache()).reason, Reason::fits_cache);
}

}  // namespace
