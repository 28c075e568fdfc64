// grammar.h - a finished grammar: what it generates, how large it is, how it is written.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A grammar that generates one sequence: rule 0 is the sequence, and each other rule a part of it
// that occurs at least twice.
//
//     abcbcabcbc        0 -> 1 1    1 -> a 2 2    2 -> b c
//
// Vocabulary:
//   value     what the sequence is made of: any 64 bits
//   terminal  a value in 31 bits: itself if it is small, else the number of a large one (Alphabet)
//   symbol    a terminal, or k_rule | number of a rule
//
// Rules are numbered by their first appearance in a breadth-first walk over the bodies, so equal
// sequences give equal bytes.
//
// In a file: ULEB(rules), then for each rule ULEB(symbols) and its symbols, 2 * value or
// 2 * rule + 1 as ULEB. That is also the size in which papers' grammars are compared here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "feedback/result.h"

namespace memprof::streams {

using Symbol = std::uint32_t;
inline constexpr Symbol k_rule = 0x80000000;   // this bit: a rule
inline constexpr Symbol k_large = 0x40000000;  // of terminals: the number of a large value

inline bool rule_p(Symbol s) { return (s & k_rule) != 0; }
inline std::uint32_t rule_of(Symbol s) { return s & ~k_rule; }

// Values to terminals and back.
class Alphabet {
 public:
  Symbol terminal(std::uint64_t value) {
    return value < k_large ? static_cast<Symbol>(value) : large(value);
  }
  std::uint64_t value(Symbol terminal) const {
    return terminal < k_large ? terminal : values_[terminal - k_large];
  }
  std::size_t bytes() const { return values_.capacity() * 8 + numbers_.size() * 32; }

 private:
  Symbol large(std::uint64_t value);

  std::vector<std::uint64_t> values_;
  std::unordered_map<std::uint64_t, Symbol> numbers_;
  std::uint64_t last_value_ = 0;  // was looked up last
  Symbol last_ = 0;
};

struct GrammarSizes {
  std::uint64_t symbols = 0;  // of all bodies
  std::uint64_t rules = 0;
  std::uint64_t ascii = 0;    // decimal numbers, a blank or newline after each, R before rules
  std::uint64_t bytes = 0;    // as encode() writes it
};

struct Grammar {
  std::vector<Symbol> symbols;        // the bodies one after the other
  std::vector<std::uint32_t> starts;  // of each body, and the end of the last one
  Alphabet alphabet;

  std::size_t rules() const { return starts.empty() ? 0 : starts.size() - 1; }
  const Symbol* begin(std::uint32_t rule) const { return symbols.data() + starts[rule]; }
  const Symbol* end(std::uint32_t rule) const { return symbols.data() + starts[rule + 1]; }
  std::size_t length(std::uint32_t rule) const { return starts[rule + 1] - starts[rule]; }
  // Terminals that each rule generates.
  std::vector<std::uint64_t> expanded_lengths() const;
  // Rules so that each one comes before those in its body; rule 0 first.
  std::vector<std::uint32_t> parents_first() const;
};

GrammarSizes sizes(const Grammar& grammar);
void encode(const Grammar& grammar, std::string& out);
// FILE names the place in messages. A grammar that generates itself, or more than 2^60 terminals,
// is an error.
feedback::Result<Grammar> decode(std::string_view bytes, const std::string& file);

// "S -> R1 R1 ; R1 -> a b", with letters for the terminals of NAMES, or numbers.
std::string text(const Grammar& grammar, std::string_view names = {});

// The terminals that a grammar generates, in order. What a short rule generates is written out once and copied
// from then on, so that most rules cost one look at memory that is known ahead.
class Expander {
 public:
  explicit Expander(const Grammar& grammar);
  Expander(Expander&&) = default;
  Expander& operator=(Expander&&) = default;

  // The next ones, at most MOST; fewer at the end.
  std::size_t take(Symbol* to, std::size_t most);
  bool next(Symbol& terminal) { return take(&terminal, 1) == 1; }

 private:
  struct Place {
    const Symbol *at, *end;
  };
  struct Written {
    std::uint32_t from, length;  // in written_; 0: not written out
  };
  void write_out();
  void prefetch(const Symbol* at, const Symbol* end) const;

  const Grammar* grammar_;
  const Symbol *at_ = nullptr, *end_ = nullptr;
  std::vector<Place> stack_;
  std::vector<Written> rules_;
  std::vector<Symbol> written_;
};

}  // namespace memprof::streams
