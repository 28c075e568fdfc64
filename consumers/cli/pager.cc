// pager.cc - long output on a terminal goes through a pager, as git's does.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/cli/pager.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

namespace memprof::cli {
namespace {

std::string pager_command() {
  for (const char* variable : {"MEMPROF_PAGER", "PAGER"})
    if (const char* value = std::getenv(variable)) return value;
  return "less";
}

}  // namespace

void page(const std::string& text) {
  const std::string command = isatty(STDOUT_FILENO) ? pager_command() : "";
  if (!command.empty() && command != "cat") {
    setenv("LESS", "FRX", 0);
    std::fflush(stdout);
    // The user may leave before the end.
    const auto old = std::signal(SIGPIPE, SIG_IGN);
    std::FILE* pipe = popen(command.c_str(), "w");
    if (pipe) {
      std::fwrite(text.data(), 1, text.size(), pipe);
      const int status = pclose(pipe);
      std::signal(SIGPIPE, old);
      constexpr int k_not_found = 127;
      if (!WIFEXITED(status) || WEXITSTATUS(status) != k_not_found) return;
    }
    std::signal(SIGPIPE, old);
  }
  std::fwrite(text.data(), 1, text.size(), stdout);
}

}  // namespace memprof::cli
