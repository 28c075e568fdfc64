// verify_builds.cc - builds of one program that differ in what the profile does.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The build command and its files stay as they are: the plugin reads MPRT_USE_NO,
// MPRT_VETO, MPRT_TRIALS and MPRT_REMARKS.  A command that builds nothing, because make finds
// nothing changed, would compare a program with itself: the program is moved away
// before, so that it must be linked again, and a build without a remark tells that
// no unit was compiled.
#include "consumers/cli/verify_builds.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "consumers/cli/process.h"

namespace memprof::cli {
namespace {

namespace fs = std::filesystem;

feedback::Error trouble(const std::string& what) {
  feedback::Error error;
  error.kind = feedback::Error::Kind::usage;
  error.what = "verify: " + what;
  return error;
}

// The end of what a command said.
std::string tail(const std::string& text) {
  std::size_t at = text.size();
  for (int lines = 0; at > 0 && lines < 8; lines++) {
    const std::size_t before = text.rfind('\n', at - 1);
    at = before == text.npos ? 0 : before;
  }
  return text.substr(at);
}

// An environment variable for the time of one build.
class Setting {
 public:
  Setting(const char* name, const std::string& value) : name_(name) {
    if (const char* old = std::getenv(name)) had_ = true, old_ = old;
    if (value.empty())
      unsetenv(name);
    else
      setenv(name, value.c_str(), 1);
  }
  ~Setting() { had_ ? setenv(name_, old_.c_str(), 1) : unsetenv(name_); }
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;

 private:
  const char* name_;
  bool had_ = false;
  std::string old_;
};

}  // namespace

Builds::Builds(std::string command, std::vector<std::string> words, bool wall_clock)
    : command_(std::move(command)), words_(std::move(words)), wall_clock_(wall_clock) {}

Builds::~Builds() {
  std::error_code ignored;
  for (const std::string& copy : copies_) fs::remove(copy, ignored);
}

feedback::Result<Variant> Builds::build(const BuildKind& kind) {
  TemporaryFolder folder;
  if (folder.path().empty()) return trouble("no folder for temporary files");
  const std::string remarks = folder.path() + "/remarks", veto = folder.path() + "/veto";
  {
    std::ofstream out(veto);
    for (const std::string& entry : kind.vetoes) out << entry << '\n';
    if (!out.flush()) return trouble(veto + ": cannot be written");
  }
  const std::string& program = words_[0];
  std::error_code ignored;
  if (fs::exists(program, ignored) && !fs::is_regular_file(program, ignored))
    return trouble(program + ": not a regular file");
  // If there is none yet, there is nothing to move back either.
  const std::string old = program + ".verify-" + std::to_string(getpid()) + "-old";
  fs::rename(program, old, ignored);
  Setting off("MPRT_USE_NO", kind.off), vetoes("MPRT_VETO", kind.vetoes.empty() ? "" : veto),
      trials("MPRT_TRIALS", kind.trials ? "1" : ""), written("MPRT_REMARKS", remarks);
  count_++;
  const ProcessEnd end = run_captured({"/bin/sh", "-c", command_});
  if (fs::exists(program, ignored))
    fs::remove(old, ignored);
  else
    fs::rename(old, program, ignored);
  if (end.status)
    return trouble("'" + command_ + "' ended with status " + std::to_string(end.status) + ":\n" +
                   tail(end.output));
  Variant variant;
  variant.program = program + ".verify-" + std::to_string(getpid()) + "-" + std::to_string(count_);
  std::error_code error;
  fs::copy_file(program, variant.program, error);
  if (error) return trouble(program + ": " + error.message());
  copies_.push_back(variant.program);
  std::ifstream in(remarks);
  variant.remarks = in.is_open();
  std::stringstream text;
  text << in.rdbuf();
  variant.remark_text = text.str();
  variant.decisions = taken_decisions(variant.remark_text);
  return variant;
}

feedback::Result<Variant> Builds::first(const BuildKind& kind) {
  auto variant = build(kind);
  if (!variant || variant->remarks) return variant;
  return trouble("no unit was compiled with -fprofile-mem-use, or none had anything to "
                 "decide; --build must compile all of them (make -B)");
}

feedback::Result<double> Builds::run(const Variant& variant) {
  std::vector<std::string> words = words_;
  words[0] = variant.program;
  const ProcessEnd end = run_captured(words);
  if (end.error) return trouble(words_[0] + ": " + std::strerror(end.error));
  if (!output_known_) {
    output_known_ = true;
    output_ = end.output;
    status_ = end.status;
  } else if (end.status != status_ || end.output != output_) {
    feedback::Error error = trouble("two builds of " + words_[0] +
                                    " print different things or end differently; a program that "
                                    "prints times or addresses cannot be compared");
    error.kind = feedback::Error::Kind::corrupt;
    return error;
  }
  return wall_clock_ ? end.seconds : end.cpu_seconds;
}

feedback::Result<std::string> Builds::trials(const Variant& variant) {
  TemporaryFolder folder;
  if (folder.path().empty()) return trouble("no folder for temporary files");
  const std::string report = folder.path() + "/trials";
  Setting tune("MPRT_TUNE", "report=" + report);
  if (auto seconds = run(variant); !seconds) return seconds.error();
  std::ifstream in(report);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

feedback::Result<std::vector<std::vector<double>>> Builds::measure(
    const std::vector<const Variant*>& variants, int rounds) {
  std::vector<std::vector<double>> seconds(variants.size());
  for (int round = 0; round < rounds; round++)
    for (std::size_t k = 0; k < variants.size(); k++) {
      // Every other round in the other direction.
      const std::size_t which = round % 2 ? variants.size() - 1 - k : k;
      auto one = run(*variants[which]);
      if (!one) return one.error();
      seconds[which].push_back(*one);
    }
  return seconds;
}

}  // namespace memprof::cli
