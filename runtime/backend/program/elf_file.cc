// elf_file.cc - what we want to know of an executable or a library.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/program/elf_file.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace memprof::backend {

namespace {

// A copy of the T at OFFSET; false if the file is too short.
template <typename T>
bool fetch(const char* data, std::size_t size, std::uint64_t offset, T* out) {
  if (offset > size || size - offset < sizeof(T)) return false;
  std::memcpy(out, data + offset, sizeof(T));
  return true;
}

bool inside(std::size_t size, std::uint64_t offset, std::uint64_t bytes) {
  return offset <= size && bytes <= size - offset;
}

}  // namespace

ElfFile::ElfFile(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return;
  struct stat st;
  if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0) {
    const auto size = static_cast<std::size_t>(st.st_size);
    void* map = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
    known_ = map != MAP_FAILED;
    if (known_) {
      read(static_cast<const char*>(map), size);
      munmap(map, size);
    }
  }
  ::close(fd);
}

void ElfFile::read(const char* data, std::size_t size) {
  Elf64_Ehdr header;
  if (!fetch(data, size, 0, &header) ||
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64)
    return;
  for (unsigned i = 0; i < header.e_phnum; i++) {
    Elf64_Phdr segment;
    if (!fetch(data, size, header.e_phoff + i * sizeof segment, &segment)) break;
    if (segment.p_type == PT_LOAD)
      segments_.push_back({segment.p_offset, segment.p_vaddr, segment.p_filesz});
    if (segment.p_type == PT_NOTE &&
        inside(size, segment.p_offset, segment.p_filesz))
      read_notes(data + segment.p_offset, segment.p_filesz);
  }
  for (unsigned i = 0; i < header.e_shnum; i++) {
    Elf64_Shdr section, strings;
    if (!fetch(data, size, header.e_shoff + i * sizeof section, &section)) break;
    if ((section.sh_type == SHT_SYMTAB || section.sh_type == SHT_DYNSYM) &&
        fetch(data, size, header.e_shoff + section.sh_link * sizeof strings,
              &strings))
      read_symbols(data, size, section.sh_offset, section.sh_size,
                   strings.sh_offset, strings.sh_size);
  }
  std::stable_sort(functions_.begin(), functions_.end(),
                   [](const Function& a, const Function& b) {
                     return a.address < b.address;
                   });
}

void ElfFile::read_notes(const char* data, std::size_t size) {
  std::uint64_t at = 0;
  Elf64_Nhdr note;
  while (fetch(data, size, at, &note)) {
    const std::uint64_t name = at + sizeof note;
    const std::uint64_t value = name + ((note.n_namesz + 3ull) & ~3ull);
    const std::uint64_t next = value + ((note.n_descsz + 3ull) & ~3ull);
    if (!inside(size, value, note.n_descsz)) return;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
        std::memcmp(data + name, "GNU", 4) == 0 && build_id_.empty())
      for (unsigned i = 0; i < note.n_descsz; i++) {
        const auto byte = static_cast<unsigned char>(data[value + i]);
        build_id_ += "0123456789abcdef"[byte >> 4];
        build_id_ += "0123456789abcdef"[byte & 15];
      }
    at = next;
  }
}

void ElfFile::read_symbols(const char* data, std::size_t size,
                           std::uint64_t symbols, std::uint64_t bytes,
                           std::uint64_t strings, std::uint64_t string_bytes) {
  if (!inside(size, symbols, bytes) || !inside(size, strings, string_bytes))
    return;
  for (std::uint64_t at = 0; at + sizeof(Elf64_Sym) <= bytes;
       at += sizeof(Elf64_Sym)) {
    Elf64_Sym symbol;
    std::memcpy(&symbol, data + symbols + at, sizeof symbol);
    if (symbol.st_name >= string_bytes) continue;
    const char* text = data + strings + symbol.st_name;
    const std::string name(text, strnlen(text, string_bytes - symbol.st_name));
    const unsigned type = ELF64_ST_TYPE(symbol.st_info);
    if (type == STT_FILE) source_files_.push_back(name);
    // Hidden ones have become local.
    if (symbol.st_shndx == SHN_UNDEF)
      undefined_.insert(name);
    else if (type == STT_FUNC || type == STT_OBJECT)
      defined_.insert(name);
    if (type == STT_FUNC && symbol.st_size)
      functions_.push_back({symbol.st_value, symbol.st_size, name});
  }
}

std::uint64_t ElfFile::address_of(std::uint64_t offset) const {
  for (const Segment& s : segments_)
    if (offset - s.offset < s.bytes) return offset - s.offset + s.address;
  return offset;
}

std::string ElfFile::function_at(std::uint64_t address) const {
  auto it = std::upper_bound(
      functions_.begin(), functions_.end(), address,
      [](std::uint64_t a, const Function& f) { return a < f.address; });
  if (it == functions_.begin()) return {};
  --it;
  return address - it->address < it->bytes ? it->name : std::string();
}

}  // namespace memprof::backend
