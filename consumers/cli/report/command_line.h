// command_line.h - the command that makes a report, for other commands to print.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace memprof::cli {

// "memprof report a.memprof.json"; names with other characters are quoted for a shell.
std::string report_command(const std::string& profile, const std::string& verified = "");

}  // namespace memprof::cli
