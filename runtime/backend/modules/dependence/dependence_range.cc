// dependence_range.cc - all accesses of a range record at once.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A range stands for `count' iterations of an innermost loop whose accesses
// advance by constant steps.  Executing them one by one would give away what
// the record saved, so the counts are computed:
//
// 1. The accesses are divided into parts that share no byte: accesses whose
//    byte intervals do not meet, or that have one step and different places
//    modulo the step (a[2i] and a[2i+1]), do not influence each other.
//
// 2. A load without a store in its part reads what was there before the range
//    (dependence_loads.cc).
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
#include <algorithm>
#include <array>

#include "runtime/backend/base/fault.h"
#include "runtime/backend/modules/dependence/dependence_search.h"

namespace memprof::backend {

// False: not all of it is memory.
bool DependenceSearch::find_hull(const RangeAccess& a, Hull& hull) {
  const auto [low, high] = a.extent();
  hull = {static_cast<std::uint64_t>(low), static_cast<std::uint64_t>(high)};
  return low >= 0 && high <= static_cast<__int128>(k_address_limit);
}

// The stores of a row, upwards, the first of which is at the time STAMP, the others PACE ticks
// later each.
StoreRun DependenceSearch::run_of(const RangeAccess& a, Stamp stamp, int pace) {
  StoreRun run{a.address, magnitude(a.step), a.count, a.width, a.site, stamp, pace};
  if (a.step < 0) {
    run.address -= (a.count - 1) * run.step;
    run.stamp += (a.count - 1) * static_cast<Stamp>(pace);
    run.pace = -run.pace;
  }
  return run;
}

// The first COUNT loads of a row, which read what was there before it.
void DependenceSearch::load_row(const RangeAccess& a, std::uint64_t count) {
  if (count == 0) return;
  Loads loads{a.site, a.address, magnitude(a.step), count, a.width};
  if (a.step < 0) loads.address -= (count - 1) * loads.step;
  load_progression(loads);
}

// One range.
class DependenceSearch::RangeWalk {
 public:
  RangeWalk(DependenceSearch& search, const Range& range) : search_(search), range_(range) {}

  // False: nothing was done.
  bool run(std::span<const RangeAccess> accesses);

 private:
  using Index = std::uint16_t;
  static constexpr std::size_t k_max = 64;  // accesses; more are executed singly

