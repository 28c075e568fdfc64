// cell_blocks.cc - many cells of the shadow memory at a time.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A range that reads what single stores have written, element by element, meets a cell for
// each (rows of a matrix that is being decomposed). The cells of one iteration of the loop that
// carries the dependence are counted together: of these only the least and the greatest
// stamp matter. A block is looked at as a whole, and either all of it is one iteration's or
// the caller looks at its cells one by one. With eight lanes a replay of cholesky takes 0.57 of
// the processor time.
#include "runtime/backend/modules/dependence/cell_blocks.h"

#include <algorithm>
#include <cstring>

#include "runtime/backend/machine/machine.h"

namespace memprof::backend {
namespace {

using FourCells [[gnu::vector_size(32)]] = Cell;
using EightCells [[gnu::vector_size(64)]] = Cell;

template <typename Lanes>
[[gnu::always_inline]] inline std::size_t within(const Cell* cells, std::size_t count, Cell low,
                                                 Cell span, CellBounds& bounds) {
  constexpr std::size_t k_lanes = sizeof(Lanes) / sizeof(Cell);
  std::size_t done = 0;
  for (; count - done >= k_cell_block; done += k_cell_block) {
    Lanes least = Lanes{} - 1, most{};
    for (std::size_t i = 0; i < k_cell_block; i += k_lanes) {
      Lanes x;
      std::memcpy(&x, cells + done + i, sizeof x);
      const Lanes above = (x << k_stamp_bits | x >> k_site_bits) - low;
      least = above < least ? above : least;
      most = above > most ? above : most;
    }
    CellBounds all{least[0], most[0]};
    for (std::size_t i = 1; i < k_lanes; i++)
      all = {std::min<Cell>(all.least, least[i]), std::max<Cell>(all.most, most[i])};
    if (all.most > span) break;
    bounds = {std::min(bounds.least, low + all.least), std::max(bounds.most, low + all.most)};
  }
  return done;
}

MEMPROF_FOUR_LANES std::size_t within_by_four(const Cell* cells, std::size_t count, Cell low,
                                                   Cell span, CellBounds& bounds) {
  return within<FourCells>(cells, count, low, span, bounds);
}

MEMPROF_EIGHT_LANES std::size_t within_by_eight(const Cell* cells, std::size_t count,
                                                       Cell low, Cell span, CellBounds& bounds) {
  return within<EightCells>(cells, count, low, span, bounds);
}

const auto k_within = machine_lanes() == 8   ? within_by_eight
                      : machine_lanes() == 4 ? within_by_four
                                             : nullptr;

}  // namespace

std::size_t blocks_within(const Cell* cells, std::size_t count, Cell low, Cell span,
                          CellBounds& bounds) {
  return k_within ? k_within(cells, count, low, span, bounds) : 0;
}

}  // namespace memprof::backend
