// cmd_verify.cc - memprof verify: measures what each transformation is worth here.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Decisions come from a model of the machine and from one input; this command
// asks the machine:
//
//   1. build with everything, with nothing, and with each transformation that
//      has done something switched off;
//   2. run these programs in turn, compare run times round by round;
//   3. what makes the program slower is narrowed down to functions and places;
//   4. those go to a veto file for -fprofile-mem-veto=;
//   5. build with the vetoes, and measure that, too.
//
// With --trials it is one build and one run: prefetches measure themselves (runtime/tune/tune.h), and those
// that do not pay go to the veto file.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iterator>

#include "consumers/cli/command.h"
#include "consumers/cli/report/command_line.h"
#include "consumers/cli/report/write_report.h"
#include "consumers/cli/table.h"
#include "consumers/cli/verify_builds.h"
#include "consumers/cli/verify_output.h"
#include "consumers/cli/verify_trials.h"
#include "consumers/decide/decision.h"
#include "feedback/json_report.h"

namespace memprof::cli {
namespace {

const Option k_options[] = {
    {"build", "COMMAND", "shell command that compiles everything with the profile (make -B)"},
    {"rounds", "N", "runs of each program (default 15)"},
    {"tolerance", "PERMILLE", "differences to ignore, in thousandths (default 10)"},
    {"veto", "FILE", "where entries go (default memprof.veto)"},
    {"builds", "N", "at most N builds to narrow losses down (default 40)"},
    {"trials", nullptr, "one build and one run, in which prefetches measure themselves"},
    {"wall", nullptr, "compare elapsed time instead of processor time"},
    {"report", "PROFILE", "also write the page of PROFILE, with what was measured"},
};

struct Row {
  std::string name;      // a transformation, "all", "all with vetoes"
  std::size_t taken = 0; // decisions
  Comparison gain;       // time without it / time with it
  double with = 0, without = 0;  // medians, seconds
  bool loses = false;
};

struct Verdict {
  std::vector<Row> rows;
  std::vector<std::string> vetoes;
  int builds = 0;
  std::string remarks;  // of the build with everything
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() / 2];
}

struct Plan {
  int rounds, budget;
  double tolerance;
  std::string veto_file;
};

std::string all_kinds() {
  std::string list;
  for (decide::Transformation kind : decide::k_transformations)
    list += (list.empty() ? "" : ",") + std::string(decide::name(kind));
  return list;
}

Row row(const std::string& name, std::size_t taken, const std::vector<double>& without,
        const std::vector<double>& with, double tolerance) {
  Row r{name, taken, compare(without, with), median(with), median(without), false};
  r.loses = r.gain.second_slower(tolerance);
  return r;
}

// Steps 1 to 5.
feedback::Result<Verdict> verify(Builds& builds, const Plan& plan, bool quiet) {
  progress(quiet, "building with and without the profile");
  auto everything = builds.first({});
  if (!everything) return everything.error();
  auto nothing = builds.build({all_kinds(), {}});
  if (!nothing) return nothing.error();
  std::vector<decide::Transformation> kinds;
  std::vector<Variant> without;
  for (decide::Transformation kind : decide::k_transformations)
    if (std::any_of(everything->decisions.begin(), everything->decisions.end(),
                    [&](const Decision& d) { return d.transformation == kind; })) {
      auto variant = builds.build({decide::name(kind), {}});
      if (!variant) return variant.error();
      kinds.push_back(kind);
      without.push_back(std::move(*variant));
    }
  progress(quiet, "running " + counted(kinds.size() + 2, "build") + ", " +
                      counted(static_cast<std::uint64_t>(plan.rounds), "round"));
  std::vector<const Variant*> variants = {&*everything, &*nothing};
  for (const Variant& v : without) variants.push_back(&v);
  auto seconds = builds.measure(variants, plan.rounds);
  if (!seconds) return seconds.error();

  Verdict verdict;
  verdict.rows.push_back(row("all", everything->decisions.size(), (*seconds)[1], (*seconds)[0],
                             plan.tolerance));
  int budget = plan.budget;
  std::optional<feedback::Error> failure;
  for (std::size_t k = 0; k < kinds.size(); k++) {
    std::vector<Decision> taken;
    std::copy_if(everything->decisions.begin(), everything->decisions.end(),
                 std::back_inserter(taken), [&](const Decision& d) { return d.transformation == kinds[k]; });
    verdict.rows.push_back(row(decide::name(kinds[k]), taken.size(), (*seconds)[k + 2], (*seconds)[0],
                               plan.tolerance));
    if (!verdict.rows.back().loses) continue;
    progress(quiet, decide::name(kinds[k]) + std::string(" loses: looking for the place"));
    const Trial trial = [&](const std::vector<std::string>& vetoes) {
      if (failure) return false;
      auto variant = builds.build({"", vetoes});
      if (!variant) {
        failure = variant.error();
        return false;
      }
      auto times = builds.measure({&*everything, &*variant}, plan.rounds);
      if (!times) {
        failure = times.error();
        return false;
      }
      return compare((*times)[0], (*times)[1]).second_faster(plan.tolerance);
    };
    for (std::string& veto : narrow(taken, trial, budget)) verdict.vetoes.push_back(std::move(veto));
    if (failure) return *failure;
  }
  // The program that stays is the one that the veto file makes.
  auto last = builds.build({"", verdict.vetoes});
  if (!last) return last.error();
  if (!verdict.vetoes.empty()) {
    auto times = builds.measure({&*nothing, &*last}, plan.rounds);
    if (!times) return times.error();
    verdict.rows.push_back(row("all with vetoes", last->decisions.size(), (*times)[0], (*times)[1],
                               plan.tolerance));
  }
  verdict.builds = builds.count();
  verdict.remarks = everything->remark_text;
  return verdict;
}

void print_text(const Verdict& verdict, const Plan& plan) {
  Table table({{"transformation"}, {"taken", true}, {"gain", true}, {"95 % interval"},
               {"with, s", true}, {"without, s", true}, {"verdict"}});
  for (const Row& r : verdict.rows)
    table.add_row({r.name, grouped(r.taken), ratio_text(r.gain.ratio),
                   ratio_text(r.gain.low) + " .. " + ratio_text(r.gain.high), ratio_text(r.with),
                   ratio_text(r.without),
                   r.loses                                    ? Cell("loses", Tint::bad)
                   : r.gain.second_faster(plan.tolerance) ? Cell("gains", Tint::good)
                                                              : Cell("no difference")});
  std::fputs(table.text(Style::of(stdout)).c_str(), stdout);
  print_vetoes(verdict.vetoes, plan.veto_file);
}

std::string json_text(const Verdict& verdict, const Plan& plan) {
  feedback::JsonReport json;
  json.open_object();
  json.key("transformations");
  json.open_array();
  for (const Row& r : verdict.rows) {
    json.open_object();
    json.member("name", r.name);
    json.member("taken", static_cast<std::uint64_t>(r.taken));
    json.member("gain", r.gain.ratio);
    json.member("low", r.gain.low);
    json.member("high", r.gain.high);
    json.member("seconds_with", r.with);
    json.member("seconds_without", r.without);
    json.member("loses", r.loses);
    json.close_object();
  }
  json.close_array();
  print_vetoes(json, verdict.vetoes, plan.veto_file);
  json.member("builds", static_cast<std::uint64_t>(verdict.builds));
  json.close_object();
  return json.text();
}

// Answers --report.
feedback::Status write_report(const Verdict& verdict, const Plan& plan, const std::string& profile,
                              bool quiet) {
  ReportRequest request;
  request.profile = profile;
  request.decisions = decide::read_remarks(verdict.remarks);
  request.verified = json_text(verdict, plan);
  auto page = make_report(request);
  if (!page) return page.error();
  auto written = write_page(page_name(profile), *page);
  if (written) progress(quiet, "the page is in " + page_name(profile));
  return written;
}

int run(const Arguments& arguments) {
  const auto& words = arguments.operands();
  const std::string command = arguments.value("build");
  if (command.empty()) return fail("verify: --build=COMMAND is missing; try --build='make -B'");
  if (words[0].find('/') == std::string::npos)
    return fail("verify: " + words[0] + ": name the program that is built by its path: ./" + words[0]);
  auto rounds = number_argument(arguments, "rounds", 15, 10000);
  auto tolerance = number_argument(arguments, "tolerance", 10, 1000);
  auto limit = number_argument(arguments, "builds", 40, 10000);
  for (const auto* number : {&rounds, &tolerance, &limit})
    if (!*number) return fail(number->error());
  if (*rounds < 3) return fail("verify: --rounds: fewer than 3 say nothing");
  const Plan plan{static_cast<int>(*rounds), static_cast<int>(*limit),
                  static_cast<double>(*tolerance) / 1000, arguments.value("veto", "memprof.veto")};
  Builds builds(command, words, arguments.has("wall"));
  if (arguments.has("trials")) return verify_trials(builds, plan.veto_file, arguments.json());
  auto verdict = verify(builds, plan, arguments.json());
  if (!verdict) {
    fail(verdict.error());
    return verdict.error().kind == feedback::Error::Kind::corrupt ? k_negative : k_trouble;
  }
  if (!verdict->vetoes.empty())
    if (auto written = write_vetoes(plan.veto_file, verdict->vetoes); !written)
      return fail(written.error());
  if (arguments.json())
    std::fputs(json_text(*verdict, plan).c_str(), stdout);
  else
    print_text(*verdict, plan);
  const std::string profile = arguments.value("report");
  if (profile.empty()) {
    progress(arguments.json(), "a page to look at: the same with --json >verify.json, then " +
                                   report_command("PROFILE", "verify.json") +
                                   "; or at once with --report=PROFILE");
  } else if (auto written = write_report(*verdict, plan, profile, arguments.json()); !written) {
    return fail(written.error());
  }
  const bool loses = std::any_of(verdict->rows.begin(), verdict->rows.end(),
                                 [](const Row& r) { return r.loses; });
  return loses ? k_negative : k_ok;
}

}  // namespace

const Command k_verify_command = {
    "verify",
    "PROGRAM [ARGUMENT]...",
    "measure what each transformation of a rebuild is worth",
    "Builds PROGRAM with --build, with each transformation switched off in turn, runs\n"
    "the builds in turn and compares their times.  What makes it slower is narrowed\n"
    "down to functions and lines, which go to a veto file.  PROGRAM must print the\n"
    "same each time.  With --trials it may print anything, and only prefetches are\n"
    "judged.  Exit status 1: something loses, or the outputs differ.",
    k_options, 1, -1, true, run};

}  // namespace memprof::cli
