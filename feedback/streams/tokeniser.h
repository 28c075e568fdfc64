// tokeniser.h - a text cut up into hot streams and cold names.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// From left to right: at each place the stream that fits there, or one cold name. As no minimal
// stream begins with another one, at most one fits. The state of a tokeniser is what may yet become
// a stream: the first of the streams that begin so, and how many of its names have been seen. When
// none can, its first name is cold and the rest is read again.
//
//     streams  abcd  abe  bf        text  a b f: abcd 1, abcd 2, then a is cold, bf 1, bf
//
// The streams are sorted, so those that begin alike are neighbours. A step compares one name, with
// the next one of the stream; only where it differs a table says which other stream goes on so.
//
// So a tokeniser is a finite automaton, and what it makes of a rule of a grammar depends on the
// state at its beginning only: covered_names() and reduce() (flow_graph.h) read each rule once for
// each such state, not the text.
#pragma once

#include <cstdint>
#include <vector>

#include "feedback/flat_map.h"
#include "feedback/streams/fault.h"
#include "feedback/streams/text_index.h"

namespace memprof::streams {

class Tokeniser {
 public:
  using State = std::uint64_t;
  static constexpr State k_start = 0;
  static constexpr std::uint32_t k_cold = ~std::uint32_t{0};
  struct Word {
    std::uint32_t at, length;  // in the text; at least two names, at most 100
  };

  // WORDS are sorted by their names, and none begins with another one. Tokens are their numbers.
  // Throws std::length_error from 2^26 words on.
  Tokeniser(const std::vector<Symbol>& text, std::vector<Word> words);

  // The state after NAME. Calls emit(token, names) for each stream, and emit(k_cold, names) for
  // cold names, that are decided now.
  template <typename Emit>
  State step(State state, Symbol name, Emit&& emit) const {
    for (;;) {
      if (state == k_start) {
        const std::uint32_t word = name < first_.size() ? first_[name] : k_none;
        if (word != k_none) return at(word, 1);
        emit(k_cold, 1);
        return k_start;
      }
      std::uint32_t word = word_of(state);
      const std::uint32_t seen = seen_of(state);
      if (text_[words_[word].at + seen] != name) {
        const std::uint32_t* const branch = branches_.find(key(state, name));
        word = branch ? *branch : k_none;
      }
      if (word != k_none) {
        if (seen + 1 != words_[word].length) return at(word, seen + 1);
        emit(word, seen + 1);
        return k_start;
      }
      state = read_again(state, emit);
    }
  }
  // The text ends.
  template <typename Emit>
  void end(State state, Emit&& emit) const {
    while (state != k_start) state = read_again(state, emit);
  }

 private:
  static constexpr std::uint32_t k_none = ~std::uint32_t{0};
  // 33 bits: the word, which may be 0, and a number of names, which is not.
  static State at(std::uint32_t word, std::uint32_t seen) { return State{word} << 7 | seen; }
  static std::uint32_t word_of(State s) { return static_cast<std::uint32_t>(s >> 7); }
  static std::uint32_t seen_of(State s) { return s & 127; }
  static std::uint64_t key(State s, Symbol name) { return s << 31 | name; }

  // The first name is cold.
  template <typename Emit>
  State read_again(State state, Emit&& emit) const {
    emit(k_cold, 1);
    const Symbol* const names = text_ + words_[word_of(state)].at;
    State again = k_start;
    if (g_fault == Fault::not_again) return again;
    for (std::uint32_t i = 1; i < seen_of(state); i++) again = step(again, names[i], emit);
    return again;
  }

  const Symbol* text_;
  std::vector<Word> words_;
  std::vector<std::uint32_t> first_;  // word that begins with a name
  feedback::FlatMap<std::uint64_t, std::uint32_t> branches_;  // word that goes on with a name, if not that of the state
};

// What a tokeniser makes of a text, by rules of its grammar: each is read once for each state at
// its beginning. A Fold has a Sum, to which add(sum, token, names) and append(sum, number) add a
// token, or what close(sum) made of a rule and gave a number.
template <typename Fold>
class RuleReader {
 public:
  RuleReader(const TextIndex& text, const Tokeniser& tokeniser, Fold& fold)
      : text_(text), tokeniser_(tokeniser), fold_(fold) {}

  typename Fold::Sum read() {
    typename Fold::Sum sum{};
    if (text_.grammar().rules() == 0) return sum;
    tokeniser_.end(body(0, Tokeniser::k_start, sum), emit_to(sum));
    return sum;
  }

 private:
  using State = Tokeniser::State;
  static constexpr std::uint32_t k_short = 24;  // names of a rule that is not worth remembering

  auto emit_to(typename Fold::Sum& sum) {
    return [this, &sum](std::uint32_t token, std::uint32_t names) { fold_.add(sum, token, names); };
  }
  State body(std::uint32_t number, State state, typename Fold::Sum& sum) {
    const auto emit = emit_to(sum);
    const Grammar& g = text_.grammar();
    for (const Symbol* s = g.begin(number); s != g.end(number); s++)
      state = rule_p(*s) ? rule(rule_of(*s), state, sum) : tokeniser_.step(state, *s, emit);
    return state;
  }
  State rule(std::uint32_t number, State state, typename Fold::Sum& sum) {
    const TextIndex::Rule& r = text_.rule(number);
    if (r.length <= k_short) {
      const auto emit = emit_to(sum);
      for (std::uint32_t i = r.first; i < r.end(); i++) state = tokeniser_.step(state, text_.text()[i], emit);
      return state;
    }
    const std::uint64_t key = (g_fault == Fault::any_state ? Tokeniser::k_start : state) << 31 | number;
    const Part* known = known_.find(key);
    if (!known) {
      typename Fold::Sum own{};
      const State after = body(number, state, own);
      known = &known_.add(key, {fold_.close(std::move(own)), after});
    }
    fold_.append(sum, known->sum);
    return known->after;
  }

  const TextIndex& text_;
  const Tokeniser& tokeniser_;
  Fold& fold_;
  struct Part {
    std::uint32_t sum;  // its number
    State after;
  };
  feedback::FlatMap<std::uint64_t, Part> known_;  // by state and rule
};

// Names of the text that are in streams.
std::uint64_t covered_names(const TextIndex& text, const Tokeniser& tokeniser);

}  // namespace memprof::streams
