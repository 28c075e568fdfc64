// dependence_rows.cc - the counters of the dependence modules.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/modules/dependence/dependence_rows.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include "feedback/derive.h"

namespace memprof::backend {

void SinkCache::insert(std::uint64_t new_key, DependenceRow* row) {
  if (pushed_out > 2 * mask && mask + 1 < k_max_ways) {
    // Each way moves to one of the two that take its place.
    const std::uint32_t old = mask;
    mask = 2 * mask + 1;
    auto more = std::make_unique<Way[]>(std::size_t{mask} + 1);
    for (std::uint32_t i = 0; i <= old; i++)
      if (ways[i].row) more[ways[i].key & mask] = ways[i];
    many_ways = std::move(more);
    ways = many_ways.get();
    pushed_out = 0;
  }
  Way& way = ways[new_key & mask];
  pushed_out += way.row != nullptr;
  way = {new_key, row};
}

void DependenceRows::add_byte(DependenceRow& row, const LoopContext& loops,
                              const ActiveLoop& loop, Stamp t, std::uint64_t count,
                              std::uint64_t execution) {
  if (row.execution != execution) {
    row.execution = execution;
    row.mask = 0;
  }
  const auto bucket = static_cast<unsigned>(loops.near_distance(&loop, t));
  if (row.mask & 1u << bucket) {
    // The extremes of the last bucket; another activation of a recursive loop.
    add_stamp(row, loops, loop, t, 0);
    return;
  }
  if (row.mask != 0) row.again += count;
  if (bucket != 0 && (row.mask & ~1u) != 0) row.carried_again += count;
  row.mask |= 1u << bucket;
  add_stamp(row, loops, loop, t, count);
}

// Takes the exact distance of T, and looks the bounds up when they are out of
// date.  far_min .. far_max seen from now is the stamps
//
//     start (n - 1 - far_max) <= t < start (n - far_min),
//
// and starts only grow with n.  So the upper end stays good; the lower one is
// taken a sixteenth of far_max later and is good for that many iterations.  Should
// a source before it come, it moves there, and is good for fewer: a loop may do no
// iteration for long, while what it calls reads all that it has written.
void DependenceRows::widen(DependenceRow& row, const LoopContext& loops,
                           const ActiveLoop& loop, Stamp t) {
  const std::uint64_t d = loops.far_distance(&loop, t, &row.hint), n = loop.starts;
  const bool wider = d < row.far_min || d > row.far_max;
  row.far_min = std::min(row.far_min, d);
  row.far_max = std::max(row.far_max, d);
  if (row.far_max < LoopContext::k_ring) return;
  if (!wider && row.activation == loop.serial && n <= row.until && t < row.high) {
    row.low = t;
    row.until = n + (row.far_max - d);
    return;
  }
  const std::uint64_t slack = row.far_max / 16;
  row.activation = loop.serial;
  row.until = n + slack;
  row.low = n + slack <= row.far_max
                ? 0
                : loops.start_of(&loop, std::min(n - 1, n - 1 + slack - row.far_max));
  row.high = row.far_min == k_far ? ~Stamp{0}
             : row.far_min <= n   ? loops.start_of(&loop, n - row.far_min)
                                  : 0;
}

void DependenceRows::new_iteration(DependenceRow& row, const LoopContext& loops,
                                   Stamp iteration) {
  const Stamp last = row.iteration & ~DependenceRow::k_older;
  if (last == iteration) return;
  const std::uint32_t activations = loops.activations(row.key.loop);
  // The last one comes again only if an activation further out, or in, goes on with it.
  const bool again = activations > 1 && loops.current_p(row.key.loop, last);
  bool seen = false;
  if (row.older || again) {
    if (!row.older) row.older = std::make_unique<std::vector<Stamp>>();
    std::vector<Stamp>& older = *row.older;
    // Mostly the latest.
    const auto place = std::ranges::lower_bound(older, last);
    if (again && (place == older.end() || *place != last)) older.insert(place, last);
    seen = std::ranges::binary_search(older, iteration);
    if (activations <= 1)
      row.older.reset();
    else if (older.size() > 2 * std::size_t{activations} + 16)
      std::erase_if(older, [&](Stamp start) { return !loops.current_p(row.key.loop, start); });
  }
  row.iterations += !seen;
  row.iteration = iteration | (row.older ? DependenceRow::k_older : 0);
}

// An execution may have read some bytes that are certainly of a store and others that are
// not, and counts once.
static void trim(feedback::Dependence& d, std::uint64_t executions) {
  std::uint64_t excess = d.count - std::min(d.count, executions);
  if (excess == 0) return;
  d.count = executions;
  d.uncertain = std::min(d.uncertain, d.count);
  d.frequency = 1;
  for (std::uint64_t* part : {&d.intra, &d.carried, &d.no_loop}) {
    const std::uint64_t less = std::min(excess, *part);
    *part -= less;
    excess -= less;
  }
  d.concurrent = std::min(d.concurrent, d.no_loop);
  for (std::uint64_t& bucket : d.distance.histogram) bucket = std::min(bucket, d.count);
}

void DependenceRows::finish(feedback::Profile& profile, const ProgramInfo& program) const {
  // Threads are added up, and so are sites that are one in the document.
  using Key = std::tuple<feedback::Id, feedback::Id, feedback::DependenceKind, feedback::Id>;
  std::map<Key, feedback::Dependence> totals;
  std::map<Key, SiteId> sinks;
  for (const DependenceRow& row : rows_.rows()) {
    const feedback::Id source = program.site_id(certain_site(row.key.source));
    const feedback::Id sink = program.site_id(row.key.sink);
    if (source == feedback::k_none || sink == feedback::k_none || sink == feedback::k_external)
      continue;
    const feedback::Id loop = row.key.loop == 0 ? feedback::k_none : program.loop_id(row.key.loop);
    const Key key{source, sink, row.key.kind, loop};
    feedback::Dependence& d = totals[key];
    sinks[key] = row.key.sink;
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < k_distance_buckets; i++) sum += row.histogram[i];
    if (sum == 0) continue;
    d.source = source;
    d.sink = sink;
    d.kind = row.key.kind;
    d.loop = loop;
    d.count += sum - row.again;
    if (row.key.source != certain_site(row.key.source)) d.uncertain += sum - row.again;
    d.frequency = feedback::ratio(d.count, program.executions(row.key.sink));
    const std::uint64_t carried = sum - row.histogram[0] - row.carried_again;
    if (loop == feedback::k_none) {
      d.no_loop = d.count;
      if (row.key.loop == 0) d.concurrent += carried;  // see LoopContext::k_other_thread
      d.iters = 1;
      continue;
    }
    constexpr std::size_t last = k_distance_buckets - 1;
    std::uint64_t min = row.far_min, max = row.far_max;
    for (std::size_t i = last; i-- > 0;)
      if (row.histogram[i] != 0) min = i;
    for (std::size_t i = 0; i < last; i++)
      if (row.histogram[i] != 0 && row.histogram[last] == 0) max = i;
    d.distance.min = d.iters == 0 ? min : std::min(d.distance.min, min);
    d.distance.max = std::max(d.distance.max, max);
    for (std::size_t i = 0; i < k_distance_buckets; i++)
      d.distance.histogram[i] += row.histogram[i];
    d.intra += sum - row.again - carried;
    d.carried += carried;
    d.iters += row.iterations;
  }
  for (auto& [key, d] : totals) {
    trim(d, program.executions(sinks[key]));
    // One execution may read what two activations of a recursive loop have written.
    d.iters = std::min(d.iters, d.count);
    if (d.count != 0) profile.dependences.push_back(std::move(d));
  }
}

}  // namespace memprof::backend
