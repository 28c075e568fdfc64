// load_view_test.cc - loads of functions as their callers' loops see them.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/decide/load_view.h"
#include "consumers/decide/prefetch.h"

#include <gtest/gtest.h>

namespace {

using namespace memprof;
using decide::LoadFacts;
using decide::PrefetchCode;
using decide::Reason;

// A table of 92 MB, looked into by a function without a loop.
LoadFacts looked_up() {
  LoadFacts load;
  load.executions = 3000000;
  load.span = 92 << 20;
  load.objects = 1;
  load.stride_known = true;
  load.stride_share = 0.01;
  load.l1_misses = 2700000;
  load.l2_misses = 2400000;
  return load;
}

// The loop around the call, 34 iterations an entry.
PrefetchCode from_call() {
  PrefetchCode code;
  code.shape = decide::Shape::indirect;
  code.instructions = 140;
  code.index_step = 4;
  code.call = true;
  code.outer_invocations = 88000;
  code.outer_iterations = 3000000;
  return code;
}

TEST(LoadView, TakesALoadOfACalledFunction) {
  const auto decision = decide::decide_prefetch({}, looked_up(), nullptr, nullptr, {});
  EXPECT_TRUE(decision.open()) << decision.text;
  const PrefetchCode code = from_call();
  const auto taken = decide::decide_prefetch({}, looked_up(), &code, nullptr, {});
  ASSERT_EQ(taken.reason, Reason::taken) << taken.text;
  EXPECT_EQ(taken.count("call"), 1u);
  EXPECT_NE(taken.text.find("in the calling loop, 34.1 iterations per entry"),
            std::string::npos) << taken.text;
  // Where the function stands, it is in no loop.
  PrefetchCode alone = code;
  alone.call = false;
  EXPECT_EQ(decide::decide_prefetch({}, looked_up(), &alone, nullptr, {}).reason,
            Reason::code_shape);
}

TEST(LoadView, CountsNoMoreCallsThanTheLoopHasIterations) {
  PrefetchCode code = from_call();
  code.outer_iterations = 1000000;
  const LoadFacts here = decide::of_calls(looked_up(), code);
  EXPECT_EQ(here.executions, 1000000u);
  EXPECT_EQ(*here.l2_misses, 800000u);
  EXPECT_EQ(here.l1_misses, 900000u);
  EXPECT_EQ(here.invocations, code.outer_invocations);
}

TEST(LoadView, LeavesLoadsThatFewCallsPerform) {
  LoadFacts rare = looked_up();
  rare.executions = 300000;
  rare.l2_misses = 290000;
  const PrefetchCode code = from_call();
  EXPECT_EQ(decide::decide_prefetch({}, rare, &code, nullptr, {}).reason, Reason::conditional);
}

}  // namespace
