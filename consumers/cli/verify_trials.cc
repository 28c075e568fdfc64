// verify_trials.cc - memprof verify --trials.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/cli/verify_trials.h"

#include <cstdio>

#include "consumers/cli/command.h"
#include "consumers/cli/table.h"
#include "consumers/cli/trial_report.h"
#include "consumers/cli/verify_output.h"

namespace memprof::cli {
namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

void print_trials(const std::vector<TrialRow>& rows) {
  Table table({{"prefetches of a nest"}, {"without, ns", true}, {"with, ns", true}, {"gain", true},
               {"predicted", true}, {"verdict"}});
  for (const TrialRow& r : rows)
    table.add_row({printable(joined(r.places)), r.nanoseconds.empty() ? "-" : ratio_text(r.nanoseconds[0]),
                   r.trials ? ratio_text(r.with()) : "-", r.trials ? ratio_text(r.measured) : "-",
                   r.trials ? ratio_text(r.predicted) : "-",
                   !r.trials   ? Cell("too short to tell")
                   : r.loses() ? Cell("does not pay", Tint::bad)
                               : Cell("pays", Tint::good)});
  std::fputs(table.text(Style::of(stdout)).c_str(), stdout);
}

std::string trials_json(const std::vector<TrialRow>& rows, const std::vector<std::string>& vetoes,
                        const std::string& file) {
  feedback::JsonReport json;
  json.open_object();
  json.key("trials");
  json.open_array();
  for (const TrialRow& r : rows) {
    json.open_object();
    json.key("places");
    json.open_array();
    for (const std::string& place : r.places) json.value(place);
    json.close_array();
    json.member("trials", static_cast<std::uint64_t>(r.trials));
    json.member("level", static_cast<std::uint64_t>(r.level));
    json.member("measured", r.measured);
    json.member("predicted", r.predicted);
    json.key("nanoseconds");
    json.open_array();
    for (double time : r.nanoseconds) json.value(time);
    json.close_array();
    json.close_object();
  }
  json.close_array();
  print_vetoes(json, vetoes, file);
  json.close_object();
  return json.text();
}

}  // namespace

int verify_trials(Builds& builds, const std::string& veto_file, bool json) {
  progress(json, "building with prefetches on trial");
  auto variant = builds.first({"", {}, true});
  if (!variant) return fail(variant.error());
  progress(json, "running it");
  auto report = builds.trials(*variant);
  if (!report) return fail(report.error());
  const std::vector<TrialRow> rows = read_trials(*report);
  const std::vector<std::string> vetoes = trial_vetoes(rows);
  if (!vetoes.empty())
    if (auto written = write_vetoes(veto_file, vetoes); !written) return fail(written.error());
  if (json) {
    std::fputs(trials_json(rows, vetoes, veto_file).c_str(), stdout);
  } else if (rows.empty()) {
    std::puts("no nest with prefetches was entered");
  } else {
    print_trials(rows);
    print_vetoes(vetoes, veto_file);
  }
  return vetoes.empty() ? k_ok : k_negative;
}

}  // namespace memprof::cli
