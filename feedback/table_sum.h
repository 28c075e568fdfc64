// table_sum.h - the sum of a table: rows of equal keys become one.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "feedback/model.h"

namespace memprof::feedback {

// The sums of a table whose rows are counts by key.
template <typename Row>
class TableSum {
  static_assert(requires(Row& sum, const Row& row) { key(row), add_row(sum, row); },
                "a table needs key() and add_row(): merging would lose its rows");

 public:
  void add(Row row) {
    const auto [it, fresh] = rows_.try_emplace(Key(key(row)), std::move(row));
    if (!fresh) add_row(it->second, row);  // not moved from then
  }
  void put(std::vector<Row>& rows) {
    for (auto& [k, row] : rows_) rows.push_back(std::move(row));
  }

 private:
  template <typename... Part>
  static std::tuple<Part...> values(std::tuple<const Part&...>);
  using Key = decltype(values(key(std::declval<const Row&>())));
  std::map<Key, Row> rows_;
};

}  // namespace memprof::feedback
