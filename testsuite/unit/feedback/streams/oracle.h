// oracle.h - what grammars and hot streams are by definition, to compare with.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "feedback/streams/hot_streams.h"

namespace memprof::streams::oracle {

using Text = std::vector<Symbol>;
using Heats = std::map<Text, std::uint64_t>;

// What is wrong with a grammar of Sequitur; empty: nothing. No digram stands at two places that do
// not overlap, and each rule is used twice and has two symbols.
inline std::string broken_property(const Grammar& g) {
  std::map<std::pair<Symbol, Symbol>, const Symbol*> digrams;
  std::vector<unsigned> uses(g.rules());
  for (std::uint32_t rule = 0; rule < g.rules(); rule++) {
    if (rule != 0 && g.length(rule) < 2) return "a short rule: " + text(g);
    for (const Symbol* s = g.begin(rule); s != g.end(rule); s++) {
      if (rule_p(*s)) uses[rule_of(*s)]++;
      if (s + 1 == g.end(rule)) continue;
      const auto [at, fresh] = digrams.try_emplace({s[0], s[1]}, s);
      if (!fresh && at->second + 1 != s) return "a digram twice: " + text(g);
    }
  }
  for (std::uint32_t rule = 1; rule < g.rules(); rule++)
    if (uses[rule] < 2) return "a rule of no use: " + text(g);
  return "";
}

inline bool at_place(const Text& text, std::size_t i, const Text& word) {
  return i + word.size() <= text.size() &&
         std::equal(word.begin(), word.end(), text.begin() + static_cast<std::ptrdiff_t>(i));
}

// From left to right, without overlap.
inline std::uint64_t occurrences(const Text& text, const Text& word) {
  std::uint64_t n = 0;
  for (std::size_t i = 0; i + word.size() <= text.size();)
    if (at_place(text, i, word)) {
      n++;
      i += word.size();
    } else {
      i++;
    }
  return n;
}

// Every sequence of the text.
inline Heats minimal_streams(const Text& text, std::uint64_t threshold, Lengths lengths) {
  Heats heats;
  for (std::size_t i = 0; i < text.size(); i++)
    for (std::size_t n = lengths.shortest; n <= lengths.longest && i + n <= text.size(); n++) {
      const Text word(text.begin() + static_cast<std::ptrdiff_t>(i),
                      text.begin() + static_cast<std::ptrdiff_t>(i + n));
      if (heats.contains(word)) continue;
      const std::uint64_t times = occurrences(text, word);
      heats[word] = times >= 2 && times * n >= threshold ? times * n : 0;
    }
  Heats minimal;
  for (const auto& [word, heat] : heats) {
    bool hot = heat != 0;
    for (std::size_t n = lengths.shortest; n < word.size(); n++)
      hot = hot && heats[Text(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(n))] == 0;
    if (hot) minimal[word] = heat;
  }
  return minimal;
}

inline Heats heats_of(const std::vector<HotStream>& streams) {
  Heats heats;
  for (const HotStream& s : streams) heats[s.names] = s.heat();
  return heats;
}

// Names of the text that are in STREAMS when it is cut up from left to right.
inline std::uint64_t covered(const Text& text, const std::vector<HotStream>& streams) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t longest = 0;
    for (const HotStream& s : streams)
      if (at_place(text, i, s.names)) longest = std::max(longest, s.names.size());
    sum += longest;
    i += std::max<std::size_t>(longest, 1);
  }
  return sum;
}

}  // namespace memprof::streams::oracle
