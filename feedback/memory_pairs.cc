// memory_pairs.cc - the tables mdf and never_met of a sum of profiles.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "feedback/memory_pairs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "feedback/derive.h"
#include "feedback/model.h"

namespace memprof::feedback {
namespace {

using Count = std::uint64_t;

// Up to here a double has each count / whole for itself: rounding its product with the
// whole gives the count back.  Rows of sums with more have the counts, too.
constexpr Count k_most_shared = Count(1) << 51;

Count share_to_count(double share, Count whole) {
  const double count = std::clamp(share, 0.0, 1.0) * double(whole);
  return count >= 9e18 ? whole : Count(std::llround(count));
}

// Executions of an mdf row that has SHARE of WHOLE, or COUNT if that is known.
Count mdf_count(Count count, double share, Count whole) {
  return count != 0 ? count : share_to_count(share, whole);
}

// Null: SINK and SOURCE are not among PAIRS.
const MeetLevel* find(const StrangersOfLoop& pairs, Id sink, Id source) {
  const auto of_sink = pairs.find(sink);
  if (of_sink == pairs.end()) return nullptr;
  const auto at = std::lower_bound(of_sink->second.begin(), of_sink->second.end(),
                                   std::pair(source, MeetLevel{0}));
  return at != of_sink->second.end() && at->first == source ? &at->second : nullptr;
}

double bound_in(const StrangersOfLoop& pairs, Id sink, Id source) {
  const MeetLevel* const level = find(pairs, sink, source);
  return level ? bound_of(*level) : 1;
}

void sort_pairs(StrangersOfLoop& pairs) {
  for (auto& [sink, strangers] : pairs) std::sort(strangers.begin(), strangers.end());
}

}  // namespace

void MemoryPairs::note_executed(Id site, Count executions) {
  first_.set_first(site, profile_);
  last_.set(site, profile_);
  own_executions_.set(site, executions);
}

void MemoryPairs::note_function(const std::vector<Place>& places) {
  std::vector<const Place*> gone, fresh;
  for (const Place& place : places) {
    if (place.loop == k_none) continue;
    if (!now(place.site)) gone.push_back(&place);
    else if (!before(place.site)) fresh.push_back(&place);
  }
  for (const Place* a : gone)
    for (const Place* b : fresh) {
      if (a->kind == b->kind || a->loop != b->loop) continue;
      const bool load_first = a->kind == Access::load;
      apart_.emplace_back((load_first ? a : b)->site, (load_first ? b : a)->site);
    }
}

void MemoryPairs::add_met(const Mdf& row) {
  const auto [at, first] = met_.try_emplace({row.source, row.sink});
  Met& met = at->second;
  const Count executions = own_executions_[row.sink];
  const Count est = mdf_count(row.counts[1], row.est, executions);
  if (first && before(row.source) && before(row.sink))
    met.hi = bound_in(never_, row.sink, row.source);
  add_count(met.lo, mdf_count(row.counts[0], row.lo, executions));
  add_count(met.est, est);
  met.hi = std::max(met.hi, row.hi);
  met.last = profile_;
}

// Of pairs that profiles before this one compared and that it executed, too.
void MemoryPairs::keep_common(const StrangersOfLoop& own) {
  for (auto& [sink, strangers] : never_) {
    if (!now(sink)) continue;
    std::erase_if(strangers, [&, load = sink](auto& stranger) {
      if (!now(stranger.first)) return false;
      const MeetLevel* const level = find(own, load, stranger.first);
      if (level) stranger.second = std::max(stranger.second, *level);
      return level == nullptr;
    });
  }
}

// Pairs that no profile before this one could compare.
void MemoryPairs::add_first(const StrangersOfLoop& own) {
  for (const auto& [sink, strangers] : own)
    for (const auto& [source, level] : strangers)
      if (!(before(sink) && before(source))) never_[sink].emplace_back(source, level);
  for (const auto& [sink, source] : apart_) never_[sink].emplace_back(source, 0);
  sort_pairs(never_);
}

void MemoryPairs::add(const std::vector<Mdf>& met, const std::vector<NeverMet>& never) {
  StrangersOfLoop own;
  for (const NeverMet& row : never)
    for (const Id sink : row.sinks)
      for (const Id source : row.sources) own[sink].emplace_back(source, level_of(row.hi));
  sort_pairs(own);
  for (const Mdf& row : met) add_met(row);
  for (auto& [pair, sum] : met_)
    if (const auto [source, sink] = pair; sum.last != profile_ && now(source) && now(sink))
      sum.hi = std::max(sum.hi, bound_in(own, sink, source));
  keep_common(own);
  add_first(own);
  apart_.clear();
  profile_++;
}

void MemoryPairs::put(std::vector<Mdf>& rows, const IdMap<Count, 0>& executions) const {
  for (const auto& [pair, sum] : met_) {
    const Count whole = executions[pair.second];
    Mdf& row = rows.emplace_back();
    std::tie(row.source, row.sink) = pair;
    row.lo = ratio(sum.lo, whole);
    row.est = ratio(sum.est, whole);
    // Where executions do not grow any more, est still does.
    row.hi = std::max(sum.hi, row.est);
    if (whole > k_most_shared) row.counts = {sum.lo, sum.est, share_to_count(row.hi, whole)};
  }
}

void MemoryPairs::put(std::vector<NeverMet>& rows, const IdNames& loops,
                      const std::vector<Id>& parents) const {
  std::map<Id, StrangersOfLoop> by_loop;
  const auto parent = [&parents](Id loop) { return parents[loop]; };
  for (const auto& [sink, strangers] : never_)
    for (const auto& stranger : strangers) {
      const Id loop = innermost_common(loops[sink], loops[stranger.first], parent);
      if (loop != k_none) by_loop[loop][sink].push_back(stranger);
    }
  for (const auto& [loop, pairs] : by_loop) add_rows(rows, loop, pairs);
}

}  // namespace memprof::feedback
