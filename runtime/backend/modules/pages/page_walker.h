// page_walker.h - the TLB of a thread, and the walks of what it does not have.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A processor that does not know where a page lies walks the page tables, a tree of four
// levels, by nine bits of the address each:
//
//     47      39 38      30 29      21 20      12 11        0
//     | PML4E   |  PDPTE   |   PDE    |   PTE    |  in page  |
//
// Each level that it reads is a reference to memory. Upper levels that it has read lately are
// in page-walk caches, so that most walks read one entry:
//
//     PDE cached     1 reference         of a page of 2 MB, which has no PTE:
//     PDPTE          2                   1
//     PML4E          3                   2
//     nothing        4                   3
//
// Of pages of 4 KB, only one in `sample' is looked at, and the TLBs have as many fewer entries.
// But each huge page and each entry of an upper level has memory that is looked at: these have all
// their entries. So in a second level for both sizes, huge pages are by themselves then.
//
// TLBs and page-walk caches replace what was used longest ago. A page that is in the TLB
// of the first level leaves the second level as it is.
//
// Paper: Chen, Cui, Bao, Chen, Huang, Tan: A Lightweight Hybrid Hardware/Software Approach for
// Object-Relative Memory Profiling, ISPASS 2012. The caches of walks are Intel's.
#pragma once

#include <cstdint>

#include "runtime/backend/modules/pages/page_geometry.h"
#include "runtime/backend/modules/pages/recent_lines.h"

namespace memprof::backend {

// Lowest address bit that an entry of a level is chosen by; levels from 0: PTE.
constexpr unsigned page_table_shift(unsigned level) { return 12 + 9 * level; }

class PageWalker {
 public:
  struct Page {
    std::uint32_t number;   // not 0; of pages of one size
    std::uint64_t address;  // of an access in it
    bool huge;
  };

  explicit PageWalker(const PageGeometry& geometry);

  // Accesses PAGE. How many levels of the page tables the walk reads, from the lowest one up
  // (0, or 1 of huge pages); 0: it is in a TLB.
  unsigned access(const Page& page);

 private:
  static constexpr std::uint32_t k_huge = 1u << 31;  // in the second level

  unsigned walk(const Page& page);

  bool second_has_huge_, sampled_;
  RecentLines small_, huge_, second_, second_huge_;
  RecentLines tables_[3];  // entries of levels 1 to 3
};

}  // namespace memprof::backend
