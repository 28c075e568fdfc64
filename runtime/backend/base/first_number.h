// first_number.h - binary search among consecutive numbers.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What std::ranges does with std::views::iota, which clang 14 cannot compile with libstdc++ 12; the
// fuzz targets are built with it.
#pragma once

namespace memprof::backend {

// The first number of [LOW, HIGH) for which LATE is true, or HIGH. LATE stays true once it is.
template <typename Number, typename Late>
Number first_number(Number low, Number high, Late&& late) {
  while (low < high) {
    const Number middle = low + (high - low) / 2;
    if (late(middle))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

}  // namespace memprof::backend
