// page_walker.cc - the TLB of a thread, and the walks of what it does not have.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/modules/pages/page_walker.h"

namespace memprof::backend {

namespace {

RecentLines anywhere(std::uint32_t entries) { return RecentLines({entries, entries}); }

}  // namespace

PageWalker::PageWalker(const PageGeometry& g)
    : second_has_huge_(g.second_sizes > 1),
      sampled_(g.sample > 1),
      small_(g.small, g.sample),
      huge_(g.huge),
      second_(g.second, g.sample),
      second_huge_(g.second),
      tables_{anywhere(g.pde), anywhere(g.pdpte), anywhere(g.pml4e)} {}

unsigned PageWalker::access(const Page& page) {
  if ((page.huge ? huge_ : small_).use(page.number).hit) return 0;
  if (!page.huge && second_.use(page.number).hit) return 0;
  if (page.huge && second_has_huge_ &&
      (sampled_ ? second_huge_.use(page.number) : second_.use(page.number | k_huge)).hit)
    return 0;
  return walk(page);
}

unsigned PageWalker::walk(const Page& page) {
  const unsigned lowest = page.huge ? 1 : 0;
  unsigned known = 4;  // lowest level that is in a cache; 4: the root
  for (unsigned level = 3; level > lowest; level--) {
    // Entries are numbered from 1.
    const auto entry =
        static_cast<std::uint32_t>(page.address >> page_table_shift(level)) + 1;
    if (tables_[level - 1].use(entry).hit) known = level;
  }
  return known - lowest;
}

}  // namespace memprof::backend
