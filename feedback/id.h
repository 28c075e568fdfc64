// id.h - names of sites, loops and groups in a profile.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace memprof::feedback {

using Id = std::uint32_t;
inline constexpr Id k_none = 0xffffffffu;
// Writer of memory that code outside the instrumented program wrote.
inline constexpr Id k_external = 0xfffffffeu;

}  // namespace memprof::feedback
