// text_index.cc - a sequence, its grammar, and where each rule is.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "feedback/streams/text_index.h"

#include <algorithm>
#include <stdexcept>

namespace memprof::streams {
namespace {

std::vector<Symbol> expanded(const Grammar& g) {
  std::vector<Symbol> text;
  if (g.rules() != 0) text.reserve(g.expanded_lengths()[0]);
  Expander all(g);
  for (Symbol s; all.next(s);) text.push_back(s);
  return text;
}

}  // namespace

TextIndex::TextIndex(Grammar grammar) : TextIndex(std::move(grammar), {}) {}

TextIndex::TextIndex(Grammar grammar, std::vector<Symbol> text)
    : grammar_(std::move(grammar)), text_(std::move(text)) {
  if (text_.empty()) text_ = expanded(grammar_);
  if (text_.size() >= ~std::uint32_t{0}) throw std::length_error("a text of 2^32 symbols");
  place_rules();
  collect_uses();
}

void TextIndex::place_rules() {
  const std::vector<std::uint64_t> lengths = grammar_.expanded_lengths();
  rules_.resize(grammar_.rules());
  for (std::uint32_t i = 0; i < rules_.size(); i++)
    rules_[i] = {~std::uint32_t{0}, 0, static_cast<std::uint32_t>(lengths[i]), 0};
  if (rules_.empty()) return;
  rules_[0].first = rules_[0].last = 0;
  rules_[0].times = 1;
  for (const std::uint32_t number : grammar_.parents_first()) {
    const Rule parent = rules_[number];
    std::uint32_t at = 0;
    for (const Symbol* s = grammar_.begin(number); s != grammar_.end(number); s++) {
      if (!rule_p(*s)) {
        at++;
        continue;
      }
      Rule& child = rules_[rule_of(*s)];
      child.first = std::min(child.first, parent.first + at);
      child.last = std::max(child.last, parent.last + at);
      child.times += parent.times;
      at += child.length;
    }
  }
}

void TextIndex::collect_uses() {
  uses_from_.assign(rules_.size() + 1, 0);
  for (const Symbol s : grammar_.symbols)
    if (rule_p(s)) uses_from_[rule_of(s) + 1]++;
  for (std::size_t i = 1; i < uses_from_.size(); i++) uses_from_[i] += uses_from_[i - 1];
  uses_.resize(uses_from_.back());
  std::vector<std::uint32_t> next(uses_from_);
  for (std::uint32_t number = 0; number < rules_.size(); number++) {
    std::uint32_t at = rules_[number].first;
    for (const Symbol* s = grammar_.begin(number); s != grammar_.end(number); s++) {
      at += rule_p(*s) ? rules_[rule_of(*s)].length : 1;
      if (rule_p(*s)) uses_[next[rule_of(*s)]++] = {number, at};
    }
  }
}

}  // namespace memprof::streams
