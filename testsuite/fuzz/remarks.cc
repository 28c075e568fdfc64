// remarks.cc - fuzz target: the file of -fprofile-mem-remarks, which a compile of somebody else may have written.
// SPDX-License-Identifier: GPL-3.0-or-later
#include <string>

#include "consumers/cli/command.h"
#include "consumers/cli/verify_search.h"
#include "consumers/decide/decision.h"
#include "feedback/writer.h"
#include "testsuite/fuzz/mutators.h"
#include "testsuite/fuzz/target.h"

namespace memprof::fuzz {
namespace {

void try_remarks(std::string_view input) {
  const std::string remarks = put("remarks", input);
  static const std::string profile = put("e.memprof.json", feedback::to_json(feedback::Profile{}));
  for (const decide::Decision& decision : cli::taken_decisions(std::string(input))) {
    must(cli::function_veto(decision).find('\n') == std::string::npos, "a veto of two lines");
    must(cli::place_veto(decision).find('\n') == std::string::npos, "a veto of two lines");
  }
  run(cli::k_check_command, {profile, remarks});
  run(cli::k_check_command, {"--json", profile, remarks});
  run(cli::k_report_command, {"-o", "-", "--decisions", remarks, profile});
  run(cli::k_annotate_command, {"--decisions", remarks, profile, "a.c"});
}

}  // namespace
}  // namespace memprof::fuzz

MEMPROF_FUZZ_MUTATED_TARGET("remarks", memprof::fuzz::try_remarks, memprof::fuzz::mutate_lines)
