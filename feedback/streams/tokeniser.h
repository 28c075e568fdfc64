// tokeniser.h - a text cut up into hot streams and cold names.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// From left to right: at each place the stream that fits there, or one cold name. As no minimal
// stream begins with another one, at most one fits. The streams are a tree of names, and the state
// of a tokeniser is a place in it: what may yet become a stream. When it cannot, its first name is
// cold and the rest is read again; what that gives is known for each place in advance.
//
// So a tokeniser is a finite automaton, and what it makes of a rule of a grammar depends on the
// state at its beginning only: coverage() reads each rule once for each such state, not the text.
#pragma once

#include <cstdint>
#include <vector>

#include "feedback/streams/grammar.h"
#include "feedback/streams/number_map.h"

namespace memprof::streams {

class Tokeniser {
 public:
  using State = std::uint32_t;
  static constexpr State k_start = 0;
  static constexpr std::uint32_t k_cold = ~std::uint32_t{0};
  static constexpr unsigned k_longest = 100;  // names of a stream

  // STREAMS: none begins with another one, or is longer than k_longest. Tokens are their numbers.
  explicit Tokeniser(const std::vector<std::vector<Symbol>>& streams);

  // The state after NAME. Calls emit(token, names) for each stream, and emit(k_cold, names) for
  // cold names, that are decided now.
  template <typename Emit>
  State step(State state, Symbol name, Emit&& emit) const {
    for (;;) {
      const State child = children_.find(key(state, name));
      if (child != NumberMap::k_none) {
        const Node& node = nodes_[child];
        if (node.token == k_cold) return child;
        emit(node.token, node.depth);
        return k_start;
      }
      if (state == k_start) {
        emit(k_cold, 1);
        return k_start;
      }
      state = fail(state, emit);
    }
  }
  // The text ends.
  template <typename Emit>
  void end(State state, Emit&& emit) const {
    while (state != k_start) state = fail(state, emit);
  }

 private:
  struct Token {
    std::uint32_t token, names;
  };
  struct Node {
    std::uint32_t token = k_cold;  // of the stream that ends here
    std::uint32_t depth = 0;
    State fail = k_start;          // after the first name has turned out to be cold
    // What is decided then, after that name, is what is decided at `before' and these of decided_.
    State before = k_start;
    std::uint32_t from = 0, to = 0;
  };
  static std::uint64_t key(State state, Symbol name) { return std::uint64_t{state} << 32 | name; }
  template <typename Emit>
  State fail(State state, Emit&& emit) const {
    emit(k_cold, 1);
    State decided[k_longest];  // where something is decided, the last place first
    unsigned count = 0;
    for (State s = state; s != k_start; s = nodes_[s].before)
      if (nodes_[s].from != nodes_[s].to) decided[count++] = s;
    while (count > 0) {
      const Node& node = nodes_[decided[--count]];
      for (std::uint32_t i = node.from; i < node.to; i++) emit(decided_[i].token, decided_[i].names);
    }
    return nodes_[state].fail;
  }

  std::vector<Node> nodes_;
  std::vector<Token> decided_;
  NumberMap children_;
};

// Names of the text that are in streams.
std::uint64_t covered_names(const Grammar& grammar, const Tokeniser& tokeniser);

}  // namespace memprof::streams
