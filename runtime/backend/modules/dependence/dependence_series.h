// dependence_series.h - blocks of one descriptor, one access after the other.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A loop with indirect accesses sends a block for each iteration; the blocks differ only in their
// addresses. If no store among them shares a byte with another access, their order does not
// matter, and what is the same for all executions of an access is found out once:
//
//     for (j..) sum += a[j] * x[col[j]];       one by one   col[0] a[0] x[] col[1] a[1] x[] ...
//                                              as a series  col[0] col[1] ..  a[0] a[1] ..  x[] ..
//
// 1. The writers: the page of an access is mostly that of its last execution. Loads first,
//    then stores, each at the time of its iteration.
// 2. The loop (DependenceCount::series): if what is read was there before the loop began, its
//    iterations do not matter, and what one site wrote in one iteration of the loop that carries
//    it is added up (DependenceCount::gather). If not, it is counted iteration by iteration.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/backend/modules/dependence/dependence_search.h"

namespace memprof::backend {

class SeriesSearch {
 public:
  explicit SeriesSearch(DependenceSearch& search) : search_(search) {}

  // Writes the cells that the loads find, access by access, to CELL and after it; returns where
  // they end. Null, and nothing was done: the blocks must be looked at one by one.
  Cell* run(const BlockSeries& series, Cell* cell);

 private:
  static bool apart(const BlockSeries& series);
  static bool copy_cells(PageEntry page, std::uint64_t address, std::uint64_t step,
                         std::uint64_t width, std::size_t n, Cell* out);
  Cell* ask_each(const BlockSeries& series, const BlockEntry& entry, Cell* cell);
  void put_each(const BlockSeries& series, const BlockEntry& entry);

  DependenceSearch& search_;
};

}  // namespace memprof::backend
