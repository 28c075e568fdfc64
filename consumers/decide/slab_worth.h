// slab_worth.h - what an arena saves where its objects do not miss the TLB.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Two costs of malloc's small objects that slabs of one site do not have (runtime/arena/arena.h):
//
//   header   malloc keeps 8 bytes with each object and rounds up to 16, 32 at least; a slab
//            rounds up to 16 alone.  Objects of 32 bytes are 48 apart in the heap, 32 in a slab:
//            a third of the lines, and of the misses of L1 and L2, are saved.  Objects of 24 or
//            40 bytes lie as close either way
//   reuse    malloc keeps the last few dead objects of each size at hand.  Where many die before
//            others are born, as when a garbage collector sweeps, they are merged, sorted and split
//            again; a slab has a list of them
//
//   objects of 32 bytes, malloc   |h 32    |..|h 32    |..|h 32    |..|   3 lines for 4 objects
//                        a slab   |32      |32      |32      |32      |   2
//
// Only where nine tenths of the small objects that are alive are of the call: others may be visited together with
// these, and lie beside them now.  In `catalog', an entry and its key do; with the entries in an arena of
// their own it takes 1.3 times as long.  co_allocation.h knows of such neighbours where the profile has them.
//
// What it does not know: the sizes of single objects (of a site that has several, the mean counts).
#pragma once

#include <cstdint>

#include "consumers/decide/allocation_index.h"
#include "consumers/decide/cost_model.h"

namespace memprof::decide {

struct SlabWorth {
  double denser = 0;       // share of the lines that a slab saves
  double line_cycles = 0;  // of the misses that are saved with them
  double reused = 0;       // objects that lie where others have died
  double reuse_cycles = 0;

  double cycles() const { return line_cycles + reuse_cycles; }
};

// The bytes from one object of BYTES to the next in malloc's heap, if they are allocated in turn.
std::uint64_t heap_object_bytes(std::uint64_t bytes);

// Of the objects of one call. Nothing is saved where they are too large for slabs, have an alignment, or lie
// among those of others.
SlabWorth slab_worth(const ObjectFacts& facts, const CostModel& model);

// Whether that is enough of the program's time, at a cycle for each access.
bool repays(const SlabWorth& worth, const ObjectFacts& facts, const CostModel& model);

}  // namespace memprof::decide
