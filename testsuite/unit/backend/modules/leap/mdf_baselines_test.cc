// mdf_baselines_test.cc - the yardsticks of LEAP's dependence frequencies.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "testsuite/bench/mdf_baselines.h"

#include <gtest/gtest.h>

namespace memprof::bench {
namespace {

// Eight stores 0, 4, ..., 28, then eight loads of the same.
template <typename Mdf>
std::uint64_t eight_and_eight(Mdf&& mdf) {
  for (std::uint64_t i = 0; i < 8; i++) mdf.store(1, 4 * i, 4);
  for (std::uint64_t i = 0; i < 8; i++) mdf.load(2, 4 * i, 4);
  return mdf.conflicts()[{1, 2}];
}

TEST(MdfBaselines, WindowSeesTheLastPlacesOnly) {
  EXPECT_EQ(eight_and_eight(WindowedMdf(2)), 2u);  // 0.25
  EXPECT_EQ(eight_and_eight(WindowedMdf(8)), 8u);  // 1.0
  EXPECT_EQ(eight_and_eight(ExactMdf()), 8u);
}

TEST(MdfBaselines, EachExecutionCountsOncePerStore) {
  ExactMdf exact;
  WindowedMdf window(4);
  const auto both = [&](auto&& f) { f(exact); f(window); };
  both([](auto& m) { m.store(1, 0, 4); });
  both([](auto& m) { m.store(2, 0, 4); });
  both([](auto& m) { m.load(9, 0, 4); });
  both([](auto& m) { m.load(9, 4, 4); });
  both([](auto& m) { m.store(1, 4, 4); });
  both([](auto& m) { m.load(9, 4, 4); });
  both([](auto& m) { m.load(9, 0, 8); });
  const Conflicts expected{{{1, 9}, 3}, {{2, 9}, 2}};  // 0.75 and 0.50
  EXPECT_EQ(exact.conflicts(), expected);
  EXPECT_EQ(window.conflicts(), expected);
}

TEST(MdfBaselines, NewObjectIsAnotherLocation) {
  ExactMdf exact;
  exact.store(1, 4090, 12);
  exact.clear(4096, 100000);
  exact.load(2, 4096, 4);
  exact.load(3, 4092, 8);
  const Conflicts expected{{{1, 3}, 1}};
  EXPECT_EQ(exact.conflicts(), expected);
}

}  // namespace
}  // namespace memprof::bench
