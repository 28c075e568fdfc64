// regularity_options_test.cc - regularity= of MPRT_OPTIONS.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/modules/regularity/regularity_options.h"

#include <gtest/gtest.h>

namespace memprof::backend {
namespace {

TEST(RegularityOptions, AreReadWordByWord) {
  RegularityOptions options;
  EXPECT_TRUE(parse_regularity_options("", options));
  EXPECT_EQ(options, RegularityOptions{});
  EXPECT_TRUE(parse_regularity_options("window=32,expire=0", options));
  EXPECT_EQ(options, (RegularityOptions{32, 0, 0}));
  EXPECT_TRUE(parse_regularity_options("samples=20", options));
  EXPECT_EQ(options, (RegularityOptions{32, 0, 20}));
  EXPECT_TRUE(parse_regularity_options("window=2", options));
  EXPECT_TRUE(parse_regularity_options("window=4096", options));
}

TEST(RegularityOptions, ChangeNothingWhereAWordMakesNoSense) {
  for (const char* text : {"window=1", "window=4097", "window=", "window", "expire=-1", "expire=4x",
                           "life=3", "expire=5,,", "expire=5,window=0"}) {
    RegularityOptions options;
    EXPECT_FALSE(parse_regularity_options(text, options)) << text;
    EXPECT_EQ(options, RegularityOptions{}) << text;
  }
}

}  // namespace
}  // namespace memprof::backend
