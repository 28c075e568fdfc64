// source_files.cc - finds and reads the source files that a profile names.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/cli/source_files.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace memprof::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t k_largest = 16 << 20;

std::optional<SourceText> read(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error) || fs::file_size(path, error) > k_largest || error)
    return std::nullopt;
  std::ifstream in(path, std::ios::binary);
  const std::string all{std::istreambuf_iterator<char>(in), {}};
  if (!in || all.find('\0') != std::string::npos) return std::nullopt;
  SourceText text{path.string(), {}};
  for (std::size_t from = 0; from < all.size();) {
    std::size_t to = std::min(all.find('\n', from), all.size());
    const std::size_t next = to + 1;
    if (to > from && all[to - 1] == '\r') to--;
    text.lines.push_back(all.substr(from, to - from));
    from = next;
  }
  return text;
}

std::optional<SourceText> look_for(const std::string& name, const std::vector<std::string>& folders) {
  if (auto text = read(name)) return text;
  std::vector<fs::path> parts;
  for (const fs::path& part : fs::path(name).lexically_normal().relative_path())
    if (part != ".." && part != ".") parts.push_back(part);
  for (const std::string& folder : folders)
    for (std::size_t first = 0; first < parts.size(); first++) {
      fs::path path = folder;
      for (std::size_t i = first; i < parts.size(); i++) path /= parts[i];
      if (auto text = read(path)) return text;
    }
  return std::nullopt;
}

}  // namespace

const SourceText* SourceFiles::find(const std::string& name) {
  const auto [at, fresh] = known_.try_emplace(name);
  if (fresh && !name.empty()) at->second = look_for(name, folders_);
  return at->second ? &*at->second : nullptr;
}

}  // namespace memprof::cli
