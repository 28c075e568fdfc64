// command_test.cc - the command line of a sub-command.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/cli/command.h"

#include <gtest/gtest.h>

namespace memprof::cli {
namespace {

const Option k_options[] = {
    {"top", "N", "rows"},
    {"loops", nullptr, "loops"},
    {"output", "FILE", "where to"},
};

const Command k_show = {"show", "PROFILE", "summary", "details", k_options, 1, 1, false, nullptr};
const Command k_run = {"run", "COMMAND...", "summary", "details", k_options, 1, -1, true, nullptr};

feedback::Result<Arguments> parse(const Command& command, std::vector<const char*> words) {
  return parse_arguments(command, words);
}

std::string trouble(const Command& command, std::vector<const char*> words) {
  auto r = parse(command, std::move(words));
  return r ? "accepted" : r.error().what;
}

TEST(Arguments, ValuesJoinedAndApart) {
  auto r = parse(k_show, {"--top=3", "a.json", "--loops"});
  ASSERT_TRUE(r);
  EXPECT_EQ(r->value("top"), "3");
  EXPECT_TRUE(r->has("loops"));
  EXPECT_FALSE(r->json());
  EXPECT_EQ(r->operands(), std::vector<std::string>{"a.json"});
  r = parse(k_show, {"--top", "4", "--top", "5", "--json", "a.json"});
  ASSERT_TRUE(r);
  EXPECT_EQ(r->value("top"), "5") << "the last one counts";
  EXPECT_TRUE(r->json());
  r = parse(k_show, {"a.json", "-o", "x"});
  ASSERT_TRUE(r);
  EXPECT_EQ(r->value("output"), "x");
  EXPECT_EQ(r->value("top", "10"), "10");
}

TEST(Arguments, DashDashEndsOptions) {
  auto r = parse(k_show, {"--", "--loops"});
  ASSERT_TRUE(r);
  EXPECT_FALSE(r->has("loops"));
  EXPECT_EQ(r->operands(), std::vector<std::string>{"--loops"});
  r = parse(k_show, {"-"});
  ASSERT_TRUE(r);
  EXPECT_EQ(r->operands(), std::vector<std::string>{"-"});
}

TEST(Arguments, AnothersOptionsStayAnothers) {
  auto r = parse(k_run, {"--loops", "./prog", "--top", "-o", "--", "x"});
  ASSERT_TRUE(r);
  EXPECT_TRUE(r->has("loops"));
  EXPECT_FALSE(r->has("top"));
  EXPECT_EQ(r->operands(), (std::vector<std::string>{"./prog", "--top", "-o", "--", "x"}));
}

TEST(Arguments, WrongUseNamesTheCommandAndTheRemedy) {
  EXPECT_EQ(trouble(k_show, {"--bogus", "x"}),
            "show: unknown option '--bogus'; try: memprof show --help");
  EXPECT_EQ(trouble(k_show, {"-z", "x"}), "show: unknown option '-z'; try: memprof show --help");
  EXPECT_EQ(trouble(k_show, {"--loops=1", "x"}),
            "show: option '--loops' takes no value; try: memprof show --help");
  EXPECT_EQ(trouble(k_show, {"x", "--top"}),
            "show: option '--top' needs a value (N); try: memprof show --help");
  EXPECT_EQ(trouble(k_show, {}), "show: expected PROFILE; try: memprof show --help");
  EXPECT_EQ(trouble(k_show, {"a", "b"}),
            "show: unexpected argument 'b'; try: memprof show --help");
}

TEST(Arguments, HelpNeedsNoOperands) {
  auto r = parse(k_show, {"--help"});
  ASSERT_TRUE(r);
  EXPECT_TRUE(r->has("help"));
}

TEST(Arguments, NumbersAreChecked) {
  auto number = [&](const char* word) {
    auto r = parse(k_show, {word, "x"});
    return number_argument(*r, "top", 10, 99);
  };
  EXPECT_EQ(*number("--loops"), 10u);
  EXPECT_EQ(*number("--top=0"), 0u);
  EXPECT_EQ(*number("--top=99"), 99u);
  for (const char* bad : {"--top=100", "--top=-1", "--top=", "--top=3x", "--top= 3",
                          "--top=99999999999999999999"})
    EXPECT_FALSE(number(bad)) << bad;
}

TEST(Help, ListsEveryOptionAligned) {
  EXPECT_EQ(help_text(k_show),
            "Usage: memprof show [OPTION]... PROFILE\n\ndetails\n\n"
            "  --top=N        rows\n"
            "  --loops        loops\n"
            "  --output=FILE  where to\n"
            "  --json         print JSON instead of text\n"
            "  --help         print this text\n");
}

}  // namespace
}  // namespace memprof::cli
