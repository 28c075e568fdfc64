// mdf_test.cc - the conflict solver (Wu et al., CGO 2004, section 4), by hand and by
// brute force.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/modules/leap/mdf.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>
#include <vector>

#include "runtime/backend/modules/leap/lmad_conflicts.h"

namespace memprof::backend {
namespace {

using Line = feedback::Lmad<3>;

Line line(std::int64_t o, std::int64_t f, std::int64_t t, std::int64_t p,
          std::int64_t q, std::int64_t r, std::uint64_t n) {
  return {{o, f, t}, {p, q, r}, n};
}

std::set<std::uint64_t> elements(const std::vector<Progression>& progressions) {
  std::set<std::uint64_t> result;
  for (const auto& p : progressions)
    for (std::uint64_t i = 0; i < p.count; i++) result.insert(p.first + i * p.step);
  return result;
}

std::uint64_t size_of_union(std::vector<Progression> progressions, std::uint64_t n,
                            bool* approximate = nullptr) {
  return union_size(progressions, n, approximate);
}

std::set<std::uint64_t> brute_force(const Line& a, std::uint64_t wa, const Line& b,
                                    std::uint64_t wb) {
  std::set<std::uint64_t> result;
  for (std::uint64_t y = 0; y < b.count; y++)
    for (std::uint64_t x = 0; x < a.count; x++) {
      std::int64_t s[3], l[3];
      for (int i = 0; i < 3; i++) {
        s[i] = a.start[i] + static_cast<std::int64_t>(x) * a.stride[i];
        l[i] = b.start[i] + static_cast<std::int64_t>(y) * b.stride[i];
      }
      if (s[0] == l[0] && s[1] < l[1] + static_cast<std::int64_t>(wb) &&
          l[1] < s[1] + static_cast<std::int64_t>(wa) && s[2] < l[2])
        result.insert(y);
    }
  return result;
}

// One progression, whatever the number of deltas that found it.
void expect_one(const Line& a, std::uint64_t wa, const Line& b, std::uint64_t wb,
                const Progression& expected) {
  const auto found = conflicts(a, wa, b, wb);
  EXPECT_EQ(elements(found), elements({expected}));
  EXPECT_EQ(size_of_union(found, b.count), expected.count);
  EXPECT_EQ(elements(found), brute_force(a, wa, b, wb));
}

TEST(Mdf, Vectors) {
  // Equal and opposite sweeps, partial overlaps, one location, several objects.
  expect_one(line(0, 0, 0, 0, 4, 2, 10), 4, line(0, -12, 1, 0, 4, 2, 10), 4, {3, 1, 7});
  expect_one(line(0, 0, 0, 0, 8, 1, 8), 4, line(0, 0, 100, 0, 4, 1, 16), 4, {0, 2, 8});
  expect_one(line(0, 0, 0, 0, 4, 2, 10), 4, line(0, 36, 1, 0, -4, 2, 10), 4, {5, 1, 5});
  expect_one(line(0, 0, 0, 0, 8, 2, 4), 8, line(0, 4, 1, 0, 8, 2, 4), 4, {0, 1, 4});
  expect_one(line(0, 16, 50, 0, 0, 10, 3), 4, line(0, 16, 5, 0, 0, 10, 10), 4, {5, 1, 5});
  expect_one(line(0, 8, 0, 1, 0, 3, 100), 8, line(0, 8, 301, 2, 0, 3, 60), 8, {0, 1, 50});
}

TEST(Mdf, ManyStoresAndOneLoad) {
  // All eight loads read what some store wrote.
  expect_one(line(0, 0, 0, 0, 4, 1, 8), 4, line(0, 0, 8, 0, 4, 1, 8), 4, {0, 1, 8});
}

TEST(Mdf, SolverEqualsBruteForce) {
  std::mt19937_64 random(7);
  auto in = [&random](int low, int high) {
    return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
  };
  static constexpr std::uint64_t widths[] = {1, 1, 2, 4, 8};
  auto any = [&in] {
    return line(in(0, 3), in(0, 20), in(0, 30), in(-1, 1), in(-4, 4), in(1, 5),
                static_cast<std::uint64_t>(in(1, 8)));
  };
  for (int i = 0; i < 60000; i++) {
    const Line a = any(), b = any();
    const std::uint64_t wa = widths[in(0, 4)], wb = widths[in(0, 4)];
    const auto expected = brute_force(a, wa, b, wb);
    const auto found = conflicts(a, wa, b, wb);
    ASSERT_EQ(elements(found), expected) << "pair " << i;
    ASSERT_EQ(size_of_union(found, b.count), expected.size()) << "pair " << i;
  }
}

TEST(Mdf, LargeNumbersAreSolvedAsSmallOnes) {
  // The same lines, with time and offsets in other units: 64 bits do not hold
  // the products.  Elements of one byte meet where they are equal.
  std::mt19937_64 random(11);
  auto in = [&random](int low, int high) {
    return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
  };
  auto scaled = [](Line l) {
    for (std::int64_t* v : {l.start.data(), l.stride.data()}) {
      v[0] *= std::int64_t{1} << 20;
      v[1] *= std::int64_t{1} << 40;
      v[2] *= std::int64_t{1} << 44;
    }
    return l;
  };
  auto any = [&in] {
    return line(in(0, 2), in(0, 20), in(0, 30), in(-1, 1), in(-4, 4), in(1, 5),
                static_cast<std::uint64_t>(in(1, 8)));
  };
  for (int i = 0; i < 20000; i++) {
    const Line a = any(), b = any();
    ASSERT_EQ(elements(conflicts(scaled(a), 1, scaled(b), 1)), brute_force(a, 1, b, 1))
        << "pair " << i;
  }
}

// Streams of many LMADs, some of them at one place, in the order of time.
feedback::ObjectRelative any_stream(std::mt19937_64& random, feedback::Id site) {
  auto in = [&random](int low, int high) {
    return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
  };
  feedback::ObjectRelative row;
  row.site = site;
  std::int64_t time = in(0, 20);
  for (int n = in(1, 8); n > 0; n--) {
    const bool element = in(0, 2) != 0;
    row.v3.lmads.push_back(line(in(0, 2), in(0, 3) * 4, time, element ? 0 : in(0, 1),
                                element ? 0 : in(-2, 2) * 2, in(1, 3),
                                static_cast<std::uint64_t>(in(1, 6))));
    const auto& last = row.v3.lmads.back();
    time += static_cast<std::int64_t>(last.count) * last.stride[2] + in(0, 5);
    row.v3.captured += last.count;
  }
  return row;
}

TEST(Mdf, EstimateEqualsBruteForce) {
  std::mt19937_64 random(5);
  static constexpr std::uint64_t widths[] = {1, 4, 8};
  for (int i = 0; i < 3000; i++) {
    const auto st = any_stream(random, 1), ld = any_stream(random, 2);
    const std::uint64_t w1 = widths[random() % 3], w2 = widths[random() % 3];
    std::size_t expected = 0;
    for (const Line& load : ld.v3.lmads) {
      std::set<std::uint64_t> all;
      for (const Line& store : st.v3.lmads) all.merge(brute_force(store, w1, load, w2));
      expected += all.size();
    }
    const auto rows = estimate_mdf({{&st, w1, 1, true}, {&ld, w2, ld.v3.captured, false}}).rows;
    ASSERT_EQ(rows.size(), expected != 0 ? 1u : 0u) << "streams " << i;
    if (rows.empty()) continue;
    ASSERT_DOUBLE_EQ(rows[0].est, static_cast<double>(expected) /
                                      static_cast<double>(ld.v3.captured))
        << "streams " << i;
  }
}

TEST(Mdf, UnionOfProgressions) {
  EXPECT_EQ(size_of_union({{0, 3, 5}, {6, 3, 5}, {1, 3, 2}, {4, 1, 1}, {2, 1, 1}}, 100), 10u);
  bool approximate = false;
  EXPECT_EQ(size_of_union({{0, 2, 5}, {0, 3, 4}}, 10, &approximate), 7u);
  EXPECT_FALSE(approximate);
  EXPECT_EQ(size_of_union({{0, 2, 5}, {0, 3, 4}}, std::uint64_t{1} << 40, &approximate), 9u);
  EXPECT_TRUE(approximate);
}

TEST(Mdf, LargeNumbers) {
  const std::int64_t far = std::int64_t{1} << 46;
  expect_one(line(0, far, 0, 0, 8, 2, 1000), 8, line(0, far + 4000, 3000, 0, 8, 1, 1000),
             8, {0, 1, 500});
}

TEST(Mdf, UpperBoundCountsWhatMayHaveBeenWrittenLater) {
  feedback::ObjectRelative st, ld;
  st.site = 1;
  ld.site = 2;
  st.v3.lmads = {line(0, 0, 0, 0, 8, 1, 4)};
  st.v3.captured = 4;
  st.v3.overflow = {{0, 100, 50}, {0, 180, 70}, {0, 16, 1}, 6, 50};
  ld.v3.lmads = {line(0, 0, 100, 0, 8, 1, 4), line(0, 100, 104, 0, 16, 1, 4),
                 line(0, 108, 108, 0, 16, 1, 2)};
  ld.v3.captured = 10;
  st.accesses = 10;
  ld.accesses = 10;
  const auto rows = estimate_mdf({{&st, 8, 10, true}, {&ld, 8, 20, false}}).rows;
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_DOUBLE_EQ(rows[0].lo, 0.2);
  // Four more lie on the summary's grid, which has 6 places for 6 stores, half of them earlier
  // than a load; those at 108 + 16 i do not.
  EXPECT_DOUBLE_EQ(rows[0].est, (4 + 4 * (1 - std::exp(-0.5))) / 20);
  EXPECT_DOUBLE_EQ(rows[0].hi, 8.0 / 20);
}

TEST(Mdf, UpperBoundCountsWhatTheLoadDidAfterItsStreamHadClosed) {
  feedback::ObjectRelative st, ld;
  st.site = 1;
  ld.site = 2;
  st.v3.lmads = {line(0, 0, 0, 0, 8, 1, 4)};
  st.v3.captured = st.accesses = 4;
  ld.v3.lmads = {line(0, 64, 10, 0, 8, 1, 30)};
  ld.v3.captured = 30;
  ld.v3.overflow = {{0, 0, 50}, {0, 400, 99}, {0, 4, 1}, 10, 50};
  ld.accesses = 40;
  const auto never = [&] {
    const std::vector<MdfAccess> accesses{{&st, 8, 4, true}, {&ld, 8, 40, false}};
    const MdfSites sites(accesses);
    EXPECT_TRUE(estimate_mdf(accesses).rows.empty());
    return sites.possible(1, 2);
  };
  EXPECT_EQ(never(), 10u);
  // Elsewhere in the nodes, in another object, before the store.
  ld.v3.overflow = {{0, 20, 50}, {0, 404, 99}, {0, 24, 1}, 10, 50};
  st.v3.lmads = {line(0, 0, 0, 0, 24, 1, 3)};
  st.v3.captured = st.accesses = 3;
  const auto rows = estimate_mdf({{&st, 8, 3, true}, {&ld, 8, 40, false}}).rows;
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].lo, 0);
  // Of the store's 3 places 36 of 56 bytes are in the range of the 10 loads, which has 17 places.
  EXPECT_DOUBLE_EQ(rows[0].est, 10 * (3 * (36.0 / 56) / 17) / 40);
  EXPECT_DOUBLE_EQ(rows[0].hi, 0.25);
  ld.v3.overflow = {{0, 8, 50}, {0, 392, 99}, {0, 24, 1}, 10, 50};
  EXPECT_EQ(never(), 0u);
  ld.v3.overflow = {{1, 0, 50}, {2, 400, 99}, {1, 4, 1}, 10, 50};
  EXPECT_EQ(never(), 0u);
  st.v3.lmads = {line(0, 0, 200, 0, 24, 1, 3)};
  ld.v3.overflow = {{0, 0, 50}, {0, 400, 99}, {0, 4, 1}, 10, 50};
  EXPECT_EQ(never(), 0u);
}

}  // namespace
}  // namespace memprof::backend
