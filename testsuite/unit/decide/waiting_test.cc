// waiting_test.cc - cycles of misses by the pattern of the access.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/decide/waiting.h"

#include <gtest/gtest.h>

namespace memprof::decide {
namespace {

using namespace feedback;

// A loop with one load of a million executions that all miss L2 but not the last level.
Profile one_load() {
  Profile p;
  p.run.accesses = 2'000'000;
  Function& f = p.modules.emplace_back().functions.emplace_back();
  f.loops.emplace_back().id = 0;
  Site& load = f.sites.emplace_back();
  load.id = 0;
  load.loop = 0;
  load.type = "struct node";
  load.field = "next";
  load.executions = 1'000'000;
  Cache& misses = p.cache.emplace_back();
  misses.site = 0;
  misses.l1 = misses.l2 = 1'000'000;
  misses.errors.l1 = misses.errors.l2 = 100'000;
  return p;
}

TEST(Waiting, IndependentLoadsOverlap) {
  const CostModel model;
  const Waiting w = waiting(one_load(), model);
  ASSERT_EQ(w.sites.size(), 1u);
  EXPECT_EQ(w.sites[0].pattern, AccessPattern::irregular);
  EXPECT_DOUBLE_EQ(w.cycles, 1e6 * (model.l1_miss_cycles + model.l2_miss_cycles) / model.window_misses);
}

TEST(Waiting, APointerToTheNextOneIsWaitedFor) {
  Profile p = one_load();
  RecordType& node = p.types.emplace_back();
  node.name = "struct node";
  node.fields.emplace_back().name = "next";
  node.fields[0].declaration = "struct node *next";
  const CostModel model;
  const Waiting w = waiting(p, model);
  EXPECT_EQ(w.sites[0].pattern, AccessPattern::chase);
  EXPECT_DOUBLE_EQ(w.cycles, 1e6 * (model.l1_miss_cycles + model.l2_miss_cycles));
  EXPECT_NEAR(w.share(w.cycles), 45.0 / 47, 1e-9);
  EXPECT_NEAR(w.low(), 40.5 / 42.5, 1e-9);
  EXPECT_NEAR(w.high(), 49.5 / 51.5, 1e-9);
}

TEST(Waiting, LinesThatTheHardwarePrefetchesAreMoved) {
  Profile p = one_load();
  Stride& stride = p.strides.emplace_back();
  stride.site = 0;
  stride.executions = 1'000'000;
  stride.histogram = {{64, 999'999}};
  p.cache[0].llc = 1'000'000;
  const CostModel model;
  // The loop is busy for a cycle of each of them.
  EXPECT_NEAR(waiting(p, model).cycles, 1e6 * (model.streamed_line_cycles - 1), 1000);
  p.cache[0].llc = 100'000;
  EXPECT_NEAR(waiting(p, model).cycles, 0, 1000);
}

TEST(Waiting, StoresWaitForWalksOnly) {
  Profile p = one_load();
  p.modules[0].functions[0].sites[0].kind = Access::store;
  const CostModel model;
  EXPECT_EQ(waiting(p, model).cycles, 0);
  p.cache[0].tlb = 1'000'000;
  const Waiting w = waiting(p, model);
  EXPECT_EQ(w.cycles, w.sites[0].walks);
  EXPECT_GT(w.cycles, 0);
}

}  // namespace
}  // namespace memprof::decide
