// merge_inputs.cc - which profiles to merge, and how often each counts.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/cli/merge_inputs.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <utility>

namespace memprof::cli {
namespace {

using feedback::Error;
using feedback::Result;

Error usage(std::string what) { return {Error::Kind::usage, "", "", std::move(what)}; }

// Blank lines and those that begin with # say nothing.
Result<std::vector<Input>> parse_list(const std::string& file, std::string_view text) {
  std::vector<Input> inputs;
  for (std::size_t number = 1; !text.empty(); number++) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || line.starts_with('#')) continue;
    auto input = parse_input(line, false);
    if (!input)
      return Error{Error::Kind::usage, file, "line " + std::to_string(number),
                   input.error().what};
    inputs.push_back(*std::move(input));
  }
  return inputs;
}

}  // namespace

Result<Input> parse_input(std::string_view text, bool weighted) {
  const std::size_t comma = text.find(',');
  const bool digits = comma != 0 && text.find_first_not_of("0123456789") == comma;
  if (!weighted && !digits) return Input{std::string(text)};
  Input input;
  const char* const end = text.data() + std::min(comma, text.size());
  const auto [at, error] = std::from_chars(text.data(), end, input.weight);
  if (comma == text.npos || error != std::errc() || at != end || input.weight == 0)
    return usage("expected N,PROFILE with N 1 or more, found '" + std::string(text) + "'");
  input.path = text.substr(comma + 1);
  if (input.path.empty()) return usage("no profile in '" + std::string(text) + "'");
  return input;
}

Result<std::string> read_list(const std::string& file) {
  std::FILE* const in = file == "-" ? stdin : std::fopen(file.c_str(), "re");
  std::string text;
  bool bad = !in;
  if (in) {
    char part[4096];
    for (std::size_t n; (n = std::fread(part, 1, sizeof part, in)) > 0;) text.append(part, n);
    bad = std::ferror(in) != 0;
  }
  const int error = errno;
  if (in && in != stdin) std::fclose(in);
  if (bad)
    return Error{Error::Kind::unreadable, file == "-" ? "standard input" : file, "",
                 std::string("cannot read: ") + std::strerror(error)};
  return text;
}

Result<std::vector<Input>> merge_inputs(const Arguments& arguments, const ReadList& read) {
  std::vector<Input> inputs;
  for (const std::string& path : arguments.operands()) inputs.push_back({path});
  for (const std::string& text : arguments.values("weighted-input")) {
    auto input = parse_input(text, true);
    if (!input) return usage("--weighted-input: " + input.error().what);
    inputs.push_back(*std::move(input));
  }
  for (const std::string& file : arguments.values("input-files")) {
    const auto text = read(file);
    if (!text) return text.error();
    auto listed = parse_list(file, *text);
    if (!listed) return listed.error();
    for (Input& input : *listed) inputs.push_back(std::move(input));
  }
  if (inputs.empty()) return usage("no profile was named");
  for (std::size_t i = 0; i < inputs.size(); i++) inputs[i].place = i;
  return inputs;
}

}  // namespace memprof::cli
