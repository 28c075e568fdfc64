// types.h - the table types: layouts of records.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "feedback/table.h"

namespace memprof::feedback {

// A field of a record, bit-fields included, in the order of their places.
struct Field {
  std::string name;         // empty: it has none (a base class)
  std::string declaration;  // in C, without other types: "struct node *next"
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;  // 0: a bit-field, or the array at the end
  std::uint32_t align = 1;
  std::uint32_t bit_offset = 0, bits = 0;  // of a bit-field, from `offset' on

  auto operator<=>(const Field&) const = default;
};

// Code that depends on where the fields of a type lie: consumers/decide/legality.h.
struct Obstacle {
  std::string kind, detail, where;

  auto operator<=>(const Obstacle&) const = default;
};

// The layout of a record type that sites access.
struct RecordType {
  std::string name;  // as in Site::type
  std::string file;  // of its definition, without folders
  std::uint32_t line = 0;
  std::uint32_t key = 0;  // of its definition; 0: unknown
  std::uint64_t bytes = 0;
  std::uint32_t align = 1;
  bool packed = false;
  // Every unit with the type has said what it knows of against moving fields.
  bool checked = false;
  std::vector<Field> fields;
  std::vector<Obstacle> obstacles;  // sorted
};

template <class V> void describe(V& v, Field& r) {
  v.text("name", r.name, Need::optional);
  v.text("declaration", r.declaration, Need::required);
  v.integer("offset", r.offset, Need::optional);
  v.integer("bytes", r.bytes, Need::optional);
  v.integer("align", r.align, Need::required);
  v.integer("bit_offset", r.bit_offset, Need::optional);
  v.integer("bits", r.bits, Need::optional);
}

template <class V> void describe(V& v, Obstacle& r) {
  v.text("kind", r.kind, Need::required);
  v.text("detail", r.detail, Need::optional);
  v.text("where", r.where, Need::optional);
}

template <class V> void describe(V& v, RecordType& r) {
  v.text("name", r.name, Need::required);
  v.text("file", r.file, Need::optional);
  v.integer("line", r.line, Need::optional);
  v.integer("key", r.key, Need::optional);
  v.integer("bytes", r.bytes, Need::required);
  v.integer("align", r.align, Need::required);
  v.flag("packed", r.packed, Need::optional);
  v.flag("checked", r.checked, Need::optional);
  v.rows("fields", r.fields, Need::required);
  v.rows("obstacles", r.obstacles, Need::optional);
}

// A name may belong to several types of several modules: the layout is part of
// the key.
inline auto key(const RecordType& r) {
  return std::tie(r.name, r.bytes, r.align, r.packed, r.file, r.line, r.key, r.fields);
}
inline void add_row(RecordType& sum, const RecordType& r) {
  sum.checked = sum.checked && r.checked;
  for (const Obstacle& obstacle : r.obstacles) {
    const auto at = std::lower_bound(sum.obstacles.begin(), sum.obstacles.end(), obstacle);
    if (at == sum.obstacles.end() || *at != obstacle) sum.obstacles.insert(at, obstacle);
  }
}

// Below 1 TiB; fields lie inside the record, aligned, in order.
template <>
struct Rules<RecordType> {
  // No compiler makes objects of a TiB.
  static constexpr Count k_most_record_bytes = (Count{1} << 40) - 1;

  template <class Checker>
  void check(Checker& c, const RecordType& r) {
    c.at_most("bytes", r.bytes, k_most_record_bytes, "what a structure can have");
    Count before = 0;
    for (std::size_t i = 0; i < r.fields.size(); i++) {
      const Field& f = r.fields[i];
      const std::string field = "fields/" + c.num(i) + "/offset";
      if (f.offset < before) c.fault(field, "not after the field before");
      c.at_most(field, c.sum(f.offset, f.bytes), r.bytes, "the bytes of the type");
      before = f.offset;
    }
  }
};

template <class Factors>
void scale(RecordType&, const Factors&) {}

}  // namespace memprof::feedback
