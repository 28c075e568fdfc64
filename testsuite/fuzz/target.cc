// target.cc - files and commands for fuzz targets.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "testsuite/fuzz/target.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>

#include "consumers/cli/command.h"

namespace memprof::fuzz {
namespace {

// In memory where that is possible: millions of files are written.
class Folder {
 public:
  Folder() {
    for (const char* where : {"/dev/shm", "/tmp"}) {
      path_ = std::string(where) + "/memprof-fuzz.XXXXXX";
      if (mkdtemp(path_.data())) return;
    }
    std::abort();
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace

std::vector<Target>& targets() {
  static std::vector<Target> all;
  return all;
}

std::string put(const std::string& name, std::string_view text) {
  static const Folder folder;
  std::string path = folder.path() + "/" + name;
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  return path;
}

int run(const cli::Command& command, std::vector<std::string> words) {
  std::vector<const char*> pointers;
  for (const std::string& word : words) pointers.push_back(word.c_str());
  const auto arguments = cli::parse_arguments(command, pointers);
  must(bool(arguments), std::string(command.name) + ": a wrong option of the target");
  return command.run(*arguments);
}

void must(bool condition, const std::string& text) {
  if (condition) return;
  std::fprintf(stderr, "fuzz: %s\n", text.c_str());
  std::abort();
}

std::size_t mutate_in_place(Mutator mutate, std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  Random random(seed);
  std::string text(reinterpret_cast<const char*>(data), size);
  mutate(text, random);
  if (text.size() > most) text.resize(most);
  std::memcpy(data, text.data(), text.size());
  return text.size();
}

}  // namespace memprof::fuzz
