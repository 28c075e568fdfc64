// schema.h - the fields of the JSON document, each named once.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Internal to feedback/.  The problem: reader, writer and validator must agree
// about every field's name, type and whether it may be absent.  So each row has
// one function here, describe (visitor, row), which names its fields in the
// order in which they are written; the reader, the writer and the validator are
// visitors.  Those of tables are in their files (table.h).  Adding a field to the format is one line there, one in its struct, one
// in memprof-feedback.schema.json and one in doc/feedback-format.md; the test
// Schema.AgreesWithTheInstalledFile compares the first with the third.
//
// A visitor has these members; `need' says whether the field is always written
// and must be present, or is left out when it has its default (zero, empty,
// false, none):
//
//   integer (name, value, need)      any integral type
//   id (name, id, need)              k_none = absent
//   source (name, id)                an id, or "external"
//   text (name, string, need)
//   text_or (name, string, other)    left out when equal to OTHER
//   flag (name, bool, need)
//   ratio (name, double, need)
//   choice (name, enum, names, need)
//   rows (name, vector, need)        array of objects, one line each
//   object (name, struct)            left out when empty_p (struct)
//   numbers (name, array, need)      array of exactly that many integers;
//                                    required unless said otherwise
//   pairs (name, vector, first, second, need)    [[first,second],...]
//   ids (name, vector, need)         array of ids
//   lmads (name, vector)             one flat array of numbers, starts as differences
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "feedback/model.h"

namespace memprof::feedback {

inline constexpr unsigned k_format_major = 1;
inline constexpr unsigned k_format_minor = 2;

// Splits "1.0"; false when TEXT is not of that form.
bool parse_format(std::string_view text, unsigned* major, unsigned* minor);
std::string format_text();

// Keys of the document, in the order in which they are written.
enum class Section : std::uint8_t {
  memprof, index, program, run, modules, groups,
  // Tables of profiling modules, in canonical order; named in
  // Profile::sections when present.
#define TABLE(name, Row) name,
#include "feedback/tables.def"
#undef TABLE
  unknown
};
inline constexpr unsigned k_sections = unsigned(Section::unknown);
inline constexpr unsigned k_first_table = unsigned(Section::object_relative);

extern const std::array<const char*, k_sections> k_section_names;
Section section_of(std::string_view name);

extern const char* const k_access_names[];
extern const char* const k_group_kind_names[];
inline constexpr const char* k_external_name = "external";

// The value of key `memprof'.
struct Header {
  std::string format, tool;
};

// The value of key `index': where the rows of each module are.  See writer.cc.
inline constexpr unsigned k_tables = k_sections - k_first_table;

struct IndexRow {
  std::string file;
  // start, start of the COMDAT part, end; all zero when there are no rows.
  std::array<std::uint64_t, 3> module{};
  std::array<std::array<std::uint64_t, 3>, k_tables> tables{};
};

struct Index {
  std::uint64_t body = 0;  // the offsets count from this many bytes before the end
  std::array<std::uint64_t, 2> groups{};
  // Tables that the document has, start and end; all zero for one it lacks.
  std::array<std::array<std::uint64_t, 2>, k_tables> tables{};
  std::vector<IndexRow> modules;
};

// Starts of descriptors are written as differences to the descriptor before,
// modulo 2^64, so that any start can be written.
inline std::int64_t wrapping_difference(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) -
                                   static_cast<std::uint64_t>(b));
}
inline std::int64_t wrapping_sum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) +
                                   static_cast<std::uint64_t>(b));
}

// Whether the last value of LMAD, start + (count - 1) * stride, is a number of 64 bits.
template <int D>
bool ends_p(const Lmad<D>& lmad) {
  for (int i = 0; i < D && lmad.count > 1; i++) {
    std::int64_t last;
    if (lmad.stride[i] != 0 && (__builtin_mul_overflow(lmad.stride[i], lmad.count - 1, &last) ||
                                __builtin_add_overflow(last, lmad.start[i], &last)))
      return false;
  }
  return true;
}

}  // namespace memprof::feedback

#include "feedback/schema_program.h"
