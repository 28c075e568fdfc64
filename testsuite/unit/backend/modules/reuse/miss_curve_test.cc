// miss_curve_test.cc - misses of programs whose reuse is known, from windows of them.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/modules/reuse/miss_curve.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace memprof::backend {
namespace {

constexpr SiteId k_walk = 1, k_fill = 2;
constexpr GroupId k_table = 5;

// Records windows as the decoder does.
class Windows {
 public:
  // Of an object at BASE with BYTES, or of small ones.
  template <typename Next>
  void window(std::uint64_t accesses, Next&& next, std::uint64_t base = 0,
              std::uint64_t bytes = 0) {
    const std::uint64_t seed = WindowSample::hash(++number_);
    reuse.use({.number = seed, .kind = WindowUse::begin});
    for (std::uint64_t i = 0; i < accesses; i++) {
      const auto [site, line] = next();
      const std::uint64_t hash = WindowSample::hash(line);
      const unsigned shift = WindowSample::shift(WindowUse::line, i);
      const bool looked_at = WindowSample::looked_at(hash, seed, shift);
      const bool marked = WindowSample::marked(WindowUse::line, hash);
      if (looked_at || marked)
        reuse.use({line, 1, site, k_table, base, bytes, 0, WindowUse::line,
                   static_cast<std::uint8_t>(shift), looked_at, marked});
    }
    reuse.use({.count = accesses, .kind = WindowUse::end});
  }
  MissCurves curves(double lines, double accesses) const {
    return MissCurves(reuse, std::vector(reuse.memories().size(), lines),
                      std::vector(reuse.rows().size(), accesses));
  }

  WindowReuse reuse{WindowUse::line};

 private:
  std::uint64_t number_ = 0;
};

TEST(MissCurves, RandomAccessMissesByTheShareThatDoesNotFit) {
  constexpr std::uint64_t k_lines = 20'000;
  Windows windows;
  std::mt19937_64 random(3);
  for (unsigned i = 0; i < 40; i++)
    windows.window(1000u << i % 8, [&] { return std::pair(k_walk, random() % k_lines); });
  const MissCurves curves = windows.curves(k_lines, 1e8);
  for (const double size : {1000.0, 5000.0, 10'000.0, 15'000.0})
    EXPECT_NEAR(curves.misses(0, size).share, 1 - size / k_lines, 0.06) << size;
  EXPECT_NEAR(curves.misses(0, 30'000).share, k_lines / 1e8, 1e-5);
}

// No window is as long as a round.
TEST(MissCurves, ASweepMissesInAllThatIsSmaller) {
  constexpr std::uint64_t k_lines = 200'000;
  Windows windows;
  std::mt19937_64 random(3);
  for (unsigned i = 0; i < 60; i++) {
    std::uint64_t at = random();
    windows.window(1000u << i % 8, [&] { return std::pair(k_walk, at++ % k_lines); });
  }
  const MissCurves curves = windows.curves(k_lines, 1e8);
  EXPECT_NEAR(curves.misses(0, 1000).share, 1, 0.001);
  EXPECT_NEAR(curves.misses(0, 150'000).share, 1, 0.001);
  EXPECT_NEAR(curves.misses(0, 210'000).share, k_lines / 1e8, 1e-5);
}

// Of two arrays of one allocation site, one is filled and never used again. The other one is swept,
// and what fits is that one alone.
TEST(MissCurves, LargeObjectsOfAGroupAreMemoriesOfTheirOwn) {
  constexpr std::uint64_t k_lines = 30'000, k_filled = 200'000, k_base = 1 << 30;
  Windows windows;
  std::mt19937_64 random(3);
  for (unsigned i = 0; i < 10; i++) {
    std::uint64_t at = random() % k_filled;
    windows.window(8000, [&] { return std::pair(k_fill, 1'000'000 + at++); }, k_base, k_filled * 64);
  }
  for (unsigned i = 0; i < 60; i++) {
    std::uint64_t at = random();
    windows.window(1000u << i % 4, [&] { return std::pair(k_walk, at++ % k_lines); }, 2 * k_base,
                   k_lines * 64);
  }
  ASSERT_EQ(windows.reuse.memories().size(), 2u);
  const std::vector<double> lines = {k_filled, k_lines}, accesses = {k_filled, 1e8};
  const MissCurves curves(windows.reuse, lines, accesses);
  EXPECT_GT(curves.misses(1, 20'000).share, 0.9);
  EXPECT_LT(curves.misses(1, 45'000).share, 0.01);
}

// Bursts are short and meet caches that hold what the burst before has left: a table that is
// always in the cache must not miss.
TEST(MissCurves, WhatFitsDoesNotMiss) {
  Windows windows;
  std::mt19937_64 random(3);
  for (unsigned i = 0; i < 20; i++)
    windows.window(5000, [&] { return std::pair(k_walk, random() % 100); });
  const MissCurves curves = windows.curves(100, 1e8);
  EXPECT_LT(curves.misses(0, 512).share, 1e-5);
  EXPECT_NEAR(curves.misses(0, 50).share, 0.5, 0.05);
}

// Lines that are accessed once miss in each cache, however large; which site accesses them first is known.
TEST(MissCurves, FirstAccessesMissAlways) {
  Windows windows;
  std::mt19937_64 random(3);
  std::uint64_t fresh = 1 << 20;
  for (unsigned i = 0; i < 40; i++)
    windows.window(8000, [&, n = 0u]() mutable {
      return n++ % 4 == 0 ? std::pair(k_fill, fresh++) : std::pair(k_walk, random() % 1000);
    });
  const MissCurves curves = windows.curves(2e6, 1e6);
  const auto row = [&](SiteId site) {
    return static_cast<std::size_t>(windows.reuse.rows()[0].site == site ? 0 : 1);
  };
  EXPECT_NEAR(curves.misses(row(k_fill), 4e6).share, 1, 0.05);
  EXPECT_LT(curves.misses(row(k_walk), 4e6).share, 0.01);
}

// What no window met has the error of a guess.
TEST(MissCurves, ASiteThatNoWindowMet) {
  Windows windows;
  std::mt19937_64 random(3);
  for (unsigned i = 0; i < 20; i++)
    windows.window(8000, [&] { return std::pair(k_walk, random() % 1000); });
  windows.reuse.add_row(k_fill, k_table);
  const MissCurves curves = windows.curves(1000, 1e6);
  EXPECT_TRUE(curves.misses(1, 100).guessed);
  EXPECT_GE(curves.misses(1, 100).error, curves.misses(1, 100).share);
  EXPECT_NEAR(curves.misses(1, 100).share, curves.misses(0, 100).share, 0.01);
  EXPECT_LT(curves.misses(0, 100).error, 0.2);
}

TEST(MissCurves, SetsLoseSomeLinesEarlierAndSomeLater) {
  Windows windows;
  std::mt19937_64 random(3);
  for (unsigned i = 0; i < 40; i++)
    windows.window(32'000, [&] { return std::pair(k_walk, random() % 8000); });
  const MissCurves curves = windows.curves(8000, 1e8);
  const double plain = curves.misses(0, 2000).share, few_ways = curves.misses_with_sets(0, 2000, 2).share;
  EXPECT_NEAR(few_ways, plain, 0.1);
  EXPECT_NEAR(curves.misses_with_sets(0, 2000, 16).share, plain, 0.05);
}

}  // namespace
}  // namespace memprof::backend
