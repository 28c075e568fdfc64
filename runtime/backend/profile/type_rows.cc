// type_rows.cc - the record types of the program, and what stands against moving
// their fields.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Each unit tells what it saw (plugin/tables/type_facts.cc). Only here are all of them
// together, so some obstacles are decided here:
//
//   external f   is none when the executable defines f itself; then f is in a unit
//                that spoke for itself
//   from f       is none when f only returns new memory: each unit lists such
//                functions of its own, which may call one another
//   foreign      the executable has a unit that was not instrumented, in which no code
//                looked for it: the symbol table names the source of each. Without
//                a table, or in a shared library, which any program may use, the
//                answer is the same.
//
// What an incomplete type has against it counts for each type of its name.
#include "runtime/backend/profile/type_rows.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>

#include "runtime/backend/program/elf_file.h"

namespace memprof::backend {
namespace {

using feedback::Obstacle;
using feedback::RecordType;

std::string last_part(std::string_view path) {
  return std::string(path.substr(path.rfind('/') + 1));
}

// C's "struct order" is C++'s "order".
std::string tag(const std::string& name) {
  return name.starts_with("struct ") ? name.substr(7) : name;
}

// A row of a unit as it is in the profile.
RecordType as_row(const UnitImage& image, const mprt_type& t) {
  RecordType row;
  row.name = image.text(t.name);
  row.file = image.text(t.file);
  row.line = t.line;
  row.key = t.key;
  row.bytes = t.bytes;
  row.align = t.align;
  row.packed = t.flags & MPRT_TYPE_PACKED;
  row.checked = t.flags & MPRT_TYPE_CHECKED;
  for (const mprt_field& f : image.fields().subspan(t.first_field, t.fields))
    row.fields.push_back({image.text(f.name), image.text(f.declaration), f.offset, f.bytes,
                          f.align, f.bit_offset, f.bits});
  // The compiler has them as they were declared; an empty member may lie after the next one.
  std::ranges::stable_sort(row.fields, {}, [](const feedback::Field& f) {
    return std::tuple(f.offset, f.bit_offset);
  });
  return row;
}

class Collector {
 public:
  Collector(const LoadedUnits& units, const std::string& executable, const ElfFile& file)
      : units_(units), executable_(executable), program_(file) {}

  std::vector<RecordType> run() {
    for (const auto& unit : units_.all()) add_unit(unit->image);
    find_foreign_units();
    std::vector<RecordType> rows;
    for (auto& [key, row] : rows_) {
      std::vector<Obstacle> all = std::move(row.obstacles);
      const auto& more = incomplete_[tag(row.name)];
      all.insert(all.end(), more.begin(), more.end());
      all.insert(all.end(), foreign_.begin(), foreign_.end());
      std::erase_if(all, [&](const Obstacle& o) { return resolved(o); });
      std::sort(all.begin(), all.end());
      all.erase(std::unique(all.begin(), all.end()), all.end());
      row.obstacles = std::move(all);
      rows.push_back(std::move(row));
    }
    return rows;
  }

 private:
  using Key = std::tuple<std::string, std::uint32_t, std::uint64_t, std::vector<feedback::Field>>;

  void add_unit(const UnitImage& image) {
    std::vector<std::vector<Obstacle>> obstacles(image.types().size());
    for (const mprt_obstacle& o : image.obstacles()) {
      std::string where = image.text(o.file);
      if (!where.empty()) where += ':' + std::to_string(o.line);
      obstacles[o.type].push_back({image.text(o.kind), image.text(o.detail), where});
    }
    for (std::size_t i = 0; i < image.types().size(); i++) {
      const mprt_type& t = image.types()[i];
      std::vector<Obstacle>& found = obstacles[i];
      if (t.name == 0) {
        for (const Obstacle& o : found) allocators_.insert(o.detail);
      } else if (t.bytes == 0 && t.key == 0) {
        auto& all = incomplete_[tag(image.text(t.name))];
        all.insert(all.end(), found.begin(), found.end());
      } else {
        RecordType row = as_row(image, t);
        const auto [at, fresh] =
            rows_.try_emplace(Key{row.name, row.key, row.bytes, row.fields}, row);
        at->second.checked = at->second.checked && row.checked;
        auto& all = at->second.obstacles;
        all.insert(all.end(), found.begin(), found.end());
      }
    }
  }

  void find_foreign_units() {
    std::set<std::string> known = {"", "crtstuff.c", "Scrt1.o", "crt1.o",
                                   "gcrt1.o", "crti.o", "crtn.o"};
    bool library = false, other = false;
    for (const auto& unit : units_.all()) {
      const UnitImage& image = unit->image;
      library |= image.path != executable_;
      const std::string_view compiler = image.text(image.header().compiler);
      other |= !compiler.starts_with("GNU C");
      known.insert(last_part(image.text(image.header().file)));
      for (const mprt_function& f : image.functions())
        known.insert(last_part(image.text(f.file)));
    }
    if (library)
      foreign_.push_back({"foreign", "a shared library is part of it", ""});
    // It may have the same record under another name.
    if (other) foreign_.push_back({"foreign", "a unit is not in C or C++", ""});
    if (program_.source_files().empty())
      foreign_.push_back({"foreign", "the program has no symbol table", ""});
    for (const std::string& file : program_.source_files())
      if (!known.contains(last_part(file))) {
        foreign_.push_back({"foreign", file, ""});
        break;
      }
  }

  bool resolved(const Obstacle& o) const {
    if (o.kind == "external") return program_.defines(o.detail);
    if (o.kind == "from") return allocators_.contains(o.detail);
    return false;
  }

  const LoadedUnits& units_;
  const std::string& executable_;
  const ElfFile& program_;
  std::map<Key, RecordType> rows_;
  std::map<std::string, std::vector<Obstacle>> incomplete_;  // by tag
  std::set<std::string> allocators_;
  std::vector<Obstacle> foreign_;
};

}  // namespace

std::vector<RecordType> type_rows(const LoadedUnits& units, const std::string& executable,
                                  const ElfFile& file) {
  return Collector(units, executable, file).run();
}

}  // namespace memprof::backend
