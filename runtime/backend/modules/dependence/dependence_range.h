// dependence_range.h - all accesses of a range record at once.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A range represents `count' iterations of an innermost loop whose accesses
// advance by constant steps. The counts are computed in closed form:
//
// 1. The accesses are divided into parts that share no byte: accesses whose
//    byte intervals do not meet, or that have one step and different places
//    modulo the step (a[2i] and a[2i+1]), do not influence each other.
//
// 2. A load without a store in its part reads what was there before the range
//    (dependence_loads.h).
//
// 3. A part with loads and stores of one width, one step and places that differ
//    by whole steps is a *lane*: in iteration k, access i is at place p_i + k.
//    The store that wrote what load i reads is the one with the smallest lag
//    q = p_store - p_load >= 0 (q > 0, or q = 0 and earlier in the iteration):
//    it did so q iterations before.  Iterations 0 .. q-1 read old writers.
//    a[i] = a[i-1] + b[i]: lag 1: one old writer, count-1 at distance 1.
//    Accesses of step 0 may join a lane.  Other places are as if they were not there;
//    at theirs (fixed_place) each access that steps comes by once at most.  As long as
//    none does, a load reads the last store of step 0 before it, at distance 0, or else,
//    at distance 1, the last one of the iteration before.  If there is no such store, it
//    reads what came by last, at growing distances.
//      sum[0] += b[i]: one old writer, count-1 at distance 1
//      d[j] += d[5]: iterations 0 .. 5 read old writers, 6 at distance 1, 7 at 2
//    For last readers (enum Kinds) the load of d[5] is a store of step 0, and
//    iteration 5, in which d[j] comes by, is executed access by access.
//
// 4. Afterwards the stores of the part go to the shadow as runs, the ones with
//    smaller p later, because at any place they come last, and of the others what these
//    leave; then those of step 0 that were the last at their place.
//
// 5. Accesses that are executed once less than the loop iterates make the last
//    iteration of their part a special case: the others are executed one by one
//    in it.
//
// Whatever fits none of this (partial overlaps, different steps in one part, a
// site that occurs twice) is executed access by access.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "runtime/backend/modules/dependence/dependence_loads.h"
#include "runtime/backend/modules/dependence/dependence_search.h"

namespace memprof::backend {

class RangeSearch {
 public:
  RangeSearch(DependenceSearch& search, const Range& range)
      : search_(search), loads_(search), range_(range) {}

  // Its loads ask, its stores are in the shadow from then on; ACCESSES are all of the range.
  void run(std::span<const RangeAccess> accesses);

  // The bytes of all executions. False: not all of them are memory.
  static bool find_hull(const RangeAccess& access, Hull& hull);
  // The stores of a row, upwards. The first is at the time STAMP, the others PACE ticks later each.
  static StoreRun run_of(const RangeAccess& access, Stamp stamp, int pace = 1);

 private:
  using Index = std::uint16_t;
  static constexpr std::size_t k_max = 64;  // accesses; more are executed singly

  // False: nothing was done.
  bool at_once(std::span<const RangeAccess> accesses);
  void expand(std::span<const RangeAccess> accesses);
  void iterate();
  bool apart(Index a, Index b) const;
  void divide();
  void part(std::span<const Index> members);
  bool lane_p(std::span<const Index> members);
  void lane(std::span<const Index> members, std::uint64_t count);
  void lane_load(std::span<const Index> members, Index i, std::uint64_t count);
  const RangeAccess* fixed_place(std::span<const Index> members, Index here, std::uint64_t count);
  void store(const RangeAccess& access, std::uint64_t count, std::uint64_t begin = 0);
  void load(const RangeAccess& access, std::uint64_t count) { loads_.load_row(access, count); }
  void last_iteration(std::span<const Index> members);
  void one_by_one(std::span<const Index> members);
  void self(SiteId source, SiteId sink, std::uint64_t distance, std::uint64_t last,
            std::uint64_t count, std::uint64_t end);

  const RangeAccess& at(Index i) const { return *access_[i]; }
  std::int64_t place(Index i) const {
    return static_cast<std::int64_t>(at(i).address - at(0).address);
  }
  // Of step 0 and at one place.
  bool together(Index i, Index j) const {
    return at(i).step == 0 && at(j).step == 0 && at(i).address == at(j).address;
  }
  // The iteration in which I, which steps, is where J of step 0 is; huge: in none.
  std::uint64_t meeting(Index i, Index j) const {
    return static_cast<std::uint64_t>((place(j) - place(i)) / at(i).step);
  }
  // What is left of an access from iteration K on.
  static RangeAccess from(RangeAccess a, std::uint64_t k) {
    a.address += k * static_cast<std::uint64_t>(a.step);
    return a;
  }

  DependenceSearch& search_;
  RangeLoads loads_;
  const Range& range_;
  std::uint64_t entered_ = 0;
  std::size_t size_ = 0;
  std::array<const RangeAccess*, k_max> access_;
  std::array<Hull, k_max> hull_;
  std::array<Index, k_max> part_;  // smallest member of the part
  std::int64_t step_ = 0;          // of the lane that is looked at
};

}  // namespace memprof::backend
