// dependence_nest.h - all rows of a range at once.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// If the iterations are apart (range_rows.h), no row reads what another one stores: all loads read
// what was there before. If that was stored before the loop around the rows was entered, a loop
// outside carries the dependence, at distances that do not change. Then the order of rows does not
// matter:
//
// 1. The loads of all rows, access by access. The second step adds up what one site wrote
//    in one iteration of the loop that carries it (DependenceCount::gather):
//
//        for (y..) for (x..) b[y][x] = a[y][x - 1] + a[y][x + 1];
//        100 rows of 50: 4950 of a[y][x - 1] read what the last sweep stored, 50 its edge
//
// 2. The stores: each row is a run of the shadow. Of many short rows, each column is one:
//
//        rows of 2:   x[0] x[1] | x[8] x[9] | x[16] x[17] ...    columns of 0, 8, 16 and 1, 9, 17
#pragma once

#include <cstdint>
#include <span>

#include "runtime/backend/modules/dependence/dependence_loads.h"
#include "runtime/backend/modules/dependence/dependence_search.h"

namespace memprof::backend {

class NestSearch {
 public:
  explicit NestSearch(DependenceSearch& search) : search_(search), loads_(search) {}

  // ACCESSES are all of RANGE, which has several rows. False: nothing was done.
  bool run(std::span<const RangeAccess> accesses, const Range& range);

 private:
  bool reads_inside(std::span<const RangeAccess> accesses, Stamp entered) const;
  void load_rows(const RangeAccess& a);
  void store_rows(const RangeAccess& a, std::uint64_t ticks);

  DependenceSearch& search_;
  RangeLoads loads_;
};

}  // namespace memprof::backend
