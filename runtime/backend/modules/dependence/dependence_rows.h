// dependence_rows.h - the counters of the dependence modules.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// One row per (source, sink, kind, carrying loop), kept per thread so that the
// iterations in which a row occurs can be told apart: a row remembers the
// iteration it was counted in last.  In a recursion several activations of one
// loop are at work, and the row remembers all their iterations.
//
// An execution of the sink counts once per row, and once per row and bucket of
// the distance.  That several bytes of one execution give one row is rare; the
// rows correct their sums by what `again' and `carried_again' hold.
//
// Of the distances of 5 and more the smallest and the largest are kept.  They
// seldom change, and whether a source changes them follows from comparing its
// stamp with the starts of the iterations at these distances, which are known
// (far below 64) or looked up once for many iterations (bounds).
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <vector>

#include "feedback/flat_map.h"
#include "feedback/model.h"
#include "runtime/backend/base/per_site.h"
#include "runtime/backend/event/module.h"
#include "runtime/backend/program/loop_context.h"
#include "runtime/backend/shadow/shadow_memory.h"

namespace memprof::backend {

struct DependenceKey {
  feedback::DependenceKind kind = feedback::DependenceKind::raw;
  SiteId source = 0, sink = 0;
  LoopId loop = 0;
  std::uint32_t thread = 0;
  bool operator==(const DependenceKey&) const = default;
};
struct HashOfDependence {
  std::size_t operator()(const DependenceKey& key) const {
    std::uint64_t h = (std::uint64_t{key.source} << 32 | key.sink) * 0x9e3779b97f4a7c15u;
    h ^= h >> 29;
    h += (std::uint64_t{key.loop} << 32 | key.thread) * 4 + static_cast<unsigned>(key.kind);
    h *= 0xbf58476d1ce4e5b9u;
    return h ^ h >> 32;
  }
};

// What each count needs lies in the first 64 bytes, what far ones need in the
// next.
struct alignas(64) DependenceRow {
  // Set in `iteration' when `older' is.
  static constexpr Stamp k_older = Stamp{1} << 63;

  Stamp iteration = k_older - 1;  // counted in last
  std::array<std::uint64_t, k_distance_buckets> histogram{};
  std::uint64_t iterations = 0;
  std::uint64_t far_min = ~std::uint64_t{0}, far_max = 0;  // in the last bucket
  // While activation `activation' has had at most `until' iterations, sources of
  // [low, high) are neither nearer than far_min nor farther than far_max.
  std::uint64_t activation = 0, until = 0;
  Stamp low = 0, high = 0;
  std::uint32_t hint = 0;  // see LoopContext::far_distance
  std::uint32_t mask = 0;           // buckets of the execution ...
  std::uint64_t execution = 0;      // ... of this serial number
  std::uint64_t again = 0;          // buckets of an execution after its first
  std::uint64_t carried_again = 0;  // the same among the buckets above 0
  DependenceKey key;
  std::unique_ptr<std::vector<Stamp>> older;  // other iterations, in a recursion, sorted
};

class DependenceRows {
 public:
  DependenceRow& row(const DependenceKey& key) { return rows_.add(key); }

