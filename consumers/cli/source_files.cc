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

// Whether NAME is a hidden part of a path.
bool hidden(const fs::path& name) {
  return std::any_of(name.begin(), name.end(), [](const fs::path& part) {
    return part.string().starts_with('.') && part != "." && part != "..";
  });
}

}  // namespace

SourceFiles::SourceFiles(std::vector<std::string> folders, const std::string& profile)
    : folders_(std::move(folders)), profile_folder_(fs::path(profile).parent_path().string()) {
  const auto add = [this](const fs::path& folder, bool named) {
    std::error_code error;
    const fs::path canonical = fs::canonical(folder, error);
    if (!error) roots_.push_back({canonical.string(), named});
  };
  for (const std::string& folder : folders_) add(folder, true);
  add(".", false);
  if (!profile_folder_.empty()) add(profile_folder_, false);
}

bool SourceFiles::allowed(const std::string& canonical) const {
  return std::any_of(roots_.begin(), roots_.end(), [&](const Root& root) {
    const std::string start = root.folder == "/" ? root.folder : root.folder + '/';
    return canonical.starts_with(start) &&
           (root.named || !hidden(canonical.substr(start.size())));
  });
}

std::optional<SourceText> SourceFiles::read(const std::string& name) {
  std::error_code error;
  const fs::path path = fs::canonical(name, error);
  if (error || !fs::is_regular_file(path, error) || fs::file_size(path, error) > k_largest || error)
    return std::nullopt;
  if (!allowed(path.string())) {
    if (elsewhere_.empty()) elsewhere_ = name;
    return std::nullopt;
  }
  std::ifstream in(path, std::ios::binary);
  const std::string all{std::istreambuf_iterator<char>(in), {}};
  if (!in || all.find('\0') != std::string::npos) return std::nullopt;
  SourceText text{name, {}};
  for (std::size_t from = 0; from < all.size();) {
    std::size_t to = std::min(all.find('\n', from), all.size());
    const std::size_t next = to + 1;
    if (to > from && all[to - 1] == '\r') to--;
    text.lines.push_back(all.substr(from, to - from));
    from = next;
  }
  return text;
}

std::optional<SourceText> SourceFiles::look_for(const std::string& name) {
  if (auto text = read(name)) return text;
  if (!profile_folder_.empty() && fs::path(name).is_relative())
    if (auto text = read(profile_folder_ + '/' + name)) return text;
  std::vector<fs::path> parts;
  for (const fs::path& part : fs::path(name).lexically_normal().relative_path())
    if (part != ".." && part != ".") parts.push_back(part);
  for (const std::string& folder : folders_)
    for (std::size_t first = 0; first < parts.size(); first++) {
      fs::path path = folder;
      for (std::size_t i = first; i < parts.size(); i++) path /= parts[i];
      if (auto text = read(path.string())) return text;
    }
  return std::nullopt;
}

const SourceText* SourceFiles::find(const std::string& name) {
  const auto [at, fresh] = known_.try_emplace(name);
  if (fresh && !name.empty()) at->second = look_for(name);
  return at->second ? &*at->second : nullptr;
}

std::string SourceFiles::note() const {
  if (elsewhere_.empty()) return "";
  return elsewhere_ + " is not read: it lies outside of the current folder and the profile's; "
                      "--source=DIR names its folder";
}

}  // namespace memprof::cli
