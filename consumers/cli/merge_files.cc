// merge_files.cc - adds up profiles of one program from many files.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/cli/merge_files.h"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <utility>

#include "consumers/cli/table.h"
#include "feedback/json_report.h"
#include "feedback/reader.h"
#include "feedback/schema.h"

namespace memprof::cli {
namespace {

using feedback::Profile;

// A thread with fewer inputs does not pay for adding its sum.
constexpr std::size_t k_fewest_inputs = 4;

constexpr const char k_other_build[] = "another build";
constexpr const char k_other_mode[] = "another mode";
constexpr const char k_streams[] = "whole streams";

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Adds PROFILE, which INPUT was, to SUM, unless it is foreign.
void add_input(PartialSum& sum, const Input& input, Profile profile, const ReferenceInput& reference) {
  if (!reference.any_program && profile.program.name != reference.program) {
    sum.troubles.push_back({input.place, input.path + ":/program/name: a profile of " +
                                             profile.program.name + ", but " + reference.path +
                                             " is one of " + reference.program});
    return;
  }
  const Finding finding = {1, input.place, input.path};
  if (!reference.any_program && profile.program.build_id != reference.build_id) sum.find(k_other_build, finding);
  if (profile.run.mode != reference.mode) sum.find(k_other_mode, finding);
  for (unsigned t = 0; t < feedback::k_tables; t++) {
    const std::string table = feedback::k_section_names[feedback::k_first_table + t];
    if (!contains(profile.sections, table)) sum.find(table, finding);
  }
  if (contains(profile.sections, "whole_stream")) sum.find(k_streams, finding);
  sum.sum.add(std::move(profile), input.weight);
  sum.good++;
}

}  // namespace

feedback::Result<FailureMode> failure_mode(const Arguments& arguments) {
  const std::string mode = arguments.value("failure-mode", "any");
  if (mode == "any") return FailureMode::any;
  if (mode == "all") return FailureMode::all;
  if (mode == "warn") return FailureMode::warn;
  return feedback::Error{feedback::Error::Kind::usage, "", "",
                         "--failure-mode: expected any, all or warn, found '" + mode + "'"};
}

void PartialSum::find(const std::string& what, const Finding& finding) {
  const auto [it, fresh] = findings.try_emplace(what, finding);
  if (fresh) return;
  Finding& kept = it->second;
  kept.inputs += finding.inputs;
  if (finding.place < kept.place) kept.place = finding.place, kept.path = finding.path;
}

void PartialSum::add(PartialSum other) {
  if (!other.sum.empty()) {
    if (sum.empty())
      sum = std::move(other.sum);
    else
      sum.add(other.sum.result());
  }
  good += other.good;
  troubles.insert(troubles.end(), other.troubles.begin(), other.troubles.end());
  for (const auto& [what, finding] : other.findings) find(what, finding);
}

// The inputs that threads have yet to take.
class InputReader::Work {
 public:
  Work(const std::vector<Input>& inputs, std::size_t next, bool stop_at_trouble)
      : inputs_(inputs), next_(next), stop_at_trouble_(stop_at_trouble) {}

  // Inputs are taken by rising places, so each one before the first bad one is read: which
  // one is named does not depend on threads.
  void take(PartialSum& sum, const ReferenceInput& reference) {
    while (!stopped_ || !stop_at_trouble_) {
      const std::size_t i = next_++;
      if (i >= inputs_.size()) break;
      auto profile = feedback::read_profile(inputs_[i].path, feedback::Input::descriptor_too);
      if (profile)
        add_input(sum, inputs_[i], *std::move(profile), reference);
      else
        sum.troubles.push_back({inputs_[i].place, profile.error().text()});
      if (!sum.troubles.empty()) stopped_ = true;
    }
  }

