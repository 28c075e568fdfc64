// process.h - runs another program and waits for it.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace memprof::cli {

struct ProcessEnd {
  int status = 0;       // of exit, or 128 + the signal's number as a shell says
  int error = 0;        // errno when it could not be started
  double seconds = 0;
  double cpu_seconds = 0;  // user and system, with its children that ended
  std::string output;   // of run_captured: stdout and stderr together
};

// Runs WORDS with our standard streams.  The terminal's signals go to the
// command; we outlive it to report.
ProcessEnd run_process(const std::vector<std::string>& words);

// The same with its output caught and no input.
ProcessEnd run_captured(const std::vector<std::string>& words);

// A fresh folder below $TMPDIR or /tmp that goes away with this object.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  // Empty when it could not be made.
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace memprof::cli
