// profile_view_test.cc - rows found by id and named for people.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/cli/profile_view.h"

#include <gtest/gtest.h>

#include "consumers/cli/show_tables.h"

namespace memprof::cli {
namespace {

using namespace feedback;

// sum += a[i]: site 0 in loop 0, reading 90 times group 0 and 10 times group 1.
Profile small_profile() {
  Profile p;
  p.program.name = "prog";
  p.run.accesses = p.run.loads = 100;
  p.run.objects = 2;
  Module module;
  module.file = "a.c";
  Function f;
  f.name = "sum";
  Loop loop;
  loop.id = 0;
  loop.line = 4;
  loop.invocations = 2;
  loop.iterations = 100;
  f.loops.push_back(loop);
  Site site;
  site.id = 0;
  site.line = 5;
  site.column = 9;
  site.width = 4;
  site.loop = 0;
  site.expression = "a[i]";
  site.executions = 100;
  f.sites.push_back(site);
  module.functions.push_back(f);
  p.modules.push_back(module);
  Group heap;
  heap.id = 0;
  heap.file = "b.c";
  heap.line = 7;
  heap.allocator = "malloc";
  heap.accesses = 90;
  Group global;
  global.id = 1;
  global.kind = GroupKind::global;
  global.function = "table";
  global.accesses = 10;
  p.groups = {heap, global};
  p.points_to.push_back({0, {{1, 10}, {0, 90}}});
  p.sections = {"strides", "points_to"};
  Stride stride;
  stride.site = 0;
  stride.executions = 100;
  stride.dominant = 4;
  stride.share = 0.98;
  p.strides.push_back(stride);
  return p;
}

TEST(ProfileView, FindsRowsById) {
  Profile p = small_profile();
  ProfileView view(p);
  EXPECT_EQ(view.executions(), 100u);
  ASSERT_NE(view.site(0), nullptr);
  EXPECT_EQ(view.site(1), nullptr);
  EXPECT_EQ(view.loop(0)->executions, 100u);
  EXPECT_EQ(view.loop(0)->sites, 1u);
  EXPECT_EQ(view.loop(k_none), nullptr);
  EXPECT_TRUE(view.has_section("strides"));
  EXPECT_FALSE(view.has_section("dependences"));
}

TEST(ProfileView, NamesThings) {
  Profile p = small_profile();
  ProfileView view(p);
  EXPECT_EQ(view.site_name(0), "a.c:5:9");
  EXPECT_EQ(view.site_name(k_external), "external code");
  EXPECT_EQ(view.loop_name(0), "a.c:4");
  EXPECT_EQ(view.group_name(0), "malloc at b.c:7");
  EXPECT_EQ(view.group_name(1), "global table");
  EXPECT_EQ(view.group_name(9), "unknown memory");
  EXPECT_EQ(view.main_group(0), "malloc at b.c:7 (90.0 %)");
  EXPECT_EQ(stride_text(view.stride(0)), "+4 (98.0 %)");
  EXPECT_EQ(stride_text(nullptr), "-");
}

TEST(ShowTables, SitesAreRankedAndCut) {
  Profile p = small_profile();
  Site colder = p.modules[0].functions[0].sites[0];
  colder.id = 1;
  colder.executions = 5;
  colder.line = 6;
  p.modules[0].functions[0].sites.insert(p.modules[0].functions[0].sites.begin(), colder);
  ProfileView view(p);
  std::string text = show_tables()[0]->text(view, 1, Style{});
  EXPECT_NE(text.find("Access sites (1 of 2)"), text.npos) << text;
  EXPECT_NE(text.find("a.c:5:9"), text.npos) << text;
  EXPECT_EQ(text.find("a.c:6:9"), text.npos) << text;
}

TEST(ShowTables, EmptyProfileHasEmptyTables) {
  Profile p;
  ProfileView view(p);
  for (const ShowTable* const each : show_tables()) {
    const ShowTable& table = *each;
    EXPECT_NE(table.text(view, 10, Style{}).find("none"), std::string::npos) << table.option;
    JsonReport json;
    json.open_array();
    table.json(view, 10, json);
    json.close_array();
    EXPECT_EQ(json.text(), "[]\n") << table.option;
  }
  EXPECT_NE(overview(view).find("0 accesses"), std::string::npos);
}

}  // namespace
}  // namespace memprof::cli
