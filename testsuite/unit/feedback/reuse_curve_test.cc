// reuse_curve_test.cc - misses for a cache of any size, from a row of the table reuse.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "feedback/reuse_curve.h"

#include <gtest/gtest.h>

namespace memprof::feedback {
namespace {

TEST(ReuseCurve, TheExampleOfItsHeader) {
  const std::vector<Reuse::Point> points{{16, 900}, {64, 900}, {128, 100}};
  EXPECT_DOUBLE_EQ(misses_at(points, 1), 900);
  EXPECT_DOUBLE_EQ(misses_at(points, 16), 900);
  EXPECT_NEAR(misses_at(points, 96), 432, 0.5);
  EXPECT_DOUBLE_EQ(misses_at(points, 128), 100);
  EXPECT_DOUBLE_EQ(misses_at(points, 1e9), 100);
  EXPECT_DOUBLE_EQ(misses_at({}, 16), 0);
}

TEST(ReuseCurve, ASumMissesWhereItsPartsDo) {
  const std::vector<Reuse::Point> a{{16, 1000}, {32, 0}}, b{{16, 50}, {1024, 10}};
  const auto sum = sum_of(a, b);
  for (const double size : {16.0, 32.0, 1024.0})
    EXPECT_NEAR(misses_at(sum, size), misses_at(a, size) + misses_at(b, size), 1) << size;
  EXPECT_EQ(sum_of(a, {}).size(), a.size());
}

}  // namespace
}  // namespace memprof::feedback
