// server.h - the language server protocol: messages of an editor, answered from a profile.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdio>
#include <string>

namespace memprof::cli {

// Serves the editor that writes to IN and reads OUT until it says exit.  PROFILE: that file; empty: the one
// profile in the folder that the editor has open.  Returns the exit status of the protocol: 0 after
// shutdown, else 1.
int serve_editor(std::FILE* in, std::FILE* out, const std::string& profile);

}  // namespace memprof::cli
