// page_geometry.h - how many translations a processor remembers, and where walks go.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

#include "runtime/backend/modules/geometry_fields.h"

namespace memprof::backend {

struct PageGeometry : TlbSizes {
  // Entries of the caches for the upper levels of page tables (page_walker.h).
  std::uint32_t pde = 32, pdpte = 4, pml4e = 2;
  CacheLevel llc = {32 << 20, 16};
  std::uint32_t line = 64;
  // Memory and windows of accesses that are looked at (sampled_accesses.h).
  std::uint32_t sample = 8, window = 1;

  bool operator==(const PageGeometry&) const = default;
};

// What this machine has; usual sizes where it does not say.
PageGeometry machine_pages();

// "nehalem,sample=1" or "L1TLB=64/4,HUGETLB=32/4,L2TLB=1536/12,sizes=2,PDE=32,PDPTE=4,PML4E=2,
// LLC=32M/16,line=64,sample=8,window=1": what TEXT names is changed in GEOMETRY. False if
// something makes no sense. `nehalem' is the processor of Chen et al., ISPASS 2012.
bool parse_geometry(std::string_view text, PageGeometry& geometry);
std::string geometry_text(const PageGeometry& geometry);

}  // namespace memprof::backend
