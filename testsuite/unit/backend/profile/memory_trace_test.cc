// memory_trace_test.cc - requests to memory, one by one.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/profile/memory_trace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

namespace memprof::backend {
namespace {

// The paper's processor with a cache of LINES lines, each of which may be anywhere.
PageGeometry geometry(std::uint32_t lines) {
  PageGeometry g;
  EXPECT_TRUE(parse_geometry("nehalem,sample=1,window=1", g));
  g.small = {64, 64};
  g.second = {512, 512};
  g.llc = {lines * g.line, lines};
  return g;
}

struct Recorded {
  std::vector<MemoryRequest> requests;
  MemoryTrace trace;
  explicit Recorded(std::uint32_t lines)
      : trace(geometry(lines), [this](const MemoryRequest& r) { requests.push_back(r); }) {}

  std::size_t count(bool write, unsigned walk) const {
    return static_cast<std::size_t>(std::count_if(
        requests.begin(), requests.end(),
        [&](const MemoryRequest& r) { return r.write == write && r.walk == walk; }));
  }
};

TEST(MemoryTrace, AFirstAccessWalksAllLevelsAndReadsItsLine) {
  Recorded run(64);
  run.trace.access(3, 0x5555'0000'4008, 8, false, 7);
  ASSERT_EQ(run.requests.size(), 5u);
  std::set<std::uint64_t> frames;
  for (std::size_t i = 0; i < 5; i++) {
    const MemoryRequest& r = run.requests[i];
    EXPECT_EQ(r.walk, 4 - i);
    EXPECT_EQ(r.vaddr, i < 4 ? 0x5555'0000'4008u : 0x5555'0000'4000u);
    EXPECT_EQ(r.thread, 3u);
    EXPECT_EQ(r.object, 7u);
    EXPECT_FALSE(r.write);
    frames.insert(r.paddr / 4096);
  }
  EXPECT_EQ(frames.size(), 5u);
  run.trace.access(3, 0x5555'0000'4010, 8, true, 7);
  EXPECT_EQ(run.requests.size(), 5u);
  EXPECT_EQ(run.trace.time(), 2u);
}

TEST(MemoryTrace, AnAccessEndsAtTheLastAddress) {
  Recorded run(64);
  run.trace.access(0, ~std::uint64_t{0} - 1, 8, false, 0);
  run.trace.access(0, ~std::uint64_t{0} - 63, 64, false, 0);
  run.trace.access(0, ~std::uint64_t{0} - 127, 4096, false, 0);
  EXPECT_EQ(run.count(false, 0), 2u);
  EXPECT_EQ(run.trace.time(), 3u);
}

TEST(MemoryTrace, AChangedLineIsWrittenForTheObjectThatChangedItLast) {
  Recorded run(8);
  run.trace.access(0, 0x10000, 8, true, 1);
  run.trace.access(0, 0x10008, 8, true, 2);
  for (std::uint64_t i = 1; i <= 8; i++) run.trace.access(1, 0x10000 + 64 * i, 8, false, 3);
  ASSERT_EQ(run.count(true, 0), 1u);
  const auto r = *std::find_if(run.requests.begin(), run.requests.end(),
                               [](const MemoryRequest& x) { return x.write; });
  EXPECT_EQ(r.vaddr, 0x10000u);
  EXPECT_EQ(r.object, 2u);
  EXPECT_EQ(r.paddr, run.requests[4].paddr);
}

TEST(MemoryTrace, AnAccessOverTwoPagesIsTwoRequests) {
  Recorded run(64);
  run.trace.access(0, 0x10ffc, 8, false, 1);
  EXPECT_EQ(run.count(false, 0), 2u);
  EXPECT_EQ(run.trace.time(), 1u);
}

// A page each: as many walks as pages; eight entries of the lowest level are a line.
TEST(MemoryTrace, WalksOfASweepReadEachLineOfTheTablesOnce) {
  Recorded run(1 << 16);
  for (std::uint64_t i = 0; i < 2048; i++)
    run.trace.access(0, (std::uint64_t{1} << 40) + 4096 * i, 8, false, 1);
  EXPECT_EQ(run.count(false, 0), 2048u);
  EXPECT_EQ(run.count(false, 1), 256u);
  for (const unsigned level : {2u, 3u, 4u}) EXPECT_EQ(run.count(false, level), 1u);
  EXPECT_EQ(run.count(true, 0), 0u);
}

// Page 0x10 has a frame, the huge page from 0x80000 on has some, page 0x20 has none.
TEST(MemoryTrace, TellsTheFramesThatAreKnown) {
  Frames frames;
  frames.add(0x10, 0x777, false);
  frames.runs.push_back({0x80000, 0x1200, 512, true});
  std::vector<MemoryRequest> requests;
  MemoryTrace trace(geometry(8), [&](const MemoryRequest& r) { requests.push_back(r); }, &frames);
  trace.access(0, 0x10048, 8, true, 1);
  ASSERT_EQ(requests.size(), 5u);
  for (unsigned i = 0; i < 4; i++) EXPECT_GE(requests[i].paddr, 0x1400000u);  // page tables
  EXPECT_EQ(requests[4].paddr, 0x777040u);
  requests.clear();
  trace.access(0, 0x20000, 8, false, 1);
  EXPECT_GE(requests.back().paddr, 0x1400000u);
  EXPECT_EQ(requests.back().vaddr, 0x20000u);
  requests.clear();
  // Of a huge page the walk ends a level earlier, and the whole of it is one entry.
  trace.access(0, 0x80000000 + 0x123440, 8, false, 2);
  EXPECT_EQ(requests.back().paddr, 0x1200000u + 0x123440u);
  for (const MemoryRequest& r : requests) EXPECT_NE(r.walk, 1);
  EXPECT_TRUE(std::any_of(requests.begin(), requests.end(),
                          [](const MemoryRequest& r) { return r.walk == 2; }));
  requests.clear();
  trace.access(0, 0x80000000 + 0x1ff000, 8, false, 2);
  EXPECT_TRUE(std::none_of(requests.begin(), requests.end(),
                           [](const MemoryRequest& r) { return r.walk != 0; }));
  // The line that was changed is written where it lies.
  requests.clear();
  for (std::uint64_t line = 0; line < 16; line++) trace.access(0, 0x80000000 + line * 64, 8, false, 2);
  const auto written = std::find_if(requests.begin(), requests.end(),
                                    [](const MemoryRequest& r) { return r.write; });
  ASSERT_NE(written, requests.end());
  EXPECT_EQ(written->paddr, 0x777040u);
  EXPECT_EQ(written->vaddr, 0x10040u);
}

}  // namespace
}  // namespace memprof::backend
