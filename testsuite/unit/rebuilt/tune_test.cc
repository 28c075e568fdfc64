// tune_test.cc - trials against a clock of the test's own: what they measure, and what they decide.
// SPDX-License-Identifier: GPL-3.0-or-later
#include <time.h>

#include <cstdint>

namespace {
std::uint64_t test_clock = 1;
int
clock_of_test (int, timespec *now)
{
  *now = { time_t (test_clock / 1000000000), long (test_clock % 1000000000) };
  return 0;
}
}

#include <gtest/gtest.h>

#define clock_gettime clock_of_test
#include "runtime/tune/tune.cc"
#undef clock_gettime

#include <array>
#include <functional>
#include <random>

namespace {

// Nanoseconds of an iteration at each level.
using Costs = std::array<double, MPRT_TUNE_LEVELS>;

// A nest, as tuned_nest.cc makes its code.
struct Nest {
  mprt_tune_cell cell = {};
  std::function<double()> noise = [] { return 1.0; };
  double time = 0;
  std::uint64_t entries = 1024;

  Nest(std::uint32_t fallback = 2, std::uint32_t levels = MPRT_TUNE_LEVELS) {
    cell.levels = levels;
    cell.fallback = fallback;
  }

  void enter(std::uint64_t iterations, const Costs& costs) {
    if (--entries == 0) entries = __mprt_tune_again(&cell);
    if (cell.state == MPRT_TUNE_PLAIN) return pass(iterations, costs[0]);
    std::uint64_t left = 1 << 20, start = 0;
    std::uint32_t setting = cell.state - 1;
    const auto begin = [&](std::uint64_t answer) {
      setting = answer & 0xffff;
      left = answer >> MPRT_TUNE_SETTING_BITS;
      start = __mprt_tune_clock();
    };
    if (cell.state == MPRT_TUNE_TRYING) begin(__mprt_tune_enter(&cell));
    while (iterations) {
      const std::uint64_t now = std::min(iterations, left);
      pass(now, costs.at(setting & 0xff));
      iterations -= now;
      left -= now;
      if (left == 0) begin(__mprt_tune_slice(&cell, setting, start));
    }
    if (start) __mprt_tune_leave(&cell, setting, start, left);
  }

