// decoder_nests_test.cc - nest records to events: as the records that they represent.
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <regex>

#include "testsuite/unit/backend/decoder_fixture.h"

namespace memprof::backend {
namespace {

using testing::TestModule;
using testing::Words;

class DecoderNestsTest : public testing::DecoderTest {
 protected:
  // a[i][j] in rows of 80 bytes, x[j]: site 1 moves, site 2 does not.
  DecoderNestsTest() {
    m_.function("f");
    inner_ = m_.loop(), middle_ = m_.loop(), outer_ = m_.loop();
    m_.site(MPRT_OP_STORE, 8, inner_), m_.site(MPRT_OP_LOAD, 8, inner_);
    alloc_ = m_.alloc(1);
    range_ = m_.range(4, inner_, {{0, 2, 0, 8}, {1, 3, 0, 8}});
    nest_ = m_.nest(6, middle_, {{2, 0, 80}});
  }
  // A range of COUNT iterations at A and X, and a nest around it.
  Words range(std::uint64_t count, std::uint64_t a, std::uint64_t x) const {
    return Words().record(range_, count, a, x);
  }
  Words nest(std::uint64_t rows, std::uint64_t count, std::uint64_t a, std::uint64_t x) const {
    return Words().record(nest_, rows, range_ | 4, count, a, x);
  }

