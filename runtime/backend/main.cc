// main.cc - memprof-backend: from an event stream to prog.memprof.json.
// SPDX-License-Identifier: GPL-3.0-or-later
#include <getopt.h>

#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>

#include "memprof-config.h"
#include "runtime/backend/dump.h"

namespace {

using namespace memprof;

enum ExitCode { k_complete = 0, k_partial = 1, k_no_profile = 2 };

struct CommandLine {
  int attach = -1;
  std::string from, dump;
};

constexpr char k_usage[] =
    "Usage: memprof-backend --dump FILE\n"
    "\n"
    "  --dump FILE     print the records of a stream as text\n"
    "  --version       print the version\n"
    "  --help          print this\n"
    "\n"
    "Exit status: 0 complete, 1 partial, 2 no profile.\n";

CommandLine parse_command_line(int argc, char** argv) {
  enum { k_dump = 256, k_version, k_help };
  static const option options[] = {
      {"dump", required_argument, nullptr, k_dump},
      {"version", no_argument, nullptr, k_version},
      {"help", no_argument, nullptr, k_help},
      {nullptr, 0, nullptr, 0}};
  CommandLine line;
  for (int c; (c = getopt_long(argc, argv, "", options, nullptr)) != -1;) {
    switch (c) {
      case k_dump: line.dump = optarg; break;
      case k_version:
        std::printf("memprof-backend %s\n", PACKAGE_VERSION);
        std::exit(k_complete);
      case k_help:
        std::fputs(k_usage, stdout);
        std::exit(k_complete);
      default:
        std::exit(k_no_profile);
    }
  }
  if (optind != argc || line.dump.empty()) {
    std::fputs(k_usage, stderr);
    std::exit(k_no_profile);
  }
  return line;
}

int report(const feedback::Error& error) {
  std::fprintf(stderr, "memprof-backend: %s\n", error.text().c_str());
  return k_no_profile;
}

int dump(const std::string& path) {
  auto file = backend::StreamFile::open(path);
  if (!file) return report(file.error());
  return backend::dump_stream(**file, stdout) ? k_complete : k_partial;
}

}  // namespace

int main(int argc, char** argv) {
  const CommandLine line = parse_command_line(argc, argv);
  try {
    return dump(line.dump);
  } catch (const std::bad_alloc&) {
    std::fputs("memprof-backend: out of memory\n", stderr);
    return k_no_profile;
  }
}
