// cmd_run.cc - memprof run: runs an instrumented program and finds its profile.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// An instrumented program writes its profile without us; this command spares
// its user the spelling of MPRT_OPTIONS and says where the profile is.  The
// name is chosen when the program starts and may hold its process number, so
// the backend tells us: option report=FILE makes it append every name that it
// has written to FILE (a program that forks writes several).
#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "consumers/cli/command.h"
#include "consumers/cli/installation.h"
#include "consumers/cli/process.h"
#include "consumers/cli/report/command_line.h"
#include "consumers/cli/table.h"
#include "feedback/json_report.h"
#include "feedback/reader.h"

namespace memprof::cli {
namespace {

const Option k_options[] = {
    {"output", "PATTERN", "name of the profile: %p process, %h host, %n program, %r MPI rank; also -o"},
    {"modules", "LIST", "profiling modules to run, separated by commas"},
    {"replace", nullptr, "replace an existing profile instead of adding to it"},
    {"verbose", nullptr, "let the runtime say what it does"},
};

// Values end at a colon or blank; there is no way to quote them.
// TEXT as a value in MPRT_OPTIONS.
std::string quoted(const std::string& text) {
  std::string result;
  for (char c : text) {
    if (std::strchr(": \t\n\\", c)) result += '\\';
    result += c;
  }
  return result;
}

void set_options(const Arguments& arguments, const std::string& report) {
  std::string text;
  if (const char* old = std::getenv("MPRT_OPTIONS")) text = old;
  auto add = [&](const std::string& key, const std::string& value) {
    text += (text.empty() ? "" : ":") + key + "=" + quoted(value);
  };
  for (const char* key : {"output", "modules"})
    if (arguments.has(key)) add(key, arguments.value(key));
  if (arguments.has("replace")) add("merge", "0");
  if (arguments.has("verbose")) add("verbose", "1");
  if (!report.empty()) add("report", report);
  setenv("MPRT_OPTIONS", text.c_str(), 1);
}

std::vector<std::string> reported(const std::string& file) {
  std::vector<std::string> names;
  std::ifstream in(file);
  std::error_code ignored;
  const auto here = std::filesystem::current_path(ignored);
  for (std::string name; std::getline(in, name);) {
    // As the user would write it: relative when it is below this folder.
    std::string shorter = std::filesystem::path(name).lexically_normal().lexically_relative(here).string();
    name = shorter.empty() || shorter.starts_with("..")
               ? std::filesystem::path(name).lexically_normal().string()
               : shorter;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

void print_json(const ProcessEnd& end, const std::vector<std::string>& profiles) {
  feedback::JsonReport json;
  json.open_object();
  json.member("exit_status", end.status);
  json.member("seconds", end.seconds);
  json.key("profiles");
  json.open_array();
  for (const std::string& name : profiles) json.value(name);
  json.close_array();
  json.close_object();
  // The command's own output went to stdout; a file name is not part of it.
  std::fputs(json.text().c_str(), stderr);
}

void print_profile(const std::string& name) {
  auto profile = feedback::read_profile(name);
  if (!profile) {
    fail(profile.error());
    return;
  }
  const feedback::Run& run = profile->run;
  std::fprintf(stderr, "memprof: profile in %s: %s%s\n", name.c_str(),
               counted(run.accesses, "access", "accesses").c_str(),
               run.complete ? "" : ", incomplete");
  std::fprintf(stderr, "memprof: a page to look at: %s\n", report_command(name).c_str());
}

int run(const Arguments& arguments) {
  TemporaryFolder folder;
  std::string report = folder.path().empty() ? "" : folder.path() + "/profiles";
  set_options(arguments, report);
  const auto& words = arguments.operands();
  ProcessEnd end = run_process(words);
  if (end.error) return fail(words[0] + ": " + std::strerror(end.error));
  std::vector<std::string> profiles = reported(report);
  if (arguments.json())
    print_json(end, profiles);
  else
    for (const std::string& name : profiles) print_profile(name);
  if (profiles.empty() && !arguments.json())
    fail(words[0] + " wrote no profile; was it built and linked with -fprofile-mem-generate?");
  // The command's own status is what a script wants to see.
  return end.status ? end.status : profiles.empty() ? k_negative : k_ok;
}

}  // namespace

const Command k_run_command = {
    "run",
    "COMMAND [ARGUMENT]...",
    "run an instrumented program and say where its profile is",
    "Runs COMMAND with MPRT_OPTIONS set as asked for, then prints the names of the\n"
    "profiles that it wrote to standard error.  The exit status is COMMAND's; it is\n"
    "1 when COMMAND succeeded but wrote no profile.",
    k_options, 1, -1, true, run};

}  // namespace memprof::cli
