// array_history_test.cc - which sites have stored to the elements of an array, against brute force.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/modules/sampled/array_history.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <vector>

#include "testsuite/unit/backend/backend_testutil.h"

namespace memprof::backend {
namespace {

constexpr ArrayHistory::Key k_array{7, 3};
constexpr SiteId k_load = 9;

ArrayHistory::Stores stores(SiteId site, std::uint64_t low, std::uint64_t end,
                            std::uint64_t count, bool fills = false) {
  return {low, end, count, ~std::uint32_t{0}, site, fills};
}

std::map<SiteId, double> shares(ArrayHistory& history, std::uint64_t word, std::uint64_t clock,
                                const ArrayHistory::Seen& seen = {}) {
  std::map<SiteId, double> result;
  for (const auto& [site, share] : history.ask(k_load, k_array, word, clock, seen))
    result[site] += share;
  return result;
}

// The example of the header: 1 fills, 2 changes.
TEST(ArrayHistory, TheLastOnesTakeTheirShareFirst) {
  testing::FakeProgram program;
  ArrayHistory history(program);
  history.store(k_array, stores(1, 0, 100, 4), 10, 50);
  history.store(k_array, stores(2, 0, 100, 1), 20, 50);
  const auto of = shares(history, 42, 30);
  EXPECT_NEAR(of.at(2), 0.43, 0.005);
  EXPECT_NEAR(of.at(1), 0.57, 0.005);
  EXPECT_EQ(shares(history, 42, 20), (std::map<SiteId, double>{{1, 1.0}})) << "before 2 came";
  EXPECT_TRUE(shares(history, 42, 10).empty());
  EXPECT_TRUE(shares(history, 100, 30).empty()) << "where neither was";
}

TEST(ArrayHistory, WhoWasSeenAtTheWordHasTheRest) {
  testing::FakeProgram program;
  ArrayHistory history(program);
  history.store(k_array, stores(1, 0, 100, 1), 10, 100);
  history.store(k_array, stores(1, 0, 100, 1), 20, 50);
  const auto of = shares(history, 42, 30, {1, 10, 1});
  EXPECT_EQ(of, (std::map<SiteId, double>{{1, 1.0}}));
  history.store(k_array, stores(2, 0, 100, 1), 25, 50);
  EXPECT_NEAR(shares(history, 42, 30, {1, 20, 1}).at(2), 1 - std::exp(-0.5), 1e-6);
  EXPECT_TRUE(shares(history, 42, 30, {1, 20, 2}).empty()) << "it is stored to again and again";
}

// 2 stores what 9 does not load.
TEST(ArrayHistory, WhatMustNotBeReadIsLeftOut) {
  testing::FakeProgram program;
  program.apart = {{2, k_load}};
  ArrayHistory history(program);
  history.store(k_array, stores(1, 0, 100, 4), 10, 50);
  history.store(k_array, stores(2, 0, 100, 1), 20, 50);
  const std::map<SiteId, double> only{{1, 1.0}};
  EXPECT_EQ(shares(history, 42, 30), only);
  EXPECT_EQ(shares(history, 42, 30, {2, 20, 1}), only) << "although it was seen there";
}

// Records of 64 bytes: 1 stores to the first word of each, 2 to the third.
TEST(ArrayHistory, FieldsOfRecordsAreKeptApart) {
  testing::FakeProgram program;
  ArrayHistory history(program);
  for (std::uint64_t record = 0; record < 10; record++) {
    history.store(k_array, {record * 32, record * 32 + 1, 1, 1u << 0, 1}, 10, 50);
    history.store(k_array, {record * 32 + 2, record * 32 + 3, 1, 1u << 2, 2}, 20, 50);
  }
  EXPECT_EQ(shares(history, 64, 30), (std::map<SiteId, double>{{1, 1.0}}));
  EXPECT_EQ(shares(history, 66, 30), (std::map<SiteId, double>{{2, 1.0}}));
  EXPECT_TRUE(shares(history, 65, 30).empty());
}

// An allocator of the program's own: each word has one of 32 sites, always the same.
TEST(ArrayHistory, SaysNothingOfElementsThatAreNotAlike) {
  testing::FakeProgram program;
  ArrayHistory history(program);
  int answers = 0;
  for (std::uint64_t burst = 1; burst < 40; burst++) {
    for (std::uint64_t word = 0; word < 256; word += 3)
      history.store(k_array, {word, word + 1, 1, ~std::uint32_t{0}, static_cast<SiteId>(1 + word % 32)},
                    burst * 10, 50);
    const std::uint64_t word = burst * 6;
    answers += !shares(history, word, burst * 10 + 5,
                       {static_cast<SiteId>(1 + word % 32), burst * 10 - 5, 1})
                    .empty();
  }
  EXPECT_GT(answers, 0);
  EXPECT_LT(answers, 20) << "it learns that";
}

TEST(ArrayHistory, SaysNothingOfArraysThatLoopsFill) {
  testing::FakeProgram program;
  ArrayHistory history(program);
  history.store(k_array, stores(1, 0, 1000, 1000, true), 10, 1);
  for (std::uint64_t i = 0; i < 10; i++) history.store(k_array, stores(2, i, i + 1, 1), 20, 100);
  EXPECT_TRUE(shares(history, 5, 30).empty());
  for (std::uint64_t i = 0; i < 90; i++) history.store(k_array, stores(2, i, i + 1, 1), 21, 100);
  EXPECT_FALSE(shares(history, 5, 30).empty()) << "a tenth of all";
}

// By hand, burst by burst; so few sites in a burst that all bursts are looked at.
TEST(ArrayHistory, AgreesWithBruteForce) {
  std::mt19937_64 random(11);
  const auto below = [&random](std::uint64_t n) { return random() % n; };
  for (int round = 0; round < 200; round++) {
    testing::FakeProgram program;
    ArrayHistory history(program);
    struct Event {
      SiteId site;
      double stores;
    };
    std::map<std::uint64_t, std::vector<Event>> bursts;
    std::map<SiteId, std::pair<std::uint64_t, std::uint64_t>> extents;
    for (std::uint64_t i = 0, n = 1 + below(30); i < n; i++) {
      const auto site = static_cast<SiteId>(1 + below(4));
      const std::uint64_t low = below(50), end = low + 1 + below(50), clock = 10 * (1 + i / 3);
      const std::uint64_t count = 1 + below(end - low), one_in = 1 + below(20);
      history.store(k_array, stores(site, low, end, count), clock, static_cast<double>(one_in));
      bursts[clock].push_back({site, static_cast<double>(count * one_in)});
      auto& [from, to] = extents.emplace(site, std::pair(low, end)).first->second;
      from = std::min(from, low), to = std::max(to, end);
    }
    const std::uint64_t word = below(100), clock = 10 * below(13);
    std::map<SiteId, double> expected;
    double left = 1;
    for (auto burst = bursts.rbegin(); burst != bursts.rend(); ++burst) {
      if (burst->first >= clock || left <= 0.02) continue;
      std::map<SiteId, double> of;
      double all = 0;
      for (const Event& e : burst->second) {
        const auto& [from, to] = extents[e.site];
        if (word < from || to <= word) continue;
        of[e.site] += e.stores / static_cast<double>(to - from);
        all += e.stores / static_cast<double>(to - from);
      }
      for (const auto& [site, n] : of) expected[site] += left * (1 - std::exp(-all)) * n / all;
      left *= std::exp(-all);
    }
    const auto found = shares(history, word, clock);
    ASSERT_EQ(found.size(), expected.size()) << "round " << round;
    for (const auto& [site, share] : expected)
      ASSERT_NEAR(found.at(site), share / (1 - left), 1e-6) << "round " << round;
  }
}

// Old events make room; the latest are there.
TEST(ArrayHistory, ForgetsTheOldest) {
  testing::FakeProgram program;
  ArrayHistory history(program);
  for (std::uint64_t i = 1; i <= 2 * ArrayHistory::k_max_events + 7; i++)
    history.store(k_array, stores(static_cast<SiteId>(1 + i % 2), 0, 10, 1), i, 100);
  EXPECT_EQ(shares(history, 5, 2 * ArrayHistory::k_max_events + 8).begin()->first, 2u);
}

}  // namespace
}  // namespace memprof::backend
