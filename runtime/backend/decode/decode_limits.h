// decode_limits.h - what the decoder believes of a stream.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The stream comes from another process, which may have written anything over it. Records
// with numbers beyond these are counted as corrupt, so that they cannot make the modules work
// for ever.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/backend/base/sparse_table.h"

namespace memprof::backend {

// The first address that is no user memory.
inline constexpr std::uint64_t k_user_end = std::uint64_t{1} << k_address_bits;
// Bytes of an access or an object, iterations of a loop: more than any real one has.
inline constexpr std::uint64_t k_max_width = std::uint64_t{1} << 36;
inline constexpr std::uint64_t k_max_count = std::uint64_t{1} << 48;
// Iterations of a range that is written out, or of all nests that are.
inline constexpr std::uint64_t k_max_expanded = std::uint64_t{1} << 32;
inline constexpr std::size_t k_max_nests = 4;  // in each other

}  // namespace memprof::backend
