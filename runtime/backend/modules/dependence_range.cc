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
//    (load_progression).  All such writers are older than the loop's entry, so
//    an outer loop or the program carries them, at a distance that does not
//    change during the range: only the writers' stamps matter.  Page by page: an
//    empty page is skipped; in a list, a segment whose places agree with the
//    load's gives stamps that are again a progression, and at most a few
//    intervals of it fall into different buckets; a dense page is read cell by
//    cell, but a run of cells of one bucket is counted together.
//
// 3. A part with loads and stores of one width, one step and places that differ
//    by whole steps is a *lane*: in iteration k, access i is at place p_i + k.
//    The store that wrote what load i reads is the one with the smallest lag
//    q = p_store - p_load >= 0 (q > 0, or q = 0 and earlier in the iteration):
//    it did so q iterations before.  Iterations 0 .. q-1 read old writers.
//    a[i] = a[i-1] + b[i]: lag 1: one old writer, count-1 at distance 1.
//    With step 0 all iterations use one place: a store earlier in the iteration
//    gives distance 0, otherwise the last one of the iteration gives distance 1.
//    A load of step 0 may join a lane that steps: each store of the lane passes
//    its place once at most.  It reads what was there before until the first
//    has passed, and then that one's value at growing distances.
//      d[j] += d[5]: iterations 0 .. 5 read old writers, 6 at distance 1, 7 at 2
//
// 4. Afterwards the stores of the part go to the shadow as runs, the ones with
//    smaller p later, because at any place they come last.
//
// 5. Accesses that are executed once less than the loop iterates make the last
//    iteration of their part a special case: the others are executed one by one
//    in it.
//
// Whatever fits none of this (partial overlaps, different steps in one part, a
// site that occurs twice) is executed access by access.
#include <algorithm>
#include <array>

#include "runtime/backend/fault.h"
#include "runtime/backend/modules/dependence_engine.h"

