// loop_context_test.cc - carrying loops and distances against a plain list.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/program/loop_context.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace memprof::backend {
namespace {

TEST(LoopContext, ResumeEndsTheLoopsOfDeeperFrames) {
  const std::uint64_t outer = 0x900, inner = 0x800;
  const auto recursion = [&] {
    LoopContext c;
    c.enter(1, 1, outer);
    c.iterate(1, 2);
    c.enter(2, 2, outer);
    c.iterate(2, 3);
    c.enter(1, 3, inner);
    c.iterate(1, 4);
    c.enter(3, 4);
    return c;
  };
  LoopContext thrown = recursion();
  thrown.resume(2, outer);
  EXPECT_EQ(thrown.depth(), 2u);
  thrown.resume(1, outer);
  EXPECT_EQ(thrown.depth(), 1u);
  thrown.resume(0, outer);
  EXPECT_EQ(thrown.depth(), 0u);
  thrown.resume(0, outer);
  EXPECT_EQ(thrown.depth(), 0u);
  LoopContext c = recursion();
  c.resume(0, inner);
  EXPECT_EQ(c.depth(), 2u);
  c.resume(0, inner - 0x100);  // a callee's cleanup: nothing of ours
  EXPECT_EQ(c.depth(), 2u);
}

TEST(LoopContext, TheExampleOfItsHeader) {
  LoopContext c;
  c.enter(1, 1);
  c.iterate(1, 2);
  c.enter(2, 2);
  c.iterate(2, 3);
  c.iterate(2, 4);
  const std::pair<LoopId, std::uint64_t> expected[] = {{0, 0}, {1, 0}, {2, 1}, {2, 0}};
  for (Stamp t = 1; t <= 4; t++) {
    const ActiveLoop* loop = c.carrier(t);
    EXPECT_EQ(loop->id, expected[t - 1].first) << t;
    EXPECT_EQ(c.distance(loop, t), expected[t - 1].second) << t;
  }
  c.iterate(1, 5);  // ends loop 2
  EXPECT_EQ(c.depth(), 1u);
  c.exit(9);
  EXPECT_EQ(c.depth(), 1u);
}

TEST(LoopContext, RandomNestsAgreeWithALinearSearch) {
  struct Loop { LoopId id; Stamp entered; std::vector<Stamp> starts; };
  std::mt19937_64 random(3);
  for (int round = 0; round < 300; round++) {
    LoopContext c;
    ThreadTurns turns;
    std::vector<Loop> model;
    std::vector<bool> foreign;  // stamps of another thread
    Stamp now = 1;
    for (int i = 0; i < 150; i++) {
      const auto id = static_cast<LoopId>(1 + random() % 12);
      auto find = [&] {
        std::size_t k = model.size();
        while (k != 0 && model[k - 1].id != id) k--;
        return k;
      };
      switch (random() % 8) {
        case 0:
        case 1:
          c.enter(id, now);
          model.push_back({id, now, {}});
          break;
        case 2:
          c.exit(id);
          if (find()) model.resize(find() - 1);
          break;
        case 3:  // the clock goes on; in half of the rounds it is another thread's
          if (round % 2) {
            turns.begin(9, ++now);
            foreign.resize(now);
            now += random() % 3;
            turns.begin(0, ++now);
            foreign.resize(now, true);
            c.begin_turn(turns, 0, now);
          } else {
            now += random() % 3;
          }
          break;
        default: {
          const std::uint64_t n = random() % 4 == 0 ? random() % 20 : 1;
          const LoopId which = model.empty() || random() % 9 == 0 ? id : model.back().id;
          std::size_t k = model.size();
          while (k != 0 && model[k - 1].id != which) k--;
          if (n) c.iterate(which, now + 1, n);
          if (k && n) {
            model.resize(k);
            for (std::uint64_t j = 1; j <= n; j++) model.back().starts.push_back(now + j);
          }
          now += n;
        }
      }
      ASSERT_EQ(c.depth(), model.size());
      foreign.resize(now + 1);
      for (Stamp t = 1; t <= now; t += 1 + random() % 3) {
        std::size_t k = model.size();
        while (k != 0 && model[k - 1].entered >= t) k--;
        std::uint64_t d = 0;
        if (k)
          for (Stamp start : model[k - 1].starts) d += start > t;
        if (k && foreign[t]) d = 1;
        const SourcePlace place = c.locate(t);
        ASSERT_EQ(place.loop->id, k && !foreign[t] ? model[k - 1].id : 0);
        if (place.loop->id != 0 && c.carries(place.loop, t)) ASSERT_EQ(place.loop, c.carrier(t));
        ASSERT_EQ(place.bucket, std::min<std::uint64_t>(d, k_far));
        ASSERT_LE(place.low, t);
        ASSERT_GE(place.high, t);
        for (Stamp u : {place.low, std::min(place.high, now)}) {
          ASSERT_EQ(c.carrier(u), place.loop);
          ASSERT_EQ(std::min<std::uint64_t>(c.distance(place.loop, u), 5),
                    std::min<std::uint64_t>(d, 5));
        }
      }
    }
  }
}

TEST(LoopContext, VeryManyIrregularIterations) {
  // More runs than are kept: distances of millions may be a little off, those
  // within the last million are exact.
  LoopContext c;
  c.enter(1, 1);
  std::vector<Stamp> starts;
  std::mt19937_64 random(4);
  Stamp now = 1;
  for (int i = 0; i < 12'000'000; i++) {
    c.iterate(1, now += 1 + random() % 7);
    starts.push_back(now);
  }
  const std::size_t n = starts.size();
  const ActiveLoop* loop = c.carrier(now);
  for (std::size_t back = 1; back < n; back += back / 3 + 1) {
    const auto d = c.distance(loop, starts[n - 1 - back]);
    if (back < 1'000'000)
      ASSERT_EQ(d, back);
    else
      ASSERT_NEAR(static_cast<double>(d), static_cast<double>(back), 8.0);
  }
}

}  // namespace
}  // namespace memprof::backend
