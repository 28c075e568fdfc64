// process.cc - runs another program and waits for it.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// fork and exec, with a close-on-exec pipe that carries errno back when exec
// fails: an empty pipe means that the command runs.
#include "consumers/cli/process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>

namespace memprof::cli {
namespace {

int read_all(int fd, std::string& text) {
  char buffer[4096];
  for (;;) {
    ssize_t n = read(fd, buffer, sizeof buffer);
    if (n > 0)
      text.append(buffer, static_cast<std::size_t>(n));
    else if (n == 0 || errno != EINTR)
      return n == 0 ? 0 : errno;
  }
}

[[noreturn]] void child(const std::vector<std::string>& words, int output, int trouble) {
  std::vector<char*> argv;
  for (const std::string& w : words) argv.push_back(const_cast<char*>(w.c_str()));
  argv.push_back(nullptr);
  if (output >= 0) {
    int nothing = open("/dev/null", O_RDONLY);
    if (nothing >= 0) dup2(nothing, 0);
    dup2(output, 1);
    dup2(output, 2);
  }
  execvp(argv[0], argv.data());
  int error = errno;
  while (write(trouble, &error, sizeof error) < 0 && errno == EINTR) {
  }
  _exit(127);
}

ProcessEnd run(const std::vector<std::string>& words, bool capture) {
  ProcessEnd end;
  int trouble[2], output[2] = {-1, -1};
  if (pipe2(trouble, O_CLOEXEC) != 0 || (capture && pipe2(output, O_CLOEXEC) != 0)) {
    end.error = errno;
    return end;
  }
  auto start = std::chrono::steady_clock::now();
  pid_t pid = fork();
  if (pid == 0) child(words, output[1], trouble[1]);
  end.error = pid < 0 ? errno : 0;
  close(trouble[1]);
  if (output[1] >= 0) close(output[1]);

  // From here on ^C ends the command, which is what its user meant.
  struct sigaction ignore = {}, old_int, old_quit;
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGINT, &ignore, &old_int);
  sigaction(SIGQUIT, &ignore, &old_quit);
  if (pid > 0) {
    std::string code;
    read_all(trouble[0], code);
    if (code.size() == sizeof end.error) code.copy(reinterpret_cast<char*>(&end.error), code.size());
    if (capture) read_all(output[0], end.output);
    int status = 0;
    rusage used = {};
    while (wait4(pid, &status, 0, &used) < 0 && errno == EINTR) {
    }
    const auto in_seconds = [](const timeval& t) {
      return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
    };
    end.cpu_seconds = in_seconds(used.ru_utime) + in_seconds(used.ru_stime);
    end.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }
  sigaction(SIGINT, &old_int, nullptr);
  sigaction(SIGQUIT, &old_quit, nullptr);
  close(trouble[0]);
  if (output[0] >= 0) close(output[0]);
  end.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return end;
}

}  // namespace

ProcessEnd run_process(const std::vector<std::string>& words) { return run(words, false); }

ProcessEnd run_captured(const std::vector<std::string>& words) { return run(words, true); }

TemporaryFolder::TemporaryFolder() {
  const char* base = std::getenv("TMPDIR");
  std::string name = std::string(base && *base ? base : "/tmp") + "/memprof-XXXXXX";
  if (mkdtemp(name.data())) path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace memprof::cli
