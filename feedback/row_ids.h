// row_ids.h - the ids in a row of a table, found by describing the row.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Internal to feedback/.  Canonical order renames ids, the reader checks them,
// merging translates them: each needs to know which fields are ids, and of
// what.  That follows from describe() (schema.h): a field that is an id is named
// after what it refers to, so a new table needs no code for it.
//
//   id "site", "sink"     a site
//   id "loop", "group"    a loop, a group
//   source                a site, or external
//   pairs of (Id, count)  groups
//   ids "sinks", "sources"  sites
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "feedback/schema.h"

namespace memprof::feedback {

enum class IdKind : std::uint8_t { site, source, loop, group };

// Which field an id is: "sink", "sinks/3", or "groups/3/0" of pairs.
struct IdField {
  const char* name;
  std::size_t element = k_single;
  bool of_pair = false;
  static constexpr std::size_t k_single = std::size_t(-1);

  std::string text() const {
    if (element == k_single) return name;
    return std::string(name) + '/' + std::to_string(element) + (of_pair ? "/0" : "");
  }
};

// Calls fn (kind, field, id, need) for each id of a row.
template <typename Fn>
class IdVisitor {
 public:
  explicit IdVisitor(Fn& fn) : fn_(fn) {}

  void id(const char* name, Id& value, Need need) {
    const std::string_view field = name;
    fn_(field == "loop"    ? IdKind::loop
        : field == "group" ? IdKind::group
                           : IdKind::site,
        IdField{name}, value, need);
  }
  void source(const char* name, Id& value) {
    fn_(IdKind::source, IdField{name}, value, Need::required);
  }
  template <typename Row, typename A, typename B>
  void pairs(const char* name, std::vector<Row>& rows, A Row::*first, B Row::*, Need) {
    if constexpr (std::is_same_v<A, Id>)
      for (std::size_t i = 0; i < rows.size(); i++)
        fn_(IdKind::group, IdField{name, i, true}, rows[i].*first, Need::required);
  }
  void ids(const char* name, std::vector<Id>& values, Need) {
    for (std::size_t i = 0; i < values.size(); i++)
      fn_(IdKind::site, IdField{name, i}, values[i], Need::required);
  }

  // No ids in these.
  template <std::integral T>
  void integer(const char*, T&, Need) {}
  void text(const char*, std::string&, Need) {}
  void flag(const char*, bool&, Need) {}
  void ratio(const char*, double&, Need) {}
  template <typename Enum>
  void choice(const char*, Enum&, Names, Need) {}
  template <typename Row>
  void rows(const char*, std::vector<Row>&, Need) {}
  template <typename Struct>
  void object(const char*, Struct&) {}
  template <typename T, std::size_t N>
  void numbers(const char*, std::array<T, N>&, Need = Need::required) {}

 private:
  Fn& fn_;
};

template <typename Row, typename Fn>
void for_each_id(Row& row, Fn fn) {
  IdVisitor<Fn> visitor(fn);
  describe(visitor, row);
}

// Calls fn (Section, rows) for each table of PROFILE.
template <typename P, typename Fn>
void for_each_table(P& profile, Fn fn) {
#define TABLE(name, Row) fn(Section::name, profile.name);
#include "feedback/tables.def"
#undef TABLE
}

// Whether rows are about sites, those of one row of one function.
template <typename Row>
concept about_sites = requires(Row row) { row.site; } || requires(Row row) { row.sink; } ||
                      requires(Row row) { row.sinks; };

// The site that a row is about; k_none: it is about none.
template <typename Row>
Id site_of(const Row& row) {
  if constexpr (requires { row.site; })
    return row.site;
  else if constexpr (requires { row.sink; })
    return row.sink;
  else if constexpr (requires { row.sinks; })
    return row.sinks.empty() ? k_none : row.sinks.front();
  else
    return k_none;
}

}  // namespace memprof::feedback
