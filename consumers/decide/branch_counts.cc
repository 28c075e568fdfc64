// branch_counts.cc - which branches of a function get the probabilities that were measured.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Problem: GCC guesses how often branches are taken, by rules such as "a loop goes on" and "a pointer is not null".  It
// orders blocks by the guess, keeps values in registers where the code is taken to be executed, and chooses between a jump
// and a conditional move.  The profile has counted the accesses on both sides:
//
//   while ((c = *s++))                 GCC guesses      the profile
//     if (c == quote)                     34 %              0.5 %       the rare side moves out of the loop
//       depth ^= 1;
//     else                                66 %             99.5 %
//       *to++ = c;
//
// Steps: the executions of blocks with sites and the entries into loops give those of the edges (branch_flow.h); a block
// with several edges out of it, all of which are known, gives each its share.  All other edges keep what GCC guesses,
// and blocks of which nothing is known follow from both.
//
// Gates, in this order; the first one that fails is the reason:
//
//   1. executions  accesses of the function, which must matter at all
//   2. code        what prevents it is named: GCC's own profile, no guesses to replace
//   3. branches    at least one of which all edges are known
//
// A side that was never seen gets one execution, so that it is rare and not impossible: another input may take it.
//
// What it does not do: inlining is over when sites are matched, so calls do not get their counts; and of a function that the
// profile does not know nothing follows.
//
// From: Pettis and Hansen, Profile guided code positioning, PLDI 1990; Chen, Moseley and Li, AutoFDO, CGO 2016 (counts
// from samples).
#include "consumers/decide/branch_counts.h"

#include <algorithm>

#include "consumers/decide/text.h"

namespace memprof::decide {
namespace {

// Executions of a branch below which its shares are chance.
constexpr double k_least_branch = 16;

struct Branches {
  unsigned all = 0, known = 0;
  std::vector<double> probabilities, block_counts;  // as in the Decision
};

// Edges out of a block.
struct Ways {
  unsigned all = 0, known = 0;
  double sum = 0;

  bool branch() const { return all > 1; }
  bool sure() const { return branch() && known == all && sum >= k_least_branch; }
};

std::vector<Ways> ways_of(std::span<const FlowEdge> edges, const FlowCounts& counts) {
  std::vector<Ways> ways(counts.blocks.size());
  for (std::size_t edge = 0; edge < edges.size(); edge++) {
    Ways& from = ways[edges[edge].from];
    from.all++;
    from.known += counts.edges[edge].has_value();
    from.sum += counts.edges[edge].value_or(0);
  }
  return ways;
}

// What GCC guesses for the entry, block 0, in units of the profile: as much more or less as the known blocks are.
double guessed_entry(const FlowCounts& counts, const double* guesses) {
  double known = 0, guessed = 0;
  for (std::size_t block = 0; block < counts.blocks.size(); block++)
    if (counts.blocks[block]) known += *counts.blocks[block], guessed += guesses[block];
  return guessed > 0 ? guesses[0] * known / guessed : 0;
}

Branches branches_of(const BranchFacts& facts, const BranchCode& code) {
  std::vector<FlowEdge> edges(code.edges, code.edges + code.edge_count);
  const FlowCounts counts = balanced(edges, {code.classes, code.block_count}, facts.known);
  const std::vector<Ways> ways = ways_of(edges, counts);
  Branches result;
  for (const Ways& block : ways) {
    result.all += block.branch();
    result.known += block.sure();
  }
  for (std::size_t edge = 0; edge < edges.size(); edge++) {
    const Ways& from = ways[edges[edge].from];
    const double share = from.sure() ? (*counts.edges[edge] + 1) / (from.sum + from.all) : -1;
    result.probabilities.push_back(share);
    if (share >= 0) edges[edge].probability = share;
  }
  if (result.known) result.block_counts = all_blocks(edges, counts, guessed_entry(counts, code.guesses));
  return result;
}

}  // namespace

void BranchFacts::add(unsigned block, std::uint64_t executions, double error, const CostModel& model) {
  if (error > model.max_branch_error) return;
  std::optional<double>& count = known.blocks[block];
  count = std::max(count.value_or(0), static_cast<double>(executions));
}

Decision decide_branch_counts(const Candidate& candidate, const BranchFacts& facts, const BranchCode* code,
                              const CostModel& model) {
  const FunctionFacts& function = facts.function;
  const auto ended = [&](Reason reason, const std::string& text) {
    Decision decision = conclude(candidate, reason, text);
    decision.numbers = {{"executions", function.accesses}, {"share", function.share()}};
    return decision;
  };
  if (function.accesses < model.min_executions) {
    Decision decision = ended(Reason::few_executions, std::to_string(function.accesses) + " accesses");
    if (decision.refused())
      decision.gate = {"executions", static_cast<double>(function.accesses), static_cast<double>(model.min_executions)};
    return decision;
  }
  if (!code) return ended(Reason::needs_code, "needs the code: which of its branches have accesses on their sides");
  if (code->obstacle) return ended(Reason::code_shape, code->obstacle);
  Branches branches = branches_of(facts, *code);
  const std::string of_all = std::to_string(branches.known) + " of " + std::to_string(branches.all) + " branches";
  Decision decision = branches.known == 0
                          ? ended(Reason::code_shape, "the profile knows " + of_all)
                          : ended(Reason::taken, "branch counts: " + of_all + " have measured probabilities");
  decision.numbers.insert(decision.numbers.end(), {{"known", std::uint64_t{branches.known}}, {"branches", std::uint64_t{branches.all}}});
  if (decision.take()) {
    decision.probabilities = std::move(branches.probabilities);
    decision.block_counts = std::move(branches.block_counts);
  }
  return decision;
}

}  // namespace memprof::decide
