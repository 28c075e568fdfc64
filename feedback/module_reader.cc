// module_reader.cc - what a compile of one source file needs of a profile.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A build compiles hundreds of files, each of which would read the rows of all.
// So the document has an index (writer.cc) and this file uses it:
//
//   1. read the head; the index gives the body's length, so its place;
//   2. choose the modules that belong to the source;
//   3. put together a smaller document of the head, these modules' rows, the
//      COMDAT functions of the others and their rows, all groups and types;
//   4. parse that like any other.
//
// The index is never trusted: an offset out of range, a piece that is not JSON,
// a row of another module's site, an id that leads nowhere, all mean that the
// file was edited, and the whole document is read and cut down instead.  Both
// readers give the same profile.
#include <algorithm>
#include <charconv>
#include <string_view>
#include <unordered_set>

#include "feedback/file.h"
#include "feedback/json_text.h"
#include "feedback/loader.h"
#include "feedback/module_reader.h"
#include "feedback/reader.h"
#include "feedback/references.h"
#include "feedback/row_ids.h"

namespace memprof::feedback {
namespace {

// First guess at the length of the head; most programs have fewer modules.
constexpr std::size_t k_head_guess = 1 << 16;

std::vector<std::string_view> components(std::string_view path) {
  std::vector<std::string_view> parts;
  while (!path.empty()) {
    const std::size_t slash = std::min(path.find('/'), path.size());
    const std::string_view part = path.substr(0, slash);
    if (!part.empty() && part != ".") parts.push_back(part);
    path.remove_prefix(std::min(slash + 1, path.size()));
  }
  return parts;
}

// Number of components that A and B have in common at the end; a whole path
// that is equal counts as more than any tail.
std::size_t likeness(std::string_view a, std::string_view b) {
  if (a == b) return std::size_t(-1);
  const auto x = components(a), y = components(b);
  std::size_t n = 0;
  while (n < x.size() && n < y.size() && x[x.size() - 1 - n] == y[y.size() - 1 - n])
    n++;
  return n;
}

// Which of FILES belong to SOURCE.
template <typename Row>
std::vector<bool> chosen(const std::vector<Row>& modules, const std::string& source) {
  std::size_t best = 1;
  for (const Row& module : modules)
    best = std::max(best, likeness(module.file, source));
  std::vector<bool> out;
  for (const Row& module : modules)
    out.push_back(likeness(module.file, source) == best);
  return out;
}

// Tables without sites that each unit needs whole.
constexpr bool of_all_units(Section table) {
  return table == Section::types || table == Section::fields || table == Section::pages || table == Section::co_access;
}

// Drops the rows of sites that the profile lacks, and forgets sources and loops
// in functions that it lacks.  Returns whether rows were dropped.
bool drop_foreign_rows(Profile& profile) {
  std::unordered_set<Id> sites, loops;
  for (const Module& module : profile.modules)
    for (const Function& function : module.functions) {
      for (const Site& site : function.sites) sites.insert(site.id);
      for (const Loop& loop : function.loops) loops.insert(loop.id);
    }
  std::size_t dropped = 0;
  for_each_table(profile, [&](Section table, auto& rows) {
    dropped += std::erase_if(rows, [&](const auto& row) {
      if constexpr (about_sites<std::remove_cvref_t<decltype(row)>>)
        return !sites.contains(site_of(row));
      else
        return !of_all_units(table);
    });
  });
  for (Dependence& row : profile.dependences) {
    if (row.source != k_external && !sites.contains(row.source)) row.source = k_none;
    if (!loops.contains(row.loop)) row.loop = k_none;
  }
  const auto foreign_source = [&](const auto& row) {
    return row.source != k_external && !sites.contains(row.source);
  };
  std::erase_if(profile.mdf, foreign_source);
  std::erase_if(profile.inferred_dependences, foreign_source);
  return dropped != 0;
}

}  // namespace

// The slow path: from the whole profile.
Profile cut_down(Profile whole, const std::string& source) {
  const std::vector<bool> wanted = chosen(whole.modules, source);
  std::vector<Module> modules;
  for (std::size_t m = 0; m < wanted.size(); m++) {
    Module& module = whole.modules[m];
    if (!wanted[m]) {
      std::erase_if(module.functions, [](const Function& f) { return !f.comdat; });
      module.options.clear();
      module.options_hash = 0;
    }
    if (wanted[m] || !module.functions.empty()) modules.push_back(std::move(module));
  }
  whole.modules = std::move(modules);
  drop_foreign_rows(whole);
  return whole;
}

namespace {

// The fast path: pieces of the file, put together.
class Excerpt {
 public:
  Excerpt(const InputFile& file, const std::string& source)
      : file_(file), source_(source) {}

