// cmd_lsp.cc - memprof lsp: the profile in an editor.
// SPDX-License-Identifier: GPL-3.0-or-later
#include <cstdio>

#include "consumers/cli/command.h"
#include "consumers/cli/lsp/server.h"

namespace memprof::cli {
namespace {

int run(const Arguments& arguments) {
  return serve_editor(stdin, stdout, arguments.operands().empty() ? "" : arguments.operands()[0]);
}

}  // namespace

const Command k_lsp_command = {
    "lsp",
    "[PROFILE]",
    "show the profile in an editor (language server)",
    "Speaks the Language Server Protocol on standard input and output, for editors: what a\n"
    "line costs and where a field should lie when the cursor is on it, the share of each\n"
    "function and loop above it, the lines that wait for memory as diagnostics, and an edit\n"
    "of a declaration in the proposed order. Without PROFILE: the one in the editor's folder,\n"
    "or the setting `profile'.",
    {}, 0, 1, false, run};

}  // namespace memprof::cli
