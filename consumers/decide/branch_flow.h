// branch_flow.h - how often the blocks and edges of a function were executed, from what the profile knows of some.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The profile counts accesses, so it knows the executions of each block that has one, and it counts entries into loops.
// What flows into a block flows out of it, which gives most of the others:
//
//          A 100                      A -> B  70   B is entered from A alone
//         /     \                     A -> C  30   what is left of A
//     B 70       C ?                  C       30   what flows into it
//         \     /
//          D 100
//
// A and D are of one class: each way from A leads to D, and each way to D comes from A.
//
//   1. what is known of a block is known of its class
//   2. an edge that is the only one out of a known block, or into it, has the block's count
//   3. a block whose edges on one side are all known has their sum; the last edge of a known block that is not known
//      has what is left.  Again until nothing changes
//   4. what is not known then gets what flows into it by the probabilities that GCC guesses
//
// Counts of samples need not add up: what would be less than nothing is 0, and a count that was measured stays.
//
// From: Knuth and Stevenson, Optimal measurement points for program frequency counts, BIT 1973 (which counts give the
// others); GCC's auto-profile.cc solves the same equations for counts of source lines.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "consumers/decide/code_facts.h"

namespace memprof::decide {

// Executions of blocks and edges, by their numbers; nothing: not known.
struct FlowCounts {
  std::vector<std::optional<double>> blocks, edges;
};

// Steps 1 to 3. CLASSES: of each block, the number of the first one of its class.
FlowCounts balanced(std::span<const FlowEdge> edges, std::span<const unsigned> classes, FlowCounts known);

// Step 4: executions of all blocks, from the KNOWN ones and the probabilities of EDGES.  ENTRY is that of a block without
// edges into it of which nothing is known.
std::vector<double> all_blocks(std::span<const FlowEdge> edges, const FlowCounts& known, double entry);

}  // namespace memprof::decide
