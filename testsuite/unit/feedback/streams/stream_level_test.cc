// stream_level_test.cc - hot streams of streams: the composite text of the specification, worked
// out by hand, and random texts by brute force.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "feedback/streams/stream_level.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "testsuite/unit/feedback/streams/oracle.h"

namespace memprof::streams {
namespace {

using namespace oracle;

// What C-5 of the specification reduces its text to, 56 tokens of 180 references in 197:
//     A B^19 A A B^9 C^16 (A C)^4 A     A = ab, B = cab, C = defg
// A stream needs a heat of 56 / 3. BB comes 9 + 4 times, heat 26; A B^9 twice, heat 20; CC 8 times, heat 16:
// too few. The reference hds.py says the same.
TEST(StreamLevel, OfTheTextOfC5HasTwoStreams) {
  enum : Symbol { b, c, a };  // by heat: 84, 80, 72
  Text text{a};
  const auto add = [&text](std::size_t times, Text word) {
    for (; times > 0; times--) text.insert(text.end(), word.begin(), word.end());
  };
  add(19, {b});
  add(2, {a});
  add(9, {b});
  add(16, {c});
  add(4, {a, c});
  add(1, {a});
  const StreamLevel level = stream_level(text, {3, 4, 2});
  EXPECT_EQ(level.wps.symbols, 32u);
  EXPECT_EQ(level.wps.rules, 10u);
  EXPECT_EQ(level.found.references, 56u);
  EXPECT_EQ(level.found.names, 3u);
  EXPECT_EQ(level.found.multiple, 1u);
  EXPECT_DOUBLE_EQ(level.found.coverage, 30.0 / 56);
  ASSERT_EQ(level.found.streams.size(), 2u);
  EXPECT_EQ(level.found.streams[0].names, (Text{b, b}));
  EXPECT_EQ(level.found.streams[0].occurrences, 13u);
  EXPECT_DOUBLE_EQ(level.found.streams[0].interval(), 3.0 / 12);
  Text longer(10, b);
  longer[0] = a;
  EXPECT_EQ(level.found.streams[1].names, longer);
  EXPECT_EQ(level.found.streams[1].heat(), 20u);
  EXPECT_DOUBLE_EQ(level.found.streams[1].interval(), 11);
  EXPECT_EQ(level.references, (std::vector<std::uint64_t>{6, 29}));
  EXPECT_EQ(level.reduced.tokens, (Text{1, 0, 0, 0, 0, 0, 1}));
  EXPECT_EQ(level.reduced.covered, 30u);
  EXPECT_EQ(level.covered, 2 * 29u + 5 * 6);
  std::map<std::pair<Symbol, Symbol>, std::uint64_t> edges;
  for (const FlowGraph::Edge& e : level.graph.edges) edges[{e.from, e.to}] = e.weight;
  EXPECT_EQ(edges, (std::map<std::pair<Symbol, Symbol>, std::uint64_t>{
                       {{0, 0}, 4}, {{0, 1}, 1}, {{1, 0}, 1}}));
}

// Tokens that streams of STREAMS make of TEXT from left to right.
Text cut_up(const Text& text, const std::vector<HotStream>& streams) {
  Text tokens;
  for (std::size_t i = 0; i < text.size();) {
    Symbol found = ~Symbol{0};
    for (Symbol s = 0; s < streams.size(); s++)
      if (at_place(text, i, streams[s].names) &&
          (found == ~Symbol{0} || streams[s].names.size() > streams[found].names.size()))
        found = s;
    if (found == ~Symbol{0}) {
      i++;
      continue;
    }
    tokens.push_back(found);
    i += streams[found].names.size();
  }
  return tokens;
}

TEST(StreamLevel, IsThatOfBruteForce) {
  std::mt19937 random(11);
  for (int round = 0; round < 300; round++) {
    std::vector<Text> words(3);
    for (Text& word : words)
      for (std::size_t n = 2 + random() % 5; n > 0; n--) word.push_back(random() % 5);
    Text text;
    while (text.size() < 80) {
      const Text& word = words[random() % 3];
      text.insert(text.end(), word.begin(), word.end());
    }
    std::vector<std::uint64_t> references;
    for (int name = 0; name < 5; name++) references.push_back(2 + random() % 9);
    const StreamLevel level = stream_level(text, references, 0.5 + 0.1 * (round % 5));
    const std::uint64_t names = level.found.names;
    const std::uint64_t threshold = (level.found.multiple * text.size() + names - 1) / names;
    ASSERT_EQ(heats_of(level.found.streams), minimal_streams(text, threshold, {})) << round;
    ASSERT_EQ(level.reduced.tokens, cut_up(text, level.found.streams)) << round;
    ASSERT_EQ(level.reduced.covered, covered(text, level.found.streams)) << round;
    std::uint64_t sum = 0, edges = 0;
    for (const Symbol token : level.reduced.tokens)
      for (const Symbol name : level.found.streams[token].names) sum += references[name];
    ASSERT_EQ(level.covered, sum) << round;
    for (const FlowGraph::Edge& e : level.graph.edges) edges += e.weight;
    ASSERT_EQ(edges + !level.reduced.tokens.empty(), level.reduced.tokens.size()) << round;
  }
}

TEST(StreamLevel, OfNothingIsNothing) {
  const StreamLevel level = stream_level({}, {});
  EXPECT_EQ(level.found.streams.size(), 0u);
  EXPECT_EQ(level.covered, 0u);
}

}  // namespace
}  // namespace memprof::streams
