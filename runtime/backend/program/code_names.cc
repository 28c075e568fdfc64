// code_names.cc - names for return addresses in the running program.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/program/code_names.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>

namespace memprof::backend {

std::string program_name(std::string_view path) {
  path.remove_prefix(std::min(path.rfind('/') + 1, path.size()));
  if (path.starts_with("lt-")) path.remove_prefix(3);
  return path.empty() ? "program" : std::string(path);
}

void CodeNames::read_mappings() {
  mappings_.clear();
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%" PRIu32 "/maps", pid_);
  std::FILE* maps = std::fopen(path, "re");
  if (!maps) return;
  char* line = nullptr;
  std::size_t room = 0;
  while (getline(&line, &room, maps) > 0) {
    Mapping m;
    int name = 0;
    char executable = '-';
    if (std::sscanf(line, "%" SCNx64 "-%" SCNx64 " %*c%*c%c%*c %" SCNx64
                          " %*s %*s %n",
                    &m.first, &m.last, &executable, &m.offset, &name) < 4 ||
        executable != 'x' || name == 0)
      continue;
    m.path = line + name;
    while (!m.path.empty() && m.path.back() == '\n') m.path.pop_back();
    mappings_.push_back(std::move(m));
  }
  std::free(line);
  std::fclose(maps);
}

const CodeNames::Mapping* CodeNames::find(std::uint64_t address) const {
  for (const Mapping& m : mappings_)
    if (address >= m.first && address < m.last) return &m;
  return nullptr;
}

std::string CodeNames::name(std::uint64_t address) {
  if (!pid_ || !address) return {};
  const Mapping* mapping = find(address);
  if (!mapping) {
    read_mappings();  // a library may have been loaded since
    mapping = find(address);
  }
  if (!mapping || mapping->path.empty()) return {};
  auto& file = files_[mapping->path];
  if (!file) file = std::make_unique<ElfFile>(mapping->path);
  const std::uint64_t at =
      file->address_of(address - mapping->first + mapping->offset);
  const std::string function = file->function_at(at - 1);
  std::string name = program_name(mapping->path);
  if (!function.empty()) return name + ':' + function;
  char offset[32];
  std::snprintf(offset, sizeof offset, "+0x%" PRIx64, at);
  return name + offset;
}

}  // namespace memprof::backend
