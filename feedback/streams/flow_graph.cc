// flow_graph.cc - which hot stream follows which.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "feedback/streams/flow_graph.h"

#include <algorithm>

#include "feedback/flat_map.h"

namespace memprof::streams {
namespace {

// Immediate dominators (Cooper, Harvey and Kennedy, 2001).
class Dominators {
 public:
  Dominators(const std::vector<FlowGraph::Edge>& edges, std::size_t nodes, std::uint32_t root)
      : next_(nodes), before_(nodes), order_(nodes, k_none), dominator_(nodes, k_none) {
    for (const FlowGraph::Edge& e : edges) {
      next_[e.from].push_back(e.to);
      before_[e.to].push_back(e.from);
    }
    number(root);
    dominator_[root] = root;
    for (bool changed = true; changed;) {
      changed = false;
      for (auto node = postorder_.rbegin(); node != postorder_.rend(); ++node)
        if (*node != root) changed = update(*node) || changed;
    }
  }
  std::vector<std::uint32_t> take() {
    for (std::uint32_t n = 0; n < dominator_.size(); n++)
      if (dominator_[n] == k_none) dominator_[n] = n;
    return std::move(dominator_);
  }

 private:
  static constexpr std::uint32_t k_none = ~std::uint32_t{0};

  void number(std::uint32_t root) {
    std::vector<bool> seen(next_.size(), false);
    std::vector<std::pair<std::uint32_t, std::size_t>> stack{{root, 0}};
    seen[root] = true;
    while (!stack.empty()) {
      auto& [node, i] = stack.back();
      if (i == next_[node].size()) {
        order_[node] = static_cast<std::uint32_t>(postorder_.size());
        postorder_.push_back(node);
        stack.pop_back();
        continue;
      }
      const std::uint32_t to = next_[node][i++];
      if (seen[to]) continue;
      seen[to] = true;
      stack.push_back({to, 0});
    }
  }
  bool update(std::uint32_t node) {
    std::uint32_t common = k_none;
    for (const std::uint32_t from : before_[node])
      if (dominator_[from] != k_none) common = common == k_none ? from : meet(common, from);
    if (common == dominator_[node]) return false;
    dominator_[node] = common;
    return true;
  }
  std::uint32_t meet(std::uint32_t a, std::uint32_t b) const {
    while (a != b)
      if (order_[a] < order_[b])
        a = dominator_[a];
      else
        b = dominator_[b];
    return a;
  }

  std::vector<std::vector<std::uint32_t>> next_, before_;
  std::vector<std::uint32_t> order_, postorder_, dominator_;
};

// The tokens of each rule, once for each state at its beginning.
class ReducedSum {
 public:
  using Sum = ReducedText;
  void add(Sum& sum, std::uint32_t token, std::uint32_t names) const {
    if (token == Tokeniser::k_cold) return;
    sum.tokens.push_back(token);
    sum.covered += names;
  }
  void append(Sum& sum, std::uint32_t number) const {
    if (sums_[number].tokens.empty()) return;
    sum.tokens.push_back(k_rule | number);
    sum.covered += sums_[number].covered;
  }
  std::uint32_t close(Sum sum) {
    sums_.push_back(std::move(sum));
    return static_cast<std::uint32_t>(sums_.size() - 1);
  }
  void expand(const Sum& sum, std::vector<Symbol>& tokens) const {
    for (const Symbol s : sum.tokens)
      if (rule_p(s))
        expand(sums_[rule_of(s)], tokens);
      else
        tokens.push_back(s);
  }

 private:
  std::vector<Sum> sums_;
};

}  // namespace

ReducedText reduce(const TextIndex& text, const Tokeniser& tokeniser) {
  ReducedSum fold;
  const ReducedText all = RuleReader(text, tokeniser, fold).read();
  ReducedText out;
  out.covered = all.covered;
  fold.expand(all, out.tokens);
  return out;
}

FlowGraph flow_graph(const std::vector<Symbol>& tokens, std::size_t streams) {
  FlowGraph graph;
  feedback::FlatMap<std::uint64_t, std::uint64_t> weights;
  for (std::size_t i = 1; i < tokens.size(); i++) {
    const std::uint64_t pair = std::uint64_t{tokens[i - 1]} << 32 | tokens[i];
    weights.add(pair)++;
  }
  for (const auto& [pair, weight] : weights.rows())
    graph.edges.push_back({static_cast<std::uint32_t>(pair >> 32), static_cast<std::uint32_t>(pair), weight});
  std::sort(graph.edges.begin(), graph.edges.end(), [](const auto& a, const auto& b) {
    return a.from != b.from ? a.from < b.from : a.to < b.to;
  });
  if (!tokens.empty()) graph.dominators = Dominators(graph.edges, streams, tokens[0]).take();
  return graph;
}

}  // namespace memprof::streams
