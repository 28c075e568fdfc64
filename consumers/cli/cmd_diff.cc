// cmd_diff.cc - memprof diff: how alike two profiles are, or what changed.
// SPDX-License-Identifier: GPL-3.0-or-later
#include <cstdio>

#include "consumers/cli/change_report.h"
#include "consumers/cli/command.h"
#include "consumers/cli/table.h"
#include "feedback/common_folder.h"
#include "feedback/diff.h"
#include "feedback/json_report.h"
#include "feedback/reader.h"

namespace memprof::cli {
namespace {

const Option k_options[] = {
    {"changes", nullptr, "what grew and shrank from the first to the second, largest first"},
    {"threshold", "PERCENT", "exit with 1 when an overlap is below it, with --changes a change above it"},
    {"fail-on", "LIST", "exit with 1 when more grew than LIST allows, such as misses+5%,layout; implies --changes"},
    {"format", "FORMAT", "text (default) or markdown, for the summary of a build; markdown implies --changes"},
    {"top", "N", "with --changes: at most N rows of a table (default 20, 0 = all)"},
};

struct Row {
  const char* name;
  const char* section;  // null: always there
  double overlap;
};

bool has(const feedback::Profile& profile, const char* section) {
  if (!section) return true;
  for (const std::string& s : profile.sections)
    if (s == section) return true;
  return false;
}

void print_text(const std::vector<Row>& rows, const feedback::Difference& d) {
  const Style style = Style::of(stdout);
  Table overlaps({{"table"}, {"overlap", true}});
  for (const Row& row : rows) overlaps.add_row({row.name, percent(row.overlap)});
  std::fputs(overlaps.text(style).c_str(), stdout);
  std::printf("\nfunctions in both: %s\n", percent(d.matched_functions).c_str());
  if (d.largest.empty()) return;
  std::printf("\nsites whose share of the executions differs most:\n");
  Table sites({{"first", true}, {"second", true}, {"site"}});
  for (const feedback::SiteDifference& s : d.largest)
    sites.add_row({grouped(s.a), grouped(s.b), printable(s.where)});
  std::fputs(sites.text(style).c_str(), stdout);
}

void print_json(const std::vector<Row>& rows, const feedback::Difference& d) {
  feedback::JsonReport json;
  json.open_object();
  json.key("overlap");
  json.open_object();
  for (const Row& row : rows) json.member(row.name, row.overlap);
  json.close_object();
  json.member("matched_functions", d.matched_functions);
  json.key("largest");
  json.open_array();
  for (const feedback::SiteDifference& s : d.largest) {
    json.open_object();
    json.member("where", s.where);
    json.member("a", s.a);
    json.member("b", s.b);
    json.close_object();
  }
  json.close_array();
  json.close_object();
  std::fputs(json.text().c_str(), stdout);
}

// Answers --changes.
int run_changes(const Arguments& arguments, const feedback::Profile& before,
                const feedback::Profile& after, unsigned long threshold) {
  auto top = number_argument(arguments, "top", 20, 1000000000);
  if (!top) return fail(top.error());
  const feedback::Changes changes = feedback::changes(before, after);
  if (arguments.json()) {
    feedback::JsonReport json;
    json.open_object();
    changes_json(changes, *top, json);
    json.close_object();
    std::fputs(json.text().c_str(), stdout);
  } else if (arguments.value("format") == "markdown") {
    std::fputs(changes_markdown(changes, *top).c_str(), stdout);
  } else {
    std::fputs(changes_text(changes, *top, Style::of(stdout)).c_str(), stdout);
  }
  if (arguments.has("fail-on")) {
    const auto limits = growth_limits(arguments.value("fail-on"));
    if (!limits) return fail(limits.error());
    const std::vector<std::string> found = excesses(*limits, changes, before, after);
    for (const std::string& text : found) fail(text);
    if (!found.empty()) return k_negative;
  }
  return arguments.has("threshold") && greatest_change(changes) * 100 > double(threshold)
             ? k_negative
             : k_ok;
}

int run(const Arguments& arguments) {
  auto threshold = number_argument(arguments, "threshold", 0, 100);
  if (!threshold) return fail(threshold.error());
  const std::string format = arguments.value("format", "text");
  if (format != "text" && format != "markdown")
    return fail("diff: --format: expected text or markdown, found '" + format + "'");
  auto a = feedback::read_profile(arguments.operands()[0], feedback::Input::descriptor_too);
  if (!a) return fail(a.error());
  auto b = feedback::read_profile(arguments.operands()[1], feedback::Input::descriptor_too);
  if (!b) return fail(b.error());
  feedback::make_comparable(*a, *b);
  if (arguments.has("changes") || arguments.has("fail-on") || format == "markdown")
    return run_changes(arguments, *a, *b, *threshold);
  const feedback::Difference d = feedback::diff(*a, *b);
  std::vector<Row> rows;
  for (const Row& row : {Row{"executions", nullptr, d.executions},
                         Row{"dependences", "dependences", d.dependences},
                         Row{"flow", "dependences", d.flow},
                         Row{"strides", "strides", d.strides},
                         Row{"points_to", "points_to", d.points_to}})
    if (has(*a, row.section) && has(*b, row.section)) rows.push_back(row);
  if (arguments.json())
    print_json(rows, d);
  else
    print_text(rows, d);
  for (const Row& row : rows)
    if (row.overlap * 100 < double(*threshold)) return k_negative;
  return k_ok;
}

}  // namespace

const Command k_diff_command = {
    "diff",
    "PROFILE PROFILE",
    "say how alike two profiles are, or what changed",
    "Prints the overlap of the two profiles in each table that both have: the sum\n"
    "over all rows of the smaller of the two shares of its count, as gcov-tool\n"
    "computes it.  100 % means the same distribution, 0 % nothing in common.\n"
    "Rows are matched by function, checksum and position, never by line; of builds in two\n"
    "folders, files by their names below these.\n"
    "With --changes: the signed changes of accesses, misses, memory and dependences;\n"
    "the sites of a function that changed are aligned.",
    k_options, 2, 2, false, run};

}  // namespace memprof::cli
