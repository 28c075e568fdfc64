// ids.h - numbers by which the backend names what a program consists of.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The units of a program number their sites, loops and functions from 0. The backend gives
// each unit a stretch of its own (program/loaded_units.h), so that tables by id are arrays:
//
//     unit     rows of its site table    ids
//     main     0 1 2                     1 2 3
//     list     0 1                       4 5
#pragma once

#include <cstdint>

namespace memprof::backend {

using SiteId = std::uint32_t;      // 1.. ; 0 = no site
using LoopId = std::uint32_t;      // 1.. ; 0 = the whole program
using FunctionId = std::uint32_t;  // 1..
using GroupId = std::uint32_t;     // 1.. ; 0 = UNKNOWN (no live object)

inline constexpr SiteId k_no_site = 0;
// Writer of memory written by code that is not instrumented.
inline constexpr SiteId k_external_site = 0xffffff;
inline constexpr SiteId k_max_sites = 0x7ffffe;  // one bit less than the shadow has
// In the shadow: what the site wrote, but code that is not instrumented may have written since.
inline constexpr SiteId k_uncertain = 0x800000;
inline constexpr SiteId certain_site(SiteId site) {
  return site == k_external_site ? site : site & ~k_uncertain;
}
using CalleeId = std::uint32_t;    // 1..

}  // namespace memprof::backend
