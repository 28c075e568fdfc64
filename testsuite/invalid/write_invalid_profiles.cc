// write_invalid_profiles.cc - write_invalid_profiles TESTSUITE FOLDER: each invalid profile as FOLDER/NAME.json.
// SPDX-License-Identifier: GPL-3.0-or-later
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "testsuite/invalid/invalid_profiles.h"

int main(int argc, char** argv) try {
  if (argc != 3) throw std::runtime_error("usage: write_invalid_profiles TESTSUITE FOLDER");
  const std::filesystem::path folder = argv[2];
  std::filesystem::create_directories(folder);
  for (const auto& profile : memprof::feedback::test::invalid_profiles(argv[1])) {
    std::ofstream file(folder / (profile.name + ".json"), std::ios::binary);
    file << profile.text << std::flush;
    if (!file) throw std::runtime_error(profile.name + ".json: cannot write");
  }
  return 0;
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
