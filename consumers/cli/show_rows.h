// show_rows.h - what the tables of `memprof show' share.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "consumers/cli/show_tables.h"

namespace memprof::cli {

// Widest cells of the columns whose text comes from the program.
inline constexpr std::size_t k_function = 28, k_expression = 32, k_memory = 44;

inline double ratio(std::uint64_t a, std::uint64_t b) {
  return b ? static_cast<double>(a) / static_cast<double>(b) : 0;
}

// Pointers to the TOP rows with the greatest VALUE.
template <typename Row, typename Value>
std::vector<const Row*> ranked(const std::vector<Row>& rows, std::size_t top, Value value) {
  std::vector<const Row*> order;
  for (const Row& row : rows) order.push_back(&row);
  std::stable_sort(order.begin(), order.end(),
                   [&](const Row* a, const Row* b) {
                     return std::invoke(value, *a) > std::invoke(value, *b);
                   });
  if (top && order.size() > top) order.resize(top);
  return order;
}

inline std::string title(const char* name, std::size_t shown, std::size_t all, const char* rest = "") {
  std::string s = name;
  if (shown < all)
    s += " (" + grouped(shown) + " of " + grouped(all) + ")";
  else
    s += " (" + grouped(all) + ")";
  return s + rest;
}

// Of a row about a site and a group.
template <typename Row>
std::string memory_text(const ProfileView& view, const Row& r) {
  return r.group == feedback::k_none ? "-" : view.group_name(r.group);
}

inline std::string section(const std::string& heading, const Table& table, const Style& style) {
  return style.heading(heading) + "\n" + (table.empty() ? "  none\n" : table.text(style));
}

}  // namespace memprof::cli
