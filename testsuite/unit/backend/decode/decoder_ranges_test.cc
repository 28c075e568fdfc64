// decoder_ranges_test.cc - range records to events: whole, written out, as blocks.
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <algorithm>

#include "testsuite/unit/backend/decoder_fixture.h"

namespace memprof::backend {
namespace {

using testing::TestModule;
using testing::Words;
using testing::lines;

class DecoderRangesTest : public testing::DecoderTest {
 protected:
  // x[i + 1] = x[i] by sites 1 and 2, the step in word 3.
  static std::uint64_t shift(TestModule& m) {
    m.function("f");
    const auto loop = m.loop();
    m.site(MPRT_OP_LOAD, 8, loop), m.site(MPRT_OP_STORE, 8, loop);
    return m.range(4, loop, {{0, 2, 0, 0, 3}, {1, 2, 8, 0, 3, 1}});
  }

  // Decodes 10 iterations of it in an early burst that begins with TAG, after as many
  // places as GAP such bursts have.
  void decode_early(std::uint64_t tag, std::uint64_t gap) {
    TestModule m;
    const auto r = shift(m);
    const auto a = m.alloc(1);
    load(m);
    decode(Words()
               .birth(0x1000, 80, a)
               .control(MPRT_MARKER, tag, gap * MPRT_EARLY_PLACES)
               .record(r, 10, 0x1000, 8)
               .control(MPRT_MARKER, MPRT_EARLY_END, MPRT_EARLY_PLACES));
  }
};

TEST_F(DecoderRangesTest, ARangeInOneObjectStaysARange) {
  TestModule m;
  const auto r = shift(m);
  const auto a = m.alloc(1);
  load(m);
  EXPECT_EQ(decode(Words().birth(0x1000, 80, a).record(r, 10, 0x1000, 8)),
            "birth 1#0+0 w80 t0\n"
            "range loop 1 n10 t0 load 1 1#0+0 step8 n10 store 2 1#0+8 step8 n9\n");
  EXPECT_EQ(decoder_.time(), 19u);
  EXPECT_EQ(decoder_.units().site_executions(),
            (std::vector<std::uint64_t>{0, 10, 9}));
  EXPECT_EQ(decoder_.units().loop_counts()[1].iterations, 10u);
}

TEST_F(DecoderRangesTest, ARangeOfNoIterationsIsAnInvocation) {
  TestModule m;
  m.function("f");
  const auto loop = m.loop();
  m.site(MPRT_OP_LOAD, 8, loop);
  const auto r = m.range(3, loop, {{0, 2, 0, 8, 0, 1}});
  load(m);
  EXPECT_EQ(decode(Words().record(r, 0, 0x1000).record(r, 1, 0x1000)),
            "enter 1\nexit 1\nenter 1\niter 1\nexit 1\n");
  EXPECT_EQ(decoder_.time(), 0u);
  EXPECT_EQ(decoder_.units().site_executions()[1], 0u);
  EXPECT_EQ(decoder_.units().loop_counts()[1].invocations, 2u);
  EXPECT_EQ(decoder_.units().loop_counts()[1].iterations, 1u);
}

TEST_F(DecoderRangesTest, ARangeOverTwoObjectsIsWrittenOut) {
  TestModule m;
  m.function("f");
  const auto loop = m.loop();
  m.site(MPRT_OP_LOAD, 8, loop), m.site(MPRT_OP_STORE, 8, loop);
  const auto a = m.alloc(1), b = m.alloc(2);
  const auto r = m.range(4, loop, {{0, 2, 0, 8}, {1, 3, 0, -8, 0, 1}});
  load(m);
  decode(Words().birth(0x1000, 64, a).birth(0x1040, 16, b));
  EXPECT_EQ(lines(decode(Words().record(r, 10, 0x1000, 0x1048)), 20),
            "load 1 1#0+48 w8 t12\nstore 2 1#0+24 w8 t13\n"
            "iter 1\nload 1 1#0+56 w8 t14\nstore 2 1#0+16 w8 t15\n"
            "iter 1\nload 1 2#0+0 w8 t16\nstore 2 1#0+8 w8 t17\n"
            "iter 1\nload 1 2#0+8 w8 t18\n"
            "exit 1\n");
  EXPECT_EQ(decoder_.units().site_executions(),
            (std::vector<std::uint64_t>{0, 10, 9}));
}

// One place in four is in early bursts like this one.
TEST_F(DecoderRangesTest, AnEarlyBurstOnlyTellsOfStores) {
  decode_early(MPRT_EARLY_BEGIN, 3);
  ASSERT_EQ(batch_.early.size(), 9u);
  for (std::uint64_t i = 0; i < 9; i++) {
    EXPECT_EQ(batch_.early[i].access.site, 2u);
    EXPECT_EQ(batch_.early[i].access.address, 0x1008 + i * 8);
    EXPECT_EQ(batch_.early[i].access.group, 1u);
    EXPECT_EQ(batch_.early[i].one_in, 4u);
    EXPECT_EQ(batch_.early[i].clock, 3u * MPRT_EARLY_PLACES);
  }
  EXPECT_EQ(decoder_.units().site_executions(), (std::vector<std::uint64_t>{0, 0, 0}));
  EXPECT_EQ(decoder_.samples().find(1)->seen, 40u);
  EXPECT_EQ(decoder_.counts().bursts, 0u);
  EXPECT_EQ(decoder_.counts().between_bursts, 4u * MPRT_EARLY_PLACES);
}

// One at a first entry of a function represents itself alone, however long ago the last
// burst was.
TEST_F(DecoderRangesTest, AFirstEntryStandsForItself) {
  decode_early(MPRT_FIRST_BEGIN, 1000);
  ASSERT_EQ(batch_.early.size(), 9u);
  EXPECT_EQ(batch_.early[0].one_in, 1u);
  EXPECT_EQ(decoder_.samples().find(1)->seen, 10u);
  EXPECT_EQ(decoder_.counts().between_bursts, 1001u * MPRT_EARLY_PLACES);
}

// What sample mode tells of between bursts is no execution of these.
TEST_F(DecoderRangesTest, ALoopSampleSaysWhatALoopHasDone) {
  TestModule m;
  const auto r = shift(m);
  const auto a = m.alloc(1);
  load(m);
  EXPECT_EQ(decode(Words().birth(0x1000, 80, a).control(MPRT_LOOP_SAMPLE, 3, r | 4, 10, 0x1000, 8)),
            "birth 1#0+0 w80 t0\n");
  ASSERT_EQ(batch_.loop_samples.size(), 2u);
  EXPECT_EQ(batch_.loop_samples[0].access.site, 1u);
  const auto& [access, times, clock, thread] = batch_.loop_samples[1];
  EXPECT_EQ(times, 3u);
  EXPECT_EQ(access.site, 2u);
  EXPECT_EQ(access.count, 9u);
  EXPECT_EQ(access.address - access.base, 8u);
  EXPECT_EQ(decoder_.samples().find(1)->executions, 30u);
  EXPECT_EQ(decoder_.samples().find(2)->seen, 9u);
  EXPECT_EQ(decoder_.samples().find(2)->executions, 27u);
  EXPECT_EQ(decoder_.samples().find(2)->variance, 3.0 * 2 * 9 * 9);
  EXPECT_EQ(decoder_.units().site_executions(), (std::vector<std::uint64_t>{0, 0, 0}));
  EXPECT_EQ(decoder_.time(), 0u);
  // One of the first ones represents none.
  decode(Words().control(MPRT_LOOP_SAMPLE, 0, r | 4, 5, 0x1000, 8));
  EXPECT_EQ(decoder_.samples().find(2)->seen, 13u);
  EXPECT_EQ(decoder_.samples().find(2)->executions, 27u);
  // Of what ends after the object only executions are known; what is no record makes no
  // sense.
  decode(Words().control(MPRT_LOOP_SAMPLE, 1, r | 4, 100, 0x1000, 8));
  EXPECT_TRUE(batch_.loop_samples.empty());
  EXPECT_EQ(decoder_.counts().corrupt, 0u);
  decode(Words().control(MPRT_LOOP_SAMPLE, 1, 0x777000 | 4, 100, 0x1000, 8));
  EXPECT_EQ(decoder_.counts().corrupt, 1u);
  EXPECT_TRUE(batch_.loop_samples.empty());
}

// memcpy and read, however much they move. A record that is cut short makes no sense.
TEST_F(DecoderRangesTest, ALoopSampleSaysWhatACallHasDone) {
  TestModule m;
  m.function("f");
  m.site(MPRT_OP_LOAD, 0), m.site(MPRT_OP_STORE, 0);
  const auto copy = m.block(4, {{0, 2, 0, 1}, {1, 3, 0, 1}});
  const auto read = m.block(3, {{0, 2, 0, 1, MPRT_OP_EXTERNAL_STORE, 0}});
  const auto a = m.alloc(1);
  load(m);
  const std::uint64_t at = 0x10000000, n = 1 << 25;
  decode(Words()
             .birth(at, 2 * n, a)
             .control(MPRT_LOOP_SAMPLE, 5, copy | 4, n, at, at + n)
             .control(MPRT_LOOP_SAMPLE, 2, read | 3, 100, at + 8));
  ASSERT_EQ(batch_.loop_samples.size(), 3u);
  for (std::size_t i = 0; i < 3; i++) {
    const auto& [access, times, clock, thread] = batch_.loop_samples[i];
    EXPECT_EQ(access.site, i == 2 ? k_no_site : i + 1);
    EXPECT_EQ(access.store, i != 0);
    EXPECT_EQ(access.count, 1u);
    EXPECT_EQ(access.width, i == 2 ? 100 : n);
    EXPECT_EQ(access.group, 1u);
    EXPECT_EQ(access.address - access.base, i == 0 ? 0 : i == 1 ? n : 8);
    EXPECT_EQ(times, i == 2 ? 2u : 5u);
  }
  EXPECT_EQ(decoder_.samples().find(2)->executions, 5u);
  std::size_t reported = 0;
  decoder_.samples().for_each([&](SiteId, const SiteSamples& samples) { reported += samples.any; });
  EXPECT_EQ(reported, 2u);
  EXPECT_EQ(decoder_.counts().corrupt, 0u);
  decode(Words().control(MPRT_LOOP_SAMPLE, 5, copy | 3, n, at));
  EXPECT_EQ(decoder_.counts().corrupt, 1u);
}

// x[(start + k) % 8], upwards and downwards.
TEST_F(DecoderRangesTest, ARangeWhoseIndexWrapsIsWrittenOut) {
  TestModule m;
  m.function("f");
  const auto loop = m.loop();
  m.site(MPRT_OP_LOAD, 8, loop), m.site(MPRT_OP_STORE, 8, loop);
  const auto a = m.alloc(1);
  const auto up = m.range(4, loop, {{0, 2, 0, 8, 0, 0, MPRT_OP_LOAD, 8, 3, 80}});
  const auto down = m.range(4, loop, {{1, 2, 0, -8, 0, 1, MPRT_OP_STORE, 8, 3, 80}});
  load(m);
  EXPECT_EQ(decode(Words().birth(0x1000, 80, a).record(up, 10, 0x1000, 0)),
            "birth 1#0+0 w80 t0\n"
            "range loop 1 n10 t0 load 1 1#0+0 step8 n10\n");
  EXPECT_EQ(decode(Words().record(down, 10, 0x1000, 64)),
            "range loop 1 n10 t10 store 2 1#0+64 step-8 n9\n");
  EXPECT_EQ(lines(decode(Words().record(up, 10, 0x1000, 48)), 7),
            "iter 1\nload 1 1#0+72 w8 t22\niter 1\nload 1 1#0+0 w8 t23\n"
            "iter 1\nload 1 1#0+8 w8 t24\niter 1\nload 1 1#0+16 w8 t25\n"
            "iter 1\nload 1 1#0+24 w8 t26\niter 1\nload 1 1#0+32 w8 t27\n"
            "iter 1\nload 1 1#0+40 w8 t28\nexit 1\n");
  EXPECT_EQ(lines(decode(Words().record(down, 10, 0x1000, 48)), 13),
            "iter 1\nstore 2 1#0+0 w8 t35\niter 1\nstore 2 1#0+72 w8 t36\n"
            "iter 1\nstore 2 1#0+64 w8 t37\niter 1\nexit 1\n");
}

// With steps in the record, an offset, an address that stands still.
TEST_F(DecoderRangesTest, AShortRangeIsWrittenOutAsBlocks) {
  TestModule m;
  m.function("f");
  const auto loop = m.loop();
  m.site(MPRT_OP_LOAD, 8, loop), m.site(MPRT_OP_STORE, 8, loop);
  m.site(MPRT_OP_LOAD, 8, loop);
  const auto a = m.alloc(1);
  const auto r = m.range(4, loop, {{0, 2, 0, 0, 3},
                                   {1, 2, 16, 0, 3, 1},
                                   {2, MPRT_BASE_ABSOLUTE, 0x1008, 0}});
  load(m);
  EXPECT_EQ(decode(Words().birth(0x1000, 80, a).record(r, 3, 0x1000, 24)),
            "birth 1#0+0 w80 t0\n"
            "enter 1\n"
            "iter 1\nload 1 1#0+0 w8 t0\nstore 2 1#0+16 w8 t1\nload 3 1#0+8 w8 t2\n"
            "iter 1\nload 1 1#0+24 w8 t3\nstore 2 1#0+40 w8 t4\nload 3 1#0+8 w8 t5\n"
            "iter 1\nload 1 1#0+48 w8 t6\nload 3 1#0+8 w8 t7\n"
            "exit 1\n");
  EXPECT_EQ(batch_.ranges.size(), 0u);
  // An address takes a word once, and a constant one takes none.
  EXPECT_EQ(batch_.words.size(), 3 * 2u);
  EXPECT_EQ(decoder_.units().site_executions(),
            (std::vector<std::uint64_t>{0, 3, 2, 3}));
  EXPECT_EQ(decoder_.units().loop_counts()[1].invocations, 1u);
  EXPECT_EQ(decoder_.units().loop_counts()[1].iterations, 3u);
}

// x[(start + k) % 8], upwards and downwards.
TEST_F(DecoderRangesTest, TheIndexOfAShortRangeWraps) {
  TestModule m;
  m.function("f");
  const auto loop = m.loop();
  m.site(MPRT_OP_LOAD, 8, loop), m.site(MPRT_OP_STORE, 8, loop);
  const auto a = m.alloc(1);
  const auto r = m.range(4, loop, {{0, 2, 0, 8, 0, 0, MPRT_OP_LOAD, 8, 3, 64},
                                   {1, 2, 0, -8, 0, 1, MPRT_OP_STORE, 8, 3, 64}});
  load(m);
  decode(Words().birth(0x1000, 80, a));
  EXPECT_EQ(decode(Words().record(r, 4, 0x1000, 48).record(r, 1, 0x1000, 56)),
            "enter 1\n"
            "iter 1\nload 1 1#0+48 w8 t0\nstore 2 1#0+48 w8 t1\n"
            "iter 1\nload 1 1#0+56 w8 t2\nstore 2 1#0+40 w8 t3\n"
            "iter 1\nload 1 1#0+0 w8 t4\nstore 2 1#0+32 w8 t5\n"
            "iter 1\nload 1 1#0+8 w8 t6\n"
            "exit 1\n"
            "enter 1\niter 1\nload 1 1#0+56 w8 t7\nexit 1\n");
  EXPECT_EQ(decode(Words().record(r, 3, 0x1000, 0)),
            "enter 1\n"
            "iter 1\nload 1 1#0+0 w8 t8\nstore 2 1#0+0 w8 t9\n"
            "iter 1\nload 1 1#0+8 w8 t10\nstore 2 1#0+56 w8 t11\n"
            "iter 1\nload 1 1#0+16 w8 t12\n"
            "exit 1\n");
}

// Widths that only the record knows keep it from being written out, unless there
// is one iteration.
TEST_F(DecoderRangesTest, AShortRangeWithLengthsStaysARange) {
  TestModule m;
  m.function("f");
  const auto loop = m.loop();
  m.site(MPRT_OP_LOAD, 0, loop);
  const auto a = m.alloc(1);
  const auto r = m.range(4, loop, {{0, 2, 0, 8, 0, 0, MPRT_OP_LOAD, 0, 0, 0, 3}});
  load(m);
  decode(Words().birth(0x1000, 80, a));
  EXPECT_EQ(decode(Words().record(r, 2, 0x1000, 8).record(r, 1, 0x1000, 4)),
            "range loop 1 n2 t0 load 1 1#0+0 step8 n2\n"
            "enter 1\niter 1\nload 1 1#0+0 w4 t2\nexit 1\n");
}

TEST_F(DecoderRangesTest, ARangeOfOneIterationIsWrittenOut) {
  TestModule m;
  m.function("f");
  const auto loop = m.loop();
  m.site(MPRT_OP_LOAD, 8, loop), m.site(MPRT_OP_STORE, 8, loop);
  m.site(MPRT_OP_LOAD, 4, loop);
  const auto r = m.range(4, loop, {{0, 2, 0, 8}, {1, 3, 8, 8}, {2, 2, 0, 8, 0, 1}});
  load(m);
  EXPECT_EQ(decode(Words().record(r, 1, 0x1000, 0x2000)),
            "enter 1\niter 1\nload 1 unknown w8 t0\nstore 2 unknown w8 t1\nexit 1\n");
  EXPECT_EQ(decoder_.units().site_executions(),
            (std::vector<std::uint64_t>{0, 1, 1, 0}));
  EXPECT_EQ(decoder_.units().loop_counts()[1].invocations, 1u);
}

// Longer than a batch: it goes on in the next one.
TEST_F(DecoderRangesTest, ALongRangeIsWrittenOutInPieces) {
  TestModule m;
  m.function("f");
  const auto loop = m.loop();
  m.site(MPRT_OP_LOAD, 8, loop);
  const auto a = m.alloc(1);
  const auto r = m.range(3, loop, {{0, 2, 0, 8}});
  load(m);
  decode(Words().birth(0x10000, 80000, a));
  const std::string events = decode(Words().record(r, 10001, 0x10000).record(r, 1, 0x10000));
  EXPECT_EQ(std::count(events.begin(), events.end(), '\n'), 20002 + 2 + 4);
  EXPECT_NE(events.find("load 1 1#0+79992 w8 t9999\niter 1\nload 1 unknown w8 t10000\n"
                        "exit 1\nenter 1\niter 1\nload 1 1#0+0 w8 t10001\nexit 1\n"),
            std::string::npos);
}

}  // namespace
}  // namespace memprof::backend
