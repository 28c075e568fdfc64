// verify.cc - fuzz target: what `memprof verify --json' has printed, in a report.
// SPDX-License-Identifier: GPL-3.0-or-later
#include <string>

#include "consumers/cli/command.h"
#include "consumers/cli/report/page.h"
#include "feedback/writer.h"
#include "testsuite/fuzz/mutators.h"
#include "testsuite/fuzz/target.h"

namespace memprof::fuzz {
namespace {

void try_verify(std::string_view input) {
  const std::string file = put("verify.json", input);
  static const std::string profile = put("v.memprof.json", feedback::to_json(feedback::Profile{}));
  run(cli::k_report_command, {"-o", "-", "--verify", file, profile});
  must(cli::script_safe(input).find('<') == std::string::npos, "a file can end the page's script");
}

}  // namespace
}  // namespace memprof::fuzz

MEMPROF_FUZZ_MUTATED_TARGET("verify", memprof::fuzz::try_verify, memprof::fuzz::mutate_json)
