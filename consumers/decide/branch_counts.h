// branch_counts.h - which branches of a function get the probabilities that were measured.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "consumers/decide/branch_flow.h"
#include "consumers/decide/cost_model.h"
#include "consumers/decide/decision.h"
#include "consumers/decide/hot_functions.h"

namespace memprof::decide {

// What the profile says about a function and the blocks and edges of BranchCode.
struct BranchFacts {
  FunctionFacts function;
  FlowCounts known;

  // A site of BLOCK was executed EXECUTIONS times, of which 95 % lie within the share ERROR (feedback::Site::error).  Of
  // several, the one that was executed most counts, since a call may not return to the others; one of too few samples does not.
  void add(unsigned block, std::uint64_t executions, double error, const CostModel& model);
};

// A pure function of the FACTS and what the compiler says about the CODE (null: `memprof advise' has none).  A Decision
// that is taken has `probabilities', one for each edge of the code, and `block_counts', one for each block.
Decision decide_branch_counts(const Candidate& candidate, const BranchFacts& facts, const BranchCode* code,
                              const CostModel& model);

}  // namespace memprof::decide