 private:
  const std::vector<Input>& inputs_;
  std::atomic<std::size_t> next_;
  std::atomic<bool> stopped_ = false;
  const bool stop_at_trouble_;
};

InputReader::InputReader(std::vector<Input> inputs, unsigned threads, FailureMode mode)
    : inputs_(std::move(inputs)), threads_(std::max(threads, 1u)), mode_(mode) {}

std::optional<ReferenceInput> InputReader::first() {
  while (next_ < inputs_.size()) {
    const Input& input = inputs_[next_++];
    auto profile = feedback::read_profile(input.path, feedback::Input::descriptor_too);
    if (profile) {
      kept_ = *std::move(profile);
      return ReferenceInput{input.place, input.path, kept_->program.name, kept_->program.build_id,
                       kept_->run.mode};
    }
    start_.troubles.push_back({input.place, profile.error().text()});
    if (mode_ == FailureMode::any) break;
  }
  return std::nullopt;
}

PartialSum InputReader::rest(const ReferenceInput& reference) {
  if (kept_) add_input(start_, inputs_[next_ - 1], *std::move(kept_), reference);
  kept_.reset();
  const bool stop = mode_ == FailureMode::any;
  if (stop && !start_.troubles.empty()) return std::move(start_);
  Work work(inputs_, next_, stop);
  const std::size_t useful = (inputs_.size() - next_) / k_fewest_inputs + 1;
  const unsigned threads = unsigned(std::min<std::size_t>(threads_, useful));
  if (threads == 1) {
    work.take(start_, reference);
    return std::move(start_);
  }
  std::vector<PartialSum> sums(threads);
  tbb::task_arena arena{int(threads)};
  arena.execute([&] {
    tbb::parallel_for(0u, threads, [&](unsigned t) { work.take(sums[t], reference); },
                      tbb::simple_partitioner());
  });
  for (PartialSum& sum : sums) {
    start_.add(std::move(sum));
    sum = {};
  }
  return std::move(start_);
}

std::optional<int> report_inputs(PartialSum& sum, FailureMode mode) {
  std::vector<Trouble>& troubles = sum.troubles;
  std::sort(troubles.begin(), troubles.end(),
            [](const Trouble& a, const Trouble& b) { return a.place < b.place; });
  if (mode == FailureMode::any && !troubles.empty()) return fail(troubles.front().text);
  for (const Trouble& trouble : troubles) {
    std::fflush(stdout);
    std::fprintf(stderr, "memprof: warning: %s\n", printable(trouble.text).c_str());
  }
  if (sum.good > 0) return std::nullopt;
  if (mode == FailureMode::all)
    return fail("none of the " + std::to_string(troubles.size()) + " profiles is good");
  note("there is no good profile, so nothing is written");
  return k_ok;
}

void report_findings(const PartialSum& sum, const std::vector<std::string>& sections) {
  auto named = [](const Finding& finding) {
    return finding.path +
           (finding.inputs > 1 ? " and " + std::to_string(finding.inputs - 1) + " more" : "") +
           ": ";
  };
  for (const auto& [what, finding] : sum.findings)
    if (what == k_other_build)
      note(named(finding) + "another build of the program than the first profile; only "
                            "functions that are the same in both add up");
    else if (what == k_other_mode)
      note(named(finding) + "made in another mode than the first profile");
    else if (what == k_streams) {
      if (sum.good > 1)
        note(named(finding) + "table whole_stream is left out: streams are of one run, and cannot "
                              "be merged");
    }
    else if (finding.inputs < sum.good && !contains(sections, what))
      note(named(finding) + "table " + what +
           " is left out, because not all profiles have it");
}

void print_summary(const feedback::Run& run, std::uint64_t inputs, const std::string& output) {
  feedback::JsonReport json;
  json.open_object();
  json.member("output", output);
  json.member("profiles", inputs);
  json.member("runs", run.runs);
  json.member("accesses", run.accesses);
  json.close_object();
  std::fputs(json.text().c_str(), stdout);
}

}  // namespace memprof::cli
