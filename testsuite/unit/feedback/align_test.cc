// align_test.cc - alignment of the sites of a changed function: edits, ambiguity, large ones,
// and random ones against all alignments.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "feedback/align.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

namespace memprof::feedback {
namespace {

using Pairs = std::vector<AlignedPair>;

SiteShape load(const char* expression, std::int64_t line = 1, const char* field = "") {
  SiteShape s;
  s.width = 8, s.expression = expression, s.field = field, s.line = line;
  return s;
}

SiteShape store(const char* expression, std::int64_t line = 1) {
  SiteShape s = load(expression, line);
  s.kind = Access::store;
  return s;
}

TEST(Align, EqualFunctionsAlignWhole) {
  const std::vector<SiteShape> sites{load("a[i]", 2), load("b[i]", 2), store("c[i]", 3)};
  EXPECT_EQ(align(sites, sites), (Pairs{{0, 0}, {1, 1}, {2, 2}}));
  EXPECT_EQ(align({}, sites), Pairs{});
  EXPECT_EQ(align(sites, {}), Pairs{});
}

TEST(Align, FollowsWhatAnInsertedStatementMoves) {
  const std::vector<SiteShape> before{load("a[i]", 2), store("s->sum", 3), load("b[i]", 4)};
  const std::vector<SiteShape> after{load("a[i]", 2), load("t", 3), store("s->sum", 4),
                                     load("b[i]", 5)};
  EXPECT_EQ(align(before, after), (Pairs{{0, 0}, {1, 2}, {2, 3}}));
  EXPECT_EQ(align(after, before), (Pairs{{0, 0}, {2, 1}, {3, 2}}));
}

TEST(Align, NeverPairsWhatDiffersInKindWidthBaseOrField) {
  const SiteShape site = load("p->x", 2, "x");
  for (int what = 0; what < 4; what++) {
    SiteShape other = site;
    if (what == 0) other.kind = Access::store;
    if (what == 1) other.width = 4;
    if (what == 2) other.field = "y";
    if (what == 3) other.expression = "q[i]", other.field = "";
    EXPECT_EQ(align(std::vector{site}, std::vector{other}), Pairs{}) << what;
  }
  SiteShape global = site, local = site;
  global.base = 2, local.base = 3;
  EXPECT_EQ(align(std::vector{global}, std::vector{local}), Pairs{});
  EXPECT_EQ(align(std::vector{global}, std::vector{site}), (Pairs{{0, 0}}));  // unknown
}

TEST(Align, ARenamedPointerKeepsItsField) {
  EXPECT_EQ(align(std::vector{load("p->x", 2, "x")}, std::vector{load("q->x", 2, "x")}),
            (Pairs{{0, 0}}));
}

TEST(Align, MarksWhatCannotBeToldApart) {
  const std::vector<SiteShape> three{load("x", 9), load("x", 9), load("x", 9), store("y", 9)};
  const std::vector<SiteShape> two{load("x", 9), load("x", 9), store("y", 9)};
  const Pairs pairs = align(three, two);
  ASSERT_EQ(pairs.size(), 3u);
  EXPECT_FALSE(pairs[0].certain);
  EXPECT_FALSE(pairs[1].certain);
  EXPECT_EQ(pairs[2], (AlignedPair{3, 2, true}));
}

TEST(Align, TheLineTellsEqualSitesApart) {
  const std::vector<SiteShape> before{load("x", 2), load("x", 5), load("x", 9)};
  const std::vector<SiteShape> after{load("x", 2), load("x", 9)};
  EXPECT_EQ(align(before, after), (Pairs{{0, 0}, {2, 1}}));
}

TEST(Align, LargeFunctionsGoByWhatOccursOnce) {
  std::vector<std::string> names;
  for (int i = 0; i < 400; i++) names.push_back("v" + std::to_string(i));
  std::vector<SiteShape> before, after;
  for (int i = 0; i < 400; i++) {
    before.push_back(load(names[std::size_t(i)].c_str(), i));
    before.push_back(load("common", i));
    if (i == 200) after.push_back(store("new", i));
    after.push_back(load(names[std::size_t(i)].c_str(), i + (i >= 200)));
    after.push_back(load("common", i + (i >= 200)));
  }
  const Pairs whole = align(before, after);
  EXPECT_EQ(whole.size(), 800u);
  EXPECT_EQ(align(before, after, 100), whole);
  // Nothing occurs once, and the table does not fit: no pair is made up.
  const std::vector<SiteShape> equal(50, load("x"));
  EXPECT_EQ(align(equal, equal, 100), Pairs{});
}

// The weight that the header promises, written down once more.
int plain_weight(const SiteShape& a, const SiteShape& b) {
  if (a.kind != b.kind || a.expression != b.expression) return 0;
  return 9 + 2 * (a.line == b.line);
}

// All alignments, by brute force: the heaviest weight, and those that have it.
void enumerate(const std::vector<SiteShape>& a, const std::vector<SiteShape>& b, std::size_t i,
               std::size_t j, Pairs& now, int sum, int& best, std::vector<Pairs>& all) {
  if (sum > best) best = sum, all.clear();
  if (sum == best && best > 0) all.push_back(now);
  for (std::size_t x = i; x < a.size(); x++)
    for (std::size_t y = j; y < b.size(); y++)
      if (const int w = plain_weight(a[x], b[y])) {
        now.push_back({x, y});
        enumerate(a, b, x + 1, y + 1, now, sum + w, best, all);
        now.pop_back();
      }
}

TEST(Align, IsAHeaviestAlignmentAndKnowsWhatAllOfThemHave) {
  std::mt19937 random(1);
  const char* const names[] = {"x", "y", "z"};
  for (int n = 0; n < 3000; n++) {
    std::vector<SiteShape> a, b;
    for (auto* side : {&a, &b})
      for (unsigned i = random() % 6; i-- > 0;)
        side->push_back(random() % 4 ? load(names[random() % 3], random() % 3)
                                     : store(names[random() % 3], random() % 3));
    int best = 0;
    Pairs now;
    std::vector<Pairs> all;
    enumerate(a, b, 0, 0, now, 0, best, all);
    const Pairs pairs = align(a, b);
    int sum = 0;
    for (const AlignedPair& p : pairs) {
      sum += plain_weight(a[p.a], b[p.b]);
      std::size_t having = 0;
      for (const Pairs& other : all)
        having += std::size_t(std::count_if(other.begin(), other.end(), [&](const auto& q) {
          return q.a == p.a && q.b == p.b;
        }));
      EXPECT_EQ(p.certain, having == all.size()) << n;
    }
    EXPECT_EQ(sum, best) << n;
  }
}

TEST(Align, ShapesOfAFunctionCountLinesFromItsFirst) {
  Function f;
  f.line = 10;
  f.sites.resize(2);
  f.sites[0].line = 12, f.sites[0].expression = "a[i]";
  f.sites[1].line = 7, f.sites[1].file = "other.h";
  const auto shapes = site_shapes(f);
  ASSERT_EQ(shapes.size(), 2u);
  EXPECT_EQ(shapes[0].line, 2);
  EXPECT_EQ(shapes[0].expression, "a[i]");
  EXPECT_EQ(shapes[1].line, 7);
}

}  // namespace
}  // namespace memprof::feedback
