// source_files.h - finds and reads the source files that a profile names.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A profile has names as the compiler was given them, and the source may have moved. NAME
// is looked for as it is, then below each folder, without more and more of its first
// components: "../src/lib/a.c" as FOLDER/src/lib/a.c, FOLDER/lib/a.c, FOLDER/a.c.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace memprof::cli {

struct SourceText {
  std::string path;                // where it was found
  std::vector<std::string> lines;  // without their ends
};

class SourceFiles {
 public:
  explicit SourceFiles(std::vector<std::string> folders) : folders_(std::move(folders)) {}
  // Null when there is no such file, it is no text, or it is larger than 16 MB.
  const SourceText* find(const std::string& name);

 private:
  std::vector<std::string> folders_;
  std::map<std::string, std::optional<SourceText>> known_;
};

}  // namespace memprof::cli
