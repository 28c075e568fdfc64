// source_files.h - finds and reads the source files that a profile names.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A profile has names as the compiler was given them, and the source may have moved. NAME
// is looked for as it is, then below each folder, without more and more of its first
// components: "../src/lib/a.c" as FOLDER/src/lib/a.c, FOLDER/lib/a.c, FOLDER/a.c.
//
// Reports are sent to others, and a profile may come from somebody who wants to see a file
// of ours in them. So only files below the current folder, that of the profile, or one that
// the user names are read, wherever links lead, and nothing hidden (.ssh) below the former two.
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
  // FOLDERS are the user's.
  SourceFiles(std::vector<std::string> folders, const std::string& profile);
  // Null when there is no such file, it is no text, it is larger than 16 MB, or it lies elsewhere.
  const SourceText* find(const std::string& name);
  // Says that there are files that lie elsewhere; empty if there are none.
  std::string note() const;

 private:
  struct Root {
    std::string folder;  // canonical
    bool named;          // by the user
  };
  std::optional<SourceText> read(const std::string& path);
  std::optional<SourceText> look_for(const std::string& name);
  bool allowed(const std::string& canonical) const;

  std::vector<std::string> folders_;
  std::string profile_folder_;
  std::vector<Root> roots_;
  std::string elsewhere_;  // the first such file
  std::map<std::string, std::optional<SourceText>> known_;
};

}  // namespace memprof::cli
