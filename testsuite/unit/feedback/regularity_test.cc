// regularity_test.cc - figures of Mohan et al., SC 2003, from sums of streams.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "feedback/regularity.h"

#include <gtest/gtest.h>

namespace memprof::feedback {
namespace {

Regularity sum_of(std::initializer_list<std::pair<std::uint64_t, std::int64_t>> streams,
                  std::uint64_t references) {
  Regularity sum;
  for (const auto& [length, step] : streams) {
    add_stream(sum, length, step);
    sum.regular += length;
  }
  sum.references = references;
  return sum;
}

TEST(Regularity, OfTheWorkedExampleIsOne) {
  const RegularitySummary s = summary(sum_of({{8, 0}, {4, 1}}, 12));
  EXPECT_EQ(s.regularity, 1.0);
  EXPECT_EQ(s.klass, RegularityClass::regular);
  EXPECT_EQ(s.streams, 2u);
  EXPECT_EQ(s.scalar, 1u);
  EXPECT_EQ(s.length, 6.0);
  EXPECT_EQ(s.deviation, 2.0);
}

TEST(Regularity, OfATransposedMatrix) {
  const Regularity sum = sum_of({{8, 64}, {8, 64}, {8, 64}, {8, 64}, {8, 64}, {8, 64},
                                 {8, 64}, {8, 64}, {64, 8}},
                                128);
  const RegularitySummary s = summary(sum);
  EXPECT_EQ(s.regularity, 1.0);
  EXPECT_NEAR(s.length, 14.222, 5e-4);
  EXPECT_NEAR(s.deviation, 17.599, 5e-4);
  EXPECT_NEAR(s.step, 57.778, 5e-4);
  EXPECT_EQ(count_streams(sum, 5, 0) - count_streams(sum, 33, 0), 8u);
  EXPECT_EQ(count_streams(sum, 33, 0), 1u);
  EXPECT_EQ(count_streams(sum, 3, 32), 8u);
  EXPECT_EQ(count_streams(sum, 3, 1, 10), 1u);
}

TEST(Regularity, HasThreeClasses) {
  EXPECT_EQ(summary(sum_of({{64, 8}}, 100)).klass, RegularityClass::irregular);
  EXPECT_EQ(summary(sum_of({{65, 8}}, 100)).klass, RegularityClass::mixed);
  EXPECT_EQ(summary(sum_of({{80, 8}}, 100)).klass, RegularityClass::mixed);
  EXPECT_EQ(summary(sum_of({{81, 8}}, 100)).klass, RegularityClass::regular);
  EXPECT_EQ(summary({}).klass, RegularityClass::irregular);
}

TEST(Regularity, CountsPagesUpAndDown) {
  Regularity sum;
  add_stream(sum, 512, 8);
  add_stream(sum, 513, -8);
  add_stream(sum, 100, 0);
  add_stream(sum, 5000, 8);
  EXPECT_EQ(sum.pages, 1u + 2u + 0u + 10u);
  EXPECT_EQ(sum.wide, 1u);
}

TEST(Regularity, AddsUpInAnyOrder) {
  Regularity a = sum_of({{8, 0}, {300, 16}}, 500), b = sum_of({{8, 0}, {40, -16}}, 60);
  add_period(a, 3, 300);
  add_period(b, 3, 40);
  add_period(b, 2, 8);
  Regularity ab = a, ba = b;
  add_row(ab, b);
  add_row(ba, a);
  const RegularitySummary x = summary(ab), y = summary(ba);
  EXPECT_EQ(x.streams, 4u);
  EXPECT_EQ(x.period, 3u);
  EXPECT_DOUBLE_EQ(x.period_share, 340.0 / 356.0);
  EXPECT_EQ(x.deviation, y.deviation);
  EXPECT_EQ(ab.streams.size(), ba.streams.size());
}

}  // namespace
}  // namespace memprof::feedback
