// command_line.cc - commands for a shell, to print: quoted words, and the one that makes a report.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/cli/report/command_line.h"

#include <cctype>
#include <cstring>

namespace memprof::cli {

std::string shell_word(const std::string& text) {
  bool plain = !text.empty() && text[0] != '-';
  for (unsigned char c : text) plain = plain && (std::isalnum(c) || std::strchr("_./+,:@%=-", c));
  if (plain) return text;
  std::string out = "'";
  for (char c : text) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}

std::string report_command(const std::string& profile, const std::string& verified) {
  std::string out = "memprof report ";
  if (!verified.empty()) out += "--verify=" + shell_word(verified) + " ";
  // A name that begins with a dash is no option.
  return out + (profile.starts_with('-') ? "-- " : "") + shell_word(profile);
}

}  // namespace memprof::cli
