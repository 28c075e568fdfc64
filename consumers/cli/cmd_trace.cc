// cmd_trace.cc - memprof trace: the requests to memory of a recorded run, one by one.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The model is a part of the backend, which prints the trace: this command becomes it.
#include <unistd.h>

#include <cstring>
#include <string>
#include <vector>

#include "consumers/cli/command.h"
#include "consumers/cli/installation.h"

namespace memprof::cli {
namespace {

const Option k_options[] = {
    {"first", "N", "begin with the access before which there are N"},
    {"count", "N", "the requests of N accesses"},
    {"pages", "SIZES", "TLB and cache to model: nehalem, or L1TLB=64/4,L2TLB=1536/12,LLC=32M/16"},
    {"phases", "N", "add them up by object and interval of N accesses"},
    {"binary", nullptr, "write records of 40 bytes instead of text"},
};

int run(const Arguments& arguments) {
  if (arguments.json() && arguments.has("binary")) return fail("trace: --json and --binary are two formats");
  std::vector<std::string> words{Installation::find().backend, "--trace", arguments.operands()[0]};
  for (const char* option : {"first", "count", "pages", "phases"})
    if (arguments.has(option)) {
      words.push_back(std::string("--") + option);
      words.push_back(arguments.value(option));
    }
  for (const char* format : {"binary", "json"})
    if (arguments.has(format)) words.push_back(std::string("--") + format);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  execv(argv[0], argv.data());
  return fail(words[0] + ": " + std::strerror(errno) + "; memprof doctor says what is installed");
}

}  // namespace

const Command k_trace_command = {
    "trace",
    "PROFILE|STREAM",
    "print the requests to memory of a recorded run, with their objects",
    "STREAM was recorded with MPRT_OPTIONS=file=STREAM; PROFILE has whole streams\n"
    "(-fprofile-mem-modules=whole_stream). Accesses go through a model of TLB and cache\n"
    "(doc/pages.md). Each line is a line of memory that is read or written: physical address,\n"
    "r or w, time in accesses, process, thread, virtual address, level of the page tables (0: data),\n"
    "object. With --phases each is a sum: the first access of an interval, lines read and written,\n"
    "lines of page tables read, object. With --json it is an object with these members.\n"
    "Exit status 1: not all of the run is there.",
    k_options,
    1,
    1,
    false,
    run,
};

}  // namespace memprof::cli
