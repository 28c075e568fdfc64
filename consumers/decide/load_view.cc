// load_view.cc - a load as seen from another loop than its own.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The profile counts a load where it stands. A prefetch may go elsewhere: before the loop
// around the load, for the first address of each entry, or before a call of the function
// that the load is in. The decision then needs the counts of that place:
//
//     for (i...)                         for (j = 0; j < n; j++)
//       for (e = first[i]; ...; e++)       look_up (table, key[j]);
//         sum += x[e];                                     // loads table[key]
//
//     of_entries: of all x[e], one per   of_calls: table[key] is in no loop, or in other
//     iteration of the outer loop        ones, too; here it is executed once per j
#include "consumers/decide/load_view.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "consumers/decide/whole.h"

namespace memprof::decide {

namespace {

// The facts about at most MOST executions of the load, as many as it has at one place in each
// entry of its loop.
LoadFacts of_place(LoadFacts load, std::uint64_t most, double line) {
  const double step = std::abs(static_cast<double>(load.stride));
  const double stay = step < line ? load.stride_share * (1 - step / line) : 0;
  if (load.stride_share < 1)
    load.line_local = (load.line_local - stay) / (1 - load.stride_share);
  const std::uint64_t all = load.executions;
  load.executions = std::min(load.executions, most);
  // Of accesses that jump about, any may miss; of those in order, the first do.
  if (load.l2_misses && load.stride_known && load.stride_share < 0.5 && all) {
    const double part = static_cast<double>(load.executions) / static_cast<double>(all);
    load.l1_misses = whole(static_cast<double>(load.l1_misses) * part);
    load.l2_misses = whole(static_cast<double>(*load.l2_misses) * part);
    load.l2_interval = whole(static_cast<double>(load.l2_interval) * part);
  }
  load.stride_share = 0;
  return load;
}

}  // namespace

LoadFacts of_entries(LoadFacts load, double line) {
  return of_place(load, load.invocations, line);
}

LoadFacts of_second_nodes(LoadFacts load, double line) {
  const std::uint64_t later = load.executions - std::min(load.executions, load.invocations);
  return of_place(load, std::min(load.invocations, later), line);
}

// The facts about a load of a function in the loop that calls it. Other loops may call it,
// too: of the executions, at most as many are of this loop as it has iterations.
LoadFacts of_calls(LoadFacts load, const PrefetchCode& code) {
  load.invocations = code.outer_invocations;
  load.iterations = code.outer_iterations;
  if (load.executions <= load.iterations || !load.executions) return load;
  const double part = static_cast<double>(load.iterations) / static_cast<double>(load.executions);
  const auto share = [part](std::uint64_t count) {
    return whole(static_cast<double>(count) * part);
  };
  load.executions = load.iterations;
  load.l1_misses = share(load.l1_misses);
  if (load.l2_misses) load.l2_misses = share(*load.l2_misses);
  load.l2_interval = share(load.l2_interval);
  return load;
}

double jumps_per_entry(const LoadFacts& load) {
  return (1 - load.stride_share) * static_cast<double>(load.executions) /
         static_cast<double>(load.invocations);
}
bool entries_follow(const LoadFacts& load) {
  return load.stride_known && load.stride != 0 && load.invocations > 0 &&
         jumps_per_entry(load) < k_entry_jumps;
}

}  // namespace memprof::decide
