// site_type.h - which stores the language lets a load read.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace memprof::backend {

// What a site accesses, as far as the compiler knows (plugin/tables/effective_type.cc).
struct SiteType {
  std::uint32_t scalars = 0;  // enum mprt_scalar; 0: anything
  std::uint32_t record = 0;   // number of its name and size; 0: none
  std::uint32_t first = 0;    // byte of the record
  std::uint32_t bytes = 0;    // from that on; 0: not known
};

// False: in no conforming program one has stored what the other one loads.
inline bool may_alias(const SiteType& a, const SiteType& b) {
  if (a.scalars != 0 && b.scalars != 0 && (a.scalars & b.scalars) == 0) return false;
  if (a.record != b.record || a.record == 0 || a.bytes == 0 || b.bytes == 0) return true;
  return a.first < std::uint64_t{b.first} + b.bytes && b.first < std::uint64_t{a.first} + a.bytes;
}

}  // namespace memprof::backend
