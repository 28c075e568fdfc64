// lmad_test.cc - the LMAD compressor (Wu et al., CGO 2004, section 4), and progressions.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/modules/leap/lmad.h"

#include <gtest/gtest.h>

#include <random>
#include <sstream>

namespace memprof::backend {
namespace {

template <int D>
std::string text(const feedback::LmadStream<D>& s) {
  std::ostringstream out;
  for (const auto& l : s.lmads) {
    out << '[';
    for (auto v : l.start) out << v << ',';
    for (auto v : l.stride) out << v << ',';
    out << l.count << ']';
  }
  out << " captured " << s.captured;
  if (s.overflow.count) {
    out << " overflow " << s.overflow.count << " at " << s.overflow.t_closed;
    for (int i = 0; i < D; i++)
      out << " (" << s.overflow.min[i] << ',' << s.overflow.max[i] << ','
          << s.overflow.granularity[i] << ')';
  }
  return out.str();
}

std::string compress(const std::vector<std::int64_t>& values,
                     std::size_t limit = k_max_lmads) {
  LmadCompressor<1> c(limit);
  std::uint64_t time = 0;
  for (std::int64_t v : values) c.add({v}, time++);
  return text(c.result());
}

TEST(Lmad, StartsANewOneWhenAPointDoesNotFit) {
  EXPECT_EQ(compress({0, 4, 8, 12, 16, 3, 6, 9}), "[0,4,5][3,3,3] captured 8");
  EXPECT_EQ(compress({2, 5, 8, 11, 40, 40, 40, 7}),
            "[2,3,4][40,0,3][7,0,1] captured 8");
}

TEST(Lmad, TwoPointsAlwaysPair) {
  EXPECT_EQ(compress({1, 2, 4, 8, 16}), "[1,1,2][4,4,2][16,0,1] captured 5");
}

TEST(Lmad, ClosesAtTheLimit) {
  EXPECT_EQ(compress({0, 8, 16, 100, 104, 108, 50, 20, 80, 110}, 2),
            "[0,8,3][100,4,3] captured 6 overflow 4 at 6 (20,110,30)");
}

TEST(Lmad, HasSeveralDimensions) {
  LmadCompressor<3> c;
  for (std::int64_t i = 0; i < 4; i++) c.add({i, 8, 3 * i + 1}, 0);
  EXPECT_EQ(text(c.result()), "[0,8,1,1,0,3,4] captured 4");
}

TEST(Lmad, ClosesAtTimeZeroToo) {
  LmadCompressor<1> c(1);
  for (std::int64_t v : {0, 1, 7}) c.add({v}, 0);
  EXPECT_EQ(text(c.result()), "[0,1,2] captured 2 overflow 1 at 0 (7,7,0)");
}

TEST(Lmad, ProgressionsEqualTheirPoints) {
  std::mt19937_64 random(5);
  auto below = [&random](std::uint64_t n) { return random() % n; };
  for (int round = 0; round < 5000; round++) {
    const std::size_t limit = 1 + below(5);
    LmadCompressor<2> fast(limit), slow(limit);
    std::uint64_t time = below(2) * 100;
    for (int i = 0; i < 8; i++) {
      std::array<std::int64_t, 2> v{static_cast<std::int64_t>(below(4)),
                                    static_cast<std::int64_t>(below(20))};
      const std::array<std::int64_t, 2> step{
          static_cast<std::int64_t>(below(2)), static_cast<std::int64_t>(below(7)) - 3};
      const std::uint64_t count = below(6);
      fast.add_progression(v, step, count, time, 3);
      for (std::uint64_t k = 0; k < count; k++) {
        slow.add(v, time + 3 * k);
        v = {v[0] + step[0], v[1] + step[1]};
      }
      time += 3 * count;
    }
    ASSERT_EQ(text(fast.result()), text(slow.result())) << "round " << round;
  }
}

TEST(Lmad, MergedSummariesEqualOne) {
  std::mt19937_64 random(6);
  for (int round = 0; round < 2000; round++) {
    Summary<2> whole, first;
    Summary<3> rest;
    const std::size_t split = random() % 4;
    for (std::size_t i = 0; i < 8; i++) {
      const auto a = static_cast<std::int64_t>(random() % 5 * 6);
      const auto b = static_cast<std::int64_t>(random() % 9 * 10) - 40;
      whole.add({a, b});
      if (i < split)
        first.add({a, b});
      else
        rest.add({b, 77, a});
    }
    first.merge(rest, {2, 0});
    ASSERT_EQ(first.count(), whole.count());
    for (int d = 0; d < 2; d++) {
      ASSERT_EQ(first.spread(d).min(), whole.spread(d).min());
      ASSERT_EQ(first.spread(d).max(), whole.spread(d).max());
      ASSERT_EQ(first.spread(d).granularity(), whole.spread(d).granularity());
    }
  }
}

// Their points join the summary, as if it had begun with the first one.
TEST(Lmad, DropsLmadsThatCapturedNextToNothing) {
  for (const std::uint64_t points : {5000u, 9000u}) {
    std::mt19937_64 random(points);
    LmadCompressor<2> c;
    Summary<2> all;
    for (std::uint64_t t = 0; t < points; t++) {
      const std::array<std::int64_t, 2> v{static_cast<std::int64_t>(random() % 1000) * 6 + 1,
                                          static_cast<std::int64_t>(random() % 7000) - 30};
      c.add(v, t);
      all.add(v);
    }
    auto stream = c.result();
    const std::uint64_t captured = stream.captured;
    drop_useless_lmads(stream);
    if (points < 100 * captured) {
      EXPECT_EQ(stream.captured, captured) << "worth keeping";
      continue;
    }
    EXPECT_EQ(stream.captured, 0u);
    EXPECT_TRUE(stream.lmads.empty());
    EXPECT_EQ(stream.overflow.count, points);
    for (int i = 0; i < 2; i++) {
      EXPECT_EQ(stream.overflow.min[i], all.spread(i).min());
      EXPECT_EQ(stream.overflow.max[i], all.spread(i).max());
      EXPECT_EQ(stream.overflow.granularity[i], all.spread(i).granularity());
    }
  }
}

}  // namespace
}  // namespace memprof::backend
