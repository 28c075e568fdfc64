// writer.cc - the document and its index.
// SPDX-License-Identifier: GPL-3.0-or-later
//
//   {
//   "memprof":{...},
//   "index":{"body":N,"groups":[s,e],"strides":[s,e],...,"modules":[
//   {"file":"a.c","modules":[s,c,e],"strides":[s,c,e],...},
//   ...]},
//   "program":{...},
//   "run":{...},                          everything that differs between runs
//   "modules":[                           <- first byte of the body
//   {"file":"a.c","functions":[
//   {"name":"main","checksum":7,"sites":[
//   {"id":0,...},
//   {"id":1,...}]}]},
//   ...
//   ],
//   "groups":[
//   ...
//   ],
//   "strides":[
//   ...
//   ]
//   }
//
// One row per line.  The index has one row per module, in the order of
// `modules'.  A range [s,c,e] says that the module's rows of that table are the
// bytes s to e of the body (without the comma after them), and that those of
// its COMDAT functions begin at c; c = e when there are none.  A table in which
// the module has no rows is left out.  The body is the last N bytes of the file:
// so the index does not depend on the length of `run', and stays right when the
// head is edited.  That a module's rows stand together follows from canonical
// order: ids rise with the modules and tables are sorted by id.
#include "feedback/writer.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "feedback/derive.h"
#include "feedback/json_text.h"
#include "feedback/row_ids.h"
#include "feedback/schema.h"

namespace memprof::feedback {
namespace {

// Which module a site belongs to, and whether its function is COMDAT.
struct Owner {
  std::size_t module = 0;
  bool comdat = false;
};

class DocumentWriter {
 public:
  explicit DocumentWriter(Profile& profile) : profile_(profile) {}

  DocumentText document() {
    body();
    index_.body = body_.size();
    std::string out = "{\n";
    Header header{profile_.format, profile_.tool};
    head(out, Section::memprof, header);
    head(out, Section::index, index_);
    head(out, Section::program, profile_.program);
    head(out, Section::run, profile_.run);
    return {std::move(out), std::move(body_)};
  }

 private:
  static void key(std::string& out, Section section) {
    out += '"';
    out += k_section_names[unsigned(section)];
    out += "\":";
  }

  template <typename Row>
  static void head(std::string& out, Section section, Row& row) {
    key(out, section);
    RowWriter(out).row(row);
    out += ",\n";
  }

  void body() {
    reserve();
    modules();
    index_.groups = table(Section::groups, profile_.groups,
                          [](const Group&) { return k_none; });
    for_each_table(profile_, [this](Section section, auto& rows) {
      const auto present = std::find(profile_.sections.begin(), profile_.sections.end(),
                                     k_section_names[unsigned(section)]);
      if (present != profile_.sections.end())
        index_.tables[unsigned(section) - k_first_table] =
            table(section, rows, [](const auto& row) { return site_of(row); });
    });
    body_ += "\n}\n";
  }

  // More than enough for most profiles.
  void reserve() {
    constexpr std::size_t k_site_bytes = 128, k_row_bytes = 512;
    std::size_t bytes = profile_.groups.size() * k_row_bytes;
    for (const Module& module : profile_.modules)
      for (const Function& function : module.functions)
        bytes += k_row_bytes + function.sites.size() * k_site_bytes;
    for_each_table(profile_, [&](Section, auto& rows) { bytes += rows.size() * k_row_bytes; });
    body_.reserve(bytes);
  }

  void modules() {
    key(body_, Section::modules);
    body_ += '[';
    for (Module& module : profile_.modules) {
      body_ += index_.modules.empty() ? "\n" : ",\n";
      IndexRow& row = index_.modules.emplace_back();
      row.file = module.file;
      const std::size_t start = body_.size();
      std::vector<std::size_t> functions;
      RowWriter(body_, &functions).row(module);
      std::size_t comdat = body_.size();
      for (std::size_t f = module.functions.size(); f-- > 0;) {
        if (!module.functions[f].comdat) break;
        comdat = functions[f];
      }
      row.module = {start, comdat, body_.size()};
      for (const Function& function : module.functions)
        owners_.insert(owners_.end(), function.sites.size(),
                       Owner{index_.modules.size() - 1, function.comdat});
    }
    body_ += "\n]";
  }

  // Writes the rows, which are sorted by the site that SITE_OF names (k_none:
  // they belong to no module), and notes which are whose.  Returns their place.
  template <typename Row, typename SiteOf>
  std::array<std::uint64_t, 2> table(Section section, std::vector<Row>& rows,
                                     SiteOf site_of) {
    body_ += ",\n";
    key(body_, section);
    body_ += '[';
    std::array<std::uint64_t, 2> place = {body_.size(), body_.size()};
    for (Row& row : rows) {
      body_ += &row == rows.data() ? "\n" : ",\n";
      const std::size_t start = body_.size();
      write(row);
      place[1] = body_.size();
      if (const Id site = site_of(row); site < owners_.size())
        own(owners_[site], section, start);
    }
    body_ += "\n]";
    return place;
  }

  // ROW is of no use then.
  template <typename Row>
  void write(Row& row) {
    if constexpr (requires { shortened(row); }) {
      Row less = shortened(std::move(row));
      RowWriter(body_).row(less);
    } else {
      RowWriter(body_).row(row);
    }
  }

  // The row from START to here belongs to OWNER.
  void own(const Owner& owner, Section section, std::size_t start) {
    auto& [first, comdat, end] =
        index_.modules[owner.module].tables[unsigned(section) - k_first_table];
    const bool only_plain = comdat == end;  // also before the first row
    if (end == 0) first = start;
    end = body_.size();
    if (!owner.comdat) comdat = end;
    else if (only_plain) comdat = start;
  }

  Profile& profile_;
  Index index_;
  std::vector<Owner> owners_;  // by site id
  std::string body_;
};

}  // namespace

DocumentText to_document(Profile profile) {
  canonicalise(profile);
  return DocumentWriter(profile).document();
}

std::string to_json(Profile profile) {
  const DocumentText document = to_document(std::move(profile));
  return document.head + document.body;
}

}  // namespace memprof::feedback
