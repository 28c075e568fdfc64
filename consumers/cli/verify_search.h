// verify_search.h - which of many decisions make a program slower.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Pure: how a build with some decisions left out compares is asked of the caller.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "consumers/decide/decision.h"

namespace memprof::cli {

// Run times of two builds, one of each per round, and what they say.
struct Comparison {
  double ratio = 1;           // median of first / second
  double low = 1, high = 1;   // holds it with 95 % probability
  bool second_faster(double by) const { return low > 1 + by; }
  bool second_slower(double by) const { return high < 1 - by; }
};

// Interval from the order statistics of the ratios; as many of FIRST as of SECOND.
Comparison compare(const std::vector<double>& first, const std::vector<double>& second);

using decide::Decision;

// Entries of a veto file that forbid DECISION: by its function, by its place.
std::string function_veto(const Decision& decision);
std::string place_veto(const Decision& decision);

// The decisions that were taken, of those in the text of a remarks file: each once, in
// order.
std::vector<Decision> taken_decisions(const std::string& remarks);

// Whether the program is faster without the decisions that VETOES forbid.
using Trial = std::function<bool(const std::vector<std::string>& vetoes)>;

// DECISIONS, of one kind, make the program slower together.  Finds the functions,
// and in them the places, without which it is faster: halves a set as long as one
// of the halves matters by itself.  Returns entries of a veto file; at most
// BUDGET trials.
std::vector<std::string> narrow(const std::vector<Decision>& decisions, const Trial& faster_without,
                                int& budget);

}  // namespace memprof::cli
