// verify_test.cc - comparing run times, reading remarks, narrowing a loss down.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/cli/verify_search.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace {

using namespace memprof::cli;

Decision decision(const std::string& function, unsigned line) {
  Decision d;
  d.reason = memprof::decide::Reason::taken;
  d.place.file = "a.c";
  d.place.function = function;
  d.place.line = line;
  return d;
}

// Faster when one of BAD is left out; a function's entry leaves out its places.
std::vector<std::string> narrowed(const std::vector<Decision>& all,
                                  const std::vector<Decision>& bad, int budget = 100,
                                  int* left = nullptr) {
  auto trial = [&](const std::vector<std::string>& vetoes) {
    return std::any_of(bad.begin(), bad.end(), [&](const Decision& d) {
      auto has = [&](const std::string& v) {
        return std::find(vetoes.begin(), vetoes.end(), v) != vetoes.end();
      };
      return has(function_veto(d)) || has(place_veto(d));
    });
  };
  auto found = narrow(all, trial, budget);
  if (left) *left = budget;
  return found;
}

using Vetoes = std::vector<std::string>;

TEST(Compare, MedianAndInterval) {
  std::vector<double> ones(15, 1.0), more;
  for (int i = 0; i < 15; i++) more.push_back(1.0 / (1.10 + 0.001 * i));
  const Comparison c = compare(ones, more);
  EXPECT_NEAR(c.ratio, 1.107, 1e-9);
  EXPECT_NEAR(c.low, 1.103, 1e-9);
  EXPECT_NEAR(c.high, 1.111, 1e-9);
  EXPECT_TRUE(c.second_faster(0.1));
  EXPECT_FALSE(c.second_faster(0.105));
  EXPECT_TRUE(compare(more, ones).second_slower(0.05));
  EXPECT_FALSE(compare(ones, ones).second_faster(0));
  EXPECT_EQ(compare({}, {}).ratio, 1);
}

TEST(Decisions, AreTheTakenOnesOnce) {
  const std::string line =
      R"({"file":"a \"b\".c","line":7,"column":3,"function":"operator[]","kind":"prefetch",)"
      R"("taken":true,"reason":"taken","expression":"x"})";
  std::string refused = line;
  refused.replace(refused.find("true"), 4, "false");
  const auto found = taken_decisions(line + "\n" + refused + "\n" + line + "\n");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].place.file, "a \"b\".c");
  EXPECT_EQ(place_veto(found[0]), "@prefetch a \"b\".c:7:3");
  EXPECT_EQ(function_veto(found[0]), "@prefetch operator\\[]");
}

TEST(Narrow, FindsTheFunctionOfOnePlace) {
  EXPECT_EQ(narrowed({decision("f", 1), decision("g", 2), decision("h", 3)}, {decision("g", 2)}),
            Vetoes{"@prefetch g"});
}

TEST(Narrow, FindsThePlaceInAFunction) {
  std::vector<Decision> all;
  for (unsigned i = 1; i <= 8; i++) all.push_back(decision("f", i));
  all.push_back(decision("g", 20));
  EXPECT_EQ(narrowed(all, {decision("f", 6)}), Vetoes{"@prefetch a.c:6"});
  EXPECT_EQ(narrowed(all, {decision("f", 2), decision("g", 20)}),
            (Vetoes{"@prefetch a.c:2", "@prefetch g"}));
}

// All places of a function lose: the function.
TEST(Narrow, NamesAFunctionRatherThanAllItsPlaces) {
  EXPECT_EQ(narrowed({decision("f", 1), decision("f", 2), decision("g", 3)},
                     {decision("f", 1), decision("f", 2)}),
            Vetoes{"@prefetch f"});
}

// Nothing matters by itself, so all of them.
TEST(Narrow, KeepsASetThatLosesTogether) {
  EXPECT_EQ(narrowed({decision("f", 1), decision("g", 2)}, {}),
            (Vetoes{"@prefetch f", "@prefetch g"}));
}

TEST(Narrow, KeepsToItsBudget) {
  std::vector<Decision> all;
  for (unsigned i = 0; i < 64; i++) all.push_back(decision("f" + std::to_string(i), i + 1));
  int left;
  const auto found = narrowed(all, {decision("f9", 10)}, 5, &left);
  EXPECT_LE(left, 0);
  EXPECT_GT(found.size(), 1u);
  EXPECT_NE(std::find(found.begin(), found.end(), "@prefetch f9"), found.end());
}

}  // namespace
