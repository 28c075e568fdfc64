// whole.h - whole numbers out of a profile's, which may be any.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>

namespace memprof::decide {

// VALUE without its fraction, as near as 64 bits come to it: profiles may hold any number, and what does not
// fit has no defined result in C++. 0 for what is no number.
inline std::uint64_t whole(double value) {
  if (!(value > 0)) return 0;
  return value < 0x1p64 ? static_cast<std::uint64_t>(value) : ~std::uint64_t{0};
}

// The last of COUNT values from START in steps of STRIDE, as near as 64 bits come to it.
inline std::int64_t last_of(std::int64_t start, std::int64_t stride, std::uint64_t count) {
  const __int128 steps = static_cast<__int128>(std::max<std::uint64_t>(count, 1) - 1);
  __int128 last;
  if (__builtin_mul_overflow(stride, steps, &last)) return stride < 0 ? INT64_MIN : INT64_MAX;
  last += start;
  return static_cast<std::int64_t>(std::clamp<__int128>(last, INT64_MIN, INT64_MAX));
}

}  // namespace memprof::decide
