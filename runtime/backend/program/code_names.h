// code_names.h - names for return addresses in the running program.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Objects that uninstrumented code allocates are grouped by the return address
// of the allocating call. It is named "FILE:FUNCTION", or "FILE+0x1234" where
// there are no symbols: the same in every run, wherever the file is loaded.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/backend/program/elf_file.h"

namespace memprof::backend {

// Name of the executable in the file at PATH, without libtool's "lt-".
std::string program_name(std::string_view path);

class CodeNames {
 public:
  // PID 0: no process is there to ask; every name is "".
  explicit CodeNames(std::uint32_t pid) : pid_(pid) {}

  std::string name(std::uint64_t address);

 private:
  struct Mapping {
    std::uint64_t first, last, offset;
    std::string path;
  };
  void read_mappings();
  const Mapping* find(std::uint64_t address) const;

  std::uint32_t pid_;
  std::vector<Mapping> mappings_;
  std::map<std::string, std::unique_ptr<ElfFile>> files_;
};

}  // namespace memprof::backend