  TestModule m_;
  std::uint32_t inner_, middle_, outer_;
  std::uint64_t alloc_, range_, nest_;
};

TEST_F(DecoderNestsTest, ANestIsItsRanges) {
  load(m_);
  decode(Words().birth(0x1000, 800, alloc_));
  EXPECT_EQ(decode(nest(2, 10, 0x1000, 0x1320 - 80)),
            "range loop 1 n10 t0 rows 2 of 2 store 1 1#0+0 step8 n10 row80"
            " load 2 1#0+720 step8 n10 row0\n");
  EXPECT_EQ(decoder_.time(), 40u);
  EXPECT_EQ(decoder_.units().site_executions(), (std::vector<std::uint64_t>{0, 20, 20}));
  const auto loops = decoder_.units().loop_counts();
  EXPECT_EQ(loops[1].invocations, 2u);
  EXPECT_EQ(loops[1].iterations, 20u);
  EXPECT_EQ(loops[2].invocations, 1u);
  EXPECT_EQ(loops[2].iterations, 2u);
}

// Rows in two objects, and in none as a whole; growing rows.
TEST_F(DecoderNestsTest, WhatIsNotOfOneShapeIsWrittenOut) {
  const auto grows = m_.nest(6, middle_, {{1, 0, 1}, {2, 0, 80}});
  load(m_);
  decode(Words().birth(0x1000, 160, alloc_).birth(0x10a0, 160, alloc_));
  EXPECT_EQ(decode(nest(3, 10, 0x1000, 0x1000)),
            "enter 2\n"
            "iter 2\nrange loop 1 n10 t0 store 1 1#0+0 step8 n10 load 2 1#0+0 step8 n10\n"
            "iter 2\nrange loop 1 n10 t20 store 1 1#0+80 step8 n10 load 2 1#0+0 step8 n10\n"
            "iter 2\nrange loop 1 n10 t40 store 1 1#1+0 step8 n10 load 2 1#0+0 step8 n10\n"
            "exit 2\n");
  EXPECT_EQ(decode(Words().record(grows, 2, range_ | 4, 9, 0x1000, 0x1000)),
            "enter 2\n"
            "iter 2\nrange loop 1 n9 t60 store 1 1#0+0 step8 n9 load 2 1#0+0 step8 n9\n"
            "iter 2\nrange loop 1 n10 t78 store 1 1#0+80 step8 n10 load 2 1#0+0 step8 n10\n"
            "exit 2\n");
  EXPECT_EQ(decoder_.units().site_executions(), (std::vector<std::uint64_t>{0, 49, 49}));
}

TEST_F(DecoderNestsTest, NestsInNestsWithStepsInTheRecord) {
  // The inner nest moves by word 7, downwards, and the outer one moves that.
  const auto planes = m_.nest(10, outer_, {{4, 0, 160}});
  const auto rows = m_.nest(7, middle_, {{2, 6, 0}});
  load(m_);
  decode(Words().birth(0x1000, 800, alloc_));
  const auto minus = static_cast<std::uint64_t>(-80);
  const std::string found =
      decode(Words().record(planes, 2, rows | 7, 2, range_ | 4, 9, 0x1000 + 80, 0x1000, minus, 0));
  EXPECT_EQ(found,
            "enter 3\niter 3\n"
            "range loop 1 n9 t0 rows 2 of 2 store 1 1#0+80 step8 n9 row-80"
            " load 2 1#0+0 step8 n9 row0\n"
            "iter 3\n"
            "range loop 1 n9 t36 rows 2 of 2 store 1 1#0+240 step8 n9 row-80"
            " load 2 1#0+0 step8 n9 row0\n"
            "exit 3\n");
  EXPECT_EQ(decoder_.counts().corrupt, 0u);
}

// In the last iteration of the outermost one.
TEST_F(DecoderNestsTest, FourLoopsInEachOther) {
  const auto outermost = m_.loop();
  const auto planes = m_.nest(8, outer_, {{4, 0, 160}});
  const auto cubes = m_.nest(10, outermost, {{6, 0, 320}});
  load(m_);
  decode(Words().birth(0x1000, 800, alloc_).birth(0x2000, 8, alloc_));
  decode(Words().record(cubes, 2, planes | 8, 2, nest_ | 6, 2, range_ | 4, 9, 0x1000, 0x1000));
  EXPECT_EQ(decoder_.counts().corrupt, 0u);
  EXPECT_EQ(decoder_.units().site_executions(), (std::vector<std::uint64_t>{0, 72, 72}));
  EXPECT_EQ(decoder_.units().loop_counts()[outermost + 1].iterations, 2u);
  EXPECT_EQ(decoder_.units().loop_counts()[outer_ + 1].iterations, 4u);
}

TEST_F(DecoderNestsTest, LoopsThatNoModuleWantsHaveNoEvents) {
  const auto silent = m_.nest(6, MPRT_NO_LOOP, {{2, 0, 80}});
  load(m_);
  decode(Words().birth(0x1000, 800, alloc_));
  EXPECT_EQ(decode(Words().record(silent, 2, range_ | 4, 1, 0x1000, 0x1000)),
            "enter 1\niter 1\nstore 1 1#0+0 w8 t0\nload 2 1#0+0 w8 t1\nexit 1\n"
            "enter 1\niter 1\nstore 1 1#0+80 w8 t2\nload 2 1#0+0 w8 t3\nexit 1\n");
  // The same, apart.
  EXPECT_EQ(decode(Words().record(silent, 2, range_ | 4, 1, 0x1000, 0x1200)),
            "range loop 1 n1 t4 rows 2 of 0 store 1 1#0+0 step8 n1 row80"
            " load 2 1#0+512 step8 n1 row0\n");
  EXPECT_EQ(decode(nest(0, 10, 0x1000, 0x1000)), "enter 2\nexit 2\n");
  EXPECT_EQ(decode(Words().record(nest_, 3, 0, 1, 0x1000, 0x1000)),
            "enter 2\niter 2\niter 2\niter 2\nexit 2\n");
}

// But for the first one, from which the others are seen to move.
TEST_F(DecoderNestsTest, RangesThatFollowEachOtherAreRows) {
  const auto next = m_.block(1, {}, middle_, true);
  load(m_);
  decode(Words().birth(0x1000, 0x4000, alloc_));
  Words all;
  for (std::uint64_t i = 0; i < 20; i++)
    all.append(Words().record(next)).append(range(20, 0x1000 + i * 320, 0x4000));
  EXPECT_EQ(decode(all),
            "iter 2\nrange loop 1 n20 t0 store 1 1#0+0 step8 n20 load 2 1#0+12288 step8 n20\n"
            "range loop 1 n20 t40 rows 19 inside 2 store 1 1#0+320 step8 n20 row320"
            " load 2 1#0+12288 step8 n20 row0\n");
  EXPECT_EQ(decoder_.time(), 800u);
  const auto loops = decoder_.units().loop_counts();
  EXPECT_EQ(loops[1].invocations, 20u);
  EXPECT_EQ(loops[1].iterations, 400u);
  EXPECT_EQ(loops[2].iterations, 20u);
}

// More than a batch holds, ranges in two objects, which are written out.
TEST_F(DecoderNestsTest, LongNestsGoOnInTheNextBatch) {
  load(m_);
  decode(Words().birth(0x1000, 0x800, alloc_).birth(0x1800, 0x4000, alloc_));
  constexpr std::uint64_t k_rows = 300;
  Words ranges;
  for (std::uint64_t i = 0; i < k_rows; i++) ranges.append(range(20, 0x17f0 + i * 80, 0x1000));
  const std::string all = decode(nest(k_rows, 20, 0x17f0, 0x1000));
  EXPECT_EQ(left_, 0u);
  EXPECT_EQ(decoder_.time(), k_rows * 40);
  const std::regex time(" t[0-9]+"), middle("[a-z]+ 2\n");
  EXPECT_EQ(std::regex_replace(decode(ranges), time, ""),
            std::regex_replace(std::regex_replace(all, time, ""), middle, ""));
}

TEST_F(DecoderNestsTest, NonsenseIsCountedAndLeftOut) {
  const auto block = m_.block(2, {{0, 1, 0}}, inner_);
  const auto far = m_.nest(6, middle_, {{3, 0, 80}});
  load(m_);
  decode(Words().birth(0x1000, 800, alloc_));
  // A record longer than the nest, of no descriptor, of a block, too many, too deep.
  EXPECT_EQ(decode(Words().record(nest_, 2, range_ | 5, 10, 0x1000, 0x1000)), "");
  EXPECT_EQ(decode(Words().record(far, 2, range_ | 2, 10, 0x1000, 0x1000)), "");
  EXPECT_EQ(decoder_.counts().corrupt, 2u);
  EXPECT_EQ(decode(Words().record(nest_, 2, std::uint64_t{0x7000004}, 10, 0x1000, 0x1000)),
            "enter 2\nexit 2\n");
  EXPECT_EQ(decode(Words().record(nest_, 2, block | 4, 10, 0x1000, 0x1000)), "enter 2\nexit 2\n");
  EXPECT_EQ(decode(nest(~std::uint64_t{0}, 10, 0x1000, 0x1000)), "");
  EXPECT_EQ(decoder_.counts().corrupt, 5u);
}

TEST_F(DecoderNestsTest, NestsThatMoveWhatTheyDoNotHaveAreRefused) {
  m_.nest(6, middle_, {{5, 0, 80}});
  load(m_);
  EXPECT_EQ(decoder_.units().all().size(), 0u);
}

}  // namespace
}  // namespace memprof::backend
