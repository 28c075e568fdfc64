// mdf_chance.cc - which executions of a load may meet a store beside those that are known to.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/modules/leap/mdf_chance.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "runtime/backend/base/interval.h"

namespace memprof::backend {
namespace {

using Wide = __int128;
using Summary = feedback::Overflow<3>;
using Line = feedback::Lmad<3>;

// Where and when accesses of WIDTH bytes are.
struct Extent {
  Wide object_low, object_high, low, high;  // offsets of their first bytes
  Wide first, last;                         // times
  std::uint64_t grain;                      // divides the distances of the offsets; 0: all are equal
  Wide width;
};

Extent extent_of(const Summary& s, std::uint64_t width) {
  return {s.min[0], s.max[0], s.min[1], s.max[1], static_cast<Wide>(s.t_closed), s.max[2],
          s.granularity[1], static_cast<Wide>(width)};
}

Extent extent_of(const Line& line, std::uint64_t width) {
  const auto last = [&line](int i) {
    return static_cast<Wide>(line.start[i]) + static_cast<Wide>(line.count - 1) * line.stride[i];
  };
  const auto [object_low, object_high] = std::minmax({static_cast<Wide>(line.start[0]), last(0)});
  const auto [low, high] = std::minmax({static_cast<Wide>(line.start[1]), last(1)});
  const auto [first, end] = std::minmax({static_cast<Wide>(line.start[2]), last(2)});
  const std::int64_t step = line.count == 1 ? 0 : line.stride[1];
  const auto grain = step < 0 ? 0 - static_cast<std::uint64_t>(step) : static_cast<std::uint64_t>(step);
  return {object_low, object_high, low, high, first, end, grain, static_cast<Wide>(width)};
}

// Whether offsets of A and of B, which go on in steps, ever overlap.
bool grids_meet(const Extent& a, const Extent& b) {
  const auto grain = static_cast<Wide>(std::gcd(a.grain, b.grain));
  if (grain < a.width + b.width) return true;
  Wide distance = (b.low - a.low) % grain;
  if (distance < 0) distance += grain;
  return distance < a.width || distance + b.width > grain;
}

bool may_meet(const Extent& store, const Extent& load) {
  return store.object_low <= load.object_high && load.object_low <= store.object_high &&
         store.low < load.high + load.width && load.low < store.high + store.width &&
         store.first < load.last && grids_meet(store, load);
}

// Elements of LOAD in the range of the store's summary S, after it began.
std::uint64_t elements_in(const Summary& s, const Extent& store, const Line& load,
                          std::uint64_t width) {
  if (!may_meet(store, extent_of(load, width))) return 0;
  Interval<Wide> y{0, static_cast<Wide>(load.count) - 1};
  y.cut(load.stride[0], load.start[0], s.min[0], s.max[0]);
  y.cut(load.stride[1], load.start[1], s.min[1] - static_cast<Wide>(width) + 1,
        s.max[1] + store.width - 1);
  y.at_least(load.stride[2], load.start[2], static_cast<Wide>(s.t_closed) + 1);
  return y.empty() ? 0 : static_cast<std::uint64_t>(y.high - y.low + 1);
}

// How many places there are in the grid of E.
double places_in(const Extent& e) {
  const auto objects = static_cast<double>(e.object_high - e.object_low) + 1;
  if (e.grain == 0) return objects;
  return objects * (static_cast<double>(e.high - e.low) / static_cast<double>(e.grain) + 1);
}

// How many different places COUNT accesses reach that are spread evenly over PLACES.
double reached(double count, double places) { return places * (1 - std::exp(-count / places)); }

// The share of LOW to HIGH that is in FROM to TO as well.
double shared(Wide low, Wide high, Wide from, Wide to) {
  const Wide both = std::min(high, to) - std::max(low, from) + 1;
  return both <= 0 ? 0 : static_cast<double>(both) / static_cast<double>(high - low + 1);
}

// The share of the stores of STORE that are earlier than TIME.
double earlier_share(const Extent& store, double time) {
  const auto first = static_cast<double>(store.first), last = static_cast<double>(store.last);
  if (time <= first) return 0;
  return time >= last ? 1 : (time - first) / (last - first);
}

// How many places of the range LOAD have been written by STORE when a load reads: WRITTEN (share of
// the stores) places of the store's range, the mean of some moments of the loads' time.
template <typename Written>
double written_before(const Extent& store, const Extent& load, Written written) {
  if (!may_meet(store, load)) return 0;
  constexpr int k_moments = 8;
  double sum = 0;
  for (int i = 0; i < k_moments; i++) {
    const double time = static_cast<double>(load.first) +
                        static_cast<double>(load.last - load.first) * (i + 0.5) / k_moments;
    sum += written(earlier_share(store, time));
  }
  return sum / k_moments *
         shared(store.object_low, store.object_high, load.object_low, load.object_high) *
         shared(store.low, store.high + store.width - 1, load.low, load.high + load.width - 1);
}

// Probability that a load of the range LOAD reads what a store of ROW has written, if both are
// spread evenly.
double coverage_of(const feedback::ObjectRelative& row, std::uint64_t width, const Extent& load) {
  double written = 0;
  for (const Line& line : row.v3.lmads) {
    const Extent store = extent_of(line, width);
    const double places = std::min(places_in(store), static_cast<double>(line.count));
    written += written_before(store, load, [&](double share) { return places * share; });
  }
  const Summary& rest = row.v3.overflow;
  if (rest.count != 0) {
    const Extent store = extent_of(rest, width);
    const double places = places_in(store), count = static_cast<double>(rest.count);
    written += written_before(store, load,
                              [&](double share) { return reached(count * share, places); });
  }
  return std::min(1.0, written / places_in(load));
}

}  // namespace

MdfChance chance_of(const MdfAccess& st, const MdfAccess& ld) {
  MdfChance chance;
  if (st.width == 0 || ld.width == 0) {
    chance.rest = ld.row->accesses;
    return chance;
  }
  const Summary& stores = st.row->v3.overflow;
  const Summary& loads = ld.row->v3.overflow;
  const Extent later = extent_of(stores, st.width);
  if (stores.count != 0) {
    for (const Line& line : ld.row->v3.lmads)
      chance.captured += elements_in(stores, later, line, ld.width);
    const double places = places_in(later);  // half of the stores are earlier than a load
    chance.density = reached(static_cast<double>(stores.count) / 2, places) / places;
  }
  if (loads.count == 0) return chance;
  const Extent rest = extent_of(loads, ld.width);
  bool meets = stores.count != 0 && may_meet(later, rest);
  for (const Line& line : st.row->v3.lmads) meets = meets || may_meet(extent_of(line, st.width), rest);
  if (!meets) return chance;
  chance.rest = loads.count;
  chance.coverage = coverage_of(*st.row, st.width, rest);
  return chance;
}

MdfSites::MdfSites(const std::vector<MdfAccess>& accesses) {
  for (const MdfAccess& a : accesses) {
    note_site(a.row->site, a.executions);
    Site& site = sites_[a.row->site];
    site.groups[a.row->group] = &a;
    site.placed += a.row->accesses;
  }
}

void MdfSites::note_site(feedback::Id site, std::uint64_t executions) {
  sites_[site].executions = executions;
}

const MdfSites::Site* MdfSites::find(feedback::Id id) const {
  const auto at = sites_.find(id);
  return at == sites_.end() ? nullptr : &at->second;
}

std::uint64_t MdfSites::unplaced(feedback::Id source, feedback::Id sink) const {
  const Site* const st = find(source);
  const Site* const ld = find(sink);
  return st && ld && st->unplaced() && ld->unplaced() ? ld->executions - ld->placed : 0;
}

std::uint64_t MdfSites::possible(feedback::Id source, feedback::Id sink) const {
  std::uint64_t sum = unplaced(source, sink);
  const Site* const st = find(source);
  const Site* const ld = find(sink);
  if (!st || !ld) return sum;
  for (const auto& [group, load] : ld->groups) {
    const auto store = st->groups.find(group);
    if (store == st->groups.end()) continue;
    const MdfChance chance = chance_of(*store->second, *load);
    sum += chance.captured + chance.rest;
  }
  return sum;
}

}  // namespace memprof::backend
