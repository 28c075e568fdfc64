// cache_rows.h - rows of the tables cache and reuse.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "feedback/id.h"

namespace memprof::feedback {

// Misses of a site in a group that a model of the caches and the TLB saw, scaled
// to all executions: estimates.  Run::caches describes the model.
struct Cache {
  Id site = k_none;
  Id group = k_none;  // none: addresses of no known object
  std::uint64_t l1 = 0, l2 = 0, llc = 0, tlb = 0;
  // Sample mode: half of the 95 % interval of each. Those of a sum are added, as if all runs were off
  // in the same direction.
  struct Errors {
    std::uint64_t l1 = 0, l2 = 0, llc = 0, tlb = 0;
  };
  Errors errors;
  bool guessed = false;  // no window has met the site, or there were few: what its group misses
};

// How often a site in a group would miss in a cache of any size that replaces the least recently
// used of its lines (or in a TLB, of its pages), estimates for all executions. From the size of a
// point to that of the next one, misses fall from the one number to the other; after the last
// point they stay. Lines have 64 bytes, pages 4 KB.
struct Reuse {
  Id site = k_none;
  Id group = k_none;  // none: addresses of no known object
  struct Point {
    std::uint64_t size = 0;  // lines or pages
    std::uint64_t misses = 0;
  };
  std::vector<Point> lines, pages;  // sizes rise, misses fall
};

}  // namespace memprof::feedback
