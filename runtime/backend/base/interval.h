// interval.h - integers that satisfy linear constraints of one variable.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Example: {0, 9} cut by 3 z + 1 <= 20 and -z + 2 <= 0 is {2, 6}.
#pragma once

#include <algorithm>

namespace memprof::backend {

// B > 0.
template <typename T>
T floor_div(T a, T b) {
  if (b == 1) return a;
  return a / b - (a % b < 0);
}
template <typename T>
T ceil_div(T a, T b) {
  return -floor_div<T>(-a, b);
}

// An interval that constraints cut down.
template <typename T>
struct Interval {
  T low, high;
  // Keeps the z with k z + c <= bound.
  void at_most(T k, T c, T bound) {
    if (k > 0)
      high = std::min(high, floor_div<T>(bound - c, k));
    else if (k < 0)
      low = std::max(low, ceil_div<T>(c - bound, -k));
    else if (c > bound)
      high = low - 1;
  }
  void at_least(T k, T c, T bound) { at_most(-k, -c, -bound); }
  void cut(T k, T c, T low_bound, T high_bound) {
    at_least(k, c, low_bound);
    at_most(k, c, high_bound);
  }
  bool empty() const { return low > high; }
};

}  // namespace memprof::backend
