// line_costs_test.cc - strides by class, and costs and decisions added up by line.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/cli/line_costs.h"

#include <gtest/gtest.h>

namespace memprof::cli {
namespace {

using namespace feedback;

TEST(StrideMix, TellsUnitConstantAndIrregular) {
  Stride row;
  row.executions = 1000;
  row.histogram = {{8, 400}, {-8, 100}, {0, 50}, {128, 300}, {24, 99}};
  row.other = 50;
  StrideMix mix;
  mix.add(row, 8);
  EXPECT_EQ(mix.unit, 550u);
  EXPECT_EQ(mix.constant, 300u);
  EXPECT_EQ(mix.irregular, 149u);
  EXPECT_STREQ(mix.name(), "unit");
  EXPECT_STREQ(StrideMix().name(), "-");
  // The same bytes are no unit stride of a narrower element.
  StrideMix narrow;
  narrow.add(row, 1);
  EXPECT_EQ(narrow.unit, 50u);
  EXPECT_STREQ(narrow.name(), "constant");
}

TEST(LineCosts, AddUpTheSitesOfALine) {
  Profile p;
  Function f;
  for (Id id = 0; id < 3; id++) {
    Site s;
    s.id = s.ordinal = id;
    s.line = id < 2 ? 5 : 6, s.column = 9 - id, s.executions = 10 * (id + 1);
    s.kind = id == 1 ? Access::store : Access::load;
    f.sites.push_back(s);
  }
  p.modules.push_back({"src/a.c", "", 0, {f}});
  Dependence d;
  d.source = 1, d.sink = 0, d.count = 7, d.carried = 3;
  p.dependences = {d};
  Cache c;
  c.site = 0, c.l2 = 2;
  p.cache = {c, c};
  p.cache[1].site = 1;
  const ProfileView view(p);
  decide::Decision decision;
  decision.place.file = "a.c", decision.place.line = 6;
  const std::vector<decide::Decision> decisions{decision};
  const FileCosts files = file_costs(view, decisions);
  ASSERT_EQ(files.size(), 1u);
  const LineCosts& lines = files.at("src/a.c");
  const LineCost& five = lines.at(5);
  EXPECT_EQ(five.loads, 10u);
  EXPECT_EQ(five.stores, 20u);
  EXPECT_EQ(five.accesses(), 30u);
  EXPECT_EQ(five.misses.l2, 4u);
  EXPECT_EQ(five.flow, 7u);
  EXPECT_EQ(five.carried, 3u);
  ASSERT_EQ(five.sites.size(), 2u);
  EXPECT_EQ(five.sites[0]->site->id, 1u);  // by column
  EXPECT_TRUE(five.decisions.empty());
  ASSERT_EQ(lines.at(6).decisions.size(), 1u);
}

// Many units have a function of one name: each has the decisions of its own file, and of a header
// that is in all of them not more than a few.
TEST(LineCosts, DecisionsGoToTheFunctionsOfTheirFiles) {
  Profile p;
  constexpr unsigned k_units = 40;
  for (unsigned unit = 0; unit < k_units; unit++) {
    Function f;
    f.name = "helper";
    Site own, shared;
    own.id = 2 * unit, own.line = 5, own.executions = 1;
    shared.id = 2 * unit + 1, shared.line = 7, shared.executions = 1, shared.file = "h.h";
    f.sites = {own, shared};
    p.modules.push_back({"src/u" + std::to_string(unit) + ".c", "", 0, {f}});
  }
  const ProfileView view(p);
  std::vector<decide::Decision> decisions;
  for (unsigned unit = 0; unit < k_units; unit++)
    for (const bool header : {false, true}) {
      decide::Decision& d = decisions.emplace_back();
      d.place.function = "helper";
      d.place.file = header ? "h.h" : "u" + std::to_string(unit) + ".c";
      d.place.line = header ? 7 : 5;
    }
  FunctionCosts costs = function_costs(view);
  std::vector<std::pair<const Function*, FileCosts*>> functions;
  for (auto& [function, files] : costs) functions.emplace_back(function, &files);
  add_decisions(functions, decisions);
  for (const auto& [function, files] : costs) {
    ASSERT_EQ(files.size(), 2u);
    EXPECT_EQ(files.rbegin()->second.at(5).decisions.size(), 1u);
    EXPECT_EQ(files.at("h.h").at(7).decisions.size(), k_most_decisions);
  }
}

}  // namespace
}  // namespace memprof::cli
