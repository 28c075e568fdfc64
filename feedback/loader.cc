// loader.cc - rows of a document to a Profile.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "feedback/loader.h"

#include "feedback/derive.h"
#include "feedback/row_reader.h"

namespace memprof::feedback {
namespace {

class Loader {
 public:
  Loader(const LoadOptions& options, Faults& faults)
      : options_(options), faults_(faults), reader_(faults) {}

  Document load(std::string_view text) {
    DocumentEvents events;
    events.section = [this](Section section) { begin(section); };
    events.row = [this](Section section, std::size_t index, const Tape& tape) {
      row(section, index, tape);
      return !faults_.full();
    };
    if (parse_document(text, events, faults_)) {
      report_missing();
      report_empty_arrays();
    }
    if (minor_ < 2)
      for (Dependence& row : document_.profile.dependences) upgrade(row);
    if (other_major_) {
      faults_.list.clear();
      faults_.add(Error::Kind::version, "/memprof/format",
                  "format " + document_.profile.format + ", but this memprof reads " +
                      std::to_string(k_format_major) +
                      ".x; make the profile anew, or use the memprof that made it");
    }
    return std::move(document_);
  }

 private:
  void begin(Section section) {
    bool& seen = seen_[unsigned(section)];
    if (seen)
      faults_.add(std::string("/") + k_section_names[unsigned(section)],
                  "this key occurs twice");
    seen = true;
    if (unsigned(section) >= k_first_table)
      document_.profile.sections.push_back(k_section_names[unsigned(section)]);
  }

  void report_missing() {
    for (Section section : {Section::memprof, Section::program, Section::run,
                            Section::modules, Section::groups})
      if (!seen_[unsigned(section)])
        faults_.add(std::string("/") + k_section_names[unsigned(section)],
                    "this key is missing");
  }

  // `"run": []' has no row that could say so.
  void report_empty_arrays() {
    for (Section section : {Section::memprof, Section::index, Section::program, Section::run})
      if (seen_[unsigned(section)] && !has_row_[unsigned(section)]) not_an_object(section);
  }

  void not_an_object(Section section) {
    faults_.add(std::string("/") + k_section_names[unsigned(section)],
                "expected an object, found an array");
  }

  void row(Section section, std::size_t index, const Tape& tape) {
    has_row_[unsigned(section)] = true;
    Profile& profile = document_.profile;
    switch (section) {
      case Section::memprof: header(index, tape); break;
      case Section::index:
        if (options_.with_index)
          whole(section, index, tape, document_.index.emplace());
        break;
      case Section::program: whole(section, index, tape, profile.program); break;
      case Section::run: whole(section, index, tape, profile.run); break;
      case Section::modules: append(section, index, tape, profile.modules); break;
      case Section::groups: append(section, index, tape, profile.groups); break;
#define TABLE(name, Row) \
  case Section::name: append(section, index, tape, profile.name); break;
#include "feedback/tables.def"
#undef TABLE
      case Section::unknown: break;
    }
  }

  void header(std::size_t index, const Tape& tape) {
    Header header;
    whole(Section::memprof, index, tape, header);
    document_.profile.format = header.format;
    document_.profile.tool = header.tool;
    unsigned major = 0, minor = 0;
    if (parse_format(header.format, &major, &minor)) {
      other_major_ = major != k_format_major;
      minor_ = minor;
    } else if (!header.format.empty()) {
      faults_.add("/memprof/format", "expected a version such as \"" +
                                         format_text() + '"');
    }
  }

  // The value of a key that is one object.
  template <typename Row>
  void whole(Section section, std::size_t index, const Tape& tape, Row& value) {
    if (index != k_whole) {
      if (index == 0) not_an_object(section);
      return;
    }
    read(section, index, tape, value);
  }

  // One row of a table.
  template <typename Row>
  void append(Section section, std::size_t index, const Tape& tape,
              std::vector<Row>& rows) {
    if (index == k_whole)
      faults_.add(std::string("/") + k_section_names[unsigned(section)],
                  std::string("expected an array, found ") +
                      type_name(tape.nodes[0].type));
    else
      read(section, index, tape, rows.emplace_back());
    if constexpr (requires(Row& row) { expand(row); })
      if (!rows.empty()) expand(rows.back());
  }

  template <typename Row>
  void read(Section section, std::size_t index, const Tape& tape, Row& value) {
    reader_.read(tape, k_section_names[unsigned(section)], index, value);
  }

  const LoadOptions options_;
  Faults& faults_;
  RowReader reader_;
  Document document_;
  std::array<bool, k_sections> seen_{}, has_row_{};
  bool other_major_ = false;
  unsigned minor_ = k_format_minor;  // of the document
};

}  // namespace

Document load(std::string_view text, const LoadOptions& options, Faults& faults) {
  return Loader(options, faults).load(text);
}

}  // namespace memprof::feedback
