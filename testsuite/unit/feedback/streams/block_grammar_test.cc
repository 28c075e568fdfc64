// block_grammar_test.cc - grammars of blocks: they generate what they were made of, and share repeats.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "feedback/streams/block_grammar.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "feedback/streams/text_index.h"

namespace memprof::streams {
namespace {

using Text = std::vector<Symbol>;

// By pieces of PIECE.
Grammar grammar_of(const Text& text, std::size_t piece = 1000) {
  BlockGrammar blocks;
  for (std::size_t i = 0; i < text.size(); i += piece)
    blocks.append(text.data() + i, std::min(piece, text.size() - i));
  return blocks.finish();
}

Text random_text(std::mt19937& random, std::size_t length, Symbol names) {
  Text text;
  for (std::size_t i = 0; i < length; i++) text.push_back(random() % names);
  return text;
}

TEST(BlockGrammar, GeneratesItsText) {
  std::mt19937 random(1);
  for (int round = 0; round < 3000; round++) {
    const Text text = random_text(random, random() % 60, 1 + random() % 5);
    const TextIndex index(grammar_of(text, 1 + random() % 20));
    ASSERT_EQ(index.text(), text);
    for (std::uint32_t rule = 1; rule < index.grammar().rules(); rule++) {
      ASSERT_GE(index.rule(rule).times, 2u);
      ASSERT_GE(index.grammar().length(rule), 2u);
    }
  }
}

TEST(BlockGrammar, GeneratesLongTextsInPieces) {
  std::mt19937 random(2);
  for (const Symbol names : {1u, 2u, 50u, 100000u}) {
    const Text text = random_text(random, 200000, names);
    ASSERT_EQ(TextIndex(grammar_of(text)).text(), text);
  }
}

// Where a part is does not matter for how it is cut.
TEST(BlockGrammar, RepeatsCostLittle) {
  std::mt19937 random(3);
  const Text part = random_text(random, 50000, 1000);
  Text text;
  for (int i = 0; i < 20; i++) {
    const Text noise = random_text(random, 1 + random() % 50, 1000);
    text.insert(text.end(), part.begin(), part.end());
    text.insert(text.end(), noise.begin(), noise.end());
  }
  const std::size_t once = grammar_of(part).symbols.size();
  EXPECT_LT(grammar_of(text).symbols.size(), once + 20 * 200);
  EXPECT_LT(grammar_of(Text(1000000, 7)).symbols.size(), 100u);
}

TEST(TextIndex, KnowsWhereRulesAre) {
  std::mt19937 random(4);
  for (int round = 0; round < 300; round++) {
    Text text;
    const Text part = random_text(random, 5 + random() % 20, 3);
    while (text.size() < 200) {
      text.insert(text.end(), part.begin(), part.end());
      text.push_back(random() % 3);
    }
    const TextIndex index(grammar_of(text));
    for (std::uint32_t rule = 0; rule < index.grammar().rules(); rule++) {
      const TextIndex::Rule& r = index.rule(rule);
      ASSERT_TRUE(std::equal(text.begin() + r.first, text.begin() + r.end(), text.begin() + r.last));
      for (const TextIndex::Use* use = index.begin_uses(rule); use != index.end_uses(rule); use++)
        ASSERT_TRUE(std::equal(text.begin() + r.first, text.begin() + r.end(),
                               text.begin() + use->end - r.length));
    }
  }
}

}  // namespace
}  // namespace memprof::streams
