// command.h - what a sub-command of memprof is: a row of text and a function.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// --help, the parser, bash completion and the test that compares them with the
// man page all read the tables declared here, so an option is written once.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "feedback/result.h"

namespace memprof::cli {

// The convention of diff and cmp.
enum Exit : int {
  k_ok = 0,
  k_negative = 1,  // an answer, but not the one hoped for
  k_trouble = 2    // wrong use, unreadable input, I/O error
};

struct Option {
  const char* name;      // without the dashes
  const char* argument;  // "FILE"; null: a switch
  const char* help;      // one line
};

// Every command has these as well.
inline constexpr Option k_common_options[] = {
    {"json", nullptr, "print JSON instead of text"},
    {"help", nullptr, "print this text"},
};

// The parsed command line of one sub-command.
class Arguments {
 public:
  bool has(std::string_view name) const;
  // Last one given, or FALLBACK.
  std::string value(std::string_view name, std::string fallback = "") const;
  // All that were given, in order.
  std::vector<std::string> values(std::string_view name) const;
  bool json() const { return has("json"); }
  const std::vector<std::string>& operands() const { return operands_; }

 private:
  friend feedback::Result<Arguments> parse_arguments(
      const struct Command& command, std::span<const char* const> words);
  std::multimap<std::string, std::string, std::less<>> options_;
  std::vector<std::string> operands_;
};

struct Command {
  const char* name;
  const char* operands;  // "PROFILE FILE:LINE"
  const char* summary;   // one line for the list of commands
  const char* details;   // further lines of --help
  std::span<const Option> options;
  int fewest, most;  // operands; most -1: any number
  // Options end at the first operand: the rest is somebody else's command.
  bool stop_at_operand;
  int (*run)(const Arguments&);
};

// One per cmd_NAME.cc; main.cc lists them.
extern const Command k_run_command, k_answer_command, k_show_command, k_explain_command,
    k_annotate_command, k_export_command, k_report_command, k_advise_command,
    k_layout_command, k_validate_command, k_merge_command, k_diff_command,
    k_doctor_command, k_streams_command, k_trace_command, k_verify_command, k_veto_command, k_check_command,
    k_lsp_command;

// The profiles in the current folder, *.memprof.json.
std::vector<std::string> profiles_here();

// The name in NAMES that is one or two typing errors from WORD, as "; did you mean 'x'?"; else empty.
std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& names);

// What messages begin with: "memprof", unless main has said otherwise.  Another program
// has one Command, and its help does not speak of a sub-command.
void set_program(const char* name);

// WORDS come after the command's name.  Accepts --name value, --name=value,
// -o for --output, and -- before operands.  The error's text is for users.
feedback::Result<Arguments> parse_arguments(const Command& command,
                                            std::span<const char* const> words);

// What `memprof NAME --help' prints.
std::string help_text(const Command& command);

// A whole number in 0..LIMIT, or an error that names the option.
feedback::Result<unsigned long> number_argument(const Arguments& arguments,
                                                std::string_view name,
                                                unsigned long fallback,
                                                unsigned long limit);

// Prints "memprof: TEXT" to stderr; returns k_trouble.
int fail(std::string_view text);
int fail(const feedback::Error& error);
// Prints "memprof: note: TEXT", nothing if TEXT is empty.
void note(const std::string& text);

}  // namespace memprof::cli
