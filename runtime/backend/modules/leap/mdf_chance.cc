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

// Probability that a place in the range of S has been written by one of its stores, if they are
// spread evenly and half of them are earlier than a load.
double density_of(const Summary& s) {
  const double objects = static_cast<double>(static_cast<Wide>(s.max[0]) - s.min[0]) + 1;
  const double offsets =
      s.granularity[1] == 0
          ? 1
          : static_cast<double>(static_cast<Wide>(s.max[1]) - s.min[1]) /
                    static_cast<double>(s.granularity[1]) + 1;
  return 1 - std::exp(-static_cast<double>(s.count) / 2 / (objects * offsets));
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
    chance.density = density_of(stores);
  }
  if (loads.count == 0) return chance;
  const Extent rest = extent_of(loads, ld.width);
  bool meets = stores.count != 0 && may_meet(later, rest);
  for (const Line& line : st.row->v3.lmads) meets = meets || may_meet(extent_of(line, st.width), rest);
  if (meets) chance.rest = loads.count;
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
