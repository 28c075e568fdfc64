// elf_sections.cc - the sections of an object, a member of an archive, a library or a program.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/elf/elf_sections.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace memprof::elf {

std::string Input::bytes(std::uint64_t at, std::uint64_t count) const {
  if (at > size_ || count > size_ - at) return "";
  std::string text(count, '\0');
  std::size_t done = 0;
  while (done < count) {
    const ssize_t n =
        pread(fd_, text.data() + done, count - done, static_cast<off_t>(offset_ + at + done));
    if (n <= 0) return "";
    done += static_cast<std::size_t>(n);
  }
  return text;
}

std::string_view text_at(const std::string& strings, std::uint64_t at) {
  if (at >= strings.size()) return "";
  const std::string_view rest = std::string_view(strings).substr(at);
  return rest.substr(0, rest.find('\0'));
}

Sections sections_of(const Input& in) {
  Sections result;
  const auto headers = rows_of<Elf64_Ehdr>(in.bytes(0, sizeof(Elf64_Ehdr)));
  if (headers.empty() || std::memcmp(headers[0].e_ident, ELFMAG, SELFMAG) != 0 ||
      headers[0].e_ident[EI_CLASS] != ELFCLASS64 || headers[0].e_shentsize != sizeof(Elf64_Shdr))
    return result;
  const Elf64_Ehdr& header = headers[0];
  std::uint64_t count = header.e_shnum, names = header.e_shstrndx;
  const auto first = rows_of<Elf64_Shdr>(in.bytes(header.e_shoff, sizeof(Elf64_Shdr)));
  if (first.empty()) return result;
  // More sections than the header can count.
  if (count == 0) count = first[0].sh_size;
  if (names == SHN_XINDEX) names = first[0].sh_link;
  if (count > UINT32_MAX) return result;
  result.all = rows_of<Elf64_Shdr>(in.bytes(header.e_shoff, count * sizeof(Elf64_Shdr)));
  if (names < result.all.size())
    result.names = in.bytes(result.all[names].sh_offset, result.all[names].sh_size);
  return result;
}

std::string section_of_file(const std::string& path, std::string_view name) {
  // A FIFO must not make anyone wait.
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return "";
  struct stat about;
  std::string found;
  if (fstat(fd, &about) == 0 && S_ISREG(about.st_mode)) {
    const Input in(fd, 0, static_cast<std::uint64_t>(about.st_size));
    const Sections sections = sections_of(in);
    for (const Elf64_Shdr& s : sections.all)
      if (sections.name(s) == name && s.sh_type != SHT_NOBITS) found += in.bytes(s.sh_offset, s.sh_size);
  }
  close(fd);
  return found;
}

}  // namespace memprof::elf
