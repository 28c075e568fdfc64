// convergence_test.cc - when sample mode has seen enough.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/profile/convergence.h"

#include <gtest/gtest.h>

namespace memprof::backend {
namespace {

TEST(Convergence, LooksWhenTheNumberOfBurstsHasDoubled) {
  Convergence c(5);
  EXPECT_FALSE(c.due(3));
  EXPECT_TRUE(c.due(4));
  EXPECT_FALSE(c.note({0, 10}));
  EXPECT_FALSE(c.due(7));
  EXPECT_TRUE(c.due(8));
}

TEST(Convergence, SharesNotCounts) {
  Convergence c(5);
  EXPECT_FALSE(c.note({0, 60, 40}));
  EXPECT_FALSE(c.note({0, 100, 100}));  // 10 % of the executions have moved
  EXPECT_TRUE(c.note({0, 204, 196}));   // 1 %
}

TEST(Convergence, TheLimitCounts) {
  Convergence strict(0.5), loose(11);
  EXPECT_FALSE(strict.note({0, 60, 40}));
  EXPECT_FALSE(strict.note({0, 102, 98}));
  EXPECT_FALSE(strict.note({0, 204, 200}));
  EXPECT_TRUE(strict.note({0, 408, 401}));
  EXPECT_FALSE(loose.note({0, 60, 40}));
  EXPECT_TRUE(loose.note({0, 100, 100}));
}

TEST(Convergence, NewSitesAreAChange) {
  Convergence c(20);
  EXPECT_FALSE(c.note({0, 10}));
  EXPECT_FALSE(c.note({0, 10, 10}));
}

TEST(Convergence, NothingSeenIsNotEnough) {
  Convergence c(50);
  EXPECT_FALSE(c.note({}));
  EXPECT_FALSE(c.note({0, 0}));
  EXPECT_FALSE(c.note({0, 5}));
  EXPECT_TRUE(c.note({0, 10}));
}

TEST(Convergence, WithoutALimitItIsNeverDue) {
  EXPECT_FALSE(Convergence(0).due(1000));
}

}  // namespace
}  // namespace memprof::backend
