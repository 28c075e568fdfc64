// merge_inputs.h - which profiles to merge, and how often each counts.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// For `memprof merge' and `memprof-mpi-merge'.  The options are llvm-profdata's:
//
//   PROFILE                    counts once
//   --weighted-input=N,PROFILE counts N times
//   --input-files=FILE         a list, one of these two per line; - is standard input
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "consumers/cli/command.h"
#include "feedback/result.h"

namespace memprof::cli {

struct Input {
  std::string path;
  std::uint64_t weight = 1;
  std::uint64_t place = 0;  // among all inputs: the first bad one is named
};

// The options that both commands have.
inline constexpr Option k_output_option = {
    "output", "FILE", "where to write (also -o; default: standard output)"};
inline constexpr Option k_weighted_option = {
    "weighted-input", "N,PROFILE", "a profile that counts as N of its kind; may be repeated"};
inline constexpr Option k_list_option = {
    "input-files", "FILE", "more profiles: one per line, or N,PROFILE; - is standard input"};
inline constexpr Option k_failure_option = {
    "failure-mode", "MODE", "when to fail: any input is bad (default), all are, or only warn"};
inline constexpr Option k_threads_option = {
    "num-threads", "N", "read with N threads, each with a sum of its own (default: processors)"};

// How the text of a list is had: read_file, or what another process has read.
using ReadList = std::function<feedback::Result<std::string>(const std::string& file)>;
feedback::Result<std::string> read_list(const std::string& file);

// Operands, then weighted inputs, then those of lists, with their places.  An error if
// there is none.
feedback::Result<std::vector<Input>> merge_inputs(const Arguments& arguments,
                                                  const ReadList& read = read_list);

// "3,a.json" or "a.json"; without WEIGHTED a comma may be part of the name.
feedback::Result<Input> parse_input(std::string_view text, bool weighted);

}  // namespace memprof::cli
