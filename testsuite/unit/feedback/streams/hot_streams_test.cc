// hot_streams_test.cc - hot data streams of the paper's strings, and against brute force.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "feedback/streams/hot_streams.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <string>

#include "feedback/streams/block_grammar.h"
#include "feedback/streams/flow_graph.h"
#include "feedback/streams/sequitur.h"
#include "feedback/streams/tokeniser.h"
#include "testsuite/unit/feedback/streams/oracle.h"

namespace memprof::streams {
namespace {

using namespace oracle;

const char k_t1[] = "abcacbdbaecfbbbcgaafadcc";
const char k_t2[] = "abcabcdefabcgabcfabcdabc";
const char k_t3[] = "abchdefabchiklfimdefmklf";

Text text_of(std::string_view string) {
  Text text;
  for (const char c : string) text.push_back(static_cast<Symbol>(c - 'a'));
  return text;
}
std::string letters(const Text& names) {
  std::string out;
  for (const Symbol s : names) out += static_cast<char>('a' + s);
  return out;
}
Grammar grammar_of(const Text& text) {
  Sequitur s;
  for (const Symbol t : text) s.append(t);
  return s.grammar();
}
TextIndex sequitur_index(const Text& text) { return TextIndex(grammar_of(text)); }
TextIndex block_index(const Text& text) {
  BlockGrammar blocks;
  blocks.append(text.data(), text.size());
  return TextIndex(blocks.finish());
}

// Of the composite text X of C-4.
std::string composite() {
  std::string x;
  const auto add = [&x](int times, const char* word) {
    for (int i = 0; i < times; i++) x += word;
  };
  add(20, "abc");
  add(1, "xyab");
  add(10, "abc");
  add(3, "pq");
  add(15, "defg");
  add(1, "zz");
  add(5, "defgabc");
  return x;
}

// Where WORD is first, from START on.
std::size_t place_of(const Text& text, const Text& word, std::size_t start = 0) {
  const auto at = std::search(text.begin() + static_cast<std::ptrdiff_t>(start), text.end(), word.begin(), word.end());
  return static_cast<std::size_t>(at - text.begin());
}
// Where the last occurrence begins that does not overlap those before it.
std::size_t last_place_of(const Text& text, const HotStream& s) {
  std::size_t at = place_of(text, s.names);
  for (std::uint64_t i = 1; i < s.occurrences; i++) at = place_of(text, s.names, at + s.names.size());
  return at;
}

std::string show(std::string_view string, std::uint64_t threshold) {
  std::string out;
  for (const auto& [names, heat] :
       heats_of(minimal_hot_streams(sequitur_index(text_of(string)), {threshold, 1})))
    out += letters(names) + ' ' + std::to_string(heat) + "; ";
  return out;
}

double coverage(std::string_view string, std::uint64_t threshold) {
  const TextIndex index = sequitur_index(text_of(string));
  const StreamTokens tokens(index, minimal_hot_streams(index, {threshold, 1}));
  return static_cast<double>(covered_names(index, tokens.tokeniser())) /
         static_cast<double>(string.size());
}

double locality(std::string_view string) {
  std::map<char, std::uint64_t> counts;
  for (const char c : string) counts[c]++;
  std::vector<std::uint64_t> list;
  for (const auto& [c, n] : counts) list.push_back(n);
  return reference_skew(list);
}

TEST(HotStreams, C1LocalityAndRegularSequences) {
  EXPECT_NEAR(locality(k_t1), 5.0 / 7, 1e-9);
  EXPECT_NEAR(locality(k_t2), 5.0 / 7, 1e-9);
  EXPECT_NEAR(locality(k_t3), 10.0 / 11, 1e-9);
  // Whatever is regular has a heat of 4 at least; longer sequences are found by name.
  EXPECT_EQ(show(k_t1, 4), "bc 4; ");
  const Text t2 = text_of(k_t2);
  for (const auto& [word, times] : std::map<std::string, std::uint64_t>{
           {"ab", 6}, {"bc", 6}, {"abc", 6}, {"abcd", 2}, {"bcd", 2}, {"cd", 2}, {"fa", 2},
           {"fab", 2}, {"fabc", 2}})
    EXPECT_EQ(occurrences(t2, text_of(word)), times) << word;
}

TEST(HotStreams, C2OneStream) {
  const auto streams = minimal_hot_streams(sequitur_index(text_of(k_t2)), {18, 1});
  ASSERT_EQ(streams.size(), 1u);
  EXPECT_EQ(letters(streams[0].names), "abc");
  EXPECT_EQ(streams[0].heat(), 18u);
  EXPECT_EQ(streams[0].occurrences, 6u);
  EXPECT_DOUBLE_EQ(streams[0].interval(), 1.2);
}

TEST(HotStreams, C3MinimalOnes) {
  EXPECT_EQ(show(k_t2, 6), "ab 12; bc 12; fab 6; ");
  EXPECT_EQ(show(k_t2, 9), "ab 12; bc 12; ");
  EXPECT_EQ(show(k_t2, 12), "ab 12; bc 12; ");
  EXPECT_EQ(show(k_t2, 15), "abc 18; ");
  EXPECT_EQ(show(k_t2, 18), "abc 18; ");
  EXPECT_NEAR(coverage(k_t2, 6), 0.5833, 5e-5);
  EXPECT_NEAR(coverage(k_t2, 9), 0.5, 5e-5);
  EXPECT_NEAR(coverage(k_t2, 15), 0.75, 5e-5);
}

TEST(HotStreams, C4Threshold) {
  const ExploitableStreams e = exploitable_streams(block_index(text_of(composite())));
  EXPECT_EQ(e.references, 197u);
  EXPECT_EQ(e.names, 12u);
  EXPECT_EQ(e.multiple, 4u);
  EXPECT_NEAR(e.coverage, 0.9137, 5e-5);
  std::map<std::string, std::pair<std::uint64_t, double>> found;
  for (const HotStream& s : e.streams) found[letters(s.names)] = {s.heat(), s.interval()};
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(found["ab"].first, 72u);
  EXPECT_EQ(found["bc"].first, 70u);
  EXPECT_EQ(found["cab"].first, 84u);
  EXPECT_EQ(found["defg"].first, 80u);
  EXPECT_NEAR(found["ab"].second, 3.5429, 5e-5);
  EXPECT_NEAR(found["bc"].second, 3.7059, 5e-5);
  EXPECT_NEAR(found["cab"].second, 0.2593, 5e-5);
  EXPECT_NEAR(found["defg"].second, 0.7368, 5e-5);
  EXPECT_NEAR(inherent_locality(e.streams).spatial, 2.7974, 5e-5);
  EXPECT_NEAR(inherent_locality(e.streams).temporal, 1.9452, 5e-5);
}

// A higher threshold may cover more: at 9 it is half of the text, at 15 three quarters.
TEST(HotStreams, TheThresholdIsTheLargestThatCoversEnough) {
  const ExploitableStreams e = exploitable_streams(block_index(text_of(k_t2)), 0.7);
  EXPECT_EQ(e.multiple, 5u);
  EXPECT_GT(e.multiple * e.references, 15 * e.names);
  EXPECT_NEAR(e.coverage, 0.75, 5e-5);
}

// All multiples are tried. In some texts a multiple covers enough though the powers of two around it do not.
TEST(HotStreams, TheThresholdIsTheLargestWhereCoverageIsNotMonotone) {
  std::mt19937 random(21);
  int beyond = 0;
  for (int round = 0; round < 1000; round++) {
    std::vector<Text> words(4 + random() % 12);
    const std::uint32_t names = 5 + random() % 40;
    for (Text& word : words)
      for (std::size_t n = 2 + random() % 30; n > 0; n--) word.push_back(random() % names);
    Text text;
    while (text.size() < 150) {
      const std::size_t one = random() % words.size(), other = random() % words.size();
      const Text& word = words[std::min(one, other)];
      text.insert(text.end(), word.begin(), word.end());
    }
    const TextIndex index = block_index(text);
    const ExploitableStreams e = exploitable_streams(index);
    std::uint64_t largest = 1, power = 1;
    for (std::uint64_t k = 1; k < 32; k++) {
      const auto streams = minimal_hot_streams(index, {k * e.references, e.names});
      if (10 * covered(text, streams) < 9 * text.size()) continue;
      largest = k;
      if ((k & (k - 1)) == 0) power = k;
    }
    ASSERT_EQ(e.multiple, largest) << round << ' ' << letters(text);
    beyond += largest > 2 * power;
  }
  EXPECT_GT(beyond, 0);
}

TEST(HotStreams, C5ReducedTextAndFlowGraph) {
  const TextIndex index = sequitur_index(text_of(composite()));
  // In the order of tokens.
  const std::vector<Text> all = {text_of("ab"), text_of("bc"), text_of("cab"), text_of("defg")};
  const StreamTokens tokens(index, count_streams(index, all));
  const ReducedText reduced = reduce(index, tokens.tokeniser());
  EXPECT_EQ(reduced.tokens.size(), 56u);
  EXPECT_EQ(reduced.covered, 180u);
  const FlowGraph graph = flow_graph(reduced.tokens, all.size());
  std::map<std::string, std::uint64_t> edges;
  for (const FlowGraph::Edge& e : graph.edges)
    edges[letters(all[e.from]) + ' ' + letters(all[e.to])] = e.weight;
  EXPECT_EQ(edges, (std::map<std::string, std::uint64_t>{{"ab ab", 1},
                                                         {"ab cab", 2},
                                                         {"ab defg", 4},
                                                         {"cab ab", 1},
                                                         {"cab cab", 26},
                                                         {"cab defg", 1},
                                                         {"defg ab", 5},
                                                         {"defg defg", 15}}));
  EXPECT_EQ(text(grammar_of(reduced.tokens), "A-BC"),
            "S -> A R1 R1 R2 A A R2 R2 R2 R3 R3 R4 R4 A ; R1 -> R5 R5 ; R2 -> R6 B ; "
            "R3 -> R7 R7 ; R4 -> R8 R8 ; R5 -> R6 R6 ; R6 -> B B ; R7 -> R9 R9 ; R8 -> A C ; "
            "R9 -> C C");
}

TEST(HotStreams, C6HotRules) {
  const Grammar g = grammar_of(text_of("abaabcabcabcabc"));
  const auto rules = hot_rules(g, {8, 1}, {2, 7});
  ASSERT_EQ(rules.size(), 1u);
  EXPECT_EQ(letters(rules[0].names), "abcabc");
  EXPECT_EQ(rules[0].heat, 12u);
}

// C-9, on 1500 random texts: half of random names, half of words.
TEST(HotStreams, C9AreThoseOfBruteForce) {
  std::mt19937 random(3);
  for (int round = 0; round < 1500; round++) {
    const std::uint32_t names = 2 + random() % 4;
    Text text;
    if (random() % 2 != 0) {
      for (std::size_t n = 4 + random() % 57; n > 0; n--) text.push_back(random() % (names + 1));
    } else {
      std::vector<Text> words(3);
      for (Text& word : words)
        for (std::size_t n = 2 + random() % 5; n > 0; n--) word.push_back(random() % (names + 1));
      while (text.size() < 60) {
        const Text& word = words[random() % 3];
        text.insert(text.end(), word.begin(), word.end());
      }
    }
    const std::uint64_t threshold = 4 + random() % 17;
    const Lengths lengths{2, static_cast<unsigned>(4 << random() % 2 | (random() % 2) * 4)};
    const TextIndex index = round % 2 == 0 ? sequitur_index(text) : block_index(text);
    const auto streams = minimal_hot_streams(index, {threshold, 1}, lengths);
    ASSERT_EQ(heats_of(streams), minimal_streams(text, threshold, lengths)) << letters(text);
    for (const HotStream& s : streams) {
      ASSERT_EQ(s.first, place_of(text, s.names)) << letters(text);
      ASSERT_EQ(s.last, last_place_of(text, s)) << letters(text);
    }
    // References in streams are the coverage, however they are counted.
    const StreamTokens tokens(index, streams);
    const std::uint64_t all = covered(text, streams);
    ASSERT_EQ(covered_names(index, tokens.tokeniser()), all) << letters(text);
    ASSERT_EQ(reduce(index, tokens.tokeniser()).covered, all) << letters(text);
  }
}

// Sequences that cross many rules, and of the greatest length.
TEST(HotStreams, OfLongTextsAreThoseOfBruteForce) {
  std::mt19937 random(8);
  for (int round = 0; round < 6; round++) {
    Text word, text;
    for (std::size_t n = 90 + random() % 20; n > 0; n--) word.push_back(random() % 40);
    for (int i = 0; i < 6; i++) {
      text.insert(text.end(), word.begin(), word.end());
      text.push_back(40 + random() % 3);
    }
    const std::uint64_t threshold = 100 + random() % 300;
    ASSERT_EQ(heats_of(minimal_hot_streams(round % 2 == 0 ? sequitur_index(text) : block_index(text), {threshold, 1})),
              minimal_streams(text, threshold, {}));
  }
}

TEST(FlowGraph, DominatorsArePassedOnEveryWay) {
  // 0 -> 1 -> 3 and 0 -> 2 -> 3 -> 4
  const FlowGraph g = flow_graph({0, 1, 3, 4, 0, 2, 3, 4}, 5);
  EXPECT_EQ(g.dominators, (std::vector<std::uint32_t>{0, 0, 0, 0, 3}));
}

}  // namespace
}  // namespace memprof::streams