namespace memprof::backend {

// The loads of one access: upwards, because only the writers' stamps matter.
struct DependenceEngine::Loads {
  SiteId site;
  std::uint64_t address, step, count, width;
};

namespace {

struct Hull {
  std::uint64_t low, high;  // bytes [low, high)
};

std::uint64_t magnitude(std::int64_t v) {
  return v < 0 ? -static_cast<std::uint64_t>(v) : static_cast<std::uint64_t>(v);
}

// False: not all of it is memory.
bool find_hull(const RangeAccess& a, Hull& hull) {
  const std::uint64_t step = magnitude(a.step);
  if (a.count > k_address_limit || a.width > k_address_limit) return false;
  const auto span = static_cast<unsigned __int128>(a.count - 1) * step;
  if (span > k_address_limit) return false;
  const auto size = static_cast<std::uint64_t>(span);
  if (a.step < 0 && size > a.address) return false;
  hull.low = a.step < 0 ? a.address - size : a.address;
  hull.high = hull.low + size + a.width;
  return in_memory(hull.low, size + a.width);
}

}  // namespace

void DependenceEngine::depend_progression(SiteId sink, SiteId site, Stamp from,
                                          std::int64_t step, std::uint64_t m) {
  if (site == k_no_site || m == 0) return;
  // Downwards from the latest.
  const std::uint64_t pace = magnitude(step);
  Stamp high = step > 0 ? from + (m - 1) * pace : from;
  const LoopContext& loops = thread_->loops;
  while (m != 0) {
    const Place place = loops.locate(high);
    const std::uint64_t n = pace == 0 ? m : std::min(m, (high - place.low) / pace + 1);
    DependenceRows::add_stamps(row(site, sink, *place.loop), loops, *place.loop,
                               high - (n - 1) * pace, high, n);
    high -= n * pace;
    m -= n;
  }
}

void DependenceEngine::load_each(const Loads& loads, std::uint64_t address,
                                 std::uint64_t m) {
  for (; m != 0; m--, address += loads.step) load(loads.site, address, loads.width);
}

void DependenceEngine::load_progression(const Loads& loads) {
  if (loads.width == 0 || loads.count == 0) return;
  if (loads.step == 0 || loads.count == 1) {
    load(loads.site, loads.address, loads.width, loads.count);
    return;
  }
  std::uint64_t address = loads.address;
  for (std::uint64_t left = loads.count; left != 0;) {
    const std::uint64_t offset = address % k_page;
    const std::uint64_t m =
        offset + loads.width > k_page
            ? 0
            : std::min(left, (k_page - loads.width - offset) / loads.step + 1);
    if (m == 0) {  // bytes of two pages
      load(loads.site, address, loads.width);
      address += loads.step;
      left--;
      continue;
    }
    load_page(loads, address, m);
    address += m * loads.step;
    left -= m;
  }
}

// M loads that lie in one page.
void DependenceEngine::load_page(const Loads& loads, std::uint64_t address,
                                 std::uint64_t m) {
  PageEntry& page = shadow_.entry(address);
  if (page.empty()) return;
  if (const DensePage* dense = page.dense();
      page.compact() || (dense && dense->unlike != 0 &&
                         !aligned(address | loads.step, loads.width, k_granule_shift)))
    shadow_.note_visits(page, m);
  if (m == 1)
    load(loads.site, address, loads.width);
  else if (page.list_p())
    load_list(loads, *page.list(), page.list()->size, address, m);
  else if (page.cells_p())
    load_cells(loads, page.cells(), page.shift(), address, m);
  else
    load_each(loads, address, m);
}

// CELLS of a page stand for 2^SHIFT bytes each.
void DependenceEngine::load_cells(const Loads& loads, const Cell* cells, unsigned shift,
                                  std::uint64_t address, std::uint64_t m) {
  if (!aligned(address | loads.step, loads.width, shift) || loads.width > 2u << shift) {
    load_each(loads, address, m);
    return;
  }
  const LoopContext& loops = thread_->loops;
  const Cell* cell = cells + (address % k_page >> shift);
  const std::size_t second = (loads.width >> shift) - 1;
  const std::size_t step = loads.step >> shift;
  for (std::uint64_t i = 0; i < m;) {
    const Cell c = *cell;
    if ((c | cell[second]) == 0) {
      for (; i < m && (*cell | cell[second]) == 0; i++) cell += step;
      continue;
    }
    if (c != cell[second] || !writer_p(c)) {
      load(loads.site, address + i * loads.step, loads.width);
      cell += step;
      i++;
      continue;
    }
    // As many as fall into the same row and bucket.
    const Place place = loops.locate(cell_stamp(c));
    const Cell low = by_site(make_cell(cell_site(c), place.low));
    const Cell span = std::min(place.high, k_stamp_mask) - place.low;
    Cell first = c, last = c;
    std::uint64_t n = 0;
    for (; i < m; i++, n++, cell += step) {
      const Cell next = *cell;
      if (by_site(next) - low > span || next != cell[second]) break;
      first = std::min(first, next);
      last = std::max(last, next);
    }
    DependenceRows::add_stamps(row(cell_site(c), loads.site, *place.loop), loops,
                               *place.loop, cell_stamp(first), cell_stamp(last), n);
  }
}

// M loads in a page with a list, of which the segments [0, older) matter.
void DependenceEngine::load_list(const Loads& loads, const SegmentList& list,
                                 std::uint32_t older, std::uint64_t address,
                                 std::uint64_t m) {
  const std::uint64_t step = loads.step, width = loads.width;
  const std::uint64_t begin = address % k_page;
  const std::uint64_t end = begin + (m - 1) * step + width;
  while (older != 0) {
    const Segment& s = list.items[--older];
    if (end <= s.first || begin >= s.end) continue;
    // The loads [i, j) meet the segment's interval.
    const std::uint64_t i =
        begin + width > s.first ? 0 : (s.first - width - begin) / step + 1;
    const std::uint64_t j = std::min(m, (s.end - 1 - begin) / step + 1);
    if (i >= j) continue;
    if (i != 0) load_list(loads, list, older, address, i);
    if (j != m) load_list(loads, list, older, address + j * step, m - j);
    address += i * step;
    const std::uint64_t first = begin + i * step, n = j - i;
    const std::uint64_t last_end = first + (n - 1) * step + width;
    const bool inside = first >= s.first && last_end <= s.end;
    const auto offset = static_cast<std::uint32_t>(first);
    const std::uint32_t store = inside ? s.index(offset) : 0;
    const std::uint32_t place = inside ? offset - s.first - store * s.step : 0;
    if (n > 1 && !inside) {
      // The first and last ones may stick out.
      const std::uint64_t head = first < s.first ? 1 : 0;
      if (head) load(loads.site, address, width);
      const std::uint64_t tail = last_end > s.end && n > head ? 1 : 0;
      if (tail) load(loads.site, address + (n - 1) * step, width);
      if (n > head + tail)
        load_list(loads, list, older + 1, address + head * step, n - head - tail);
    } else if (inside && s.reciprocal == 0) {
      depend_progression(loads.site, s.site, s.stamp, 0, n);
    } else if (inside && step % s.step == 0 && place + width <= s.width) {
      const auto pace = static_cast<std::int64_t>(step / s.step) * s.direction;
      depend_progression(loads.site, s.site,
                         s.stamp + static_cast<Stamp>(std::int64_t{s.direction} * store),
                         pace, n);
    } else if (inside && step % s.step == 0 && place >= s.width &&
               place + width <= s.step) {
      load_list(loads, list, older, address, n);  // between the stores
    } else {
      load_each(loads, address, n);
    }
    return;
  }
}

// One range.
class DependenceEngine::RangeWalk {
 public:
  RangeWalk(DependenceEngine& engine, const Range& range) : engine_(engine), range_(range) {}

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
  void lane_load(std::span<const Index> members, std::size_t i, std::uint64_t count);
  void passed_load(std::span<const Index> members, std::size_t i, std::uint64_t count);
  void store(const RangeAccess& access, std::uint64_t count);
  void load(const RangeAccess& access, std::uint64_t count);
  void last_iteration(std::span<const Index> members);
  void one_by_one(std::span<const Index> members);
  void self(SiteId source, SiteId sink, std::uint64_t distance, std::uint64_t last,
            std::uint64_t count, std::uint64_t end);

