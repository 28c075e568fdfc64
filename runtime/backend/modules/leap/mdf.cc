// mdf.cc - memory dependence frequency from LMADs.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The estimate for a pair of sites: C = conflicts among the captured executions
// of the load, lo = C / all executions, est = C / captured executions, hi = est
// plus the executions that may read what the store wrote after its stream had
// closed, judged by its summary.
//
// C is the sum over the load's LMADs of the elements that conflict with any LMAD
// of the store (lmad_conflicts.h).  A group can have thousands of sites of 30
// LMADs each, and the program waits, so most pairs of LMADs must not be looked
// at, let alone solved:
//
//   1. Sites are compared by the box around all they touch, then each LMAD of
//      the load by its box with that of the whole store.
//   2. LMADs of a store that touch the same bytes are one place: one comparison
//      for all.  Times tell which of them are early enough.
//   3. Of the LMADs at a place that is one element (no stride but in time), the
//      first to begin finds all conflicts that the others would.
//   4. When all elements of the load's LMAD conflict, the rest need not be solved.
//
// Example: `s->count++' in a loop that calls other functions is 30 LMADs of one
// element for the load and for the store. Of their 900 pairs 30 are solved.
#include "runtime/backend/modules/leap/mdf.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>

#include "runtime/backend/base/interval.h"
#include "runtime/backend/base/parallel.h"
#include "runtime/backend/modules/leap/lmad_conflicts.h"

namespace memprof::backend {
namespace {

using Wide = __int128;

// Bytes of objects; all LMADs of a place touch these at most.
struct Place {
  std::int64_t object_low, object_high, byte_low, byte_high;

  auto key() const { return std::tie(object_low, object_high, byte_low, byte_high); }
  bool meets(const Place& other) const {
    return object_low <= other.object_high && other.object_low <= object_high &&
           byte_low <= other.byte_high && other.byte_low <= byte_high;
  }
  void include(const Place& other) {
    object_low = std::min(object_low, other.object_low);
    object_high = std::max(object_high, other.object_high);
    byte_low = std::min(byte_low, other.byte_low);
    byte_high = std::max(byte_high, other.byte_high);
  }
};

// What the bytes of some accesses lie in, and when they happen.  Wide enough
// for any LMAD that describes accesses; others are clamped.
struct Box {
  Place place;
  std::int64_t first, last;

  bool meets(const Box& load) const { return first < load.last && place.meets(load.place); }
  void include(const Box& other) {
    place.include(other.place);
    first = std::min(first, other.first);
    last = std::max(last, other.last);
  }
};

std::int64_t clamp(Wide v) {
  constexpr Wide far = static_cast<Wide>(1) << 62;
  return static_cast<std::int64_t>(std::clamp(v, -far, far));
}

Box box_of(const feedback::Lmad<3>& lmad, std::uint64_t width) {
  Wide low[3], high[3];
  for (int i = 0; i < 3; i++) {
    const Wide a = lmad.start[i];
    const Wide b = a + static_cast<Wide>(lmad.count - 1) * lmad.stride[i];
    low[i] = std::min(a, b);
    high[i] = std::max(a, b);
  }
  return {{clamp(low[0]), clamp(high[0]), clamp(low[1]),
           clamp(high[1] + static_cast<Wide>(width) - 1)},
          clamp(low[2]), clamp(high[2])};
}

// One of the accesses, with the boxes of its LMADs and of all of them.
struct Boxed {
  const MdfAccess* access;
  std::vector<Box> boxes;
  Box whole{};

