// tokeniser.cc - a text cut up into hot streams and cold names.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "feedback/streams/tokeniser.h"

#include <unordered_map>

namespace memprof::streams {

Tokeniser::Tokeniser(const std::vector<std::vector<Symbol>>& streams) : nodes_(1) {
  struct Edge {
    State from, to;
    Symbol name;
  };
  std::vector<std::vector<Edge>> levels;
  for (std::uint32_t token = 0; token < streams.size(); token++) {
    State at = k_start;
    for (std::size_t i = 0; i < streams[token].size(); i++) {
      const Symbol name = streams[token][i];
      const State child = children_.add(key(at, name), static_cast<State>(nodes_.size()));
      if (child == nodes_.size()) {
        nodes_.emplace_back().depth = static_cast<std::uint32_t>(i + 1);
        if (i >= levels.size()) levels.resize(i + 1);
        levels[i].push_back({at, child, name});
      }
      at = child;
    }
    nodes_[at].token = token;
  }
  // What is read again after a failure is shorter, so its answers are there already.
  for (std::size_t i = 1; i < levels.size(); i++)
    for (const Edge& e : levels[i]) {
      const auto from = static_cast<std::uint32_t>(decided_.size());
      const State state = step(nodes_[e.from].fail, e.name, [this](std::uint32_t token, std::uint32_t names) {
        decided_.push_back({token, names});
      });
      Node& node = nodes_[e.to];
      node.fail = state;
      node.from = from;
      node.to = static_cast<std::uint32_t>(decided_.size());
      const Node& parent = nodes_[e.from];
      node.before = parent.from != parent.to ? e.from : parent.before;
    }
}

namespace {

class Coverage {
 public:
  Coverage(const Grammar& g, const Tokeniser& tokeniser) : g_(g), tokeniser_(tokeniser) {}

  std::uint64_t text() {
    std::uint64_t covered = 0;
    const Tokeniser::State last = rule(0, Tokeniser::k_start, covered);
    tokeniser_.end(last, [&](std::uint32_t token, std::uint32_t names) {
      if (token != Tokeniser::k_cold) covered += names;
    });
    return covered;
  }

 private:
  struct Answer {
    Tokeniser::State state;
    std::uint64_t covered;
  };
  // Adds the covered names of RULE, entered in STATE; returns the state after it.
  Tokeniser::State rule(std::uint32_t number, Tokeniser::State state, std::uint64_t& covered) {
    const std::uint64_t key = std::uint64_t{number} << 32 | state;
    if (const auto known = answers_.find(key); known != answers_.end()) {
      covered += known->second.covered;
      return known->second.state;
    }
    std::uint64_t own = 0;
    for (const Symbol* s = g_.begin(number); s != g_.end(number); s++)
      if (rule_p(*s))
        state = rule(rule_of(*s), state, own);
      else
        state = tokeniser_.step(state, *s, [&own](std::uint32_t token, std::uint32_t names) {
          if (token != Tokeniser::k_cold) own += names;
        });
    answers_[key] = {state, own};
    covered += own;
    return state;
  }

  const Grammar& g_;
  const Tokeniser& tokeniser_;
  std::unordered_map<std::uint64_t, Answer> answers_;  // by rule and state
};

}  // namespace

std::uint64_t covered_names(const Grammar& grammar, const Tokeniser& tokeniser) {
  return grammar.rules() == 0 ? 0 : Coverage(grammar, tokeniser).text();
}

}  // namespace memprof::streams
