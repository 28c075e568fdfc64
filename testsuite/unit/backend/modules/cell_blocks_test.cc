// cell_blocks_test.cc - cells within bounds, found several at a time.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/modules/dependence/cell_blocks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace memprof::backend {
namespace {

TEST(CellBlocks, AreThoseWithinTheBounds) {
  std::mt19937_64 random(5);
  std::vector<Cell> cells(1000);
  for (int round = 0; round < 300; round++) {
    for (Cell& c : cells) c = make_cell(7, 1000 + random() % 500);
    const std::size_t wrong = random() % 1200;
    constexpr Cell others[] = {make_cell(7, 999), make_cell(7, 1500), make_cell(6, 1200),
                               make_cell(8, 1200), 0, ~Cell{0}};
    if (wrong < cells.size()) cells[wrong] = others[round % 6];
    const std::size_t count = random() % (cells.size() + 1);
    const Cell start = by_site(make_cell(7, 1250));
    CellBounds bounds{start, start};
    const std::size_t n =
        blocks_within(cells.data(), count, by_site(make_cell(7, 1000)), 499, bounds);
    if (n != 0 || __builtin_cpu_supports("avx2")) {
      EXPECT_EQ(n, std::min(count, wrong) / 64 * 64) << "round " << round;
    }
    CellBounds expected{start, start};
    for (std::size_t i = 0; i < n; i++)
      expected = {std::min(expected.least, by_site(cells[i])),
                  std::max(expected.most, by_site(cells[i]))};
    EXPECT_EQ(bounds.least, expected.least);
    EXPECT_EQ(bounds.most, expected.most);
  }
}

}  // namespace
}  // namespace memprof::backend
