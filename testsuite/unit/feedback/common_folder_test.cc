// common_folder_test.cc - names of files of one program that was built in two folders.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "feedback/common_folder.h"

#include <gtest/gtest.h>

namespace memprof::feedback {
namespace {

Profile with_modules(const std::vector<std::string>& files) {
  Profile p;
  for (const std::string& file : files) p.modules.emplace_back().file = file;
  return p;
}

TEST(CommonFolder, IsThatOfAllModules) {
  EXPECT_EQ(common_folder(with_modules({"/b/1/src/a.c", "/b/1/lib/b.c"})), "/b/1/");
  EXPECT_EQ(common_folder(with_modules({"/b/12/a.c", "/b/1/b.c"})), "/b/");
  EXPECT_EQ(common_folder(with_modules({"a.c", "/b/1/b.c"})), "");
  EXPECT_EQ(common_folder(with_modules({"/a/a.c", "/b/b.c"})), "");
  EXPECT_EQ(common_folder(Profile()), "");
}

TEST(CommonFolder, IsTakenOffWhereANameBegins) {
  std::string text = "/b/1/a.c:3 < /b/1/b.c:9, not /x/b/1/a.c";
  shorten("/b/1/", text);
  EXPECT_EQ(text, "a.c:3 < b.c:9, not /x/b/1/a.c");
}

TEST(CommonFolder, TwoBuildsBecomeComparable) {
  Profile a = with_modules({"/b/1/src/a.c", "/b/1/lib/b.c"}), b = with_modules({"../src/a.c", "../lib/b.c"});
  a.groups.emplace_back().file = "/b/1/src/a.c";
  make_comparable(a, b);
  EXPECT_EQ(a.modules[0].file, "src/a.c");
  EXPECT_EQ(b.modules[1].file, "lib/b.c");
  EXPECT_EQ(a.groups[0].file, "src/a.c");
}

TEST(CommonFolder, WhatHasANameInCommonStays) {
  Profile a = with_modules({"src/a.c"}), b = with_modules({"src/a.c", "src/b.c"});
  make_comparable(a, b);
  EXPECT_EQ(b.modules[1].file, "src/b.c");
}

}  // namespace
}  // namespace memprof::feedback
