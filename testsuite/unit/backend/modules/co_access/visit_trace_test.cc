// visit_trace_test.cc - visits of small objects, and what they would miss elsewhere.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/modules/co_access/arena_model.h"

#include <gtest/gtest.h>

namespace memprof::backend {
namespace {

CacheGeometry small_caches() {
  CacheGeometry g;
  EXPECT_TRUE(parse_geometry("L1=4K/4,L2=32K/16,LLC=64K/4,TLB=64/4,line=64", g));
  return g;
}

TEST(VisitTrace, AVisitIsAnotherObjectOrAnotherPart) {
  VisitTrace t;
  t.birth(5, 0, 0x1000, 48);
  t.birth(7, 0, 0x2000, 48);
  t.birth(5, 1, 0x3000, 513);  // too large
  t.access(5, 0, 0);
  t.access(5, 0, 8);
  t.access(5, 0, 16);
  t.access(7, 0, 47);
  t.access(7, 0, 48);  // outside
  t.access(5, 1, 0);
  t.access(9, 0, 0);  // never born
  ASSERT_EQ(t.size(), 3u);
  EXPECT_EQ(t.visits(), 3u);
  EXPECT_EQ(t.visits_of(0), 2u);
  EXPECT_EQ(t.group(1), 7u);
  EXPECT_EQ(t[1].object, 0u);
  EXPECT_EQ(t[1].part, 1u);
  EXPECT_EQ(t[2].object, 1u);
  EXPECT_EQ(t[2].part, 2u);
}

TEST(VisitTrace, OfALongRunBurstsAreKept) {
  VisitTrace t;
  for (std::uint32_t i = 0; i < 64; i++) t.birth(1, i, 64 * i, 16);
  const std::uint64_t n = 5 * VisitTrace::k_most_visits / 2;
  for (std::uint64_t i = 0; i < n; i++)
    t.access(1, static_cast<std::uint32_t>(i / VisitTrace::k_burst % 32 * 2 + i % 2), 0);
  EXPECT_EQ(t.visits(), n);
  EXPECT_EQ(t.visits_of(0), n);
  EXPECT_GE(t.size(), VisitTrace::k_most_visits / 2);
  EXPECT_LT(t.size(), VisitTrace::k_most_visits);
  // One burst in four, all of it.
  for (std::size_t i = 0; i < t.size(); i++)
    ASSERT_EQ(t[i].object, i / VisitTrace::k_burst * 4 % 32 * 2 + i % 2) << i;
}

// Pairs with something large between, visited again and again.
class Pairs : public ::testing::Test {
 protected:
  void SetUp() override {
    for (std::uint32_t i = 0; i < 400; i++) {
      trace_.birth(1, i, 0x10000 + 256 * i, 32);
      trace_.birth(2, i, 0x10000 + 256 * i + 160, 24);
      trace_.birth(3, i, 0x90000 + 64 * i, 64);
    }
    for (int round = 0; round < 3; round++)
      for (std::uint32_t i = 0; i < 400; i++) {
        trace_.access(1, i * 7 % 400, 0);
        trace_.access(2, i * 7 % 400, 0);
      }
  }
  VisitTrace trace_;
};

TEST_F(Pairs, MissLessInOneArenaThanInTwo) {
  const ArenaModel model(trace_, small_caches());
  const auto before = model.before();
  // Some sets of a hash have few lines.
  EXPECT_NEAR(static_cast<double>(before[0].l1), 1200, 10);
  EXPECT_NEAR(static_cast<double>(before[1].l1), 1200, 10);
  EXPECT_EQ(before[2].l1, 0u);
  const auto alone = model.arena({true, false, false});
  EXPECT_NEAR(static_cast<double>(alone.l1), 1200, 10);  // two to a line, but the other one comes 7 later
  const auto both = model.arena({true, true, false});
  EXPECT_NEAR(static_cast<double>(both.l1), 1200, 10);
  EXPECT_GT(before[0].l2 + before[1].l2, 2200u);  // 800 lines, of which 512 fit
  EXPECT_EQ(both.l2, 400u);                       // 400 lines
}

TEST_F(Pairs, InTheOrderOfVisitsTwoAreALine) {
  const ArenaModel model(trace_, small_caches());
  EXPECT_NEAR(static_cast<double>(model.ordered(0).l1), 600, 10);
}

TEST(ArenaModel, TheDeadMakeRoomForTheirSize) {
  VisitTrace t;
  // Each object dies before the next of its group is born: one place for each size.
  for (std::uint32_t i = 0; i < 200; i++) {
    t.birth(1, i, 0x10000 + 64 * i, i % 2 ? 16 : 48);
    t.access(1, i, 0);
    if (i >= 2) t.death(1, i - 2);
  }
  const ArenaModel model(t, small_caches());
  EXPECT_EQ(model.before()[0].l1, 200u);
  // Born in turns: 48 0, 16 1, 48 2 (0 lives), 16 3, then the places of 0, 1, ...
  EXPECT_EQ(model.arena({true}).l1, 2u);
}

}  // namespace
}  // namespace memprof::backend
