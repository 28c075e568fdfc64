// machine_test.cc - the caches and the inputs that decisions assume.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/decide/machine.h"

#include <gtest/gtest.h>

#include "consumers/decide/huge_pages.h"
#include "consumers/decide/prefetch.h"

namespace {

using namespace memprof;
using decide::CostModel;
using decide::Reason;

TEST(Machine, ReadsTheCachesOfARun) {
  CostModel model;
  ASSERT_TRUE(decide::apply_caches(
      "L1=32K/8,L2=1M/8,LLC=16M/16,TLB=1536/12,line=64,sample=8,window=8", model));
  EXPECT_EQ(model.l2_bytes, 1u << 20);
  EXPECT_EQ(model.llc_bytes, 16u << 20);
  EXPECT_EQ(model.tlb_bytes, 1536u * 4096);
  ASSERT_TRUE(decide::apply_caches("L2=3G", model));
  EXPECT_EQ(model.l2_bytes, 3ull << 30);
  EXPECT_EQ(model.llc_bytes, 16u << 20);
}

TEST(Machine, LeavesTheModelAloneWhenTheTextIsNone) {
  for (const char* text : {"mixed", "L2", "L2=", "L2=x", "L2=1X", "L2=0", "=", "L2=1M,LLC",
                           "L2=99999999999999999999"}) {
    CostModel model;
    EXPECT_FALSE(decide::apply_caches(text, model)) << text;
    EXPECT_EQ(model.l2_bytes, CostModel().l2_bytes) << text;
  }
}

TEST(Machine, RemembersWhichCachesTheMissesAreOf) {
  feedback::Profile profile;
  CostModel model;
  decide::apply_profile(profile, model);
  EXPECT_EQ(model.modelled_l2_bytes, 0u);
  profile.run.caches = "mixed";
  decide::apply_profile(profile, model);
  EXPECT_EQ(model.l2_bytes, CostModel().l2_bytes);
  profile.run.caches = "L2=512K/8,TLB=64/4";
  decide::apply_profile(profile, model);
  EXPECT_EQ(model.l2_bytes, 512u << 10);
  EXPECT_EQ(model.modelled_l2_bytes, 512u << 10);
  EXPECT_EQ(model.modelled_tlb_bytes, 64u * 4096);
}

// The example in the head of machine.cc.
TEST(Machine, MovesSharesToOtherCachesAndInputs) {
  EXPECT_DOUBLE_EQ(decide::moved_share(0.4, 1, 2, 1, 2, 1), 0.4);
  EXPECT_NEAR(decide::moved_share(0, 1 << 20, 1 << 17, 1 << 20, 1 << 22, 0.7), 0.7 * 0.75, 1e-9);
  // Half missed; of four times the input, seven in eight.
  EXPECT_NEAR(decide::moved_share(0.5, 1, 2, 1, 8, 1), 0.875, 1e-9);
  // A cache that holds all of it misses nothing.
  EXPECT_NEAR(decide::moved_share(0.5, 1, 2, 2, 2, 1), 0, 1e-9);
  EXPECT_NEAR(decide::moved_share(0.9, 1, 2, 1, 1000, 1), 1, 1e-9);
}

// Scores of the vertices of a graph, 131 KB in the training run.
decide::LoadFacts scores() {
  decide::LoadFacts load;
  load.executions = load.iterations = 1000000;
  load.invocations = 60000;
  load.span = 1 << 17;
  load.objects = 1;
  load.stride_known = true;
  load.stride_share = 0.01;
  load.l1_misses = 700000;
  load.l2_misses = 100;
  return load;
}

TEST(Machine, DecidesPrefetchesForLargerInputs) {
  decide::PrefetchCode code;
  code.shape = decide::Shape::indirect;
  code.instructions = 8;
  code.index_step = 4;
  decide::LoadFacts index = scores();
  index.stride = 4;
  index.stride_share = 0.999;
  CostModel model;
  model.l2_bytes = model.modelled_l2_bytes = 1 << 20;
  const auto reason = [&] {
    return decide::decide_prefetch({}, scores(), &code, &index, model).reason;
  };
  EXPECT_EQ(reason(), Reason::fits_cache);
  model.input_scale = 32;
  EXPECT_EQ(reason(), Reason::taken);
  const auto taken = decide::decide_prefetch({}, scores(), &code, &index, model);
  EXPECT_NEAR(taken.number("miss_share"), 0.525, 0.001);
  EXPECT_NE(taken.text.find("span 4.2 MB"), std::string::npos) << taken.text;
  EXPECT_NE(taken.text.find(", L2 of 1.0 MB, inputs 32 times as large as in the profile"),
            std::string::npos) << taken.text;
  // Another machine's cache holds them.
  model.l2_bytes = 8 << 20;
  EXPECT_EQ(reason(), Reason::fits_cache);
}

TEST(Machine, BelievesTheModelAboutASpanOfLessThanTwiceTheCache) {
  decide::LoadFacts load = scores();
  load.span = 3 << 19;
  load.l2_misses = 400000;
  load.invocations = 1;
  decide::PrefetchCode code;
  code.shape = decide::Shape::indirect;
  code.instructions = 8;
  code.waits = 0.5;
  CostModel model;
  model.l2_bytes = model.modelled_l2_bytes = 1 << 20;
  EXPECT_EQ(decide::decide_prefetch({}, load, &code, nullptr, model).reason, Reason::taken);
  load.l2_misses.reset();
  EXPECT_EQ(decide::decide_prefetch({}, load, &code, nullptr, model).reason, Reason::fits_cache);
}

TEST(Machine, DecidesHugePagesForLargerInputs) {
  decide::ObjectFacts facts;
  facts.allocator = "malloc";
  facts.objects = 120000;  // of 40 bytes, which slabs do not place closer together
  facts.bytes = facts.span = 4800000;
  facts.accesses = 4000000;
  facts.program_accesses = 10000000;
  facts.modelled_misses = 500;
  facts.modelled_changes = 2000000;
  facts.l1_misses = facts.l2_misses = 3000000;
  const auto decision = [&](double scale) {
    CostModel model;
    model.modelled_tlb_bytes = model.tlb_bytes;
    model.input_scale = scale;
    return decide::decide_huge_pages({}, facts, nullptr, model);
  };
  EXPECT_EQ(decision(1).reason, Reason::fits_tlb);
  const auto taken = decision(10);
  ASSERT_EQ(taken.reason, Reason::taken) << taken.text;
  EXPECT_EQ(taken.count("objects"), 1200000u);
  // 20,000,000 page changes, of which 1 - 8.4 / 48 miss.
  EXPECT_NEAR(taken.number("misses"), 16504746, 10);
  // Accesses to the same 8 KB change the page, and will hit.
  facts.l1_misses = 20000;
  facts.l2_misses = 100;
  EXPECT_EQ(decision(10).reason, Reason::few_misses) << decision(10).text;
  EXPECT_NE(taken.text.find("span 48.0 MB with inputs 10 times as large as in the profile"),
            std::string::npos) << taken.text;
}

// 22 iterations in bursts of 200,000 places each may be 20,000: 22 + 3 sqrt (22 * 2,000,000).
TEST(Machine, SampledProfilesMayShowAFractionOfTheIterations) {
  feedback::Profile profile;
  EXPECT_EQ(decide::model_of(profile).min_loop_iterations, CostModel().min_loop_iterations);
  profile.run.bursts = 500;
  profile.run.burst_period = 200000;
  CostModel model = decide::model_of(profile);
  EXPECT_EQ(model.min_loop_iterations, 22u);
  decide::apply_profile(profile, model);
  EXPECT_EQ(model.min_loop_iterations, 22u);
  // All of a short run.
  profile.run.burst_period = 0;
  EXPECT_EQ(decide::model_of(profile).min_loop_iterations, CostModel().min_loop_iterations);
}

}  // namespace
