// main.cc - the command `memprof': finds the sub-command and runs it.
// SPDX-License-Identifier: GPL-3.0-or-later
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "consumers/cli/command.h"
#include "consumers/cli/installation.h"
#include "memprof-config.h"

namespace memprof::cli {
namespace {

// In the order of a user's work.
const Command* const k_commands[] = {
    &k_run_command,
    &k_answer_command,
    &k_show_command,
    &k_explain_command,
    &k_annotate_command,
    &k_report_command,
    &k_advise_command,
    &k_verify_command,
    &k_veto_command,
    &k_check_command,
    &k_layout_command,
    &k_streams_command,
    &k_trace_command,
    &k_validate_command,
    &k_merge_command,
    &k_diff_command,
    &k_export_command,
    &k_lsp_command,
    &k_doctor_command,
};

void print_help() {
  std::printf(
      "Usage: memprof COMMAND [OPTION]... [ARGUMENT]...\n"
      "\n"
      "Memory profiles of programs, and what a rebuild gains from them:\n"
      "\n"
      "  gcc -specs=$(memprof --specs) -O2 -g -fprofile-mem-generate *.c -o prog\n"
      "  ./prog input                        # writes prog.memprof.json\n"
      "  memprof prog.memprof.json          # what is slow, why, what to do\n"
      "  gcc -specs=$(memprof --specs) -O2 -g -fprofile-mem-use *.c -o prog\n"
      "\n"
      "Commands (memprof COMMAND --help says more):\n");
  for (const Command* c : k_commands) std::printf("  %-10s %s\n", c->name, c->summary);
  std::printf(
      "\n"
      "  --specs            print the specs file for gcc -specs=\n"
      "  --specs --gcc=GCC  the same, if there is a plugin for the compiler GCC\n"
      "  --masquerade-dir   print a folder that, first in PATH, makes gcc, g++, cc,\n"
      "                     c++ and gfortran accept the -fprofile-mem-* options\n"
      "  --version          print the version\n"
      "  --help             print this text\n"
      "\n"
      "Exit status: 0 success, 1 a negative answer, 2 wrong use or I/O trouble.\n");
}

int print_specs(std::span<const char* const> words) {
  const Installation installation = Installation::find();
  for (std::string_view word : words) {
    if (!word.starts_with("--gcc="))
      return fail("--specs: unknown option '" + std::string(word) + "'; there is only --gcc=");
    const Compiler compiler = ask_compiler(std::string(word.substr(6)));
    const std::string trouble =
        compiler.trouble.empty() ? missing_plugin(installation, compiler) : compiler.trouble;
    if (!trouble.empty()) return fail(trouble);
  }
  auto specs = usable_specs(installation);
  if (!specs) return fail(specs.error());
  std::printf("%s\n", specs->c_str());
  return k_ok;
}

int print_version() {
  std::string versions;
  for (const std::string& version : Installation::find().versions())
    versions += (versions.empty() ? "" : ", ") + version;
  std::printf("memprof %s (for GCC %s)\n", PACKAGE_VERSION, versions.empty() ? "no version" : versions.c_str());
  return k_ok;
}

int run_command(const Command& command, std::span<const char* const> words) {
  auto arguments = parse_arguments(command, words);
  if (!arguments) return fail(arguments.error());
  if (arguments->has("help")) {
    std::fputs(help_text(command).c_str(), stdout);
    return k_ok;
  }
  return command.run(*arguments);
}

int dispatch(std::span<const char* const> words) {
  if (words.empty() && profiles_here().size() == 1) return run_command(k_answer_command, {});
  if (words.empty()) {
    print_help();
    return k_trouble;
  }
  std::string_view first = words[0];
  if (first == "--help" || first == "-h" || (first == "help" && words.size() == 1)) {
    print_help();
    return k_ok;
  }
  if (first == "--version") return print_version();
  if (first == "--specs") return print_specs(words.subspan(1));
  if (first == "--masquerade-dir") {
    std::printf("%s\n", Installation::find().masquerade.c_str());
    return k_ok;
  }
  // `memprof help show' is `memprof show --help'.
  bool help = first == "help";
  if (help) first = words[1];
  static const char* const help_words[] = {"--help"};
  for (const Command* c : k_commands)
    if (first == c->name)
      return run_command(*c, help ? std::span<const char* const>(help_words) : words.subspan(1));
  if (!help && first.find_first_of("./") != first.npos) return run_command(k_answer_command, words);
  std::vector<std::string_view> names;
  for (const Command* c : k_commands) names.emplace_back(c->name);
  return fail("unknown command '" + std::string(first) + "'" + did_you_mean(first, names) + "; try: memprof --help");
}

}  // namespace
}  // namespace memprof::cli

int main(int argc, char** argv) {
  using namespace memprof::cli;
  int status = k_trouble;
  try {
    status = dispatch({argv + (argc > 0), static_cast<std::size_t>(argc > 0 ? argc - 1 : 0)});
  } catch (const std::bad_alloc&) {
    fail("out of memory");
  }
  // A full disk must not look like success.
  if (std::fflush(stdout) != 0 || std::ferror(stdout))
    status = fail(std::string("standard output: ") + std::strerror(errno));
  return status;
}
