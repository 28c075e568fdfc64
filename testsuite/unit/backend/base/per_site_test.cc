// per_site_test.cc - tables of which only the parts that were looked up are there.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/base/per_site.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace {

using namespace memprof::backend;

TEST(PerSite, BeginsWithNothing) {
  PerSite<int> table;
  EXPECT_EQ(table.find(0), nullptr);
  EXPECT_EQ(table.find(k_max_sites), nullptr);
  table.for_each([](SiteId site, int&) { ADD_FAILURE() << site; });
}

TEST(PerSite, KeepsWhatItIsTold) {
  PerSite<int> table;
  const std::vector<SiteId> sites = {100000, 1, 16, 15, k_max_sites, 99999};
  int n = 0;
  for (const SiteId site : sites) {
    EXPECT_EQ(table[site], 0);
    table[site] = ++n;
  }
  n = 0;
  for (const SiteId site : sites) EXPECT_EQ(*table.find(site), ++n);
  EXPECT_EQ(table.find(1000), nullptr);
  std::vector<std::pair<SiteId, int>> all;
  table.for_each([&](SiteId site, const int& element) {
    if (element != 0) all.emplace_back(site, element);
  });
  const std::vector<std::pair<SiteId, int>> expected = {
      {1, 2}, {15, 4}, {16, 3}, {99999, 6}, {100000, 1}, {k_max_sites, 5}};
  EXPECT_EQ(all, expected);
}

TEST(PerSite, NeverMovesAnElement) {
  struct Fixed {
    Fixed() = default;
    Fixed(Fixed&&) = delete;
  };
  PerSite<Fixed> table;
  const Fixed* const first = &table[5];
  for (SiteId site = 6; site < 5000; site++) table[site];
  EXPECT_EQ(first, &table[5]);
  EXPECT_EQ(first, table.find(5));
}

}  // namespace
