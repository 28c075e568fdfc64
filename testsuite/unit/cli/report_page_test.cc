// report_page_test.cc - text that goes into a page or to a shell: nothing ends it early.
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "consumers/cli/report/command_line.h"
#include "consumers/cli/report/page.h"
#include "consumers/cli/report/report_data.h"
#include "consumers/cli/report/write_report.h"

namespace memprof::cli {
namespace {

TEST(ReportPage, JsonCannotEndItsElement) {
  EXPECT_EQ(script_safe("{\"a\": \"</script><!--\"}"), "{\"a\": \"\\u003c/script>\\u003c!--\"}");
  EXPECT_EQ(script_safe("\xe2\x80\xa8 \xe2\x80\xa9 \xe2\x80\xaa"), "\\u2028 \\u2029 \xe2\x80\xaa");
  const std::string page = report_page("</title>&", "{\"x\": \"@style@ </script>\"}", "null");
  EXPECT_NE(page.find("<title>&lt;/title&gt;&amp; - memprof</title>"), std::string::npos);
  EXPECT_NE(page.find("{\"x\": \"@style@ \\u003c/script>\"}"), std::string::npos);
  EXPECT_EQ(page.find("http:"), page.find("http://www.w3.org/2000/svg"));
}

TEST(ReportPage, LongNamesLoseTheirMiddleBetweenCharacters) {
  EXPECT_EQ(brief("short"), "short");
  std::string name;
  for (int i = 0; i < 5000; i++) name += "\xc3\xa4";
  const std::string cut = brief("x" + name);
  EXPECT_LT(cut.size(), 400u);
  EXPECT_EQ(cut.find(" ... ") % 2, 1u);  // x and whole characters
  EXPECT_EQ((cut.size() - cut.find(" ... ") - 5) % 2, 0u);
}

TEST(ReportPage, TheCommandCanBePasted) {
  EXPECT_EQ(report_command("a.memprof.json"), "memprof report a.memprof.json");
  EXPECT_EQ(report_command("my prog's.json"), "memprof report 'my prog'\\''s.json'");
  EXPECT_EQ(report_command("-x.json", "v.json"), "memprof report --verify=v.json -- '-x.json'");
  EXPECT_EQ(page_name("dir/a.memprof.json"), "dir/a.memprof.html");
  EXPECT_EQ(page_name("a"), "a.html");
}

}  // namespace
}  // namespace memprof::cli
