// cell_blocks.h - many cells of the shadow memory at a time.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>

#include "runtime/backend/shadow/shadow_page.h"

namespace memprof::backend {

// The least and the greatest of some cells, in the order of by_site().
struct CellBounds {
  Cell least, most;
};

inline constexpr std::size_t k_cell_block = 64;

// How many of COUNT cells in a row, in whole blocks, are in [low, low + span] in the
// order of by_site(); BOUNDS becomes theirs and what it was. 0 on processors without
// instructions for four or eight cells.
std::size_t blocks_within(const Cell* cells, std::size_t count, Cell low, Cell span,
                          CellBounds& bounds);

}  // namespace memprof::backend