  const RangeAccess& at(Index i) const { return *access_[i]; }
  std::int64_t place(Index i) const {
    return static_cast<std::int64_t>(at(i).address - at(0).address);
  }

  DependenceEngine& engine_;
  const Range& range_;
  std::uint64_t entered_ = 0;
  std::size_t size_ = 0;
  std::array<const RangeAccess*, k_max> access_;
  std::array<Hull, k_max> hull_;
  std::array<Index, k_max> part_;  // smallest member of the part
  std::int64_t step_ = 0;          // of the lane that is looked at
};

bool DependenceEngine::RangeWalk::run(std::span<const RangeAccess> accesses) {
  if (accesses.size() > k_max) return false;
  for (const RangeAccess& a : accesses) {
    if (a.count == 0 || a.width == 0) continue;
    if (a.count != range_.count && a.count + 1 != range_.count) return false;
    access_[size_] = &a;
    if (!find_hull(a, hull_[size_])) return false;
    size_++;
  }
  entered_ = engine_.clock_;
  divide();
  std::array<Index, k_max> members;
  for (Index head = 0; head < size_; head++) {
    if (part_[head] != head) continue;
    std::size_t n = 0;
    for (Index i = head; i < size_; i++)
      if (part_[i] == head) members[n++] = i;
    part({members.data(), n});
  }
  engine_.clock_ = entered_ + range_.count;
  return true;
}

// Whether no execution of one touches a byte of the other.
bool DependenceEngine::RangeWalk::apart(Index i, Index j) const {
  if (hull_[i].low >= hull_[j].high || hull_[j].low >= hull_[i].high) return true;
  const std::uint64_t first = magnitude(at(i).step), second = magnitude(at(j).step);
  const std::uint64_t step = std::max(first, second);
  if (step == 0 || (first != second && std::min(first, second) != 0)) return false;
  const std::uint64_t a = at(i).address % step, b = at(j).address % step;
  const std::uint64_t forward = b >= a ? b - a : b + step - a;
  return forward >= at(i).width && forward + at(j).width <= step;
}

void DependenceEngine::RangeWalk::divide() {
  for (Index i = 0; i < size_; i++) part_[i] = i;
  for (Index i = 0; i < size_; i++)
    for (Index j = 0; j < i; j++) {
      if (part_[i] == part_[j] || (!at(i).store && !at(j).store) || apart(i, j)) continue;
      const Index from = std::max(part_[i], part_[j]), to = std::min(part_[i], part_[j]);
      for (Index k = 0; k <= i; k++)
        if (part_[k] == from) part_[k] = to;
    }
}

void DependenceEngine::RangeWalk::part(std::span<const Index> members) {
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

bool DependenceEngine::RangeWalk::lane_p(std::span<const Index> members) {
  const RangeAccess& first = at(members[0]);
  step_ = 0;
  for (Index i : members)
    if (at(i).step != 0) step_ = at(i).step;
  if (step_ != 0 && magnitude(step_) < first.width) return false;
  for (Index i : members) {
    const RangeAccess& a = at(i);
    if (a.width != first.width || (a.step != step_ && (a.step != 0 || a.store))) return false;
    const auto d = static_cast<std::int64_t>(a.address - first.address);
    if (step_ == 0 ? d != 0 : d % step_ != 0) return false;
  }
  return true;
}

// The last COUNT executions before iteration END.  Their sources are DISTANCE
// iterations of this loop back, or DISTANCE, DISTANCE + 1, ... LAST.
void DependenceEngine::RangeWalk::self(SiteId source, SiteId sink, std::uint64_t distance,
                                       std::uint64_t last, std::uint64_t count,
                                       std::uint64_t end) {
  if (count == 0 || source == k_no_site) return;
  if (g_fault == Fault::range_distance) distance++, last++;
  // The loop is not on the stack: its iterations are new and all different.
  LoopContext& loops = engine_.thread_->loops;
  loops.enter(range_.loop, entered_);
  DependenceRow& r = engine_.row(source, sink, loops.innermost());
  std::uint64_t left = count;
  for (; distance != last && distance < k_far; distance++, left--)
    DependenceRows::add_distance(r, distance, 1);
  DependenceRows::add_distance(r, distance, left);
  if (distance != last) DependenceRows::add_distance(r, last, 0);
  DependenceRows::new_iteration(r, loops, entered_ + end);
  loops.exit(range_.loop);
  r.iterations += count - 1;
}

void DependenceEngine::RangeWalk::load(const RangeAccess& a, std::uint64_t count) {
  if (count == 0) return;
  Loads loads{a.site, a.address, magnitude(a.step), count, a.width};
  if (a.step < 0) loads.address -= (count - 1) * loads.step;
  engine_.load_progression(loads);
}

void DependenceEngine::RangeWalk::store(const RangeAccess& a, std::uint64_t count) {
  if (count == 0) return;
  StoreRun run{a.address, magnitude(a.step), count, a.width, a.site, entered_ + 1, 1};
  const StoreRun last{a.address + (count - 1) * static_cast<std::uint64_t>(a.step), 1, 1,
                      a.width, a.site, entered_ + count, 1};
  if (a.step == 0) {
    engine_.shadow_.store_run(last);
    return;
  }
  // Of stores that overlap each other, each keeps what the next leaves of it.
  const bool overlap = run.step < a.width;
  if (overlap) {
    run.width = run.step;
    if (a.step < 0) run.address += a.width - run.step;
  }
  if (a.step < 0) {
    run.address -= (count - 1) * run.step;
    run.stamp = entered_ + count;
    run.direction = -1;
  }
  engine_.shadow_.store_run(run);
  if (overlap) engine_.shadow_.store_run(last);
}

void DependenceEngine::RangeWalk::lane_load(std::span<const Index> members, std::size_t i,
                                            std::uint64_t count) {
  const RangeAccess& a = at(members[i]);
  if (a.step != step_) {
    passed_load(members, i, count);
    return;
  }
  const RangeAccess* source = nullptr;
  std::uint64_t lag = ~std::uint64_t{0};
  for (std::size_t j = 0; j < members.size(); j++) {
    const RangeAccess& b = at(members[j]);
    if (!b.store) continue;
    std::int64_t q = 0;
    if (a.step != 0) q = (place(members[j]) - place(members[i])) / a.step;
    if (q == 0 && j > i) {
      if (a.step != 0) continue;
      q = 1;  // of the iteration before
    }
    if (q < 0 || static_cast<std::uint64_t>(q) > lag) continue;
    lag = static_cast<std::uint64_t>(q);  // of equal ones, the later store
    source = &b;
  }
  const std::uint64_t old = std::min(lag, count);
  load(a, old);
  if (source) self(source->site, a.site, lag, lag, count - old, count);
}

// Of step 0 in a lane that steps.
void DependenceEngine::RangeWalk::passed_load(std::span<const Index> members, std::size_t i,
                                              std::uint64_t count) {
  struct Passing {
    std::uint64_t from;  // the first iteration that sees it
    std::uint64_t at;    // when the store was there
    SiteId site;
  };
  const RangeAccess& a = at(members[i]);
  std::array<Passing, k_max> passing;
  std::size_t n = 0;
  for (std::size_t j = 0; j < members.size(); j++) {
    const RangeAccess& b = at(members[j]);
    if (!b.store) continue;
    const std::int64_t q = (place(members[i]) - place(members[j])) / step_;
    if (q < 0) continue;
    const auto when = static_cast<std::uint64_t>(q);
    const std::uint64_t from = when + (j > i);
    if (from < count) passing[n++] = {from, when, b.site};
  }
  std::stable_sort(passing.begin(), passing.begin() + n,
                   [](const Passing& x, const Passing& y) { return x.at < y.at; });
  load(a, n == 0 ? count : passing[0].from);
  for (std::size_t j = 0; j < n; j++) {
    const Passing& p = passing[j];
    const std::uint64_t end = j + 1 < n ? passing[j + 1].from : count;
    if (p.from < end)
      self(p.site, a.site, p.from - p.at, end - 1 - p.at, end - p.from, end);
  }
}

void DependenceEngine::RangeWalk::lane(std::span<const Index> members, std::uint64_t count) {
  if (count == 0) return;
  for (std::size_t i = 0; i < members.size(); i++)
    if (!at(members[i]).store) lane_load(members, i, count);
  // The store with the smallest place comes last; of equal ones, the later.
  std::array<Index, k_max> order;
  std::size_t n = 0;
  for (Index i : members)
    if (at(i).store) order[n++] = i;
  std::stable_sort(order.begin(), order.begin() + n, [&](Index x, Index y) {
    return step_ > 0 ? place(x) > place(y) : step_ < 0 && place(x) < place(y);
  });
  for (std::size_t i = 0; i < n; i++) store(at(order[i]), count);
}

// Iteration count-1 of those that have it.
void DependenceEngine::RangeWalk::last_iteration(std::span<const Index> members) {
  LoopContext& loops = engine_.thread_->loops;
  loops.enter(range_.loop, entered_);
  loops.iterate(range_.loop, entered_ + 1, range_.count);
  for (Index i : members) {
    const RangeAccess& a = at(i);
    if (a.count != range_.count) continue;
    const std::uint64_t address =
        a.address + (a.count - 1) * static_cast<std::uint64_t>(a.step);
    if (a.store)
      engine_.shadow_.store_run({address, 1, 1, a.width, a.site, entered_ + a.count, 1});
    else
      engine_.load(a.site, address, a.width);
  }
  loops.exit(range_.loop);
}

void DependenceEngine::RangeWalk::one_by_one(std::span<const Index> members) {
  engine_.clock_ = entered_;
  engine_.enter(range_.loop);
  for (std::uint64_t k = 0; k < range_.count; k++) {
    engine_.iterate(range_.loop);
    for (Index i : members) {
      const RangeAccess& a = at(i);
      if (k >= a.count) continue;
      const std::uint64_t address = a.address + k * static_cast<std::uint64_t>(a.step);
      if (a.store)
        engine_.store(a.site, address, a.width);
      else
        engine_.load(a.site, address, a.width);
    }
  }
  engine_.exit(range_.loop);
  engine_.clock_ = entered_;
}

void DependenceEngine::range(const Batch& batch, const Event& event) {
  const Range& range = batch.ranges[event.index];
  const auto accesses = batch.accesses_of(range);
  // The other faults are those of single accesses.
  const bool single = g_fault != Fault::none && g_fault != Fault::range_distance &&
                      g_fault != Fault::no_clear;
  in_range_ = true;
  const bool done = !single && RangeWalk(*this, range).run(accesses);
  in_range_ = false;
  if (done) return;
  expand<Role::flow>(batch, event);
}

}  // namespace memprof::backend
