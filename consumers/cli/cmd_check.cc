// cmd_check.cc - memprof check: how much of a profile a rebuild could use.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Each compile of a rebuild writes into the file of -fprofile-mem-remarks how it found the
// functions that the profile knows (consumers/decide/match_row.h). What counts is not their
// number but what they execute: a function has the share of its sites' executions in those of
// the profile. A function of the profile that no compile mentions is lost, too: its source
// file was not rebuilt, or is gone.
//
// A function that several compiles have (inline, COMDAT) counts as the best of them.
#include <algorithm>
#include <cstdio>
#include <map>
#include <tuple>

#include "consumers/cli/command.h"
#include "consumers/cli/table.h"
#include "consumers/cli/text_file.h"
#include "consumers/decide/match_row.h"
#include "feedback/json_report.h"
#include "feedback/reader.h"

namespace memprof::cli {
namespace {

constexpr unsigned long k_default_top = 20;

const Option k_options[] = {
    {"matched", "PERCENT", "exit status 1 if less of the executions is used"},
    {"top", "N", "functions shown, of those that are not fully used (default 20)"},
};

struct Row {
  const feedback::Module* module;
  const feedback::Function* function;
  std::uint64_t executions = 0, used = 0;
  std::string how = "not compiled";
};

struct Summary {
  std::vector<Row> rows;  // of functions that were executed; the largest loss first
  std::uint64_t executions = 0, used = 0;
  std::map<std::string, std::uint64_t> functions;  // by how they were found

  double share() const {
    return executions ? static_cast<double>(used) / static_cast<double>(executions) : 1;
  }
};

// A function that moved has a row in another file than that of the compile.
using Key = std::pair<std::string, std::uint32_t>;

Summary sum_up(const feedback::Profile& profile, const std::vector<decide::MatchRow>& matches) {
  std::map<Key, const decide::MatchRow*> best;
  for (const decide::MatchRow& m : matches) {
    const decide::MatchRow*& known = best[{m.function, m.checksum}];
    if (!known || m.used > known->used) known = &m;
  }
  Summary sum;
  for (const feedback::Module& module : profile.modules)
    for (const feedback::Function& function : module.functions) {
      Row row{&module, &function};
      for (const feedback::Site& site : function.sites) row.executions += site.executions;
      if (!row.executions) continue;
      if (const auto at = best.find({function.linkage_name, function.checksum}); at != best.end()) {
        row.how = at->second->how;
        row.used = std::min(at->second->used, row.executions);
      }
      sum.executions += row.executions;
      sum.used += row.used;
      sum.functions[row.how]++;
      sum.rows.push_back(std::move(row));
    }
  std::stable_sort(sum.rows.begin(), sum.rows.end(), [](const Row& a, const Row& b) {
    return a.executions - a.used > b.executions - b.used;
  });
  return sum;
}

void print_json(const Summary& sum) {
  feedback::JsonReport json;
  json.open_object();
  json.member("executions", sum.executions);
  json.member("used", sum.used);
  json.key("functions");
  json.open_array();
  for (const Row& row : sum.rows) {
    json.open_object();
    json.member("file", row.module->file);
    json.member("function", row.function->linkage_name);
    json.member("how", row.how);
    json.member("executions", row.executions);
    json.member("used", row.used);
    json.close_object();
  }
  json.close_array();
  json.close_object();
  std::fputs(json.text().c_str(), stdout);
}

void print_text(const Summary& sum, unsigned long top) {
  Table table({{"lost", true}, {"executions", true}, {"match"}, {"where"}, {"function", false, 60}});
  unsigned long shown = 0;
  for (const Row& row : sum.rows) {
    if (row.used == row.executions || shown++ == top) break;
    table.add_row({percent(static_cast<double>(row.executions - row.used) /
                           static_cast<double>(sum.executions)),
                   grouped(row.executions), row.how,
                   printable(row.module->file + ":" + std::to_string(row.function->line)),
                   printable(row.function->name)});
  }
  if (!table.empty()) std::fputs(table.text(Style::of(stdout)).c_str(), stdout);
  std::printf("%s of %s used;", percent(sum.share()).c_str(),
              counted(sum.executions, "execution").c_str());
  const char* before = " functions:";
  for (const auto& [how, count] : sum.functions) {
    std::printf("%s %s %s", before, grouped(count).c_str(), how.c_str());
    before = ",";
  }
  std::printf("%s\n", sum.functions.empty() ? " no function was executed" : "");
}

int run(const Arguments& arguments) {
  auto wanted = number_argument(arguments, "matched", 0, 100);
  auto top = number_argument(arguments, "top", k_default_top, 1000000);
  if (!wanted || !top) return fail(wanted ? top.error() : wanted.error());
  auto profile = feedback::read_profile(arguments.operands()[0], feedback::Input::descriptor_too);
  if (!profile) return fail(profile.error());
  const std::string& remarks = arguments.operands()[1];
  const auto text = read_text(remarks);
  if (!text || text->empty()) return fail(remarks + ": cannot be read, or is empty");
  const Summary sum = sum_up(*profile, decide::read_matches(*text));
  if (arguments.json())
    print_json(sum);
  else
    print_text(sum, *top);
  return sum.share() * 100 < static_cast<double>(*wanted) ? k_negative : k_ok;
}

}  // namespace

const Command k_check_command = {
    "check",
    "PROFILE REMARKS",
    "how much of a profile a rebuild could use, after changes of the source",
    "REMARKS is the file of -fprofile-mem-remarks (or MPRT_REMARKS) of the rebuild:\n"
    "  rm -f R; make -B CFLAGS='... -fprofile-mem-use=P -fprofile-mem-remarks=R'\n"
    "  memprof check --matched=95 P R\n"
    "Functions are matched, salvaged (changed, and some of their accesses found again), lost\n"
    "(changed beyond that) or not compiled.",
    k_options, 2, 2, false, run};

}  // namespace memprof::cli
