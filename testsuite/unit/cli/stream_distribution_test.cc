// stream_distribution_test.cc - cumulative distributions of hot streams.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/cli/stream_distribution.h"

#include <gtest/gtest.h>

namespace memprof::cli {
namespace {

// C-4 of the specification: ab 72, bc 70, cab 84, defg 80.
TEST(StreamDistribution, RisesToAllStreamsAndAllHeat) {
  const auto points = cumulative({{2, 72}, {3, 84}, {2, 70}, {4, 80}});
  ASSERT_EQ(points.size(), 3u);
  EXPECT_EQ(points[0].value, 2);
  EXPECT_DOUBLE_EQ(points[0].streams, 0.5);
  EXPECT_DOUBLE_EQ(points[0].heat, 142.0 / 306);
  EXPECT_EQ(points[1].value, 3);
  EXPECT_DOUBLE_EQ(points[1].streams, 0.75);
  EXPECT_DOUBLE_EQ(points[1].heat, 226.0 / 306);
  EXPECT_EQ(points[2].value, 4);
  EXPECT_DOUBLE_EQ(points[2].streams, 1);
  EXPECT_DOUBLE_EQ(points[2].heat, 1);
}

TEST(StreamDistribution, OfNoStreamsHasNoPoints) { EXPECT_TRUE(cumulative({}).empty()); }

// Packed by half: one of two blocks would do.
TEST(StreamDistribution, CountsPackingInStepsOfFivePerCent) {
  StreamAnalysis analysis;
  analysis.rows.resize(3);
  for (StreamRow& row : analysis.rows) row.stream.names = {0, 1}, row.stream.occurrences = 5;
  analysis.rows[0].packing = {1, 2};
  analysis.rows[1].packing = {1, 1};
  analysis.rows[2].packing = {1, 3};
  const auto packing = distributions_of(analysis).packing;
  ASSERT_EQ(packing.size(), 3u);
  EXPECT_DOUBLE_EQ(packing[0].value, 0.35);
  EXPECT_DOUBLE_EQ(packing[1].value, 0.5);
  EXPECT_DOUBLE_EQ(packing[1].streams, 2.0 / 3);
  EXPECT_DOUBLE_EQ(packing[2].value, 1);
}

}  // namespace
}  // namespace memprof::cli
