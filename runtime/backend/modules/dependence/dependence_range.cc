// dependence_range.cc - all accesses of a range record at once.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/modules/dependence/dependence_range.h"

#include <algorithm>

#include "runtime/backend/base/fault.h"

namespace memprof::backend {

bool RangeSearch::find_hull(const RangeAccess& a, Hull& hull) {
  const auto [low, high] = a.extent();
  hull = {static_cast<std::uint64_t>(low), static_cast<std::uint64_t>(high)};
  return low >= 0 && high <= static_cast<__int128>(k_address_limit);
}

StoreRun RangeSearch::run_of(const RangeAccess& a, Stamp stamp, int pace) {
  StoreRun run{a.address, magnitude(a.step), a.count, a.width, a.site, stamp, pace};
  if (a.step < 0) {
    run.address -= (a.count - 1) * run.step;
    run.stamp += (a.count - 1) * static_cast<Stamp>(pace);
    run.pace = -run.pace;
  }
  return run;
}

bool RangeSearch::at_once(std::span<const RangeAccess> accesses) {
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
bool RangeSearch::apart(Index i, Index j) const {
  if (!hull_[i].meets(hull_[j])) return true;
  const std::uint64_t first = magnitude(at(i).step), second = magnitude(at(j).step);
  const std::uint64_t step = std::max(first, second);
  if (step < at(i).width + at(j).width) return false;
  if (first != second && std::min(first, second) != 0) return false;
  const std::uint64_t a = at(i).address % step, b = at(j).address % step;
  const std::uint64_t forward = b >= a ? b - a : b + step - a;
  return forward >= at(i).width && forward + at(j).width <= step;
}

void RangeSearch::divide() {
  for (Index i = 0; i < size_; i++) part_[i] = i;
  for (Index i = 0; i < size_; i++)
    for (Index j = 0; j < i; j++) {
      if (part_[i] == part_[j] || (!at(i).store && !at(j).store) || apart(i, j)) continue;
      const Index from = std::max(part_[i], part_[j]), to = std::min(part_[i], part_[j]);
      for (Index k = 0; k <= i; k++)
        if (part_[k] == from) part_[k] = to;
    }
}

void RangeSearch::part(std::span<const Index> members) {
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

bool RangeSearch::lane_p(std::span<const Index> members) {
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
void RangeSearch::self(SiteId source, SiteId sink, std::uint64_t distance,
                                       std::uint64_t last, std::uint64_t count,
                                       std::uint64_t end) {
  if (count == 0 || source == k_no_site) return;
  if (g_fault == Fault::range_distance) distance++, last++;
  search_.answer({.kind = Answer::Kind::own, .sink = sink, .cell = make_cell(source, 0),
                  .step = static_cast<std::int64_t>(distance), .count = count, .last = last,
                  .end = end});
}

// Executions BEGIN .. COUNT-1.
void RangeSearch::store(const RangeAccess& access, std::uint64_t count,
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
void RangeSearch::lane_load(std::span<const Index> members, Index i,
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
const RangeAccess* RangeSearch::fixed_place(std::span<const Index> members,
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

void RangeSearch::lane(std::span<const Index> members, std::uint64_t count) {
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
    // The next one overwrites all but LEFT of its executions.
    std::uint64_t left = count;
    if (i + 1 < n)
      left = std::min(left, magnitude((place(order[i]) - place(order[i + 1])) / step_));
    store(at(order[i]), count, count - left);
  }
  for (std::size_t i = 0; i < places; i++) store(*last[i], count);
}

// Iteration count-1 of those that have it.
void RangeSearch::last_iteration(std::span<const Index> members) {
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
      loads_.load(a.site, address, a.width);
  }
  search_.answer({.kind = Answer::Kind::exit});
}

void RangeSearch::one_by_one(std::span<const Index> members) {
  search_.clock_ = entered_;
  search_.answer({.kind = Answer::Kind::enter});
  for (std::uint64_t k = 0; k < range_.count; k++) {
    iterate();
    for (Index i : members) {
      const RangeAccess& a = at(i);
      if (k >= a.count) continue;
      const std::uint64_t address = a.address + k * static_cast<std::uint64_t>(a.step);
      if (a.store)
        search_.store(a.site, address, a.width);
      else
        loads_.load(a.site, address, a.width);
    }
  }
  search_.answer({.kind = Answer::Kind::exit});
  search_.clock_ = entered_;
}

void RangeSearch::iterate() {
  const Stamp before = search_.clock_;
  search_.iterate();
  search_.answer({.kind = Answer::Kind::iterate, .count = search_.clock_ - before});
}

// Access by access.
void RangeSearch::expand(std::span<const RangeAccess> accesses) {
  search_.answer({.kind = Answer::Kind::enter});
  for (std::uint64_t k = 0; k < range_.count; k++) {
    iterate();
    for (const RangeAccess& a : accesses) {
      if (k >= a.count) continue;
      const std::uint64_t address = a.address + k * static_cast<std::uint64_t>(a.step);
      if (a.store)
        search_.store(a.site, address, a.width);
      else
        loads_.load(a.site, address, a.width);
    }
  }
  search_.answer({.kind = Answer::Kind::exit});
}

void RangeSearch::run(std::span<const RangeAccess> accesses) {
  search_.answer({.kind = Answer::Kind::begin, .sink = range_.loop, .count = search_.clock_});
  // The other faults are those of single accesses.
  const bool single = g_fault != Fault::none && g_fault != Fault::range_distance &&
                      g_fault != Fault::no_clear;
  search_.in_range_ = true;
  const bool done = !single && at_once(accesses);
  search_.in_range_ = false;
  if (!done) expand(accesses);
  search_.answer({.kind = Answer::Kind::end, .count = search_.clock_});
}

}  // namespace memprof::backend