  void pass(std::uint64_t iterations, double cost) {
    time += static_cast<double>(iterations) * cost * noise();
    test_clock += static_cast<std::uint64_t>(static_cast<double>(iterations) * cost * noise());
  }
};

TEST(Tune, TakesTheFastestLevel) {
  for (std::uint32_t best = 1; best < MPRT_TUNE_LEVELS; best++) {
    Nest nest;
    Costs costs = {9, 7, 7, 7};
    costs[best] = 5;
    nest.enter(10'000'000, costs);
    EXPECT_EQ(nest.cell.state, 1 + best);
    EXPECT_NEAR(nest.cell.measured, 1800, 2);
    EXPECT_EQ(nest.cell.trials, 1u);
  }
}

TEST(Tune, StaysOffUnlessItIsThreePercentFaster) {
  for (const double with : {8.0, 9.0, 20.0, 8.9, 8.75, 8.7}) {
    Nest nest;
    nest.enter(10'000'000, {9, with, with, with});
    EXPECT_EQ(nest.cell.state == MPRT_TUNE_PLAIN, with > 9 / 1.03) << with;
  }
}

TEST(Tune, NoiseInAnEighthOfTheTimeChangesNothing) {
  std::mt19937 random(1);
  int right = 0;
  for (int run = 0; run < 200; run++) {
    Nest nest;
    nest.noise = [&random] { return random() % 8 ? 1.0 : 2.0; };
    while (nest.cell.trials == 0) nest.enter(10000, {9, 7, 5.5, 7});
    right += nest.cell.state == 3;
  }
  EXPECT_GE(right, 190);
}

TEST(Tune, ShortEntriesAreAddedUpToSlices) {
  for (const std::uint64_t iterations : {1, 17, 64, 300, 5000}) {
    Nest nest;
    for (std::uint64_t done = 0; done < 5'000'000; done += iterations) nest.enter(iterations, {9, 9, 5, 9});
    EXPECT_EQ(nest.cell.state, 3u) << iterations;
  }
}

TEST(Tune, ATrialTakesFourMilliseconds) {
  Nest nest;
  const std::uint64_t before = test_clock;
  while (nest.cell.trials == 0) nest.enter(1000, {3, 4, 3, 3});
  EXPECT_NEAR(static_cast<double>(test_clock - before) / 1e6, 4.5, 1.5);
}

TEST(Tune, IsRepeatedLessAndLessOften) {
  Nest nest;
  const double began = static_cast<double>(test_clock);
  std::array<double, 4> at = {};
  for (std::uint32_t trial = 0; trial < at.size(); trial++) {
    while (nest.cell.trials == trial) nest.enter(1000, {3, 4, 3, 3});
    at[trial] = (static_cast<double>(test_clock) - began) / 1e6;
  }
  EXPECT_GT(at[1] - at[0], 50 * 3);
  EXPECT_GT(at[3] - at[2], 2 * (at[1] - at[0]));
}

TEST(Tune, FollowsDataThatGrow) {
  Nest nest(0);
  while (nest.cell.trials == 0) nest.enter(1000, {3, 4, 4, 4});
  EXPECT_EQ(nest.cell.state, std::uint32_t(MPRT_TUNE_PLAIN));
  while (nest.cell.trials == 1) nest.enter(1000, {30, 20, 14, 14.5});
  EXPECT_EQ(nest.cell.state, 3u);
  while (nest.cell.trials == 2) nest.enter(1000, {30, 20, 22, 14});
  EXPECT_EQ(nest.cell.state, 4u);
  // In one entry, too, whose level is on.
  const std::uint32_t trials = nest.cell.trials;
  nest.enter(4'000'000'000, {3, 4, 4, 4});
  EXPECT_GT(nest.cell.trials, trials);
  EXPECT_EQ(nest.cell.state, std::uint32_t(MPRT_TUNE_PLAIN));
}

TEST(Tune, CostsLittleOverTheBestLevel) {
  for (const Costs& costs : {Costs{9, 7, 5, 7}, Costs{3, 4, 4, 5}}) {
    Nest nest;
    double best = costs[0];
    for (const double cost : costs) best = std::min(best, cost);
    for (int entry = 0; entry < 1000; entry++) nest.enter(1'000'000, costs);
    EXPECT_LT(nest.time, 1.01 * best * 1e9);
  }
}

TEST(Tune, TwoLevelsWhereThereIsNoDistance) {
  for (const double with : {5.0, 12.0}) {
    Nest nest(2, 2);
    nest.enter(10'000'000, {9, 0, with, 0});
    EXPECT_EQ(nest.cell.state, with < 9 ? 3u : std::uint32_t(MPRT_TUNE_PLAIN));
  }
}

// Threads that end a slice at the same time.
TEST(Tune, MoreSlicesThanATrialHasChangeNothing) {
  Nest nest;
  while (nest.cell.trials == 0) nest.enter(1000, {9, 7, 5, 7});
  const mprt_tune_cell before = nest.cell;
  for (int i = 0; i < 100; i++) mprt_tune::end_slice(&nest.cell, before.setting | 3, 1'000'000'000, 1);
  EXPECT_EQ(nest.cell.state, before.state);
  EXPECT_EQ(nest.cell.trials, before.trials);
  EXPECT_EQ(0, memcmp(nest.cell.picoseconds, before.picoseconds, sizeof before.picoseconds));
}

TEST(Tune, EachRoundHasEachLevelOnce) {
  for (std::uint32_t round = 0; round < MPRT_TUNE_ROUNDS; round++) {
    unsigned seen = 0;
    for (std::uint32_t place = 0; place < MPRT_TUNE_LEVELS; place++)
      seen |= 1u << mprt_tune::level_in_order(round * MPRT_TUNE_LEVELS + place, MPRT_TUNE_LEVELS);
    EXPECT_EQ(seen, 15u);
    EXPECT_NE(mprt_tune::level_in_order(2 * round, 2), mprt_tune::level_in_order(2 * round + 1, 2));
  }
}

}  // namespace