  explicit Boxed(const MdfAccess& a) : access(&a) {
    for (const auto& lmad : a.row->v3.lmads) {
      boxes.push_back(box_of(lmad, a.width));
      if (boxes.size() == 1)
        whole = boxes[0];
      else
        whole.include(boxes.back());
    }
  }
};

// The LMADs of a store, by place.
class Store {
 public:
  explicit Store(const MdfAccess& a) : access_(&a) {
    const Boxed boxed(a);
    whole_ = boxed.whole;
    const auto& lmads = a.row->v3.lmads;
    std::vector<std::size_t> order(lmads.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto key = [&boxed](std::size_t i) {
      return std::tuple(boxed.boxes[i].place.key(), boxed.boxes[i].first);
    };
    std::stable_sort(order.begin(), order.end(),
                     [&key](std::size_t x, std::size_t y) { return key(x) < key(y); });
    std::int64_t reach = std::numeric_limits<std::int64_t>::min();
    for (const std::size_t i : order) {
      const Place& place = boxed.boxes[i].place;
      if (spots_.empty() || spots_.back().place.key() != place.key()) {
        reach = std::max(reach, place.object_high);
        spots_.push_back({place, reach, writes_.size(), writes_.size(), true});
      }
      writes_.push_back({boxed.boxes[i].first, &lmads[i]});
      Spot& spot = spots_.back();
      spot.end = writes_.size();
      spot.element = spot.element && one_element(lmads[i], *writes_[spot.begin].lmad);
    }
  }

  const MdfAccess& access() const { return *access_; }
  const Box& whole() const { return whole_; }

  // Appends to OUT which elements of LOAD conflict; all of them if one
  // progression says so.  BOX: of the load.  WORK: see MdfLimits.
  void add_conflicts(std::vector<Progression>& out, const feedback::Lmad<3>& load,
                     const Box& box, std::uint64_t width, std::uint64_t& work) const {
    work += writes_.size();
    bool all = false;
    const bool one = load.stride[0] == 0 && load.stride[1] == 0 && load.stride[2] >= 0;
    auto spot = std::partition_point(
        spots_.begin(), spots_.end(),
        [&box](const Spot& s) { return s.reach < box.place.object_low; });
    for (; spot != spots_.end() && spot->place.object_low <= box.place.object_high; ++spot) {
      if (!spot->place.meets(box.place)) continue;
      for (std::size_t i = spot->begin; i < spot->end && writes_[i].first < box.last; i++) {
        work += k_work_of_a_pair;
        if (all || (spot->element && i != spot->begin)) continue;
        if (spot->element && one && writes_[i].first < box.first) {
          out.push_back({0, 1, load.count});
          all = true;
          continue;
        }
        const std::size_t known = out.size();
        append_conflicts(out, *writes_[i].lmad, access_->width, load, width);
        for (std::size_t k = known; k < out.size(); k++) all |= out[k].count == load.count;
      }
    }
  }

 private:
  static constexpr std::uint64_t k_work_of_a_pair = 16;

  // What touches the place first, as far as LMAD does.
  struct Write {
    std::int64_t first;
    const feedback::Lmad<3>* lmad;
  };
  struct Spot {
    Place place;
    std::int64_t reach;      // the last object of this place and those before it
    std::size_t begin, end;  // of writes_, by time
    bool element;            // all are one element that is written again and again
  };
  static bool one_element(const feedback::Lmad<3>& a, const feedback::Lmad<3>& first) {
    return a.stride[0] == 0 && a.stride[1] == 0 && a.stride[2] >= 0 &&
           a.start[0] == first.start[0] && a.start[1] == first.start[1];
  }

  const MdfAccess* access_;
  Box whole_;
  std::vector<Spot> spots_;  // by their first objects
  std::vector<Write> writes_;
};

// The stores of a group.  Their boxes stand together, to be searched fast.
struct Stores {
  std::vector<Box> wholes;
  std::vector<Store> stores;

