// shadow_sweeps.h - pages of cells whose fields are stored by one loop each.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A run of stores that covers a page makes it a list again. So do several runs that cover it
// together, one for each field:
//
//     for (i..) x[i].re = ..., x[i].im = ...;     site 7: 0, 16, 32 ..   site 9: 8, 24, 40 ..
//
// When site 9's run reaches a page of cells, and the cells between its stores are one run of
// site 7, the two runs become the list. Later readers of the page need not read each cell.
#pragma once

#include <cstdint>

#include "runtime/backend/shadow/shadow_page.h"

namespace memprof::backend {

inline constexpr std::uint32_t k_most_sweeps = 4;

// The runs that PAGE consists of once S has been stored in its cells: puts them into RUNS and
// returns their number. 0: they are more than k_most_sweeps, or it would take long to find out.
std::uint16_t sweeps(PageEntry page, const Segment& s, Segment* runs);

}  // namespace memprof::backend
