// dependence_nest.cc - all rows of a range at once.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the rows read has nothing to do with what they store, if no load shares a byte with a
// store: then all loads read what was there before, carried by a loop around the rows, at
// distances that do not change. So it does not matter who reads it in which row:
//
// 1. The loads of all rows, access by access. The second step adds up what one site wrote
//    in one iteration of the loop that carries it (DependenceCount::gather):
//
//        for (y..) for (x..) b[y][x] = a[y][x - 1] + a[y][x + 1];
//        100 rows of 50: 4950 of a[y][x - 1] read what the last sweep stored, 50 its edge
//
// 2. The stores, row by row: each is a run of the shadow.
#include "runtime/backend/modules/dependence_count.h"

namespace memprof::backend {

bool DependenceSearch::rows(const Batch& batch, const Range& range) {
  const auto accesses = batch.accesses_of(range);
  if (!counting_ || g_fault != Fault::none) return false;
  for (const RangeAccess& store : accesses) {
    Hull hull, other;
    if (!find_hull(store, hull)) return false;
    if (!store.store) continue;
    if (store.width == 0 || magnitude(store.step) < store.width) return false;
    for (const RangeAccess& a : accesses)
      if (&a != &store && (!find_hull(a, other) || hull.meets(other))) return false;
  }
  settle();
  in_range_ = gathers_ = true;
  for (const RangeAccess& a : accesses)
    for (std::uint64_t i = 0; !a.store && i < a.rows; i++) load_row(a.row(i), a.count);
  gathers_ = false;
  settle();
  counting_->end_gathering();
  for (const RangeAccess& a : accesses)
    if (a.store) store_rows(a, range.outer != 0);
  in_range_ = false;
  clock_ += range.rows * (range.count + (range.outer != 0));
  answer({.kind = Answer::Kind::end, .count = clock_});
  settle();
  return true;
}

// TICKED: each row starts an iteration before its own.
void DependenceSearch::store_rows(const RangeAccess& a, bool ticked) {
  for (std::uint64_t i = 0; i < a.rows; i++) {
    const Stamp before = clock_ + i * (a.count + ticked) + ticked;
    shadow_.store_run(run_of(a.row(i), before + 1));
  }
}

}  // namespace memprof::backend
