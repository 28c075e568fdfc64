// profile.cc - fuzz target: a profile, in every command that reads one.
// SPDX-License-Identifier: GPL-3.0-or-later
#include <string>

#include "consumers/cli/command.h"
#include "feedback/diff.h"
#include "feedback/merge.h"
#include "feedback/reader.h"
#include "feedback/validate.h"
#include "feedback/writer.h"
#include "testsuite/fuzz/mutators.h"
#include "testsuite/fuzz/target.h"

namespace memprof::fuzz {
namespace {

// What a profile that can be read promises: it can be written, and what was written is the same profile.
void check_round_trip(const feedback::Profile& profile) {
  const std::string canonical = feedback::to_json(profile);
  const auto again = feedback::parse_profile(canonical, "canonical");
  must(bool(again), "what was written cannot be read: " + (again ? "" : again.error().text()));
  must(feedback::to_json(*again) == canonical, "what was written is read as another profile");
  const auto sum = feedback::parse_profile(feedback::to_json(feedback::merge(profile, *again)), "sum");
  must(bool(sum), "a sum cannot be read: " + (sum ? "" : sum.error().text()));
}

// A place of the profile's source; "a.c:1" if there is none.
std::string some_place(const feedback::Profile& profile) {
  for (const feedback::Module& m : profile.modules)
    for (const feedback::Function& f : m.functions)
      for (const feedback::Site& s : f.sites)
        if (s.executions != 0) return (s.file.empty() ? m.file : s.file) + ":" + std::to_string(s.line);
  return "a.c:1";
}

void look_at(const std::string& path, const feedback::Profile& profile) {
  run(cli::k_show_command, {"--all", path});
  run(cli::k_show_command, {"--all", "--json", path});
  run(cli::k_show_command, {"--hottest-loop", path});
  run(cli::k_explain_command, {path, "--", some_place(profile)});
  run(cli::k_advise_command, {"--all", path});
  run(cli::k_advise_command, {"--json", "--all", path});
  run(cli::k_layout_command, {path});
  run(cli::k_layout_command, {"--json", path});
  for (const feedback::RecordType& type : profile.types)
    if (!type.name.starts_with("-")) {
      run(cli::k_layout_command, {path, type.name});
      run(cli::k_layout_command, {"--patch", path, type.name});
      break;
    }
  for (const feedback::Module& m : profile.modules)
    if (!m.file.starts_with("-") && !m.file.empty()) {
      run(cli::k_annotate_command, {path, m.file});
      run(cli::k_annotate_command, {"--json", path, m.file});
      break;
    }
}

void write_out(const std::string& path, const std::string& other) {
  run(cli::k_report_command, {"-o", "-", "--against", other, path});
  for (const char* format : {"callgrind", "folded", "pprof", "csv", "dot", "speedscope"})
    run(cli::k_export_command, {std::string("--as=") + format, path});
  run(cli::k_merge_command, {"--num-threads=1", path, other});
  run(cli::k_merge_command, {"--num-threads=1", "--weighted-input=1000000000000," + path});
  run(cli::k_diff_command, {path, other});
  run(cli::k_diff_command, {"--changes", path, other});
}

void try_profile(std::string_view input) {
  const std::string path = put("p.memprof.json", input);
  const auto profile = feedback::read_profile(path);
  const bool valid = feedback::validate_file(path).empty();
  must(!valid || profile, "valid, but cannot be read");
  static_cast<void>(feedback::read_module(path, "a.c"));
  static const std::string empty = put("empty.memprof.json", feedback::to_json(feedback::Profile{}));
  run(cli::k_validate_command, {path});
  if (!profile) return;
  check_round_trip(*profile);
  look_at(path, *profile);
  write_out(path, path);
  write_out(empty, path);
}

}  // namespace
}  // namespace memprof::fuzz

MEMPROF_FUZZ_MUTATED_TARGET("profile", memprof::fuzz::try_profile, memprof::fuzz::mutate_json)
