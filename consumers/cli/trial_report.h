// trial_report.h - what prefetches on trial have measured, as MPRT_TUNE=report prints it.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A program that was compiled with -fprofile-mem-tune measures each nest of loops with prefetches
// (runtime/tune/tune.h) and prints a line for it at its end:
//
//   memprof: a.c:8, a.c:9: level 3 after 1 trials, measured 2.031, predicted 3.428; 0: 12.70 ns, 1: 8.08 ns, 2: 6.34 ns, 3: 6.25 ns
//   memprof: a.c:19: level 0 after 4 trials, measured 0.998, predicted 1.750; 0: 3.10 ns, 1: 3.11 ns, ...
//   memprof: a.c:30: 12 slices, no whole trial
//
// Pure: text in, rows and entries of a veto file out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace memprof::cli {

struct TrialRow {
  std::vector<std::string> places;  // "FILE:LINE" of the prefetches that were tried together
  unsigned level = 0;               // that was best: how far ahead; 0: without
  unsigned trials = 0;              // 0: the nest ran too short for one
  double measured = 0;              // time without prefetches / time with the best ones; of the last trial
  double predicted = 0;             // the same by the cost model
  std::vector<double> nanoseconds;  // an iteration's at each level; 0: not measured

  bool loses() const { return trials && level == 0; }
  double with() const;  // nanoseconds at the fastest level that prefetches; 0: none
};

// The rows of TEXT, lines that are no rows left out.  Several processes may have written it: of rows about
// the same places the one with the most trials stays, in the place of the first.
std::vector<TrialRow> read_trials(std::string_view text);

// "@prefetch a.c:19" for each place of ROWS that lose and are in no other row that gains.
std::vector<std::string> trial_vetoes(const std::vector<TrialRow>& rows);

}  // namespace memprof::cli
