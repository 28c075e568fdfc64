// arena_model.h - misses of a trace of visits if some groups of objects had other places.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Each object gets one address for its life, and the visits of the trace go through a model of the
// caches (cache_model.h). Three ways to choose the addresses:
//
//   before    where the objects were
//   arena     the objects of the chosen groups, in the order of their births, without a gap (sizes
//             are multiples of 16); the place of a dead one goes to the next of its size, the
//             last one that died first. This is what runtime/arena does with shared arenas.
//   ordered   the objects of one group in the order in which the second half of the trace first
//             visits them, the others after them
//
//     births   a0 k0 t0 a1 k1 t1        t: not chosen
//     before   |a0 k0 t0 ..|.. a1 k1 t1 |
//     arena    |a0 k0 a1 k1|            each visit of a pair is a line
//
// All visits go through the caches. What an arena costs the groups that are not in it counts as
// well: a patient that had its list node for a neighbour is a miss of its own when the list has
// an arena. A miss of a visit that loads no pointer counts a quarter: the processor goes on to the
// next object meanwhile, and must wait only for pointers. A visit whose page is not in the TLB is a miss
// of L2, too, because reading the page tables takes as long. Accesses
// to anything but small heap objects are in no trace, so the caches of the model hold more of these
// objects than those of the machine do.
//
// Pages have numbers in the order of births, so that the same run has the same misses wherever its
// memory was.
#pragma once

#include <cstdint>
#include <vector>

#include "feedback/model.h"
#include "runtime/backend/modules/cache_model.h"
#include "runtime/backend/modules/co_access/visit_trace.h"

namespace memprof::backend {

class ArenaModel {
 public:
  // TRACE outlives this.
  ArenaModel(const VisitTrace& trace, const CacheGeometry& geometry);

  using Chosen = std::vector<bool>;  // by number of the group

  // Of visits of each group, by its number.
  const std::vector<feedback::CoAccess::Misses>& before() const { return before_misses_; }
  // Of visits of the chosen groups together, and what others miss more or less than before.
  feedback::CoAccess::Misses arena(const Chosen& chosen) const;
  feedback::CoAccess::Misses ordered(std::size_t group) const;

 private:
  using Addresses = std::vector<std::uint64_t>;  // by object

  std::vector<feedback::CoAccess::Misses> misses(const Addresses& at) const;
  feedback::CoAccess::Misses sum_of(const Addresses& at, const Chosen& chosen) const;
  std::uint64_t first_offset(const Chosen& chosen) const;
  Addresses in_arena(const Chosen& chosen) const;
  Addresses in_order(std::size_t group) const;

  const VisitTrace& trace_;
  const CacheGeometry geometry_;
  Addresses before_;
  std::vector<feedback::CoAccess::Misses> before_misses_;
};

}  // namespace memprof::backend