  // The smaller document, or nothing when the index is missing or cannot be
  // right.
  bool build(std::string& out) {
    if (!read_head(out)) return false;
    const std::vector<bool> wanted = chosen(index_.modules, source_);
    start(out, Section::modules);
    for (std::size_t m = 0; m < wanted.size(); m++)
      if (!module(out, index_.modules[m], wanted[m])) return false;
    out += ']';
    if (!whole_table(out, Section::groups, index_.groups)) return false;
    for (unsigned t = 0; t < k_tables; t++) {
      if (index_.tables[t][1] == 0) continue;
      if (of_all_units(Section(k_first_table + t))) {
        if (!whole_table(out, Section(k_first_table + t), index_.tables[t])) return false;
        continue;
      }
      out += ',';
      start(out, Section(k_first_table + t));
      for (std::size_t m = 0; m < wanted.size(); m++) {
        const auto& [first, comdat, end] = index_.modules[m].tables[t];
        if (end != 0 && !piece(out, wanted[m] ? first : comdat, end)) return false;
      }
      out += ']';
    }
    out += '}';
    return true;
  }

 private:
  // Everything before the body, and the index in it.
  bool read_head(std::string& out) {
    std::string head;
    if (!file_.read(0, std::min(k_head_guess, file_.size()), head)) return false;
    const std::string_view k_mark = "\n\"index\":{\"body\":";
    const std::size_t mark = head.find(k_mark);
    if (mark == std::string::npos) return false;
    std::uint64_t body = 0;
    const char* digits = head.data() + mark + k_mark.size();
    std::from_chars(digits, head.data() + head.size(), body);
    if (body == 0 || body >= file_.size()) return false;
    body_start_ = file_.size() - body;
    if (body_start_ > head.size() &&
        !file_.read(head.size(), body_start_, head)) return false;
    head.resize(body_start_);
    if (!head.ends_with(",\n")) return false;

    std::string text = head.substr(0, head.size() - 2) + "\n,\"modules\":[],\"groups\":[]}";
    Faults faults;
    Document document = load(text, {.with_index = true}, faults);
    if (!faults.list.empty() || !document.index) return false;
    index_ = std::move(*document.index);
    std::string first;
    const std::string key = std::string("\"") +
                            k_section_names[unsigned(Section::modules)] + "\":[";
    if (!file_.read(body_start_, body_start_ + key.size(), first) || first != key)
      return false;
    out = std::move(head);
    return true;
  }

  void start(std::string& out, Section section) {
    out += '"';
    out += k_section_names[unsigned(section)];
    out += "\":[";
    first_ = true;
  }

  // Appends bytes of the body, after a comma unless they are the first.
  bool piece(std::string& out, std::uint64_t from, std::uint64_t to) {
    if (from > to || to > file_.size() - body_start_) return false;
    if (from == to) return true;
    if (!first_) out += ',';
    first_ = false;
    return file_.read(body_start_ + from, body_start_ + to, out);
  }

  bool module(std::string& out, const IndexRow& row, bool whole) {
    const auto& [first, comdat, end] = row.module;
    if (whole) return first < end && piece(out, first, end);
    if (comdat >= end) return comdat == end;
    if (!first_) out += ',';
    first_ = true;
    out += "{\"file\":";
    append_string(out, row.file);
    out += ",\"functions\":[";
    // The row ends with the end of its function table: ]}
    const bool good = end - comdat > 2 && piece(out, comdat, end - 2);
    out += "]}";
    first_ = false;
    return good;
  }

  bool whole_table(std::string& out, Section section,
                   const std::array<std::uint64_t, 2>& range) {
    out += ',';
    start(out, section);
    const bool good = piece(out, range[0], range[1]);
    out += ']';
    return good;
  }

  const InputFile& file_;
  const std::string& source_;
  Index index_;
  std::uint64_t body_start_ = 0;
  bool first_ = true;
};

}  // namespace

std::optional<Profile> read_by_index(const InputFile& file,
                                     const std::string& source) {
  std::string text;
  if (!file.regular() || file.size() > k_max_document ||
      !Excerpt(file, source).build(text))
    return std::nullopt;
  Faults faults;
  Profile profile = load(text, {}, faults).profile;
  if (!faults.list.empty() || drop_foreign_rows(profile)) return std::nullopt;
  const IdTable ids(profile, faults);
  check_references(profile, ids, faults);
  if (!faults.list.empty()) return std::nullopt;
  return profile;
}

Result<Profile> read_module(const std::string& path, const std::string& source) {
  auto file = InputFile::open(path);
  if (!file) return file.error();
  if (std::optional<Profile> profile = read_by_index(**file, source))
    return *std::move(profile);
  Result<Profile> whole = read_profile(path);
  if (!whole) return whole;
  return cut_down(std::move(*whole), source);
}

}  // namespace memprof::feedback
