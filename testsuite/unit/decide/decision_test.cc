// decision_test.cc - how decisions end, their names, and their lines of a remarks file.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/decide/decision.h"
#include "consumers/decide/whole.h"
#include "consumers/decide/match_row.h"

#include <gtest/gtest.h>

#include <limits>

#include <cstring>
#include <set>

namespace {

using namespace memprof::decide;

Candidate candidate() {
  Candidate c;
  c.transformation = Transformation::huge_pages;
  c.file = "a \"b\".c";
  c.line = 7;
  c.column = 3;
  c.function = "operator[]";
  c.expression = "malloc";
  return c;
}

TEST(Decision, SaysWhatIsRefused) {
  EXPECT_EQ(conclude(candidate(), Reason::sparse, "why").text, "no huge pages: why");
  EXPECT_EQ(conclude(candidate(), Transformation::prefetch, Reason::regular, "why").text,
            "no prefetch: why");
  EXPECT_EQ(conclude(candidate(), Reason::needs_code, "facts").text, "needs the code: facts");
  EXPECT_EQ(conclude(candidate(), Reason::taken, "done").text, "done");
}

TEST(Decision, ObeysAVetoOfWhatWouldBeTaken) {
  Candidate c = candidate();
  c.veto = "v:1";
  EXPECT_EQ(conclude(c, Reason::taken, "done").reason, Reason::vetoed);
  EXPECT_EQ(conclude(c, Reason::sparse, "why").reason, Reason::sparse);
}

TEST(Decision, KeepsNumbersExactly) {
  Decision d;
  d.numbers = {{"blocks", ~std::uint64_t{1}}, {"stride", std::int64_t{-48}}, {"gain", 1.5}};
  EXPECT_EQ(d.count("blocks"), ~std::uint64_t{1});
  EXPECT_EQ(d.number("stride"), -48);
  EXPECT_EQ(d.number("none"), 0);
  EXPECT_EQ(d.count("none", 9), 9u);
}

TEST(Whole, TheLastOfAStreamThatLeavesTheWord) {
  EXPECT_EQ(last_of(10, -3, 4), 1);
  EXPECT_EQ(last_of(10, -3, 0), 10);
  EXPECT_EQ(last_of(0, INT64_MIN, 2), INT64_MIN);
  EXPECT_EQ(last_of(-1, INT64_MIN, 2), INT64_MIN);
  EXPECT_EQ(last_of(INT64_MIN, INT64_MAX, ~std::uint64_t{0}), INT64_MAX);
}

TEST(Whole, IsDefinedForEachNumber) {
  EXPECT_EQ(whole(3.9), 3u);
  EXPECT_EQ(whole(-1e300), 0u);
  EXPECT_EQ(whole(std::numeric_limits<double>::quiet_NaN()), 0u);
  EXPECT_EQ(whole(1e300), ~std::uint64_t{0});
  EXPECT_EQ(whole(0x1p64), ~std::uint64_t{0});
  EXPECT_EQ(whole(0x1p63), std::uint64_t{1} << 63);
}

TEST(Decision, HasANameForEachReason) {
  std::set<std::string> names;
  for (int i = 0; i <= static_cast<int>(k_last_reason); i++)
    EXPECT_TRUE(names.insert(name(static_cast<Reason>(i))).second) << i;
}

// The first word is printed, the others are understood: also those of earlier versions.
TEST(Transformations, HaveOldNamesToo) {
  EXPECT_STREQ(name(Transformation::field_order), "field-order");
  EXPECT_STREQ(name(Transformation::huge_pages), "huge-pages");
  std::set<std::string> words;
  for (const TransformationWord& row : k_transformation_words)
    if (row.transformation == Transformation::field_order) words.insert(row.word);
  EXPECT_EQ(words, (std::set<std::string>{"field-order", "field_order", "layout"}));
}

TEST(Remarks, AreReadAsTheyWereWritten) {
  Decision d = conclude(candidate(), Reason::unrepaid, "a\nb \\ \"c\"");
  d.numbers = {{"objects", std::uint64_t{12}}, {"misses", 2.5}};
  const std::string line = remark_line(d);
  EXPECT_EQ(line,
            "{\"file\":\"a \\\"b\\\".c\",\"line\":7,\"column\":3,\"function\":\"operator[]\","
            "\"kind\":\"huge-pages\",\"taken\":false,\"reason\":\"unrepaid\",\"distance\":0,"
            "\"stride\":0,\"expression\":\"malloc\",\"objects\":12,\"misses\":2.5,"
            "\"text\":\"no huge pages: a?b \\\\ \\\"c\\\"\"}\n");
  const auto read = read_remarks("no remark\n" + line + line);
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[1].transformation, Transformation::huge_pages);
  EXPECT_EQ(read[1].reason, Reason::unrepaid);
  EXPECT_EQ(read[1].place.file, "a \"b\".c");
  EXPECT_EQ(read[1].place.line, 7u);
  EXPECT_EQ(read[1].place.column, 3u);
  EXPECT_EQ(read[1].text, "no huge pages: a?b \\ \"c\"");
}

TEST(Remarks, HaveTheNumberOfTheGate) {
  Decision d = conclude(candidate(), Reason::fits_tlb, "small");
  d.gate = {"span", 4096, 5000};
  EXPECT_NE(remark_line(d).find("\"gate\":\"span\",\"gate_value\":4096,\"gate_least\":5000,"),
            std::string::npos) << remark_line(d);
  Decision most = conclude(candidate(), Reason::conflicts, "meet");
  most.gate = {"frequency", 0.25, 0.01, true};
  const auto read = read_remarks(remark_line(d) + remark_line(most) +
                                 remark_line(conclude(candidate(), Reason::not_heap, "global")));
  ASSERT_EQ(read.size(), 3u);
  EXPECT_EQ(read[0].gate.name, "span");
  EXPECT_EQ(read[0].gate.value, 4096);
  EXPECT_EQ(read[0].gate.limit, 5000);
  EXPECT_FALSE(read[0].gate.at_most);
  EXPECT_EQ(read[1].gate.limit, 0.01);
  EXPECT_TRUE(read[1].gate.at_most);
  EXPECT_EQ(read[2].gate.name, "");
}

TEST(Remarks, OfEarlierVersionsAreRead) {
  const auto read = read_remarks(R"({"kind":"layout","taken":true,"reason":"taken"})");
  ASSERT_EQ(read.size(), 1u);
  EXPECT_EQ(read[0].transformation, Transformation::field_order);
}

TEST(Remarks, MatchesAreNoDecisions) {
  MatchRow row{"d\"/a.c", "f", 4000000000u, MatchRow::k_salvaged, std::uint64_t{1} << 40, 7};
  const std::string text = match_line(row) + R"({"kind":"layout","taken":true})" + "\n";
  EXPECT_EQ(read_remarks(text).size(), 1u);
  const auto read = read_matches(text);
  ASSERT_EQ(read.size(), 1u);
  EXPECT_EQ(read[0].file, row.file);
  EXPECT_EQ(read[0].function, "f");
  EXPECT_EQ(read[0].checksum, row.checksum);
  EXPECT_EQ(read[0].how, "salvaged");
  EXPECT_EQ(read[0].executions, row.executions);
  EXPECT_EQ(read[0].used, 7u);
}

}  // namespace
