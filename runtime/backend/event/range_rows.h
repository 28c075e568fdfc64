// range_rows.h - ranges whose iterations have nothing to do with each other.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Of a loop around an affine one, or of that alone:
//
//     for (y..) for (x..) a[y][x] = a[y][x] / b[y][x + 1];     apart
//     for (y..) for (x..) a[y][x] = a[y][x - 1];               not: one reads another's store
//     for (y..) for (x..) a[x] = b[y][x];                      apart
//
// What is loaded was there before, in whatever order one looks at the iterations; and each
// byte has been stored by one access, if by any.
#pragma once

#include <span>

#include "runtime/backend/event/batch.h"

namespace memprof::backend {

// How an access of a range meets another one of the same steps and counts.
enum class Meeting {
  none,       // they share no byte
  iteration,  // only in the same iteration
  elsewhere   // in different ones, too, or that would be hard to say
};

// A and B lie in memory, as all accesses here.
Meeting meeting(const RangeAccess& a, const RangeAccess& b);

// Of the ACCESSES of a range, in their order: whether its iterations are apart in all rows.
bool iterations_apart(std::span<const RangeAccess> accesses);

}  // namespace memprof::backend
