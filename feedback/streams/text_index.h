// text_index.h - a sequence, its grammar, and where each rule of the grammar is in the sequence.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What a rule generates is in the text, at its first occurrence, so rules need not be expanded.
//
//     0 -> 1 1 d    1 -> a b c          text  a b c a b c d
//     rule 1: first at 0, last at 3, length 3, twice in the text; used by rule 0, ending at 3 and 6
#pragma once

#include <cstdint>
#include <vector>

#include "feedback/streams/grammar.h"

namespace memprof::streams {

class TextIndex {
 public:
  struct Rule {
    std::uint32_t first, last;    // where it begins in the text, the first time and the last
    std::uint32_t length, times;  // of it, and how often it is there
    std::uint32_t end() const { return first + length; }
  };
  // A place of a rule in the body of another one.
  struct Use {
    std::uint32_t rule;  // the other one
    std::uint32_t end;   // where this place ends, when the other rule is there first
  };
  // TEXT is what GRAMMAR generates. Throws std::length_error from 2^32 - 1 symbols on.
  TextIndex(Grammar grammar, std::vector<Symbol> text);
  // Expands it.
  explicit TextIndex(Grammar grammar);

  const Grammar& grammar() const { return grammar_; }
  const std::vector<Symbol>& text() const { return text_; }
  const Rule& rule(std::uint32_t number) const { return rules_[number]; }
  const Use* begin_uses(std::uint32_t rule) const { return uses_.data() + uses_from_[rule]; }
  const Use* end_uses(std::uint32_t rule) const { return uses_.data() + uses_from_[rule + 1]; }

 private:
  void place_rules();
  void collect_uses();

  Grammar grammar_;
  std::vector<Symbol> text_;
  std::vector<Rule> rules_;
  std::vector<Use> uses_;                  // by rule
  std::vector<std::uint32_t> uses_from_;
};

}  // namespace memprof::streams
