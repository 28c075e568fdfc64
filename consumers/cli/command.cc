// command.cc - parses the options of a sub-command and prints its help.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/cli/command.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "consumers/cli/table.h"

namespace memprof::cli {
namespace {

using feedback::Error;

constexpr const char k_memprof[] = "memprof";
const char* program = k_memprof;

// How COMMAND is typed.
std::string call_of(const Command& command) {
  return program == k_memprof ? std::string(k_memprof) + ' ' + command.name : program;
}

const Option* find_option(const Command& command, std::string_view name) {
  for (const Option& o : command.options)
    if (name == o.name) return &o;
  for (const Option& o : k_common_options)
    if (name == o.name) return &o;
  return nullptr;
}

Error usage(const Command& command, std::string what) {
  Error error;
  error.kind = Error::Kind::usage;
  if (program == k_memprof) error.what = std::string(command.name) + ": ";
  error.what += std::move(what) + "; try: " + call_of(command) + " --help";
  return error;
}

// Letters to insert, delete, change or swap with the next one, to make B of A.
std::size_t typing_errors(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i)
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
        continue;
      }
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[a.size()][b.size()];
}

std::vector<std::string_view> option_names(const Command& command) {
  std::vector<std::string_view> names;
  for (const Option& o : command.options) names.emplace_back(o.name);
  for (const Option& o : k_common_options) names.emplace_back(o.name);
  return names;
}

std::string option_column(const Option& o) {
  std::string s = std::string("  --") + o.name;
  if (o.argument) s += std::string("=") + o.argument;
  return s;
}

}  // namespace

std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& names) {
  std::string_view best;
  std::size_t fewest = std::min<std::size_t>(3, (word.size() + 1) / 2);
  if (word.size() > 30) return "";
  for (const std::string_view name : names)
    if (const std::size_t n = word.size() > 2 && name.starts_with(word) ? 1 : typing_errors(word, name); n < fewest) {
      fewest = n;
      best = name;
    }
  return best.empty() ? "" : "; did you mean '" + std::string(best) + "'?";
}

void set_program(const char* name) { program = name; }

bool Arguments::has(std::string_view name) const {
  return options_.find(name) != options_.end();
}

std::string Arguments::value(std::string_view name, std::string fallback) const {
  auto [from, to] = options_.equal_range(name);
  return from == to ? fallback : std::prev(to)->second;
}

std::vector<std::string> Arguments::values(std::string_view name) const {
  std::vector<std::string> all;
  for (auto [from, to] = options_.equal_range(name); from != to; ++from)
    all.push_back(from->second);
  return all;
}

feedback::Result<Arguments> parse_arguments(const Command& command,
                                            std::span<const char* const> words) {
  Arguments arguments;
  bool only_operands = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string_view word = words[i];
    if (!only_operands && word == "--") {
      only_operands = true;
      continue;
    }
    // A lone dash is standard input or output, not an option.
    if (only_operands || word.size() < 2 || word[0] != '-') {
      arguments.operands_.emplace_back(word);
      only_operands = only_operands || command.stop_at_operand;
      continue;
    }
    std::string given(word.substr(0, word.find('=')));
    std::string name;
    if (given == "-o")
      name = "output";
    else if (given == "-h")
      name = "help";
    else if (given.starts_with("--"))
      name = given.substr(2);
    const Option* option = find_option(command, name);
    if (!option)
      return usage(command, "unknown option '" + given + "'" + did_you_mean(name, option_names(command)));
    bool joined = word.find('=') != word.npos;
    std::string value;
    if (joined) value = word.substr(word.find('=') + 1);
    if (!option->argument && joined)
      return usage(command, "option '" + given + "' takes no value");
    if (option->argument && !joined) {
      if (i + 1 == words.size())
        return usage(command, "option '" + given + "' needs a value (" +
                                  option->argument + ")");
      value = words[++i];
    }
    arguments.options_.emplace(name, value);
  }
  if (arguments.has("help")) return arguments;
  int n = static_cast<int>(arguments.operands_.size());
  if (n < command.fewest)
    return usage(command, std::string("expected ") + command.operands);
  if (command.most >= 0 && n > command.most)
    return usage(command, "unexpected argument '" +
                              arguments.operands_[command.most] + "'");
  return arguments;
}

std::string help_text(const Command& command) {
  std::string text = "Usage: " + call_of(command) + " [OPTION]...";
  if (*command.operands) text += std::string(" ") + command.operands;
  text += std::string("\n\n") + command.details + "\n\n";
  std::size_t column = 0;
  auto each = [&](auto&& act) {
    for (const Option& o : command.options) act(o);
    for (const Option& o : k_common_options) act(o);
  };
  each([&](const Option& o) { column = std::max(column, option_column(o).size()); });
  each([&](const Option& o) {
    std::string left = option_column(o);
    left.resize(column + 2, ' ');
    text += left + o.help + "\n";
  });
  return text;
}

feedback::Result<unsigned long> number_argument(const Arguments& arguments,
                                                std::string_view name,
                                                unsigned long fallback,
                                                unsigned long limit) {
  if (!arguments.has(name)) return fallback;
  std::string text = arguments.value(name);
  errno = 0;
  char* end = nullptr;
  unsigned long n = std::strtoul(text.c_str(), &end, 10);
  if (text.empty() || text[0] < '0' || text[0] > '9' || *end || errno || n > limit) {
    Error error;
    error.kind = Error::Kind::usage;
    error.what = "--" + std::string(name) + ": expected a number from 0 to " +
                 std::to_string(limit) + ", found '" + text + "'";
    return error;
  }
  return n;
}

int fail(std::string_view text) {
  std::fflush(stdout);
  std::fprintf(stderr, "%s: %.*s\n", program, static_cast<int>(text.size()), text.data());
  return k_trouble;
}

int fail(const feedback::Error& error) { return fail(error.text()); }

void note(const std::string& text) {
  if (text.empty()) return;
  std::fflush(stdout);
  std::fprintf(stderr, "memprof: note: %s\n", printable(text).c_str());
}

}  // namespace memprof::cli
