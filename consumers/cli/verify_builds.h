// verify_builds.h - builds of one program that differ in what the profile does.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <string>
#include <vector>

#include "consumers/cli/verify_search.h"
#include "feedback/result.h"

namespace memprof::cli {

struct BuildKind {
  std::string off;                  // transformations switched off, by commas
  std::vector<std::string> vetoes;  // entries of a veto file
  bool trials = false;              // prefetches on trial
};

struct Variant {
  std::string program;  // a copy, beside the original
  std::vector<Decision> decisions;
  bool remarks = false;  // the compiler decided on something, taken or not
  std::string remark_text;
};

// The program under test: builds it, keeps a copy of each build, runs them.
class Builds {
 public:
  // WORDS: the program and its arguments.
  Builds(std::string command, std::vector<std::string> words, bool wall_clock);
  ~Builds();
  Builds(const Builds&) = delete;
  Builds& operator=(const Builds&) = delete;

  // Runs the build command; the program itself stays what it has built.
  feedback::Result<Variant> build(const BuildKind& kind);
  // The same for the build whose decisions are judged: fails if nothing was decided.
  feedback::Result<Variant> first(const BuildKind& kind);
  // ROUNDS runs of each variant, interleaved: seconds per variant.  Fails when a
  // run fails, or its output is another than that of the first run of all.
  feedback::Result<std::vector<std::vector<double>>> measure(
      const std::vector<const Variant*>& variants, int rounds);
  // Runs VARIANT, a build with trials, once; what it reports of them.
  feedback::Result<std::string> trials(const Variant& variant);
  int count() const { return count_; }

 private:
  feedback::Result<double> run(const Variant& variant);

  std::string command_;
  std::vector<std::string> words_;
  bool wall_clock_;
  int count_ = 0;
  bool output_known_ = false;
  std::string output_;
  int status_ = 0;
  std::vector<std::string> copies_;
};

}  // namespace memprof::cli
