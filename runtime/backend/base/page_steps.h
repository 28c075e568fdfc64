// page_steps.h - how many steps fit into some bytes of a page, without a division.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Where executions that are a step apart begin and end in a page is computed for each piece of a
// range, and a division takes as long as much of the rest. So the step's reciprocal is worked
// out once:
//
//     const std::uint32_t reciprocal = reciprocal_of(24);
//     steps_in(100, reciprocal)                                    4 = 100 / 24
#pragma once

#include <cstdint>

namespace memprof::backend {

inline constexpr std::uint32_t k_steps_limit = 4096;  // bytes are fewer

// 0 of 0.
constexpr std::uint32_t reciprocal_of(std::uint64_t step) {
  if (step > k_steps_limit) return 1;
  const auto n = static_cast<std::uint32_t>(step);
  return n == 0 ? 0 : ((1u << 24) + n - 1) / n;
}
// BYTES / step, for BYTES < k_steps_limit. Exact because both are at most 2^12, or the quotient
// is 0.
constexpr std::uint32_t steps_in(std::uint64_t bytes, std::uint32_t reciprocal) {
  return static_cast<std::uint32_t>(bytes * reciprocal >> 24);
}

}  // namespace memprof::backend
