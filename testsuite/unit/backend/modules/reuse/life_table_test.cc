// life_table_test.cc - reuse distances of which some are only known to be longer, or shorter.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/modules/reuse/life_table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "runtime/backend/modules/reuse/footprint.h"

namespace memprof::backend {
namespace {

TEST(DistanceClass, EightForEachPowerOfTwo) {
  EXPECT_EQ(DistanceClass::of(0), 0u);
  EXPECT_EQ(DistanceClass::of(1), 1u);
  EXPECT_EQ(DistanceClass::of(2), 9u);
  EXPECT_EQ(DistanceClass::of(1024), 81u);
  EXPECT_EQ(DistanceClass::of(1023), 80u);
  EXPECT_DOUBLE_EQ(DistanceClass::least(81), 1024);
  EXPECT_EQ(DistanceClass::of(~std::uint64_t{0}), DistanceClass::k_count - 1);
}

// Kaplan and Meier's product: 10 accesses, of which 2 are seen at distance 1, 4 are censored at 2
// and 3 are seen at 4: (1 - 2/10) * (1 - 3/4) is left. Many of each, so that the parent, which has
// none, does not matter.
TEST(LifeTable, KaplanMeier) {
  LifeTable table;
  table.seen[DistanceClass::of(1)] = 2e6;
  table.censored[DistanceClass::of(2)] = 4e6;
  table.seen[DistanceClass::of(4)] = 3e6;
  table.censored[DistanceClass::of(8)] = 1e6;
  const SurvivalCurve curve = survival(hazards(table, {}));
  EXPECT_NEAR(survival_at(curve, 1), 1, 1e-5);
  EXPECT_NEAR(survival_at(curve, 2), 0.8, 1e-5);
  EXPECT_NEAR(survival_at(curve, 4), 0.8, 1e-5);
  EXPECT_NEAR(survival_at(curve, 5), 0.2, 1e-5);
}

TEST(LifeTable, WhereLittleIsKnownItIsAsTheParent) {
  Hazards parent{};
  parent[3] = 0.5;
  EXPECT_DOUBLE_EQ(hazards({}, parent)[3], 0.5);
  LifeTable one;
  one.seen[5] = 1;
  EXPECT_DOUBLE_EQ(hazards(one, parent)[3], 4 * 0.5 / (1 + 4));
}

// Half of the accesses are at distance 10, half at 10,000. Where one line in 1024 is looked at, the
// ones are only known to be below 16,384 as the others are.
TEST(LifeTable, NearAccessesAreDealtOutAsOthersSay) {
  LifeTable table;
  table.seen[DistanceClass::of(10)] = 1000;
  table.seen[DistanceClass::of(10'000)] = 1000;
  table.near[10] = 1e6;
  const SurvivalCurve curve = survival(hazards(table, {}));
  EXPECT_NEAR(survival_at(curve, 100), 0.5, 0.01);
  EXPECT_NEAR(survival_at(curve, 16'384), 0, 0.01);
}

// Windows of all lengths over accesses whose distances are geometric: the beginning of a window,
// where nothing was seen before, does not bias the curve.
TEST(LifeTable, CensoringDoesNotBias) {
  std::mt19937_64 random(7);
  std::geometric_distribution<std::uint64_t> distance(1 / 500.0);
  LifeTable table;
  for (unsigned i = 0; i < 200'000; i++) {
    const std::uint64_t d = distance(random), limit = random() % 2000;
    (d < limit ? table.seen : table.censored)[DistanceClass::of(std::min(d, limit))]++;
  }
  const SurvivalCurve curve = survival(hazards(table, {}));
  for (const double at : {50.0, 200.0, 500.0, 1000.0})
    EXPECT_NEAR(survival_at(curve, at), std::exp(-at / 500), 0.02) << at;
}

// Chao's estimator: 10 lines seen once and 5 twice are 10 + 5 + 10 * 9 / (2 * 6) with many windows.
TEST(Footprint, Chao) {
  const Footprint::Counts counts{15, 10, 5};
  EXPECT_NEAR(counts.all(1e9), 15 + 10.0 * 9 / 12, 1e-6);
  EXPECT_TRUE(std::isinf(counts.all(1)));
  EXPECT_GT(counts.at_most(1e9), counts.all(1e9));
}

TEST(Footprint, CountsWindowsAndNotUses) {
  Footprint footprint;
  EXPECT_EQ(footprint.use(1, 7, 1), Footprint::Met::never);
  EXPECT_EQ(footprint.use(1, 7, 1), Footprint::Met::here);
  EXPECT_EQ(footprint.use(2, 7, 1), Footprint::Met::never);
  EXPECT_EQ(footprint.use(1, 7, 2), Footprint::Met::before);
  const auto counts = footprint.counts().at(7);
  EXPECT_EQ(counts.seen, 2);
  EXPECT_EQ(counts.once, 1);
  EXPECT_EQ(counts.twice, 1);
}

}  // namespace
}  // namespace memprof::backend
