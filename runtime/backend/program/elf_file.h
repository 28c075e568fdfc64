// elf_file.h - what we want to know of an executable or a library.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace memprof::backend {

// 64-bit ELF files only. Anything else, and anything damaged, is a file that
// knows no build id and no functions.
class ElfFile {
 public:
  ElfFile() = default;
  explicit ElfFile(const std::string& path);

  bool known() const { return known_; }  // whether the file could be read
  const std::string& build_id() const { return build_id_; }  // hex, or ""
  // Where the byte at OFFSET in the file is linked to; offset if nowhere.
  std::uint64_t address_of(std::uint64_t offset) const;
  // The function that holds ADDRESS, as the linker names it; "" if unknown.
  std::string function_at(std::uint64_t address) const;
  // Names of the sources that it was made of, from the table for debuggers; empty
  // without one.
  const std::vector<std::string>& source_files() const { return source_files_; }
  // Whether a function or variable NAME for other units is in the file itself.
  bool defines(const std::string& name) const {
    return defined_.contains(name) && !undefined_.contains(name);
  }

 private:
  struct Segment {
    std::uint64_t offset, address, bytes;
  };
  struct Function {
    std::uint64_t address, bytes;
    std::string name;
  };
  void read(const char* data, std::size_t size);
  void read_notes(const char* data, std::size_t size);
  void read_symbols(const char* data, std::size_t size, std::uint64_t symbols,
                    std::uint64_t bytes, std::uint64_t strings,
                    std::uint64_t string_bytes);

  bool known_ = false;
  std::string build_id_;
  std::vector<Segment> segments_;
  std::vector<Function> functions_;  // by address
  std::vector<std::string> source_files_;
  std::set<std::string> defined_, undefined_;
};

}  // namespace memprof::backend
