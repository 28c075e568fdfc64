// mdf.cc - memory dependence frequency from LMADs.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The estimate for a pair of sites: C = conflicts among the captured executions
// of the load, lo = C / all executions, hi = lo plus all that may meet beside them
// (mdf_chance.h). est = C, plus captured executions in the range of the store's
// summary, by its density there, plus executions in the load's own summary, by how
// many of the places in their range the store has written by then.
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

// Executions of a load that meet one store, over all groups.
struct Meetings {
  std::uint64_t known = 0, possible = 0;
  double estimated = 0;

  // In one group: KNOWN of CAPTURED executions do.
  void add(std::uint64_t known_here, std::uint64_t captured, const MdfChance& chance) {
    known += known_here;
    possible += chance.captured + chance.rest;
    const auto unknown = static_cast<double>(std::min(chance.captured, captured - known_here));
    const double meet = static_cast<double>(known_here) + unknown * chance.density;
    estimated += meet + static_cast<double>(chance.rest) * chance.coverage;
  }
};

// What is found out about one load, and what that cost.
struct LoadEstimate {
  std::vector<feedback::Mdf> rows;
  std::vector<feedback::Id> met;  // stores whose estimate is above 0, by id
  std::uint64_t work = 0;
};

// LIST: a load in each of its groups.
std::map<feedback::Id, Meetings> meetings_of(const std::vector<Boxed>& list,
                                             const StoresOfGroup& by_group, std::uint64_t& work) {
  std::map<feedback::Id, Meetings> sources;
  std::vector<Progression> buffer;
  for (const Boxed& ld : list) {
    const auto of_group = by_group.find(ld.access->row->group);
    if (of_group == by_group.end()) continue;
    const auto& [wholes, stores] = of_group->second;
    work += wholes.size() * (1 + ld.boxes.size());
    for (std::size_t i = 0; i < wholes.size(); i++) {
      const MdfAccess& st = stores[i].access();
      const bool solved = st.width != 0 && ld.access->width != 0 && wholes[i].meets(ld.whole);
      const std::uint64_t known =
          solved ? count_conflicts(stores[i], wholes[i], ld, buffer, work) : 0;
      const MdfChance chance = chance_of(st, *ld.access);
      if (known != 0 || chance.captured != 0 || chance.rest != 0)
        sources[st.row->site].add(known, ld.access->row->v3.captured, chance);
    }
  }
  return sources;
}

LoadEstimate estimate_load(const std::vector<Boxed>& list, const StoresOfGroup& by_group,
                           const MdfSites& sites, const MdfLimits& limits) {
  LoadEstimate result;
  const feedback::Id sink = list[0].access->row->site;
  const double all = static_cast<double>(list[0].access->executions);
  for (const auto& [source, sum] : meetings_of(list, by_group, result.work)) {
    // Less than half an execution is none.
    if (sum.known == 0 && sum.estimated < 0.5) continue;
    result.met.push_back(source);
    feedback::Mdf& row = result.rows.emplace_back();
    row.source = source;
    row.sink = sink;
    row.lo = static_cast<double>(sum.known) / all;
    row.est = std::clamp(sum.estimated / all, row.lo, 1.0);
    const std::uint64_t possible = sum.known + sum.possible + sites.unplaced(source, sink);
    row.hi = std::clamp(static_cast<double>(possible) / all, row.est, 1.0);
  }
  std::stable_sort(result.rows.begin(), result.rows.end(),
                   [](const auto& a, const auto& b) { return a.est > b.est; });
  if (result.rows.size() > limits.sources) result.rows.resize(limits.sources);
  return result;
}

}  // namespace

MdfResult estimate_mdf(const std::vector<MdfAccess>& accesses, const MdfLimits& limits) {
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
  const MdfSites sites(accesses);
  MdfResult result;
  std::uint64_t work = 0;
  for (std::size_t first = 0; first < order.size(); first += k_at_once) {
    const std::size_t n = std::min(k_at_once, order.size() - first);
    std::vector<LoadEstimate> estimates(n);
    const auto estimate_one = [&](std::size_t i) {
      if (work <= limits.pairs)
        estimates[i] = estimate_load(*order[first + i], stores, sites, limits);
    };
    // To start TBB takes a few milliseconds, as much as a small program's estimates.
    if (lmads[false] * lmads[true] < k_worth_starting)
      for (std::size_t i = 0; i < n; i++) estimate_one(i);
    else
      parallel_for(n, estimate_one);
    for (std::size_t i = 0; i < n; i++) {
      const feedback::Id load = (*order[first + i])[0].access->row->site;
      if (work > limits.pairs) {
        result.skipped.insert(load);
        continue;
      }
      work += estimates[i].work;
      const auto& rows = estimates[i].rows;
      result.rows.insert(result.rows.end(), rows.begin(), rows.end());
      result.met[load] = std::move(estimates[i].met);
    }
  }
  return result;
}

}  // namespace memprof::backend
