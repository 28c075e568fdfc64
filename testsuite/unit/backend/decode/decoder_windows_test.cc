// decoder_windows_test.cc - the records of windows: uses of lines and pages, and no events.
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "testsuite/unit/backend/decoder_fixture.h"

namespace memprof::backend {
namespace {

using testing::TestModule;
using testing::Words;

class DecoderWindowsTest : public testing::DecoderTest {
 protected:
  std::vector<WindowUse> lines() const {
    std::vector<WindowUse> result;
    for (const WindowUse& use : batch_.window_uses)
      if (use.kind == WindowUse::line && use.looked_at) result.push_back(use);
    return result;
  }
  static Words in_window(const Words& records) {
    return Words()
        .control(MPRT_MARKER, MPRT_WINDOW_BEGIN, 100)
        .append(records)
        .control(MPRT_MARKER, MPRT_WINDOW_END, 5);
  }
  // The range record of a loop that loads and stores 8 bytes each time, and has OTHERS loads that are not in the record.
  std::uint64_t load_long_loop(unsigned others) {
    TestModule m;
    m.function("f");
    const auto loop = m.loop();
    m.site(MPRT_OP_LOAD, 8, loop), m.site(MPRT_OP_STORE, 8, loop);
    for (unsigned i = 0; i < others; i++) m.site(MPRT_OP_LOAD, 8, loop);
    const auto r = m.range(4, loop, {{0, 2, 0, 8}, {1, 3, 0, 8}});
    load(m);
    return r;
  }
};

TEST_F(DecoderWindowsTest, ABlockIsUsesAndNoEvents) {
  TestModule m;
  m.function("f");
  m.site(MPRT_OP_LOAD, 8), m.site(MPRT_OP_STORE, 8);
  const auto d = m.block(2, {{0, 1, 0}, {1, 1, 64}});
  const auto a = m.alloc(1);
  load(m);
  decode(Words().birth(0x1000, 128, a).append(in_window(Words().record(d, 0x1000))));
  const auto uses = lines();
  ASSERT_EQ(uses.size(), 2u);
  EXPECT_EQ(uses[0].number, 0x1000u / 64);
  EXPECT_EQ(uses[0].site, 1u);
  EXPECT_EQ(uses[0].group, 1u);
  EXPECT_EQ(uses[1].number, 0x1040u / 64);
  EXPECT_EQ(uses[1].site, 2u);
  EXPECT_EQ(batch_.window_uses.front().kind, WindowUse::begin);
  EXPECT_EQ(batch_.window_uses.back().kind, WindowUse::end);
  EXPECT_EQ(batch_.window_uses.back().count, 2u);
  EXPECT_EQ(decoder_.time(), 0u);
  EXPECT_EQ(decoder_.units().site_executions(), (std::vector<std::uint64_t>{0, 0, 0}));
  EXPECT_EQ(decoder_.counts().between_bursts, 105u);
}

// 40 elements of 8 bytes are five lines; the accesses that stay on a line are one use.
TEST_F(DecoderWindowsTest, ARangeIsOneUseForEachLine) {
  TestModule m;
  m.function("f");
  const auto loop = m.loop();
  m.site(MPRT_OP_LOAD, 8, loop);
  const auto r = m.range(3, loop, {{0, 2, 0, 8}});
  load(m);
  decode(in_window(Words().record(r, 40, 0x1000)));
  const auto uses = lines();
  ASSERT_EQ(uses.size(), 5u);
  for (std::uint64_t i = 0; i < 5; i++) {
    EXPECT_EQ(uses[i].number, 0x1000u / 64 + i);
    EXPECT_EQ(uses[i].count, 8u);
  }
}

// A loop that is executed once, in a window, has no sample.
TEST_F(DecoderWindowsTest, ALoopThatReportsSamplesStandsForItself) {
  TestModule m;
  m.function("f");
  const auto loop = m.loop();
  m.site(MPRT_OP_STORE, 8, loop), m.site(MPRT_OP_LOAD, 8, loop);
  m.sites[0].flags = MPRT_SITE_SAMPLED;
  const auto r = m.range(4, loop, {{0, 2, 0, 8}, {1, 3, 0, 8}});
  const auto a = m.alloc(1);
  load(m);
  decode(Words().birth(0x1000, 320, a).append(in_window(Words().record(r, 40, 0x1000, 0x1000))));
  EXPECT_EQ(decoder_.samples()[1].executions, 40u);
  EXPECT_EQ(decoder_.samples()[1].loops, 1u);
  EXPECT_FALSE(decoder_.samples()[2].any);
  ASSERT_EQ(batch_.loop_samples.size(), 1u);
  EXPECT_EQ(batch_.loop_samples[0].access.group, 1u);
  EXPECT_EQ(batch_.loop_samples[0].times, 1u);
}

TEST_F(DecoderWindowsTest, TheAccessesOfARangeTakeTurns) {
  TestModule m;
  m.function("f");
  const auto loop = m.loop();
  m.site(MPRT_OP_LOAD, 8, loop), m.site(MPRT_OP_STORE, 8, loop);
  const auto r = m.range(4, loop, {{0, 2, 0, 64}, {1, 3, 0, -64}});
  load(m);
  decode(in_window(Words().record(r, 3, 0x1000, 0x9000)));
  std::string sites;
  for (const WindowUse& use : lines()) sites += static_cast<char>('0' + use.site);
  EXPECT_EQ(sites, "121212");
}

// One line in 2^shift is looked at, the same ones all the time.
TEST_F(DecoderWindowsTest, LaterOnFewerLinesAreLookedAt) {
  TestModule m;
  m.function("f");
  const auto loop = m.loop();
  m.site(MPRT_OP_LOAD, 8, loop);
  const auto r = m.range(3, loop, {{0, 2, 0, 64}});
  load(m);
  constexpr std::uint64_t k_lines = 1 << 13;
  decode(in_window(Words().record(r, k_lines, 0x100000)));
  double estimate = 0;
  for (const WindowUse& use : lines()) estimate += static_cast<double>(1u << use.shift);
  EXPECT_NEAR(estimate / k_lines, 1, 0.1);
  EXPECT_LT(lines().size(), k_lines / 2);
}

// A loop that one record describes, outside of windows: what the sample says is a window.
TEST_F(DecoderWindowsTest, ASampleOfAWholeLoopIsAWindow) {
  const auto r = load_long_loop(0);
  decode(Words().control(MPRT_LOOP_SAMPLE, 1, r | 4, 1 << 20, 0x100000, 0x10000000));
  ASSERT_FALSE(batch_.window_uses.empty());
  EXPECT_EQ(batch_.window_uses.front().kind, WindowUse::begin);
  EXPECT_EQ(batch_.window_uses.back().kind, WindowUse::end);
  EXPECT_GE(batch_.window_uses.back().count, 1u << 13);
  EXPECT_EQ(decoder_.samples()[1].executions, 1u << 20);  // counted once
}

// 1 M executions of 8 bytes are 131,072 lines of each array; where both are one array, nothing is known of what is beyond.
TEST_F(DecoderWindowsTest, ALongLoopSaysWhatItSweeps) {
  const auto r = load_long_loop(0);
  const auto swept = [&](std::uint64_t a, std::uint64_t b) {
    decode(Words().control(MPRT_LOOP_SAMPLE, 1, r | 4, 1 << 20, a, b));
    const WindowUse begin = batch_.window_uses.front();
    batch_.window_uses.clear();
    return begin.base + begin.bytes;
  };
  EXPECT_EQ(swept(0x1000000, 0x10000000), 2u << 17);
  EXPECT_EQ(swept(0x1000000, 0x1000008), 1u << 17);  // a[i] and a[i + 1]
  EXPECT_EQ(swept(0x1000000, 0x1100000), 0u);        // a[i] and a[i + 131072]
}

TEST_F(DecoderWindowsTest, ASampleOfAPartOfALoopIsNone) {
  const auto r = load_long_loop(1);
  decode(Words().control(MPRT_LOOP_SAMPLE, 1, r | 4, 1 << 20, 0x100000, 0x10000000));
  EXPECT_TRUE(batch_.window_uses.empty());
}

TEST_F(DecoderWindowsTest, SamplesOfShortLoopsAndOfNoneAreNone) {
  TestModule m;
  m.function("f");
  const auto loop = m.loop();
  m.site(MPRT_OP_LOAD, 8, loop);
  const auto r = m.range(3, loop, {{0, 2, 0, 8}});
  load(m);
  decode(Words()
             .control(MPRT_LOOP_SAMPLE, 1, r | 3, 1000, 0x100000)
             .control(MPRT_LOOP_SAMPLE, 0, r | 3, 1 << 20, 0x100000));
  EXPECT_TRUE(batch_.window_uses.empty());
}

TEST_F(DecoderWindowsTest, AfterItEventsAreMadeAgain) {
  TestModule m;
  m.function("f");
  m.site(MPRT_OP_LOAD, 8);
  const auto d = m.block(2, {{0, 1, 0}});
  load(m);
  decode(in_window(Words().record(d, 0x1000)).record(d, 0x1000).record(d, 0x1000));
  EXPECT_EQ(decoder_.time(), 2u);
  EXPECT_EQ(lines().size(), 1u);
}

}  // namespace
}  // namespace memprof::backend
