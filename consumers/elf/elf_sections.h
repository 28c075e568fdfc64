// elf_sections.h - the sections of an object, a member of an archive, a library or a program.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Everything is read with bounds: a file that is cut short or wrong has fewer sections. What is no
// 64-bit ELF file has none.
#pragma once

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace memprof::elf {

// Parts of the SIZE bytes at OFFSET of the open file FD: empty where they are not in it.
class Input {
 public:
  Input(int fd, std::uint64_t offset, std::uint64_t size) : fd_(fd), offset_(offset), size_(size) {}
  std::string bytes(std::uint64_t at, std::uint64_t count) const;

 private:
  int fd_;
  std::uint64_t offset_, size_;
};

template <typename Row>
std::vector<Row> rows_of(const std::string& bytes) {
  std::vector<Row> rows(bytes.size() / sizeof(Row));
  if (!rows.empty()) std::memcpy(rows.data(), bytes.data(), rows.size() * sizeof(Row));
  return rows;
}

// The text at AT, up to its NUL.
std::string_view text_at(const std::string& strings, std::uint64_t at);

struct Sections {
  std::vector<Elf64_Shdr> all;
  std::string names;

  std::string_view name(const Elf64_Shdr& s) const { return text_at(names, s.sh_name); }
};

Sections sections_of(const Input& in);

// The bytes of the section NAME of the file PATH; empty: it has none, or cannot be read.
std::string section_of_file(const std::string& path, std::string_view name);

}  // namespace memprof::elf
