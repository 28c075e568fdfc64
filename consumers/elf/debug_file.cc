// debug_file.cc - the separate debug file of a program that was stripped.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/elf/debug_file.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "consumers/elf/elf_sections.h"

namespace memprof::elf {
namespace {

constexpr const char* k_debug_folder = "/usr/lib/debug";

// The first line that debuginfod-find prints. BUILD_ID is hexadecimal, so the shell reads it as it is.
std::string fetched(const std::string& build_id) {
  const char* const servers = std::getenv("DEBUGINFOD_URLS");
  if (!servers || !*servers) return "";
  std::FILE* const out = popen(("debuginfod-find debuginfo " + build_id + " 2>/dev/null").c_str(), "re");
  if (!out) return "";
  char line[4096] = "";
  const bool read = std::fgets(line, sizeof line, out) != nullptr;
  if (pclose(out) != 0 || !read) return "";
  const std::string path = line;
  return path.substr(0, path.find('\n'));
}

}  // namespace

// A note: the lengths of its name and of its value, its type, "GNU", the value.
std::string build_id_of_file(const std::string& path) {
  constexpr std::size_t k_value = 16;
  const std::string note = section_of_file(path, ".note.gnu.build-id");
  std::string id;
  for (std::size_t i = k_value; i < note.size(); i++) {
    id += "0123456789abcdef"[static_cast<unsigned char>(note[i]) >> 4];
    id += "0123456789abcdef"[note[i] & 15];
  }
  return id;
}

std::string debug_file_of(const std::string& path) {
  // Nothing was removed.
  if (!section_of_file(path, ".symtab").empty()) return "";
  const std::string id = build_id_of_file(path);
  const auto fits = [&](const std::string& file) {
    return access(file.c_str(), R_OK) == 0 && (id.empty() || build_id_of_file(file) == id);
  };
  if (id.size() > 2)
    if (std::string file = std::string(k_debug_folder) + "/.build-id/" + id.substr(0, 2) + '/' + id.substr(2) + ".debug"; fits(file))
      return file;
  std::error_code error;
  const std::string folder = std::filesystem::absolute(path, error).parent_path();
  const std::string link = section_of_file(path, ".gnu_debuglink");
  if (const std::string name = link.c_str(); !name.empty() && name.find('/') == name.npos)
    for (const std::string& place : {folder, folder + "/.debug", k_debug_folder + folder})
      if (std::string file = place + '/' + name; fits(file)) return file;
  if (id.empty()) return "";
  const std::string file = fetched(id);
  return file.empty() || !fits(file) ? "" : file;
}

std::string section_of_program(const std::string& path, std::string_view name) {
  std::string found = section_of_file(path, name);
  if (!found.empty()) return found;
  const std::string debug = debug_file_of(path);
  return debug.empty() ? "" : section_of_file(debug, name);
}

}  // namespace memprof::elf
