// run_options_test.cc - what MPRT_OPTIONS says to the backend.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/run_options.h"

#include <gtest/gtest.h>

namespace memprof::backend {
namespace {

TEST(RunOptions, TheFirstColonOfALabelIsPartOfIt) {
  const RunOptions o = parse_run_options("label=input:large:merge=0:label=commit:1f3a label=url:a\\:b");
  ASSERT_EQ(o.labels.size(), 3u);
  EXPECT_EQ(o.labels[0].name, "input");
  EXPECT_EQ(o.labels[0].value, "large");
  EXPECT_EQ(o.labels[1].value, "1f3a");
  EXPECT_EQ(o.labels[2].value, "a:b");
  EXPECT_FALSE(o.merge);
}

TEST(RunOptions, TheLastLabelOfANameStays) {
  const RunOptions o = parse_run_options("label=input:small:label=input:large");
  ASSERT_EQ(o.labels.size(), 1u);
  EXPECT_EQ(o.labels[0].value, "large");
}

TEST(RunOptions, ALabelWithoutAValueIsEmpty) {
  const RunOptions o = parse_run_options("output=a label=nightly");
  ASSERT_EQ(o.labels.size(), 1u);
  EXPECT_EQ(o.labels[0].name, "nightly");
  EXPECT_EQ(o.labels[0].value, "");
  EXPECT_EQ(o.output, "a");
}

}  // namespace
}  // namespace memprof::backend
