// merge_files.h - adds up profiles of one program from many files.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// For `memprof merge' and `memprof-mpi-merge'.  Each thread takes the next input, reads
// it and adds it to a sum of its own; at the end the sums are added.  So each thread has
// one profile and one sum in memory, whatever the number of inputs, and as merging is
// associative and commutative (feedback/merge.h), which thread takes what does not matter.
//
// The reference is the first input that can be read.  A profile of another program than
// this one is foreign: it is as bad as a file that is no profile.
//
//   InputReader reader(inputs, options);
//   if (auto reference = reader.first()) sum = reader.rest(*reference);
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "consumers/cli/merge_inputs.h"
#include "feedback/merge.h"

namespace memprof::cli {

enum class FailureMode { any, all, warn };
feedback::Result<FailureMode> failure_mode(const Arguments& arguments);

// What the others are compared with.
struct ReferenceInput {
  std::uint64_t place = 0;
  std::string path, program, build_id, mode;
  bool any_program = false;  // the others may be of other programs, and builds
};

// A bad input.
struct Trouble {
  std::uint64_t place = 0;
  std::string text;
};

// Inputs that have something in common, and the first of them.
struct Finding {
  std::uint64_t inputs = 0, place = 0;
  std::string path;
};

// A sum of some of the inputs, and what is to be said of them.
struct PartialSum {
  feedback::Merger sum;
  std::uint64_t good = 0;  // inputs in the sum
  std::vector<Trouble> troubles;
  // By what they have in common: "another build", or the name of a table they lack.
  std::map<std::string, Finding> findings;

  void find(const std::string& what, const Finding& finding);
  void add(PartialSum other);
};

class InputReader {
 public:
  // INPUTS by rising places.  THREADS, 1 or more.  With FailureMode::any reading stops at
  // the first bad input.
  InputReader(std::vector<Input> inputs, unsigned threads, FailureMode mode);

  // Reads up to the first good input, which is kept for rest().
  std::optional<ReferenceInput> first();
  // All of them, once.
  PartialSum rest(const ReferenceInput& reference);
  // After first() has found none.
  std::vector<Trouble> troubles() { return std::move(start_.troubles); }

 private:
  class Work;
  const std::vector<Input> inputs_;
  const unsigned threads_;
  const FailureMode mode_;
  std::size_t next_ = 0;  // input
  std::optional<feedback::Profile> kept_;  // of the input before
  PartialSum start_;
};

// Says on stderr what was wrong with inputs.  The status to end with when there is no sum
// to write; none if there is.
std::optional<int> report_inputs(PartialSum& sum, FailureMode mode);

// Says on stderr what the sum, whose tables are SECTIONS, does not have of all inputs.
void report_findings(const PartialSum& sum, const std::vector<std::string>& sections);

// With --json: what was written.
void print_summary(const feedback::Run& run, std::uint64_t inputs, const std::string& output);

}  // namespace memprof::cli
