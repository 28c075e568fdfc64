// json_report_test.cc - reports as JSON text.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "feedback/json_report.h"

#include <gtest/gtest.h>

namespace memprof::feedback {
namespace {

TEST(JsonReport, NestsWithCommasAndLines) {
  JsonReport json;
  json.open_object();
  json.member("a", 1);
  json.key("rows");
  json.open_array();
  for (int i = 0; i < 2; ++i) {
    json.open_object();
    json.member("x", i);
    json.member("y", true);
    json.close_object();
  }
  json.close_array();
  json.key("none");
  json.open_array();
  json.close_array();
  json.close_object();
  EXPECT_EQ(json.text(),
            "{\n \"a\": 1,\n \"rows\": [\n  {\"x\": 0, \"y\": true},\n"
            "  {\"x\": 1, \"y\": true}\n ],\n \"none\": []\n}\n");
}

std::string one(auto value) {
  JsonReport json;
  json.value(value);
  return json.text();
}

TEST(JsonReport, QuotesAnything) {
  EXPECT_EQ(one("a\"b\\c\n"), "\"a\\\"b\\\\c\\n\"\n");
  EXPECT_EQ(one("\u00e4 \U0001f600"), "\"\u00e4 \U0001f600\"\n");
  EXPECT_EQ(one("x\xffy"), "\"x\ufffdy\"\n");
  EXPECT_EQ(one("\xc0\x80"), "\"\ufffd\ufffd\"\n");             // overlong
  EXPECT_EQ(one("\xed\xa0\x80"), "\"\ufffd\ufffd\ufffd\"\n");  // surrogate
  EXPECT_EQ(one("\xe2\x82"), "\"\ufffd\ufffd\"\n");             // cut off
}

TEST(JsonReport, LargeIntegersAreHexStrings) {
  EXPECT_EQ(one(std::uint64_t{1} << 53), "9007199254740992\n");
  EXPECT_EQ(one((std::uint64_t{1} << 53) + 1), "\"0x20000000000001\"\n");
  EXPECT_EQ(one(std::int64_t{-5}), "-5\n");
  EXPECT_EQ(one(INT64_MIN), "\"-0x8000000000000000\"\n");
}

TEST(JsonReport, NumbersAreAlwaysJson) {
  EXPECT_EQ(one(0.25), "0.25\n");
  EXPECT_EQ(one(1.0 / 0.0 * 0), "0\n");
}

}  // namespace
}  // namespace memprof::feedback