  // COUNT executions in the current iteration of LOOP, which carries their source, of stamp T.
  static void add_stamp(DependenceRow& row, const LoopContext& loops, const ActiveLoop& loop,
                        Stamp t, std::uint64_t count) {
    if (LoopContext::near_p(loop, t))
      add_near(row, loops, loop, t, count);
    else if (!add_far(row, loops, loop, t, count))
      widen(row, loops, loop, t);
  }
  // The same; LOOP is not recursive.
  static void add_near_once(DependenceRow& row, const LoopContext& loops, const ActiveLoop& loop,
                            Stamp t, std::uint64_t count) {
    row.histogram[loops.near_distance(&loop, t)] += count;
    if ((row.iteration & DependenceRow::k_older) != 0) [[unlikely]]
      note_iteration(row, loops, loop);
    else
      note_once(row, loop);
  }
  // The same, less than k_far iterations back.
  static void add_near(DependenceRow& row, const LoopContext& loops, const ActiveLoop& loop,
                       Stamp t, std::uint64_t count) {
    row.histogram[loops.near_distance(&loop, t)] += count;
    note_iteration(row, loops, loop);
  }
  // The same, k_far or more iterations back.  False: widen() must be called, too, or
  // add_distance() of no executions.
  static bool add_far(DependenceRow& row, const LoopContext& loops, const ActiveLoop& loop,
                      Stamp t, std::uint64_t count) {
    row.histogram[k_far] += count;
    note_iteration(row, loops, loop);
    return within_bounds(row, loops, loop, t);
  }
  // The same; LOOP is not recursive. False: nothing was done.
  static bool add_far_once(DependenceRow& row, const LoopContext& loops, const ActiveLoop& loop,
                           Stamp t, std::uint64_t count) {
    if ((row.iteration & DependenceRow::k_older) != 0 || !within_bounds(row, loops, loop, t))
      return false;
    row.histogram[k_far] += count;
    note_once(row, loop);
    return true;
  }
  // The same for sources of stamps LOW .. HIGH, which fall into one bucket.
  static void add_stamps(DependenceRow& row, const LoopContext& loops, const ActiveLoop& loop,
                         Stamp low, Stamp high, std::uint64_t count) {
    add_stamp(row, loops, loop, high, count);
    if (low != high && !LoopContext::near_p(loop, high) && !within_bounds(row, loops, loop, low))
      widen(row, loops, loop, low);
  }
  // A source of stamp T, at least k_far iterations back, may be nearer or farther than
  // those before.
  static void widen(DependenceRow& row, const LoopContext& loops, const ActiveLoop& loop, Stamp t);
  // The same as add_stamp() for a source of one of several bytes of execution number
  // EXECUTION.
  static void add_byte(DependenceRow& row, const LoopContext& loops, const ActiveLoop& loop,
                       Stamp t, std::uint64_t count, std::uint64_t execution);
  static void add_distance(DependenceRow& row, std::uint64_t distance, std::uint64_t count) {
    if (distance < k_distance_buckets - 1) {
      row.histogram[distance] += count;
      return;
    }
    row.histogram[k_distance_buckets - 1] += count;
    if (distance < row.far_min) row.far_min = distance;
    if (distance > row.far_max) row.far_max = distance;
  }
  static void note_iteration(DependenceRow& row, const LoopContext& loops,
                             const ActiveLoop& loop) {
    if (loop.recursive || (row.iteration & DependenceRow::k_older) != 0) [[unlikely]] {
      if (row.iteration != loop.iteration) new_iteration(row, loops, loop.iteration);
      return;
    }
    note_once(row, loop);
  }
  static void note_once(DependenceRow& row, const ActiveLoop& loop) {
    row.iterations += row.iteration != loop.iteration;
    row.iteration = loop.iteration;
  }
  static void new_iteration(DependenceRow& row, const LoopContext& loops, Stamp iteration);

  void finish(feedback::Profile& profile, const ProgramInfo& program) const;

 private:
  // Whether a source of stamp T, at least k_far iterations back, is surely
  // neither nearer nor farther than those before.
  static bool within_bounds(const DependenceRow& row, const LoopContext& loops,
                            const ActiveLoop& loop, Stamp t) {
    const std::uint64_t n = loop.starts;
    if (row.far_max < LoopContext::k_ring)
      return (n <= row.far_max || t >= loops.recent_start(&loop, n - 1 - row.far_max)) &&
             (row.far_min == k_far ||
              (row.far_min <= n && t < loops.recent_start(&loop, n - row.far_min)));
    return row.activation == loop.serial && n <= row.until && t >= row.low && t < row.high;
  }

  feedback::FlatRows<DependenceRow, HashOfDependence, std::deque> rows_;
};

// What is known of a sink: its rows, direct mapped by source and loop in a table that
// grows as long as rows push each other out, and the loop that carried what it read
// last: as long as that loop is active and was entered before the next source ran,
// it carries that one, too. Most sinks have a source or two, for which there is room in
// the line that is looked at anyway.
//
// A writer far back is often read again and again.  The number of iterations that
// had started when it ran is kept: it gives the distance.
struct alignas(64) SinkCache {
  struct Way {
    std::uint64_t key = 0;
    DependenceRow* row = nullptr;
  };
  static constexpr std::uint32_t k_few_ways = 2, k_max_ways = 512;
  static constexpr std::uint64_t k_unknown = ~std::uint64_t{0};

  const ActiveLoop* loop = &LoopContext::k_no_loop;
  std::uint64_t serial = 0;  // of its activation
  Way* ways = few_ways;
  std::uint32_t mask = k_few_ways - 1;  // ways - 1
  std::uint32_t pushed_out = 0;         // ways, since the table grew
  Way few_ways[k_few_ways];
  // A line that seldom is looked at.
  Cell cell = 0;             // the last writer far back, if the loop still carries it
  std::uint64_t starts = 0;  // of the loop's iterations before it, or k_unknown
  std::unique_ptr<Way[]> many_ways;

  SinkCache() = default;
  SinkCache(SinkCache&& other) = delete;

  // Not 0. Its lower bits are good to find the way.
  static std::uint64_t key(SiteId source, const ActiveLoop& in) { return source + in.key; }
  // Where the row of a key is, if that is the way's.
  const Way& way(std::uint64_t wanted) const { return ways[wanted & mask]; }
  void insert(std::uint64_t new_key, DependenceRow* row);
};

// What a thread needs to find its rows.
struct DependenceThread {
  LoopContext loops;
  PerSite<SinkCache> sinks[2];  // of each Question
};

}  // namespace memprof::backend
