// cmd_merge.cc - memprof merge: several profiles of a program as one.
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cstdio>
#include <utility>

#include "consumers/cli/command.h"
#include "consumers/cli/table.h"
#include "feedback/json_report.h"
#include "feedback/merge.h"
#include "feedback/reader.h"
#include "feedback/writer.h"

namespace memprof::cli {
namespace {

const Option k_options[] = {
    {"output", "FILE", "where to write (also -o; default: standard output)"},
};

void note(const std::string& text) {
  std::fprintf(stderr, "memprof: note: %s\n", printable(text).c_str());
}

// What the sum, whose head is SUM, cannot say because of NEXT.
void warn(const feedback::Profile& sum, const feedback::Profile& next,
          const std::string& path) {
  if (sum.program.build_id != next.program.build_id)
    note(path + ": another build of the program than the profiles before it; only "
                "functions that are the same in both add up");
  if (sum.run.mode != next.run.mode)
    note(path + ": made in mode " + next.run.mode + ", the profiles before it in mode " +
         sum.run.mode);
  for (const auto* pair : {&sum, &next})
    for (const std::string& table : pair->sections) {
      const auto& others = (pair == &sum ? next : sum).sections;
      if (std::find(others.begin(), others.end(), table) == others.end())
        note(path + ": table " + table + " is left out, because not all profiles have it");
    }
}

void print_summary(const feedback::Run& run, std::size_t files,
                   const std::string& output) {
  feedback::JsonReport json;
  json.open_object();
  json.member("output", output);
  json.member("profiles", std::uint64_t(files));
  json.member("runs", run.runs);
  json.member("accesses", run.accesses);
  json.close_object();
  std::fputs(json.text().c_str(), stdout);
}

int run(const Arguments& arguments) {
  const std::string output = arguments.value("output");
  const bool to_file = !output.empty() && output != "-";
  if (arguments.json() && !to_file)
    return fail("merge: --json prints a summary, so it needs --output=FILE");
  feedback::Merger merger;
  for (std::size_t i = 0; i < arguments.operands().size(); i++) {
    const std::string& path = arguments.operands()[i];
    auto profile = feedback::read_profile(path);
    if (!profile) return fail(profile.error());
    if (i > 0) warn(merger.head(), *profile, path);
    merger.add(std::move(*profile));
  }
  feedback::Profile sum = merger.result();
  if (!to_file) {
    std::fputs(feedback::to_json(std::move(sum)).c_str(), stdout);
    return k_ok;
  }
  const feedback::Run sum_run = sum.run;
  auto written = feedback::write_profile(std::move(sum), output);
  if (!written) return fail(written.error());
  if (arguments.json()) print_summary(sum_run, arguments.operands().size(), output);
  return k_ok;
}

}  // namespace

const Command k_merge_command = {
    "merge",
    "PROFILE...",
    "add profiles of the same build",
    "Writes one profile, as if the runs behind all PROFILEs had been one: counts\n"
    "add, frequencies and classes are computed again.  A table that one PROFILE\n"
    "lacks is left out.  With one PROFILE: the same profile in canonical order,\n"
    "with a new index.",
    k_options, 1, -1, false, run};

}  // namespace memprof::cli
