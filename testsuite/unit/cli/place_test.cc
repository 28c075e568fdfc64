// place_test.cc - FILE:LINE against the file names of a profile.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/cli/place.h"

#include <gtest/gtest.h>

namespace memprof::cli {
namespace {

using namespace feedback;

TEST(Place, Parses) {
  auto p = parse_place("a.c:12");
  ASSERT_TRUE(p);
  EXPECT_EQ(p->file, "a.c");
  EXPECT_EQ(p->line, 12u);
  EXPECT_EQ(p->column, 0u);
  p = parse_place("src/a.c:12:7");
  ASSERT_TRUE(p);
  EXPECT_EQ(p->file, "src/a.c");
  EXPECT_EQ(p->line, 12u);
  EXPECT_EQ(p->column, 7u);
  p = parse_place("odd:name.c:3");
  ASSERT_TRUE(p);
  EXPECT_EQ(p->file, "odd:name.c");
}

TEST(Place, RefusesWhatIsNone) {
  for (const char* text : {"", "a.c", "a.c:", ":3", "a.c:x", "a.c:0", "a.c:-1", "12",
                           "a.c:99999999999"})
    EXPECT_FALSE(parse_place(text)) << text;
}

TEST(Place, NamesMatchFromTheEnd) {
  EXPECT_EQ(matching_components("src/a.c", "a.c"), 1u);
  EXPECT_EQ(matching_components("../src/a.c", "/home/u/src/a.c"), 2u);
  EXPECT_EQ(matching_components("./a.c", "a.c"), 1u);
  EXPECT_EQ(matching_components("src/x/../a.c", "src/a.c"), 2u);
  EXPECT_EQ(matching_components("lib/a.c", "src/a.c"), 0u);
  EXPECT_EQ(matching_components("ba.c", "a.c"), 0u);
  EXPECT_EQ(matching_components("", "a.c"), 0u);
}

class PlaceSites : public testing::Test {
 protected:
  PlaceSites() {
    for (const char* file : {"src/a.c", "lib/a.c"}) {
      Module module;
      module.file = file;
      Function function;
      function.name = "f";
      for (auto [line, column] : {std::pair{10u, 9u}, {10u, 3u}, {20u, 5u}})
        add(function, line, column, "");
      add(function, 10, 1, "include/h.h");
      module.functions.push_back(function);
      profile_.modules.push_back(module);
    }
  }
  void add(Function& function, unsigned line, unsigned column, const char* file) {
    Site site;
    site.id = next_++;
    site.line = line;
    site.column = column;
    site.file = file;
    function.sites.push_back(site);
  }
  std::vector<Id> ids(const char* text) {
    ProfileView view(profile_);
    match_ = find_sites(view, *parse_place(text));
    std::vector<Id> result;
    for (const auto* ref : match_.sites) result.push_back(ref->site->id);
    return result;
  }
  Profile profile_;
  PlaceMatch match_;
  Id next_ = 0;
};

TEST_F(PlaceSites, OrderedByColumn) {
  EXPECT_EQ(ids("src/a.c:10"), (std::vector<Id>{1, 0}));
  EXPECT_EQ(ids("src/a.c:10:9"), (std::vector<Id>{0}));
}

TEST_F(PlaceSites, ShortNameFindsBothFiles) {
  EXPECT_EQ(ids("a.c:20"), (std::vector<Id>{2, 6}));
  EXPECT_EQ(ids("/work/lib/a.c:20"), (std::vector<Id>{6}));
}

TEST_F(PlaceSites, InlinedFromAHeader) {
  EXPECT_EQ(ids("h.h:10"), (std::vector<Id>{3, 7}));
}

TEST_F(PlaceSites, NearestLineWhenNothingIsThere) {
  EXPECT_TRUE(ids("src/a.c:17").empty());
  EXPECT_TRUE(match_.file_known);
  EXPECT_EQ(match_.nearest_line, 20u);
  EXPECT_TRUE(ids("z.c:10").empty());
  EXPECT_FALSE(match_.file_known);
}

}  // namespace
}  // namespace memprof::cli
