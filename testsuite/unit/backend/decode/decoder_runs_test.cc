// decoder_runs_test.cc - run records to events: as the blocks that they represent.
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "testsuite/unit/backend/decoder_fixture.h"

namespace memprof::backend {
namespace {

using testing::lines;
using testing::TestModule;
using testing::Words;

class DecoderRunsTest : public testing::DecoderTest {
 protected:
  // x[i] and y[k[i]] in a loop.
  DecoderRunsTest() {
    m_.function("f");
    loop_ = m_.loop();
    m_.site(MPRT_OP_LOAD, 8, loop_), m_.site(MPRT_OP_STORE, 4, loop_);
    alloc_ = m_.alloc(1);
    block_ = m_.block(3, {{0, 1, 0}, {1, 2, 4}}, loop_, true);
    run_ = m_.run(3, {8}, {{0, 1, 0}, {1, 2, 4}}, loop_);
  }

  TestModule m_;
  std::uint32_t loop_;
  std::uint64_t alloc_, block_, run_;
};

TEST_F(DecoderRunsTest, ARunIsItsBlocks) {
  load(m_);
  decode(Words().birth(0x1000, 800, alloc_));
  const std::string blocks = decode(
      Words().record(block_, 0x1000, 0x1100).record(block_, 0x1008, 0x1200).record(block_, 0x1010,
                                                                                   0x1020));
  EXPECT_EQ(blocks,
            "iter 1\nload 1 1#0+0 w8 t0\nstore 2 1#0+260 w4 t1\n"
            "iter 1\nload 1 1#0+8 w8 t2\nstore 2 1#0+516 w4 t3\n"
            "iter 1\nload 1 1#0+16 w8 t4\nstore 2 1#0+36 w4 t5\n");
  EXPECT_EQ(decode(Words().record(run_, 0x1000, 0x1100, 0x1200, 0x1020)),
            "iter 1\nload 1 1#0+0 w8 t6\nstore 2 1#0+260 w4 t7\n"
            "iter 1\nload 1 1#0+8 w8 t8\nstore 2 1#0+516 w4 t9\n"
            "iter 1\nload 1 1#0+16 w8 t10\nstore 2 1#0+36 w4 t11\n");
  EXPECT_EQ(decoder_.units().site_executions(), (std::vector<std::uint64_t>{0, 6, 6}));
  EXPECT_EQ(decoder_.units().loop_counts()[1].iterations, 6u);
  EXPECT_EQ(decoder_.counts().corrupt, 0u);
}

TEST_F(DecoderRunsTest, AbsoluteAddressesDoNotDependOnTheLength) {
  const auto r = m_.run(2, {}, {{0, MPRT_BASE_ABSOLUTE, 0x2000}, {1, 1, 0}}, loop_);
  load(m_);
  decode(Words().birth(0x2000, 64, alloc_));
  EXPECT_EQ(decode(Words().record(r, 0x2010, 0x2020)),
            "iter 1\nload 1 1#0+0 w8 t0\nstore 2 1#0+16 w4 t1\n"
            "iter 1\nload 1 1#0+0 w8 t2\nstore 2 1#0+32 w4 t3\n");
}

TEST_F(DecoderRunsTest, WhatMovesByAConstantIsOneItem) {
  load(m_);
  decode(Words().birth(0x1000, 800, alloc_));
  const Words run = Words().record(run_, 0x1000, 0x1100, 0x1200, 0x1020, 0x1008, 0x1304);
  EXPECT_EQ(lines(decode(run), 12),
            "iter 1\nload 1 1#0+32 w8 t8\nstore 2 1#0+776 w4 t9\n");
  ASSERT_EQ(batch_.ranges.size(), 1u);
  EXPECT_EQ(batch_.ranges[0].per_iteration, 2u);
  EXPECT_EQ(batch_.accesses[0].executions(), 5u);
  EXPECT_EQ(decoder_.groups()[1].accesses, 10u);
}

// The first and the fifth are at 0x1000, those between them in no memory.
TEST_F(DecoderRunsTest, WhatWrapsAroundIsNotBetweenItsEnds) {
  const auto r = m_.run(3, {std::int64_t{1} << 62}, {{0, 1, 0}, {1, 2, 4}}, loop_);
  load(m_);
  decode(Words().birth(0x1000, 800, alloc_));
  EXPECT_EQ(lines(decode(Words().record(r, 0x1000, 0x1100, 0x1100, 0x1100, 0x1100, 0x1100)), 12),
            "iter 1\nload 1 1#0+0 w8 t8\nstore 2 1#0+260 w4 t9\n");
  EXPECT_EQ(decoder_.counts().beyond, 3u);
  EXPECT_EQ(batch_.ranges.size(), 0u);
}

TEST_F(DecoderRunsTest, ASiteThatIsThereTwiceHasItsOrder) {
  const auto r = m_.run(3, {8}, {{0, 1, 0}, {0, 2, 0}}, loop_);
  load(m_);
  decode(Words().birth(0x1000, 800, alloc_));
  EXPECT_EQ(decode(Words().record(r, 0x1000, 0x1100, 0x1200, 0x1020, 0x1008)),
            "iter 1\nload 1 1#0+0 w8 t0\nload 1 1#0+256 w8 t1\n"
            "iter 1\nload 1 1#0+8 w8 t2\nload 1 1#0+512 w8 t3\n"
            "iter 1\nload 1 1#0+16 w8 t4\nload 1 1#0+32 w8 t5\n"
            "iter 1\nload 1 1#0+24 w8 t6\nload 1 1#0+8 w8 t7\n");
}

// The events of WhatWrapsAroundIsNotBetweenItsEnds and ASiteThatIsThereTwiceHasItsOrder, too.
TEST_F(DecoderRunsTest, WithoutColumnsTheEventsAreTheSame) {
  const auto wraps = m_.run(3, {std::int64_t{1} << 62}, {{0, 1, 0}, {1, 2, 4}}, loop_);
  const auto twice = m_.run(3, {8}, {{0, 1, 0}, {0, 2, 0}}, loop_);
  load(m_);
  const Words words = Words()
                          .birth(0x1000, 800, alloc_)
                          .record(run_, 0x1000, 0x1100, 0x1200, 0x1020, 0x1008, 0x1304)
                          .record(wraps, 0x1000, 0x1100, 0x1100, 0x1100, 0x1100, 0x1100)
                          .record(run_, 0x1000, (std::uint64_t{1} << k_address_bits) - 7, 0x1100)
                          .record(twice, 0x1000, 0x1100, 0x1200, 0x1020, 0x1008)
                          .death(0x1000);
  const std::string with = expanded(words);
  EXPECT_EQ(lines(with, 1 + 5 * 3 + 5 * 3 + 2 * 3 + 4 * 3 + 1), "32 4");
  decoder_.leave_out_columns();
  EXPECT_EQ(expanded(words), with);
  EXPECT_TRUE(batch_.columns.empty());
}

TEST_F(DecoderRunsTest, ARunThatEndsInsideAnExecutionIsCorrupt) {
  const auto r = m_.run(4, {8}, {{0, 1, 0}, {0, 2, 0}, {1, 3, 0}}, loop_);
  load(m_);
  EXPECT_EQ(decode(Words().record(r, 0x1000, 1, 2, 3).record(r, 0x1000).record(r, 0x1000, 1)), "");
  EXPECT_EQ(decoder_.counts().corrupt, 3u);
}

TEST_F(DecoderRunsTest, RunsWithoutWordsOfTheirOwnAreRefused) {
  m_.run(2, {8}, {{0, 1, 0}}, loop_);
  load(m_);
  EXPECT_EQ(decoder_.units().all().size(), 0u);
}

}  // namespace
}  // namespace memprof::backend
