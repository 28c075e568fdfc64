// frames_test.cc - inlined calls: chains, sums of two lists, and their numbering.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "feedback/frames.h"

#include <gtest/gtest.h>

namespace memprof::feedback {
namespace {

// main calls sum in line 9, which calls at in line 4; and, elsewhere, main calls last in line 12.
Function sample() {
  Function f;
  f.frames = {{0, "last", "", 12, 1}, {0, "sum", "", 9, 1}, {2, "at", "v.h", 4, 7}};
  Site at;
  at.frame = 3;
  f.sites = {at, Site{}};
  return f;
}

TEST(Frames, AChainGoesFromTheInnermostCallOutwards) {
  const Function f = sample();
  const auto calls = chain(f, 3);
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_EQ(calls[0]->name, "at");
  EXPECT_EQ(calls[1]->name, "sum");
  EXPECT_TRUE(chain(f, 0).empty());
}

TEST(Frames, CallsThatNoSiteNamesGo) {
  Function f = sample();
  number_frames(f);
  ASSERT_EQ(f.frames.size(), 2u);
  EXPECT_EQ(f.frames[0].name, "sum");
  EXPECT_EQ(f.frames[1].frame, 1u);
  EXPECT_EQ(f.sites[0].frame, 2u);
  EXPECT_EQ(f.sites[1].frame, 0u);
}

TEST(Frames, ALoopKeepsItsCall) {
  Function f = sample();
  f.loops.emplace_back().frame = 1;
  number_frames(f);
  EXPECT_EQ(f.frames.size(), 3u);
  EXPECT_EQ(chain(f, f.loops[0].frame)[0]->name, "last");
}

TEST(Frames, TheSumHasEachCallOnce) {
  Function a = sample(), b = sample();
  number_frames(a);
  const auto numbers = add_frames(b.frames, a.frames);
  ASSERT_EQ(a.frames.size(), 3u);
  EXPECT_EQ(numbers, (std::vector<std::uint32_t>{0, 3, 1, 2}));
  EXPECT_EQ(chain(a, numbers[3])[1]->name, "sum");
}

}  // namespace
}  // namespace memprof::feedback
