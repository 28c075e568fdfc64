// cmd_merge.cc - memprof merge: several profiles of a program as one.
// SPDX-License-Identifier: GPL-3.0-or-later
#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <thread>
#include <utility>

#include "consumers/cli/command.h"
#include "consumers/cli/merge_files.h"
#include "feedback/file.h"
#include "feedback/writer.h"

namespace memprof::cli {
namespace {

const Option k_options[] = {
    {"library", "NAME", "the PROFILEs are of programs that use this library: a profile of it"},
    k_output_option, k_weighted_option, k_list_option, k_failure_option, k_threads_option,
};

// Names first: another writer may replace the file between two looks at its inode.
bool same_file(const std::string& a, const std::string& b) {
  std::error_code gone, none;
  if (const auto name = std::filesystem::canonical(a, gone);
      !gone && name == std::filesystem::canonical(b, none) && !none)
    return true;
  struct stat x, y;
  return ::stat(a.c_str(), &x) == 0 && ::stat(b.c_str(), &y) == 0 && x.st_dev == y.st_dev &&
         x.st_ino == y.st_ino;
}

int write_sum(feedback::Profile sum, std::uint64_t inputs, const Arguments& arguments,
              const std::string& output, feedback::WriterLock& lock) {
  if (output.empty()) {
    std::fputs(feedback::to_json(std::move(sum)).c_str(), stdout);
    return k_ok;
  }
  const feedback::Run run = sum.run;
  const feedback::DocumentText document = feedback::to_document(std::move(sum));
  // Without a lock it is still in one step.
  if (!lock.held()) lock.acquire(output);
  auto written = feedback::replace_file(output, document);
  if (!written) return fail(written.error());
  if (arguments.json()) print_summary(run, inputs, output);
  return k_ok;
}

int run(const Arguments& arguments) {
  std::string output = arguments.value("output");
  if (output == "-") output.clear();
  if (arguments.json() && output.empty())
    return fail("merge: --json prints a summary, so it needs --output=FILE");
  const auto mode = failure_mode(arguments);
  if (!mode) return fail("merge: " + mode.error().what);
  const auto threads = number_argument(arguments, "num-threads",
                                       std::max(1u, std::thread::hardware_concurrency()), 1024);
  if (!threads) return fail("merge: " + threads.error().what);
  auto inputs = merge_inputs(arguments);
  if (!inputs) return fail("merge: " + inputs.error().text());

  // A process that adds to a file must not read it before another one that does has written it.
  feedback::WriterLock lock(feedback::WriterLock::Patience::any);
  if (std::any_of(inputs->begin(), inputs->end(),
                  [&](const Input& input) { return same_file(input.path, output); }))
    lock.acquire(output);

  InputReader reader(*std::move(inputs), unsigned(*threads), *mode);
  auto reference = reader.first();
  PartialSum sum;
  if (reference) reference->any_program = arguments.has("library");
  if (reference)
    sum = reader.rest(*reference);
  else
    sum.troubles = reader.troubles();
  if (const auto status = report_inputs(sum, *mode)) return *status;
  feedback::Profile profile = sum.sum.result();
  report_findings(sum, profile.sections);
  if (arguments.has("library")) profile.program.name = arguments.value("library");
  return write_sum(std::move(profile), sum.good, arguments, output, lock);
}

}  // namespace

const Command k_merge_command = {
    "merge",
    "PROFILE...",
    "add profiles of the same build",
    "Writes one profile, as if the runs of all PROFILEs had been one: counts\n"
    "add, frequencies and classes are computed again.  A table that one PROFILE\n"
    "lacks is left out.  The order does not matter, and sums can be merged\n"
    "again: the bytes are the same.  With one PROFILE: the same profile in\n"
    "canonical order, with a new index.  With --library, they may be of several programs,\n"
    "such as the tests of a library: its rows add up, and those of the programs are there, too.",
    k_options, 0, -1, false, run};

}  // namespace memprof::cli
