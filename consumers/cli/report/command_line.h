// command_line.h - commands for a shell, to print: quoted words, and the one that makes a report.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace memprof::cli {

// TEXT as one word of a shell: as it is, or in quotes.
std::string shell_word(const std::string& text);

// "memprof report a.memprof.json"; names with other characters are quoted for a shell.
std::string report_command(const std::string& profile, const std::string& verified = "");

}  // namespace memprof::cli