  void add(const MdfAccess& access) {
    stores.emplace_back(access);
    wholes.push_back(stores.back().whole());
  }
};

// Executions of the load that may touch what the store wrote after its stream
// had closed.
std::uint64_t possible_conflicts(const MdfAccess& st, const MdfAccess& ld) {
  const auto& box = st.row->v3.overflow;
  if (box.count == 0) return 0;
  const Wide w1 = static_cast<Wide>(st.width), w2 = static_cast<Wide>(ld.width);
  std::uint64_t total = 0;
  for (const auto& lmad : ld.row->v3.lmads) {
    Interval<Wide> y{0, static_cast<Wide>(lmad.count) - 1};
    y.cut(lmad.stride[0], lmad.start[0], box.min[0], box.max[0]);
    y.cut(lmad.stride[1], lmad.start[1], box.min[1] - w2 + 1, box.max[1] + w1 - 1);
    y.at_least(lmad.stride[2], lmad.start[2], static_cast<Wide>(box.t_closed) + 1);
    const auto g = static_cast<Wide>(box.granularity[1]);
    // With offsets of one residue modulo the store's granularity, most
    // distances between load and store cannot occur.
    if (!y.empty() && g > w1 + w2 - 1 && lmad.stride[1] % g == 0) {
      Wide r = (static_cast<Wide>(lmad.start[1]) - box.min[1]) % g;
      if (r < 0) r += g;
      if (r >= w1 && r + w2 <= g) continue;
    }
    if (!y.empty()) total += static_cast<std::uint64_t>(y.high - y.low + 1);
  }
  const auto& rest = ld.row->v3.overflow;
  if (rest.count != 0 && rest.min[0] <= box.max[0] && box.min[0] <= rest.max[0] &&
      rest.min[1] < static_cast<Wide>(box.max[1]) + w1 &&
      box.min[1] < static_cast<Wide>(rest.max[1]) + w2 &&
      static_cast<Wide>(rest.max[2]) > static_cast<Wide>(box.t_closed))
    total += rest.count;
  return total;
}

// Captured executions of the load that conflict with captured ones of the store.
// ALL: a buffer.
std::uint64_t count_conflicts(const Store& st, const Box& whole, const Boxed& ld,
                              std::vector<Progression>& all, std::uint64_t& work) {
  const auto& loads = ld.access->row->v3.lmads;
  std::uint64_t total = 0;
  for (std::size_t j = 0; j < loads.size(); j++) {
    if (!whole.meets(ld.boxes[j])) continue;
    all.clear();
    st.add_conflicts(all, loads[j], ld.boxes[j], ld.access->width, work);
    if (all.empty()) continue;
    const bool whole_load = std::any_of(all.begin(), all.end(), [&](const Progression& p) {
      return p.count == loads[j].count;
    });
    total += whole_load ? loads[j].count : union_size(all, loads[j].count);
  }
  return total;
}

using StoresOfGroup = std::map<feedback::Id, Stores>;

// What is found out about one load, and what that cost.
struct LoadEstimate {
  std::vector<feedback::Mdf> rows;
  std::uint64_t work = 0;
};

// LIST: a load in each of its groups.
LoadEstimate estimate_load(const std::vector<Boxed>& list, const StoresOfGroup& by_group,
                           const MdfLimits& limits) {
  static const Stores none;
  const auto stores_of = [&by_group](const Boxed& ld) -> const Stores& {
    const auto stores = by_group.find(ld.access->row->group);
    return stores == by_group.end() ? none : stores->second;
  };
  LoadEstimate result;
  std::uint64_t captured = 0;
  std::map<feedback::Id, std::uint64_t> sources;  // conflicts by store
  std::vector<Progression> buffer;
  for (const Boxed& ld : list) {
    captured += ld.access->row->v3.captured;
    const auto& [wholes, stores] = stores_of(ld);
    result.work += wholes.size();
    for (std::size_t i = 0; i < wholes.size(); i++) {
      if (!wholes[i].meets(ld.whole)) continue;
      const std::uint64_t n = count_conflicts(stores[i], wholes[i], ld, buffer, result.work);
      if (n != 0) sources[stores[i].access().row->site] += n;
    }
  }
  const double all = static_cast<double>(list[0].access->executions);
  for (const auto& [source, n] : sources) {
    const double conflicting = static_cast<double>(n);
    feedback::Mdf row;
    row.source = source;
    row.sink = list[0].access->row->site;
    row.lo = conflicting / all;
    row.est = conflicting / static_cast<double>(captured);
    result.rows.push_back(row);
  }
  std::stable_sort(result.rows.begin(), result.rows.end(),
                   [](const auto& a, const auto& b) { return a.est > b.est; });
  if (result.rows.size() > limits.sources) result.rows.resize(limits.sources);
  for (feedback::Mdf& row : result.rows) {
    std::uint64_t possible = 0;
    for (const Boxed& ld : list)
      for (const Store& st : stores_of(ld).stores)
        if (st.access().row->site == row.source)
          possible += possible_conflicts(st.access(), *ld.access);
    row.hi = std::min(1.0, row.est + static_cast<double>(possible) / all);
  }
  return result;
}

}  // namespace

std::vector<feedback::Mdf> estimate_mdf(const std::vector<MdfAccess>& accesses,
                                        const MdfLimits& limits) {
  // Busy loads first, because the work is bounded.
  StoresOfGroup stores;
  std::map<feedback::Id, std::vector<Boxed>> loads;
  std::size_t lmads[2] = {};  // of loads, of stores
  for (const MdfAccess& a : accesses) {
    lmads[a.store] += a.row->v3.lmads.size();
    if (a.store)
      stores[a.row->group].add(a);
    else
      loads[a.row->site].emplace_back(a);
  }
  std::vector<const std::vector<Boxed>*> order;
  for (const auto& [site, list] : loads) order.push_back(&list);
  std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
    return (*a)[0].access->executions > (*b)[0].access->executions;
  });

  // Loads are independent of each other. Some more than the bound allows are
  // estimated, but not used, so that the result does not depend on the workers.
  constexpr std::size_t k_at_once = 64, k_worth_starting = 100'000;
  std::vector<feedback::Mdf> result;
  std::uint64_t work = 0;
  for (std::size_t first = 0; first < order.size(); first += k_at_once) {
    std::vector<LoadEstimate> estimates(std::min(k_at_once, order.size() - first));
    const auto estimate_one = [&](std::size_t i) {
      estimates[i] = estimate_load(*order[first + i], stores, limits);
    };
    // To start TBB takes a few milliseconds, as much as a small program's estimates.
    if (lmads[false] * lmads[true] < k_worth_starting)
      for (std::size_t i = 0; i < estimates.size(); i++) estimate_one(i);
    else
      parallel_for(estimates.size(), estimate_one);
    for (const LoadEstimate& estimate : estimates) {
      if (work > limits.pairs) return result;
      work += estimate.work;
      result.insert(result.end(), estimate.rows.begin(), estimate.rows.end());
    }
  }
  return result;
}

}  // namespace memprof::backend
