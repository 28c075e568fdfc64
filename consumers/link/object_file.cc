// object_file.cc - the layout notes and the global symbols of an object file.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The linker has opened the file, and complains itself about one that is cut short or wrong.
#include "consumers/link/object_file.h"

#include <string_view>
#include <vector>

#include "consumers/elf/elf_sections.h"

namespace memprof::link {
namespace {

using namespace elf;

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
