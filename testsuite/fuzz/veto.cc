// veto.cc - fuzz target: the file of -fprofile-mem-veto.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The compiler's own reader is tried by testsuite/long/mutated_profiles.py.
#include <string>

#include "consumers/cli/command.h"
#include "testsuite/fuzz/target.h"

namespace memprof::fuzz {
namespace {

void try_veto(std::string_view input) {
  const std::string file = put("veto", input);
  run(cli::k_veto_command, {file});
  run(cli::k_veto_command, {"--json", "--add=@prefetch f", file});
  run(cli::k_veto_command, {"--add=" + std::string(input.substr(0, input.find('\0'))), put("other-veto", "")});
}

}  // namespace
}  // namespace memprof::fuzz

MEMPROF_FUZZ_TARGET("veto", memprof::fuzz::try_veto)
