// trial_report_test.cc - the lines of MPRT_TUNE=report.
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "consumers/cli/trial_report.h"

namespace memprof::cli {
namespace {

using Names = std::vector<std::string>;

TEST(TrialReport, RowsOfAllKinds) {
  const auto rows = read_trials(
      "the program's own text\n"
      "memprof: a.c:8, b, c.h:9: level 3 after 2 trials, measured 2.031, predicted 3.428; 0: 12.70 ns, 1: 8.08 ns, 3: 6.25 ns\n"
      "memprof: dir: level 7/a.c:19: level 0 after 4 trials, measured 0.998, predicted 1.750; 0: 3.10 ns, 1: 3.11 ns\n"
      "memprof: a.c:30: 12 slices, no whole trial");
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].places, (Names{"a.c:8", "b", "c.h:9"}));
  EXPECT_EQ(rows[0].level, 3u);
  EXPECT_EQ(rows[0].trials, 2u);
  EXPECT_DOUBLE_EQ(rows[0].measured, 2.031);
  EXPECT_DOUBLE_EQ(rows[0].predicted, 3.428);
  EXPECT_EQ(rows[0].nanoseconds, (std::vector<double>{12.7, 8.08, 0, 6.25}));
  EXPECT_DOUBLE_EQ(rows[0].with(), 6.25);
  EXPECT_FALSE(rows[0].loses());
  EXPECT_EQ(rows[1].places, Names{"dir: level 7/a.c:19"});
  EXPECT_TRUE(rows[1].loses());
  EXPECT_DOUBLE_EQ(rows[1].with(), 3.11);
  EXPECT_EQ(rows[2].places, Names{"a.c:30"});
  EXPECT_EQ(rows[2].trials, 0u);
  EXPECT_FALSE(rows[2].loses());
}

TEST(TrialReport, WhatIsNoRowIsLeftOut) {
  EXPECT_TRUE(read_trials("").empty());
  EXPECT_TRUE(read_trials("memprof: a.c:8: level x after 1 trials\nmemprof: \nmemprof: a.c: warning\n").empty());
  EXPECT_TRUE(read_trials("x: level 1 after 1 trials, measured 1, predicted 1").empty());
}

TEST(TrialReport, OfSeveralProcessesTheOneWithMostTrials) {
  const auto rows = read_trials(
      "memprof: a.c:8: 3 slices, no whole trial\n"
      "memprof: a.c:9: level 1 after 1 trials, measured 1.2, predicted 2\n"
      "memprof: a.c:8: level 2 after 5 trials, measured 1.5, predicted 2\n"
      "memprof: a.c:8: level 0 after 1 trials, measured 0.9, predicted 2\n");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].places, Names{"a.c:8"});
  EXPECT_EQ(rows[0].level, 2u);
}

TEST(TrialReport, VetoesAreOfPlacesThatGainNowhere) {
  const auto rows = read_trials(
      "memprof: a.c:8, a.c:9: level 0 after 1 trials, measured 0.9, predicted 2\n"
      "memprof: a.c:9, a.c:10: level 1 after 1 trials, measured 1.2, predicted 2\n"
      "memprof: a.c:8, a.c:11: level 0 after 1 trials, measured 0.9, predicted 2\n");
  EXPECT_EQ(trial_vetoes(rows), (Names{"@prefetch a.c:8", "@prefetch a.c:11"}));
}

}  // namespace
}  // namespace memprof::cli
