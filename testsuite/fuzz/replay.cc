// replay.cc - fuzz_replay: the inputs of the corpus and mutations of them, without libFuzzer.
// SPDX-License-Identifier: GPL-3.0-or-later
//
//   fuzz_replay [-v] [-m N] CORPUS [KIND]     each file of CORPUS/KIND, and N mutations of each (default 20)
//   fuzz_replay KIND FILE...             these files
//
// A file whose name ends in .hex is text for an input that is none (record_input.py).  An input that is not
// survived ends the program; its name is printed before.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include "testsuite/fuzz/mutators.h"
#include "testsuite/fuzz/target.h"

namespace {

using namespace memprof::fuzz;
namespace fs = std::filesystem;

std::FILE* g_say = nullptr;  // what the commands print goes nowhere
bool g_verbose = false;
std::string g_running;

std::string from_hex(const std::string& text) {
  std::istringstream words(text);
  std::string bytes;
  for (std::string word; words >> word;) {
    const std::size_t star = std::min(word.find('*'), word.size());
    const unsigned long times = star == word.size() ? 1 : std::strtoul(word.c_str() + star + 1, nullptr, 10);
    std::string once;
    for (std::size_t i = 0; i + 1 < star; i += 2)
      once += static_cast<char>(std::strtoul(word.substr(i, 2).c_str(), nullptr, 16));
    for (unsigned long n = 0; n < times; n++) bytes += once;
  }
  return bytes;
}

std::string input_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  return path.extension() == ".hex" ? from_hex(text) : text;
}

const Target* target_of(const std::string& kind) {
  for (const Target& target : targets())
    if (kind == target.kind) return &target;
  return nullptr;
}

void try_input(const Target& target, const std::string& input, const std::string& name) {
  g_running = name;
  if (g_verbose) std::fprintf(g_say, "%s\n", name.c_str());
  target.run(input);
}

// Inputs that were tried.
unsigned replay(const Target& target, const fs::path& folder, unsigned mutations) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  unsigned tried = 0;
  for (const fs::path& file : files) {
    const std::string input = input_of(file);
    try_input(target, input, file.string());
    for (unsigned seed = 1; seed <= mutations; seed++) {
      std::string changed = input;
      Random random(seed);
      (target.mutate ? target.mutate : mutate_bytes)(changed, random);
      try_input(target, changed, file.string() + ", mutation " + std::to_string(seed));
    }
    tried += 1 + mutations;
  }
  return tried;
}

int replay_corpus(const fs::path& corpus, unsigned mutations, const char* only) {
  unsigned tried = 0, kinds = 0;
  for (const Target& target : targets()) {
    if (only && std::strcmp(only, target.kind) != 0) continue;
    const unsigned some = fs::is_directory(corpus / target.kind) ? replay(target, corpus / target.kind, mutations) : 0;
    if (some == 0) {
      std::fprintf(g_say, "fuzz_replay: no inputs in %s/%s\n", corpus.c_str(), target.kind);
      return 1;
    }
    tried += some;
    kinds++;
  }
  std::fprintf(g_say, "fuzz_replay: %u inputs of %u kinds\n", tried, kinds);
  return kinds == 0;
}

// Which input it was.
void say_running() {
  std::fprintf(g_say, "fuzz_replay: not survived: %s\n", g_running.c_str());
  std::fflush(g_say);
}

}  // namespace

int main(int argc, char** argv) {
  g_say = fdopen(dup(STDERR_FILENO), "w");
  unsigned mutations = 20;
  int at = 1;
  for (; at < argc && argv[at][0] == '-'; at++)
    if (std::strcmp(argv[at], "-v") == 0)
      g_verbose = true;
    else if (std::strcmp(argv[at], "-m") == 0 && at + 1 < argc)
      mutations = static_cast<unsigned>(std::strtoul(argv[++at], nullptr, 10));
  if (at >= argc) {
    std::fprintf(g_say, "usage: fuzz_replay [-v] [-m N] CORPUS [KIND], or fuzz_replay KIND FILE...\n");
    return 2;
  }
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  dup2(nowhere, STDOUT_FILENO);
  if (!g_verbose) dup2(nowhere, STDERR_FILENO);
  std::signal(SIGABRT, [](int) { say_running(); });
  std::signal(SIGSEGV, [](int) { say_running(); std::_Exit(1); });
  std::set_terminate([] { say_running(); std::_Exit(1); });
  const Target* const target = target_of(argv[at]);
  if (!target) return replay_corpus(argv[at], mutations, argc > at + 1 ? argv[at + 1] : nullptr);
  for (int i = at + 1; i < argc; i++) try_input(*target, input_of(argv[i]), argv[i]);
  return 0;
}
