// layout_growth_test.cc - records against a baseline of their sizes.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/cli/layout_growth.h"

#include <gtest/gtest.h>

namespace memprof::cli {
namespace {

using feedback::TypeLayout;
using Types = std::vector<TypeLayout>;

const Types k_before = {{"struct a", 64, true, 1, "01"}, {"struct b", 40, false, 1, "02"}, {"struct c", 32, true, 1, "03"}};

TEST(LayoutCheck, EqualLayoutsSayNothing) {
  const LayoutChanges changes = compare_layouts(k_before, k_before, 64);
  EXPECT_TRUE(changes.grown.empty());
  EXPECT_TRUE(changes.notes.empty());
}

TEST(LayoutCheck, AHotRecordMayNotTakeAnotherLine) {
  Types now = k_before;
  now[0].bytes = 72;
  now[1].bytes = 400;  // cold
  now[2].bytes = 40;   // in the same line
  const LayoutChanges changes = compare_layouts(k_before, now, 64);
  ASSERT_EQ(changes.grown.size(), 1u);
  EXPECT_NE(changes.grown[0].find("struct a: 72 bytes instead of 64: 2 lines of the cache instead of 1"), std::string::npos);
  EXPECT_EQ(changes.notes, std::vector<std::string>{"struct c: 40 bytes instead of 32"});
  EXPECT_TRUE(compare_layouts(k_before, now, 128).grown.empty());
}

// One that was cold when the baseline was made counts, too.
TEST(LayoutCheck, ARecordThatBecomesHotCounts) {
  Types now = k_before;
  now[1] = {"struct b", 400, true, 2, "02"};
  EXPECT_EQ(compare_layouts(k_before, now, 64).grown.size(), 1u);
}

TEST(LayoutCheck, OtherOrdersAndNewRecordsAreNotes) {
  Types now = k_before;
  now[0].order = "09";
  now.push_back({"struct d", 200, true, 2, "04"});
  const LayoutChanges changes = compare_layouts(k_before, now, 64);
  EXPECT_TRUE(changes.grown.empty());
  EXPECT_EQ(changes.notes.size(), 2u);
}

TEST(LayoutCheck, TheFileSaysTheSame) {
  const auto read = feedback::parse_layout_baseline(feedback::layout_baseline_text(k_before), "f");
  ASSERT_TRUE(bool(read));
  ASSERT_EQ(read->size(), 3u);
  EXPECT_EQ((*read)[1].name, "struct b");
  EXPECT_EQ((*read)[0].bytes, 64u);
  EXPECT_TRUE((*read)[0].hot);
  EXPECT_EQ((*read)[2].order, "03");
}

TEST(LayoutCheck, OtherFilesAreFaults) {
  for (const char* text : {"", "[]", "{}", "{\"memprof_layout\":2,\"types\":[]}", "{\"memprof_layout\":1}",
                           "{\"memprof_layout\":1,\"types\":[{\"name\":7,\"bytes\":1}]}",
                           "{\"memprof_layout\":1,\"types\":[{\"name\":\"a\",\"bytes\":-1}]}"})
    EXPECT_FALSE(bool(feedback::parse_layout_baseline(text, "f"))) << text;
}

}  // namespace
}  // namespace memprof::cli
