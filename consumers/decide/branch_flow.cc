// branch_flow.cc - how often the blocks and edges of a function were executed, from what the profile knows of some.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/decide/branch_flow.h"

#include <algorithm>

namespace memprof::decide {
namespace {

using Count = std::optional<double>;
using EdgeList = std::vector<std::size_t>;  // numbers of the edges on one side of a block

// Rounds after which a loop that is not known has two thirds of the iterations that GCC takes for the most likely.
constexpr int k_rounds = 100;

class Flow {
 public:
  Flow(std::span<const FlowEdge> edges, std::span<const unsigned> classes, FlowCounts known)
      : classes_(classes), known_(std::move(known)), in_(known_.blocks.size()), out_(known_.blocks.size()) {
    for (std::size_t edge = 0; edge < edges.size(); edge++) {
      out_[edges[edge].from].push_back(edge);
      in_[edges[edge].to].push_back(edge);
    }
  }

  FlowCounts solve() {
    auto& [blocks, edges] = known_;
    // The first block of a class has the count of all of them.
    for (std::size_t block = 0; block < blocks.size(); block++)
      if (Count& first = blocks[classes_[block]]; blocks[block]) first = std::max(first.value_or(0), *blocks[block]);
    for (std::size_t block = 0; block < blocks.size(); block++)
      for (const EdgeList* side : {&in_[block], &out_[block]})
        if (side->size() == 1 && !edges[side->front()]) edges[side->front()] = blocks[classes_[block]];
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t block = 0; block < blocks.size(); block++)
        for (const EdgeList* side : {&in_[block], &out_[block]}) changed |= balance(blocks[classes_[block]], *side);
    }
    for (std::size_t block = 0; block < blocks.size(); block++) blocks[block] = blocks[classes_[block]];
    return std::move(known_);
  }

 private:
  // Whether the edges on one SIDE of BLOCK gave its count, or it the last one of theirs.
  bool balance(Count& block, const EdgeList& side) {
    if (side.empty()) return false;
    double sum = 0;
    std::size_t unknown = 0, last = 0;
    for (std::size_t edge : side) {
      sum += known_.edges[edge].value_or(0);
      if (known_.edges[edge]) continue;
      unknown++;
      last = edge;
    }
    if (!block && unknown == 0)
      block = sum;
    else if (block && unknown == 1)
      known_.edges[last] = std::max(0.0, *block - sum);
    else
      return false;
    return true;
  }

  std::span<const unsigned> classes_;
  FlowCounts known_;
  std::vector<EdgeList> in_, out_;
};

}  // namespace

FlowCounts balanced(std::span<const FlowEdge> edges, std::span<const unsigned> classes, FlowCounts known) {
  return Flow(edges, classes, std::move(known)).solve();
}

std::vector<double> all_blocks(std::span<const FlowEdge> edges, const FlowCounts& known, double entry) {
  std::vector<double> counts(known.blocks.size(), entry);
  for (const FlowEdge& edge : edges) counts[edge.to] = 0;
  for (std::size_t block = 0; block < counts.size(); block++) counts[block] = known.blocks[block].value_or(counts[block]);
  for (int round = 0; round < k_rounds; round++) {
    std::vector<double> sums(counts.size());
    for (std::size_t edge = 0; edge < edges.size(); edge++)
      sums[edges[edge].to] += known.edges[edge].value_or(counts[edges[edge].from] * edges[edge].probability);
    bool changed = false;
    for (const FlowEdge& edge : edges) {
      if (known.blocks[edge.to]) continue;
      changed |= counts[edge.to] != sums[edge.to];
      counts[edge.to] = sums[edge.to];
    }
    if (!changed) break;
  }
  return counts;
}

}  // namespace memprof::decide
