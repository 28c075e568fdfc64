// verify_output.cc - see verify_output.h.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/cli/verify_output.h"

#include <cstdio>
#include <fstream>
#include <set>

#include "consumers/cli/command.h"
#include "consumers/cli/table.h"

namespace memprof::cli {

void progress(bool quiet, const std::string& text) {
  if (!quiet) std::fprintf(stderr, "memprof: %s\n", text.c_str());
}

feedback::Status write_vetoes(const std::string& file, const std::vector<std::string>& vetoes) {
  std::set<std::string> known;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) known.insert(line);
  std::ofstream out(file, std::ios::app);
  if (known.empty()) out << "# Slower with than without, says memprof verify.\n";
  for (const std::string& veto : vetoes)
    if (!known.contains(veto)) out << veto << '\n';
  if (out.flush()) return feedback::Nothing{};
  feedback::Error error;
  error.kind = feedback::Error::Kind::unwritable;
  error.file = file;
  error.what = "cannot be written";
  return error;
}

std::string ratio_text(double ratio) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f", ratio);
  return text;
}

void print_vetoes(const std::vector<std::string>& vetoes, const std::string& file) {
  if (vetoes.empty()) return;
  std::printf("\n%s in %s, for -fprofile-mem-veto=%s:\n", counted(vetoes.size(), "entry", "entries").c_str(),
              file.c_str(), file.c_str());
  for (const std::string& veto : vetoes) std::printf("  %s\n", printable(veto).c_str());
}

void print_vetoes(feedback::JsonReport& json, const std::vector<std::string>& vetoes, const std::string& file) {
  json.member("veto_file", file);
  json.key("vetoes");
  json.open_array();
  for (const std::string& veto : vetoes) json.value(veto);
  json.close_array();
}

}  // namespace memprof::cli
