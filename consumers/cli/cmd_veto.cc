// cmd_veto.cc - memprof veto: adds entries to a file of -fprofile-mem-veto, and lists them.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The format is that of plugin/use/veto.cc: one entry per line, perhaps with the name of a transformation
// before it. The compiler takes a wrong name for that of a function; here it is an error.
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "consumers/cli/command.h"
#include "consumers/cli/text_file.h"
#include "consumers/decide/code_facts.h"
#include "feedback/json_report.h"

namespace memprof::cli {
namespace {

const Option k_options[] = {
    {"add", "ENTRY", "add a line, such as '@field-order struct order'; may be repeated"},
};

std::string trimmed(const std::string& line) {
  const std::size_t first = line.find_first_not_of(" \t");
  if (first == std::string::npos) return "";
  return line.substr(first, line.find_last_not_of(" \t\r") - first + 1);
}

// The lines of TEXT that are entries.
std::vector<std::string> entries_of(const std::string& text) {
  std::vector<std::string> entries;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = trimmed(text.substr(at, end - at));
    if (!line.empty() && line[0] != '#') entries.push_back(line);
    at = end + 1;
  }
  return entries;
}

// What is wrong with ENTRY; "" if nothing is.
std::string fault_of(const std::string& entry) {
  if (entry.empty() || entry[0] == '#' || entry.find('\n') != std::string::npos) return "not one entry";
  if (entry[0] != '@') return "";
  const std::size_t end = entry.find_first_of(" \t");
  const std::string word = entry.substr(1, end == std::string::npos ? end : end - 1);
  std::string known;
  for (const decide::Transformation t : decide::k_transformations) known += (known.empty() ? "" : ", ") + std::string(decide::name(t));
  const bool found = std::any_of(std::begin(decide::k_transformation_words), std::end(decide::k_transformation_words),
                                 [&](const decide::TransformationWord& row) { return word == row.word; });
  if (!found) return "unknown transformation; known: " + known;
  return end == std::string::npos ? "names no function, type or place" : "";
}

// Appends LINES to FILE, whose text is TEXT.
bool append(const std::string& file, const std::string& text, const std::vector<std::string>& lines) {
  std::FILE* out = std::fopen(file.c_str(), "a");
  if (!out) return false;
  bool good = text.empty() || text.back() == '\n' || std::fputc('\n', out) != EOF;
  for (const std::string& line : lines) good = good && std::fprintf(out, "%s\n", line.c_str()) >= 0;
  return std::fclose(out) == 0 && good;
}

int run(const Arguments& arguments) {
  const std::string& file = arguments.operands()[0];
  const std::vector<std::string> asked = arguments.values("add");
  for (const std::string& entry : asked)
    if (const std::string fault = fault_of(trimmed(entry)); !fault.empty())
      return fail("--add='" + entry + "': " + fault);
  std::string text;
  if (auto found = read_text(file))
    text = *found;
  else if (asked.empty() || found.error().kind != feedback::Error::Kind::missing)
    return fail(found.error());
  std::vector<std::string> entries = entries_of(text), fresh;
  for (const std::string& entry : asked)
    if (std::find(entries.begin(), entries.end(), trimmed(entry)) == entries.end()) {
      entries.push_back(trimmed(entry));
      fresh.push_back(trimmed(entry));
    }
  if (!fresh.empty() && !append(file, text, fresh)) return fail(file + ": cannot be written: " + std::strerror(errno));
  if (arguments.json()) {
    feedback::JsonReport json;
    json.open_array();
    for (const std::string& entry : entries) json.value(entry);
    json.close_array();
    std::fputs(json.text().c_str(), stdout);
  } else {
    for (const std::string& entry : entries) std::printf("%s\n", entry.c_str());
  }
  return k_ok;
}

}  // namespace

const Command k_veto_command = {
    "veto",
    "FILE",
    "add to the file of what a rebuild must leave as it is, and list it",
    "FILE is for -fprofile-mem-veto=. An entry is a function, a type or FILE:LINE, with\n"
    "@TRANSFORMATION before it if only that is meant: '@prefetch search', 'bfs.c:161',\n"
    "'@field-order struct order'. Entries that FILE has are not added again.",
    k_options, 1, 1, false, run};

}  // namespace memprof::cli
