// whole.h - a count out of an estimate.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace memprof::decide {

// VALUE without its fraction, as near as 64 bits come to it: profiles may hold any number, and what does not
// fit has no defined result in C++. 0 for what is no number.
inline std::uint64_t whole(double value) {
  if (!(value > 0)) return 0;
  return value < 0x1p64 ? static_cast<std::uint64_t>(value) : ~std::uint64_t{0};
}

}  // namespace memprof::decide
