// table_test.cc - columns, widths and numbers of text tables.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/cli/table.h"

#include <gtest/gtest.h>

namespace memprof::cli {
namespace {

TEST(Table, AlignsColumnsAndTrimsLines) {
  Table table({{"n", true}, {"where"}, {"what"}});
  table.add_row({"1,000", "a.c:1", "x"});
  table.add_row({"7", "directory/b.c:20", "yy"});
  EXPECT_EQ(table.text(Style{}),
            "    n  where             what\n"
            "1,000  a.c:1             x\n"
            "    7  directory/b.c:20  yy\n");
}

TEST(Table, CutsLongCells) {
  Table table({{"text", false, 8}, {"n", true}});
  table.add_row({"12345678", "1"});
  table.add_row({"123456789", "2"});
  EXPECT_EQ(table.text(Style{}), "text      n\n12345678  1\n123...89  2\n");
}

TEST(Table, CountsCodePointsNotBytes) {
  Table table({{"x", false, 4}, {"y"}});
  table.add_row({"\u00e4\u00f6\u00fc\u00df", "1"});       // 4 columns, 8 bytes
  table.add_row({"\u00e4\u00f6\u00fc\u00df\u00e4", "2"});
  EXPECT_EQ(table.text(Style{}), "x     y\n\u00e4\u00f6\u00fc\u00df  1\n\u00e4...  2\n");
}

TEST(Table, ColoursDoNotMoveColumns) {
  Table table({{"a"}, {"b"}});
  table.add_row({Cell("ok", Tint::good), "x"});
  table.add_row({Cell("FAILED", Tint::bad), "y"});
  Style style;
  style.colour = true;
  EXPECT_EQ(table.text(style),
            "\033[1ma       b\033[0m\n"
            "\033[32mok    \033[0m  x\n"
            "\033[31mFAILED\033[0m  y\n");
}

TEST(Table, SourceTextCannotDriveTheTerminal) {
  Table table({{"a"}});
  table.add_row({"x\033[2Jy\n\tz\x7f"});
  EXPECT_EQ(table.text(Style{}), "a\nx?[2Jy??z?\n");
  EXPECT_EQ(printable("\xc2\x9bq \u00e4"), "??q \u00e4");
}

TEST(Numbers, AreGrouped) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(123456), "123,456");
  EXPECT_EQ(grouped(18446744073709551615u), "18,446,744,073,709,551,615");
}

TEST(Numbers, ReadAsPeopleExpect) {
  EXPECT_EQ(percent(0.1234), "12.3 %");
  EXPECT_EQ(percent(1), "100.0 %");
  EXPECT_EQ(signed_bytes(8), "+8");
  EXPECT_EQ(signed_bytes(0), "0");
  EXPECT_EQ(signed_bytes(-16), "-16");
  EXPECT_EQ(counted(1, "loop"), "1 loop");
  EXPECT_EQ(counted(0, "loop"), "0 loops");
  EXPECT_EQ(counted(1200, "access", "accesses"), "1,200 accesses");
  EXPECT_EQ(decimal(2.5), "2.5");
  EXPECT_EQ(decimal(12345.6), "12,346");
}

TEST(Numbers, TimesAreInUtc) {
  EXPECT_EQ(utc_text(0), "1970-01-01T00:00:00Z");
  EXPECT_EQ(utc_text(1700000000), "2023-11-14T22:13:20Z");
  EXPECT_EQ(utc_text(~std::uint64_t{0}), "9999-12-31T23:59:59Z");
}

TEST(Numbers, SizesHaveBinaryUnits) {
  EXPECT_EQ(size_text(0), "0 B");
  EXPECT_EQ(size_text(1023), "1023 B");
  EXPECT_EQ(size_text(1024), "1 KiB");
  EXPECT_EQ(size_text(1536), "1.5 KiB");
  EXPECT_EQ(size_text(1048575), "1 MiB");  // not 1024.0 KiB
  EXPECT_EQ(size_text(std::uint64_t{3} << 30), "3 GiB");
  EXPECT_EQ(size_text(18446744073709551615u), "16 EiB");
}

}  // namespace
TEST(Shortened, LeavesOutTheMiddle) {
  EXPECT_EQ(shortened(std::string(80, 'x')), std::string(80, 'x'));
  const std::string text = shortened("first" + std::string(200, 'x') + "last");
  EXPECT_LE(text.size(), 80u);
  EXPECT_TRUE(text.starts_with("firstx") && text.ends_with("xlast")) << text;
  std::string many;
  for (int i = 0; i < 60; i++) many += "\u00e4";
  EXPECT_EQ(printable(shortened(many)), shortened(many));
}

}  // namespace memprof::cli