  bool apart(Index a, Index b) const;
  void divide();
  void part(std::span<const Index> members);
  bool lane_p(std::span<const Index> members);
  void lane(std::span<const Index> members, std::uint64_t count);
  void lane_load(std::span<const Index> members, Index i, std::uint64_t count);
  const RangeAccess* fixed_place(std::span<const Index> members, Index here, std::uint64_t count);
  void store(const RangeAccess& access, std::uint64_t count, std::uint64_t begin = 0);
  void load(const RangeAccess& access, std::uint64_t count) { search_.load_row(access, count); }
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
  const Range& range_;
  std::uint64_t entered_ = 0;
  std::size_t size_ = 0;
  std::array<const RangeAccess*, k_max> access_;
  std::array<Hull, k_max> hull_;
  std::array<Index, k_max> part_;  // smallest member of the part
  std::int64_t step_ = 0;          // of the lane that is looked at
};

bool DependenceSearch::RangeWalk::run(std::span<const RangeAccess> accesses) {
  if (accesses.size() > k_max) return false;
  for (const RangeAccess& a : accesses) {
    if (a.count == 0 || a.width == 0) continue;
    if (a.count != range_.count && a.count + 1 != range_.count) return false;
    access_[size_] = &a;
    if (!find_hull(a, hull_[size_])) return false;
    size_++;
  }
  entered_ = search_.clock_;
  divide();
  std::array<Index, k_max> members;
  for (Index head = 0; head < size_; head++) {
    if (part_[head] != head) continue;
    std::size_t n = 0;
    for (Index i = head; i < size_; i++)
      if (part_[i] == head) members[n++] = i;
    part({members.data(), n});
  }
  search_.clock_ = entered_ + range_.count;
  return true;
}

// Whether no execution of one touches a byte of the other.
bool DependenceSearch::RangeWalk::apart(Index i, Index j) const {
  if (!hull_[i].meets(hull_[j])) return true;
  const std::uint64_t first = magnitude(at(i).step), second = magnitude(at(j).step);
  const std::uint64_t step = std::max(first, second);
  if (step < at(i).width + at(j).width) return false;
  if (first != second && std::min(first, second) != 0) return false;
  const std::uint64_t a = at(i).address % step, b = at(j).address % step;
  const std::uint64_t forward = b >= a ? b - a : b + step - a;
  return forward >= at(i).width && forward + at(j).width <= step;
}

void DependenceSearch::RangeWalk::divide() {
  for (Index i = 0; i < size_; i++) part_[i] = i;
  for (Index i = 0; i < size_; i++)
    for (Index j = 0; j < i; j++) {
      if (part_[i] == part_[j] || (!at(i).store && !at(j).store) || apart(i, j)) continue;
      const Index from = std::max(part_[i], part_[j]), to = std::min(part_[i], part_[j]);
      for (Index k = 0; k <= i; k++)
        if (part_[k] == from) part_[k] = to;
    }
}

void DependenceSearch::RangeWalk::part(std::span<const Index> members) {
  if (members.size() == 1) {
    const RangeAccess& a = at(members[0]);
    if (a.store)
      store(a, a.count);
    else
      load(a, a.count);
    return;
  }
  if (!lane_p(members)) {
    one_by_one(members);
    return;
  }
  bool equal = true;
  for (Index i : members) equal = equal && at(i).count == at(members[0]).count;
  if (equal) {
    lane(members, at(members[0]).count);
    return;
  }
  lane(members, range_.count - 1);
  last_iteration(members);
}

bool DependenceSearch::RangeWalk::lane_p(std::span<const Index> members) {
  const RangeAccess& first = at(members[0]);
  step_ = 0;
  for (Index i : members)
    if (at(i).step != 0) step_ = at(i).step;
  if (step_ != 0 && magnitude(step_) < first.width) return false;
  for (Index i : members) {
    const RangeAccess& a = at(i);
    if (a.width != first.width || (a.step != step_ && a.step != 0)) return false;
    const auto d = static_cast<std::int64_t>(a.address - first.address);
    if (step_ == 0 ? d != 0 : d % step_ != 0) return false;
  }
  return true;
}

// The last COUNT executions before iteration END.  Their sources are DISTANCE
// iterations of this loop back, or DISTANCE, DISTANCE + 1, ... LAST.
void DependenceSearch::RangeWalk::self(SiteId source, SiteId sink, std::uint64_t distance,
                                       std::uint64_t last, std::uint64_t count,
                                       std::uint64_t end) {
  if (count == 0 || source == k_no_site) return;
  if (g_fault == Fault::range_distance) distance++, last++;
  search_.answer({.kind = Answer::Kind::own, .sink = sink, .cell = make_cell(source, 0),
                  .step = static_cast<std::int64_t>(distance), .count = count, .last = last,
                  .end = end});
}

// Executions BEGIN .. COUNT-1.
void DependenceSearch::RangeWalk::store(const RangeAccess& access, std::uint64_t count,
                                        std::uint64_t begin) {
  if (begin >= count) return;
  RangeAccess a = from(access, begin);
  a.count = count - begin;
  const StoreRun last{from(access, count - 1).address, 1, 1, a.width, a.site, entered_ + count, 1};
  StoreRun run = run_of(a, entered_ + begin + 1);
  if (a.step == 0) {
    search_.shadow_.store_run(last);
    return;
  }
  // Of stores that overlap each other, each keeps what the next leaves of it.
  const bool overlap = run.step < a.width;
  if (overlap) {
    run.width = run.step;
    if (a.step < 0) run.address += a.width - run.step;
  }
  search_.shadow_.store_run(run);
  if (overlap) search_.shadow_.store_run(last);
}

// Of one that steps.  Where stores of step 0 are, it is fixed_place's.
void DependenceSearch::RangeWalk::lane_load(std::span<const Index> members, Index i,
                                            std::uint64_t count) {
  const RangeAccess& a = at(i);
  const RangeAccess* source = nullptr;
  std::uint64_t lag = ~std::uint64_t{0};
  std::array<std::uint64_t, k_max> ends;  // of stretches, each with an iteration of fixed_place
  std::size_t n = 0;
  for (Index j : members) {
    const RangeAccess& b = at(j);
    if (!b.store) continue;
    if (b.step == 0) {
      if (meeting(i, j) < count) ends[n++] = meeting(i, j);
      continue;
    }
    const std::int64_t q = (place(j) - place(i)) / step_;
    if (q < 0 || (q == 0 && j > i) || static_cast<std::uint64_t>(q) > lag) continue;
    lag = static_cast<std::uint64_t>(q);  // of equal ones, the later store
    source = &b;
  }
  ends[n++] = count;
  std::sort(ends.begin(), ends.begin() + n);
  std::uint64_t begin = 0;
  for (const std::uint64_t end : std::span(ends.data(), n)) {
    if (begin < end) {
      const std::uint64_t old = std::clamp(lag, begin, end);
      load(from(a, begin), old - begin);
      if (source) self(source->site, a.site, lag, lag, end - old, end);
    }
    begin = end + 1;
  }
}

// What happens where HERE, which is of step 0, is: its loads and stores, stores that come by
// and, if it has stores of step 0, loads that come by.  The result is such a store if it was
// the last one of all.
const RangeAccess* DependenceSearch::RangeWalk::fixed_place(std::span<const Index> members,
                                                            Index here, std::uint64_t count) {
  constexpr std::uint64_t k_always = ~std::uint64_t{0};
  struct Visit {
    const RangeAccess* access;
    std::uint64_t when;  // iteration
  };
  const RangeAccess* keeper = nullptr;  // the last store of an iteration in which none comes by
  for (Index i : members)
    if (together(i, here) && at(i).store) keeper = &at(i);
  std::array<Visit, k_max> visits;
  std::size_t n = 0;
  for (Index i : members) {
    std::uint64_t when = k_always;
    if (!together(i, here)) {
      if (at(i).step == 0 || !(at(i).store || keeper)) continue;
      when = meeting(i, here);
      if (when >= count) continue;
    }
    visits[n++] = {&at(i), when};
  }
  const RangeAccess* writer = nullptr;  // the last one ...
  std::uint64_t written = 0;            // ... in this iteration
  for (std::uint64_t begin = 0, end; begin < count; begin = end) {
    // One iteration, or several in which none comes by.
    end = count;
    for (const Visit& v : std::span(visits.data(), n))
      if (v.when >= begin && v.when < end) end = std::max(v.when, begin + 1);
    for (const Visit& v : std::span(visits.data(), n)) {
      if (v.when != k_always && v.when != begin) continue;
      const RangeAccess& a = *v.access;
      if (a.store) {
        writer = &a;
        written = end - 1;
      } else if (writer && written >= begin) {
        self(writer->site, a.site, 0, 0, end - begin, end);
      } else {
        const std::uint64_t first = keeper ? begin + 1 : end;
        if (writer)
          self(writer->site, a.site, begin - written, first - 1 - written, first - begin, first);
        else
          load(from(a, begin), first - begin);
        if (keeper) self(keeper->site, a.site, 1, 1, end - first, end);
      }
    }
  }
  return writer && writer->step == 0 ? writer : nullptr;
}

void DependenceSearch::RangeWalk::lane(std::span<const Index> members, std::uint64_t count) {
  if (count == 0) return;
  std::array<const RangeAccess*, k_max> last;  // stores of step 0 at their places
  std::size_t places = 0;
  for (Index i : members)
    if (at(i).step != 0) {
      if (!at(i).store) lane_load(members, i, count);
    } else if (*std::ranges::find_if(members, [&](Index j) { return together(i, j); }) == i) {
      if (const RangeAccess* a = fixed_place(members, i, count)) last[places++] = a;
    }
  // The store with the smallest place comes last; of equal ones, the later.
  std::array<Index, k_max> order;
  std::size_t n = 0;
  for (Index i : members)
    if (at(i).store && at(i).step != 0) order[n++] = i;
  std::sort(order.begin(), order.begin() + n, [&](Index x, Index y) {
    if (place(x) == place(y)) return x < y;
    return (place(x) > place(y)) == (step_ > 0);
  });
  for (std::size_t i = 0; i < n; i++) {
    // The next one overwrites all but so many of its executions.
    std::uint64_t left = count;
    if (i + 1 < n)
      left = std::min(left, magnitude((place(order[i]) - place(order[i + 1])) / step_));
    store(at(order[i]), count, count - left);
  }
  for (std::size_t i = 0; i < places; i++) store(*last[i], count);
}

// Iteration count-1 of those that have it.
void DependenceSearch::RangeWalk::last_iteration(std::span<const Index> members) {
  search_.answer({.kind = Answer::Kind::enter});
  search_.answer({.kind = Answer::Kind::iterate, .count = range_.count});
  for (Index i : members) {
    const RangeAccess& a = at(i);
    if (a.count != range_.count) continue;
    const std::uint64_t address =
        a.address + (a.count - 1) * static_cast<std::uint64_t>(a.step);
    if (a.store)
      search_.shadow_.store_run({address, 1, 1, a.width, a.site, entered_ + a.count, 1});
    else
      search_.load(a.site, address, a.width);
  }
  search_.answer({.kind = Answer::Kind::exit});
}

void DependenceSearch::RangeWalk::one_by_one(std::span<const Index> members) {
  search_.clock_ = entered_;
  search_.answer({.kind = Answer::Kind::enter});
  for (std::uint64_t k = 0; k < range_.count; k++) {
    search_.range_iteration();
    for (Index i : members) {
      const RangeAccess& a = at(i);
      if (k >= a.count) continue;
      const std::uint64_t address = a.address + k * static_cast<std::uint64_t>(a.step);
      if (a.store)
        search_.store(a.site, address, a.width);
      else
        search_.load(a.site, address, a.width);
    }
  }
  search_.answer({.kind = Answer::Kind::exit});
  search_.clock_ = entered_;
}

void DependenceSearch::range_iteration() {
  const Stamp before = clock_;
  iterate();
  answer({.kind = Answer::Kind::iterate, .count = clock_ - before});
}

// Access by access.
void DependenceSearch::expand(const Batch& batch, const Range& range) {
  answer({.kind = Answer::Kind::enter});
  for (std::uint64_t k = 0; k < range.count; k++) {
    range_iteration();
    for (const RangeAccess& a : batch.accesses_of(range)) {
      if (k >= a.count) continue;
      const std::uint64_t address = a.address + k * static_cast<std::uint64_t>(a.step);
      if (a.store)
        store(a.site, address, a.width);
      else
        load(a.site, address, a.width);
    }
  }
  answer({.kind = Answer::Kind::exit});
}

void DependenceSearch::range(const Batch& batch, const Range& range) {
  answer({.kind = Answer::Kind::begin, .sink = range.loop, .count = clock_});
  // The other faults are those of single accesses.
  const bool single = g_fault != Fault::none && g_fault != Fault::range_distance &&
                      g_fault != Fault::no_clear;
  in_range_ = true;
  const bool done = !single && RangeWalk(*this, range).run(batch.accesses_of(range));
  in_range_ = false;
  if (!done) expand(batch, range);
  answer({.kind = Answer::Kind::end, .count = clock_});
}

}  // namespace memprof::backend
