// object_file.cc - the layout notes and the global symbols of an object file.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The linker has opened the file.  Everything is read with bounds: a file that is cut short or wrong has fewer
// sections, and the linker itself complains about it.
#include "consumers/link/object_file.h"

#include <elf.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <vector>

namespace memprof::link {
namespace {

// Parts of a file: empty where they are not in it.
class Input {
 public:
  Input(int fd, std::uint64_t offset, std::uint64_t size) : fd_(fd), offset_(offset), size_(size) {}

  std::string bytes(std::uint64_t at, std::uint64_t count) const {
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

std::string_view text_at(const std::string& strings, std::uint64_t at) {
  if (at >= strings.size()) return "";
  const std::string_view rest = std::string_view(strings).substr(at);
  return rest.substr(0, rest.find('\0'));
}

struct Sections {
  std::vector<Elf64_Shdr> all;
  std::string names;

  std::string_view name(const Elf64_Shdr& s) const { return text_at(names, s.sh_name); }
};

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

void add_symbols(const Input& in, const Sections& sections, const Elf64_Shdr& table,
                 std::vector<std::string>& symbols) {
  if (table.sh_link >= sections.all.size()) return;
  const Elf64_Shdr& strings_header = sections.all[table.sh_link];
  const std::string strings = in.bytes(strings_header.sh_offset, strings_header.sh_size);
  for (const auto& symbol : rows_of<Elf64_Sym>(in.bytes(table.sh_offset, table.sh_size))) {
    const std::string_view name = text_at(strings, symbol.st_name);
    if (ELF64_ST_BIND(symbol.st_info) != STB_LOCAL && !name.empty()) symbols.emplace_back(name);
  }
}

}  // namespace

decide::LayoutObject read_object(const std::string& name, int fd, std::uint64_t offset, std::uint64_t size) {
  decide::LayoutObject object;
  object.file = name;
  const Input in(fd, offset, size);
  const Sections sections = sections_of(in);
  bool link_time_code = false, whole = true;
  for (const Elf64_Shdr& s : sections.all) {
    const std::string_view section = sections.name(s);
    if (section == ".memprof.layouts")
      whole &= decide::read_layout_notes(in.bytes(s.sh_offset, s.sh_size), object.units);
    else if (section.starts_with(".gnu.lto_"))
      link_time_code = true;
    else if (s.sh_type == SHT_SYMTAB || s.sh_type == SHT_DYNSYM)
      add_symbols(in, sections, s, object.symbols);
  }
  if (!whole) object.units.clear();
  object.unreadable = !whole || (link_time_code && object.units.empty());
  return object;
}

}  // namespace memprof::link
