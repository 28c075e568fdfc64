// stream_advice_test.cc - the rules of Mohan et al., SC 2003, table 1: each fires on its
// condition, and not short of it.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/decide/stream_advice.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace {

using namespace memprof;
using decide::StreamFacts;

// COUNT streams of LENGTH elements STEP bytes apart.
void add(StreamFacts& facts, std::uint64_t count, std::uint64_t length, std::int64_t step) {
  for (std::uint64_t i = 0; i < count; i++) feedback::add_stream(facts.sum, length, step);
  facts.sum.references += count * length;
  facts.sum.regular += count * length;
}

std::set<std::string> rules(const StreamFacts& facts) {
  std::set<std::string> names;
  for (const auto& advice : decide::advise_streams(facts)) names.insert(name(advice.rule));
  return names;
}
using Names = std::set<std::string>;

TEST(StreamAdvice, PrefetchesLongStreamsOfSmallSteps) {
  StreamFacts facts;
  add(facts, 5, 100, 8);
  EXPECT_EQ(rules(facts), Names{"prefetching"});
  const auto advice = decide::advise_streams(facts).at(0);
  EXPECT_EQ(advice.text, "5 streams of 100 elements and more, 100.0 % of the references, steps "
                         "below 10 bytes");
  StreamFacts shorter;
  add(shorter, 50, 99, 8);
  EXPECT_EQ(rules(shorter), Names{});
  facts.sum.references *= 11;  // most others are in none
  EXPECT_EQ(rules(facts), Names{"scatter/gather"});
}

TEST(StreamAdvice, TilesManyLongStreamsOfLargeSteps) {
  StreamFacts facts;
  add(facts, 9999, 100, 8);
  add(facts, 1, 100, 16);
  EXPECT_TRUE(rules(facts).contains("tiling"));
  StreamFacts near;
  add(near, 10000, 100, 8);
  EXPECT_FALSE(rules(near).contains("tiling"));
}

TEST(StreamAdvice, SplitsInterleavedLongStreamsWithManyShortOnes) {
  StreamFacts facts;
  add(facts, 10000, 4, 8);
  add(facts, 3, 100000, 8);
  EXPECT_FALSE(rules(facts).contains("fission"));
  feedback::add_period(facts.sum, 3, 300000);
  EXPECT_TRUE(rules(facts).contains("fission"));
}

TEST(StreamAdvice, InterchangesAndCopiesLargeSteps) {
  StreamFacts facts;
  add(facts, 10, 64, 32);
  EXPECT_EQ(rules(facts), Names{"interchange"});
  add(facts, 10, 100, -4096);
  EXPECT_EQ(rules(facts), (Names{"interchange", "copying"}));
  StreamFacts near;
  add(near, 10, 64, 31);
  EXPECT_EQ(rules(near), Names{});
}

TEST(StreamAdvice, AsksForMissesWhereTheRuleDoes) {
  StreamFacts facts;
  add(facts, 99, 1 << 16, 4);
  EXPECT_EQ(rules(facts), Names{"prefetching"});
  facts.cache_misses = 0.05;
  EXPECT_EQ(rules(facts), (Names{"prefetching", "padding"}));
  facts.tlb_misses = 0.001;
  EXPECT_EQ(rules(facts), (Names{"prefetching", "padding", "superpages", "restructuring"}));
  add(facts, 1, 1 << 16, 4);  // no longer few
  EXPECT_EQ(rules(facts), (Names{"prefetching", "superpages"}));
}

TEST(StreamAdvice, GathersWhatIsIrregular) {
  StreamFacts facts;
  add(facts, 1, 60, 8);
  facts.sum.references = 100;
  EXPECT_EQ(rules(facts), Names{});
  facts.sum.references = 101;
  EXPECT_EQ(rules(facts), Names{"scatter/gather"});
  EXPECT_EQ(rules(StreamFacts{}), Names{});
}

TEST(StreamAdvice, SaysThatSpillsCannotBeSeen) {
  StreamFacts facts;
  add(facts, 10000, 3, 0);
  EXPECT_EQ(rules(facts), Names{"unrolling"});
  EXPECT_NE(decide::advise_streams(facts).at(0).text.find("look for spills"), std::string::npos);
}

TEST(StreamAdvice, FusesLoopsOfLongStreams) {
  StreamFacts a, b, shorter;
  add(a, 1, 1000, 8);
  add(b, 2, 500, 4);
  add(shorter, 100, 10, 4);
  EXPECT_TRUE(decide::worth_fusing(a.sum, b.sum));
  EXPECT_FALSE(decide::worth_fusing(a.sum, shorter.sum));
  EXPECT_FALSE(decide::worth_fusing({}, b.sum));
}

}  // namespace
