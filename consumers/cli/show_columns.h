// show_columns.h - a table of `memprof show' as one list of columns.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A column has a title in the text, a key in the JSON, or both, and one function that gets its
// value of a row.  Text and JSON come from the same list:
//
//     constexpr ShowColumn<DeadStore> k_columns[] = {
//         site_id<DeadStore>(), where<DeadStore>(3), number<&DeadStore::count>(1, "dead", "dead")};
//     constexpr Listing<DeadStore> k_dead_stores = {
//         "Dead stores", "; never read", table_of<&Profile::dead_stores>, most<&DeadStore::count>, k_columns};
//     const ShowTable show_dead_stores = shown<k_dead_stores>("dead-stores", "dead_stores", "dead_store");
//
// The list is in the order of the JSON; each column says at which place of the text it is.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "consumers/cli/show_rows.h"

namespace memprof::cli {

// A value as text and as JSON.
struct Shown {
  std::string text;
  // Nothing: the row has no such member.
  std::variant<std::monostate, std::uint64_t, std::int64_t, double, bool, std::string,
               std::vector<std::string>>
      json;
};

void add_member(const char* key, const decltype(Shown::json)& value, feedback::JsonReport& json);

inline Shown count(std::uint64_t n) { return {grouped(n), n}; }
inline Shown share(double x) { return {percent(x), x}; }
inline Shown words(std::string text) { return {text, text}; }
inline Shown only_text(std::string text) { return {std::move(text), {}}; }
template <typename T>
Shown only_json(T value) {
  return {"", value};
}

template <typename Row>
struct ShowColumn {
  unsigned place;    // in the text, from 1; 0: only in JSON
  Column column;     // as text
  const char* key;   // in JSON; null: only in the text
  Shown (*get)(const ProfileView&, const Row&);
};

template <typename Row, typename Rows = const std::vector<Row>&>
struct Listing {
  const char* title;
  const char* note;
  // The rows, and the TOP ones (0: all) in order, those that matter most first.
  Rows (*rows)(const ProfileView&);
  std::vector<const Row*> (*top)(const std::vector<Row>&, std::size_t top);
  std::span<const ShowColumn<Row>> columns;
  // Goes on after the note.
  std::string (*more)(const ProfileView&) = [](const ProfileView&) { return std::string(); };
};

// The rows of a profile's table MEMBER, and those with the most of VALUE.
template <auto member>
const auto& table_of(const ProfileView& view) {
  return view.profile().*member;
}
template <auto value, typename Row>
std::vector<const Row*> most(const std::vector<Row>& rows, std::size_t top) {
  return ranked(rows, top, value);
}

template <const auto& listing>
std::string text_of(const ProfileView& view, std::size_t top, const Style& style) {
  std::vector<Column> titles;
  for (unsigned place = 1, n = 1; n != 0; place++) {
    n = 0;
    for (const auto& c : listing.columns)
      if (c.place == place) titles.push_back(c.column), n++;
  }
  Table table(titles);
  const auto& all = listing.rows(view);
  const auto rows = listing.top(all, top);
  for (const auto* row : rows) {
    std::vector<Cell> cells(titles.size(), "");
    for (const auto& c : listing.columns)
      if (c.place != 0) cells[c.place - 1] = c.get(view, *row).text;
    table.add_row(std::move(cells));
  }
  const std::string note = listing.note + listing.more(view);
  return section(title(listing.title, rows.size(), all.size(), note.c_str()), table, style);
}

template <const auto& listing>
void json_of(const ProfileView& view, std::size_t top, feedback::JsonReport& json) {
  const auto& all = listing.rows(view);
  for (const auto* row : listing.top(all, top)) {
    json.open_object();
    for (const auto& c : listing.columns)
      if (c.key) add_member(c.key, c.get(view, *row).json, json);
    json.close_object();
  }
}

// The table with the rows of LISTING.
template <const auto& listing>
constexpr ShowTable shown(const char* option, const char* section, const char* module) {
  return {option, section, module, text_of<listing>, json_of<listing>};
}

// The count that a row has as MEMBER.
template <auto member, typename Row, typename Value>
constexpr ShowColumn<Row> number_of(Value Row::*, unsigned place, const char* title, const char* key) {
  return {place, {title, true}, key, [](const ProfileView&, const Row& r) { return count(r.*member); }};
}
template <auto member>
constexpr auto number(unsigned place, const char* title, const char* key) {
  return number_of<member>(member, place, title, key);
}

// Columns that several tables have, at PLACE of the text.
template <typename Row>
constexpr ShowColumn<Row> site_id() {
  return {0, {}, "site", [](const ProfileView&, const Row& r) {
            return only_json(std::uint64_t{r.site});
          }};
}
template <typename Row>
constexpr ShowColumn<Row> where(unsigned place) {
  return {place, {"where"}, "where", [](const ProfileView& view, const Row& r) {
            return words(view.site_name(r.site));
          }};
}
template <typename Row>
constexpr ShowColumn<Row> expression(unsigned place) {
  return {place, {"expression", false, k_expression}, nullptr,
          [](const ProfileView& view, const Row& r) {
            const ProfileView::SiteRef* site = view.site(r.site);
            return only_text(site ? site->site->expression : "");
          }};
}
template <typename Row>
constexpr ShowColumn<Row> memory(unsigned place) {
  return {place, {"memory", false, k_memory}, "group", [](const ProfileView& view, const Row& r) {
            return words(view.group_name(r.group));
          }};
}
// Where the site goes most.
template <typename Row>
constexpr ShowColumn<Row> main_memory(unsigned place) {
  return {place, {"memory", false, k_memory}, nullptr, [](const ProfileView& view, const Row& r) {
            return only_text(view.main_group(r.site));
          }};
}

inline std::uint64_t executions_of(const ProfileView& view, feedback::Id id) {
  const ProfileView::SiteRef* site = view.site(id);
  return site ? site->site->executions : 0;
}

}  // namespace memprof::cli
