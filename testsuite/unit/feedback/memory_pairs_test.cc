// memory_pairs_test.cc - pairs of a load and a store in a sum of runs.
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "feedback/merge.h"
#include "feedback/never_met.h"

namespace memprof::feedback {
namespace {

// A run of a loop with load 0 and store 1: how often each was executed, and what is said of
// them: a bound if they never met, the estimate of a row of mdf, or nothing.
struct RunOfPair {
  std::uint64_t loads = 10, stores = 10;
  double never = -1, est = -1;
};

Profile profile_of(const RunOfPair& run) {
  Profile p;
  p.sections = {"mdf", "never_met"};
  Function& f = p.modules.emplace_back().functions.emplace_back();
  f.name = f.linkage_name = "f";
  f.loops.emplace_back().id = 0;
  for (const Id id : {0u, 1u}) {
    const std::uint64_t executions = id == 0 ? run.loads : run.stores;
    if (executions == 0) continue;
    Site& s = f.sites.emplace_back();
    s.id = s.ordinal = id;
    s.kind = id == 0 ? Access::load : Access::store;
    s.loop = 0;
    s.executions = executions;
  }
  if (run.never >= 0) p.never_met = {{0, run.never, {0}, {1}}};
  if (run.est >= 0) p.mdf = {{1, 0, 0, run.est, run.est, {}}};
  return p;
}

// What the sum of RUNS says, the same in whatever order: "never 0.1", "met 0.25 0.5", "unknown".
std::string sum_of(std::vector<RunOfPair> runs) {
  std::string said;
  for (int turn = 0; turn < 2; turn++) {
    Profile sum = profile_of(runs[0]);
    for (std::size_t i = 1; i < runs.size(); i++) sum = merge(std::move(sum), profile_of(runs[i]));
    char text[64] = "unknown";
    if (!sum.never_met.empty())
      snprintf(text, sizeof text, "never %g", sum.never_met[0].hi);
    else if (!sum.mdf.empty())
      snprintf(text, sizeof text, "met %g %g", sum.mdf[0].est, sum.mdf[0].hi);
    if (turn == 1) {
      EXPECT_EQ(said, text);
    }
    said = text;
    std::reverse(runs.begin(), runs.end());
  }
  return said;
}

constexpr RunOfPair never(double bound) { return {10, 10, bound, -1}; }
constexpr RunOfPair met(double est) { return {10, 10, -1, est}; }
constexpr RunOfPair k_unknown{10, 10, -1, -1};
constexpr RunOfPair k_load_only{10, 0, -1, -1}, k_store_only{0, 10, -1, -1};

TEST(MemoryPairs, NeverMetInTheSumIsNeverMetInEachRun) {
  EXPECT_EQ(sum_of({never(0), never(0)}), "never 0");
  EXPECT_EQ(sum_of({never(0.001), never(0.1)}), "never 0.1");
  EXPECT_EQ(sum_of({never(0), k_unknown}), "unknown");
  EXPECT_EQ(sum_of({never(0), k_unknown, never(0)}), "unknown");
}

TEST(MemoryPairs, WhatDidNotRunCannotMeet) {
  EXPECT_EQ(sum_of({never(0.01), k_load_only}), "never 0.01");
  EXPECT_EQ(sum_of({never(0.01), k_store_only}), "never 0.01");
  EXPECT_EQ(sum_of({k_load_only, k_store_only}), "never 0");
  EXPECT_EQ(sum_of({k_load_only, k_store_only, k_unknown}), "unknown");
  EXPECT_EQ(sum_of({k_load_only, never(0.1), k_store_only}), "never 0.1");
  EXPECT_EQ(sum_of({k_load_only}), "unknown");
}

TEST(MemoryPairs, WhatMetOnceHasTheGreatestBound) {
  EXPECT_EQ(sum_of({met(0.5), met(0.1)}), "met 0.3 0.5");
  EXPECT_EQ(sum_of({met(0.1), never(0.1)}), "met 0.05 0.1");
  EXPECT_EQ(sum_of({met(0.1), never(0)}), "met 0.05 0.1");
  EXPECT_EQ(sum_of({met(0.1), never(1)}), "met 0.05 1");
  EXPECT_EQ(sum_of({met(0.1), k_unknown}), "met 0.05 1");
  EXPECT_EQ(sum_of({met(0.1), k_load_only}), "met 0.05 0.1");
}

// A profile of a memprof that did not write the table.
TEST(MemoryPairs, ARunWithoutTheTableSaysNothing) {
  Profile a = profile_of(never(0)), b = profile_of(k_unknown), c = profile_of(never(0));
  b.sections = {"mdf"};
  const Profile sum = merge(merge(a, b), c);
  EXPECT_TRUE(sum.never_met.empty());
  EXPECT_EQ(sum.sections, (std::vector<std::string>{"mdf", "never_met"}));
}

TEST(NeverMet, LoadsWithEqualStoresShareARow) {
  std::vector<NeverMet> rows;
  add_rows(rows, 7, {{1, {{7, 0}, {8, 4}}}, {2, {{7, 0}}}, {3, {{7, 0}}}});
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].hi, 0);
  EXPECT_EQ(rows[0].sinks, (std::vector<Id>{1, 2, 3}));
  EXPECT_EQ(rows[0].sources, (std::vector<Id>{7}));
  EXPECT_EQ(rows[1].hi, 0.1);
  EXPECT_EQ(rows[1].sinks, (std::vector<Id>{1}));
}

TEST(NeverMet, BoundsAreRoundedUp) {
  for (MeetLevel level = 0; level <= k_may_always_meet; level++)
    EXPECT_EQ(level_of(bound_of(level)), level);
  EXPECT_EQ(bound_of(level_of(1e-9)), 0.0001);
  EXPECT_EQ(bound_of(level_of(0.0101)), 0.1);
  EXPECT_EQ(bound_of(level_of(0.5)), 1);
}

}  // namespace
}  // namespace memprof::feedback
