// page_rows.cc - the rows of the table `pages': which objects have one.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/modules/pages/page_rows.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <tuple>
#include <utility>

#include "feedback/table_sum.h"

namespace memprof::backend {

namespace {

// Of each group the objects that walk most keep their rows; the others are added up.
void keep_hottest(std::vector<feedback::Pages>& rows) {
  std::map<std::pair<feedback::Id, std::uint64_t>, std::pair<std::uint64_t, std::uint64_t>> heat;
  for (const feedback::Pages& r : rows) {
    auto& [walked, requested] = heat[{r.group, r.object}];
    walked += r.walks;
    requested += r.memory.requests;
  }
  std::map<feedback::Id, std::vector<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>>> order;
  for (const auto& [key, h] : heat)
    if (key.second != 0) order[key.first].emplace_back(h.first, h.second, ~key.second);
  for (auto& [group, objects] : order) std::sort(objects.rbegin(), objects.rend());
  for (feedback::Pages& r : rows) {
    const auto& objects = order[r.group];
    const auto at = std::find_if(objects.begin(), objects.end(), [&r](const auto& o) {
      return ~std::get<2>(o) == r.object;
    });
    if (at - objects.begin() >= static_cast<std::ptrdiff_t>(k_most_objects)) r.object = 0;
  }
}

}  // namespace

std::uint32_t pid_of(const std::string& folder) {
  return static_cast<std::uint32_t>(
      std::strtoul(folder.c_str() + folder.rfind('/') + 1, nullptr, 10));
}

void put_rows(std::vector<feedback::Pages> rows, feedback::Profile& profile) {
  keep_hottest(rows);
  // Several groups of the run may be one group of the document.
  feedback::TableSum<feedback::Pages> sums;
  for (feedback::Pages& row : rows)
    if (row.reads + row.writes != 0) sums.add(row);
  sums.put(profile.pages);
}

}  // namespace memprof::backend
