// versioning.cc - which loops get a copy whose loads and stores never meet.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Problem: a store that may be to the bytes of a later load keeps that load
// where it is.  It cannot be moved in front of the loop, nor past the store,
// nor be made a vector together with its neighbours.  In nearly all loops the
// two never meet, but only the profile knows in which.
//
//   for (i = 0; i < s->n; i++)        if (bytes s->p[0 .. s->n) hold neither
//     s->p[i] ^= s->key;                  s->n nor s->p nor s->key)
//                                       n = s->n, p = s->p, key = s->key;
//                                       for (i = 0; i < n; i++)   // vectors
//                                         p[i] ^= key;
//                                     else
//                                       the loop as it was
//
// The check makes it right for every input; the decision is only about time.
// Gates, in this order; the first one that fails is the reason:
//
//   1. executions  iterations of the loop that make it matter at all
//   2. code        what stands in the way is named
//   3. pairs       no pair meets in more than 2 % of the executions of its sink
//                  within one entry of the loop, in the same iteration or from
//                  an earlier one.  What was written before the loop was
//                  entered does not count: the check does not fail for it.  In a
//                  sampled profile nor may the inferred dependences of a pair be
//                  more, of which it does not say when they were; unless entries
//                  of the loop are so short that bursts saw them whole, so that
//                  what meets within one was measured
//   4. gain        cycles of an entry, without / with the check
//
// Gain.  An entry of n iterations with i instructions each takes
//
//   plain    n * i / ipc, at least n * forward where a sum is kept in memory
//   checked  check + n * i' / ipc                            without vectors
//            check + set-up + n / lanes * 1.5 * i' / ipc
//                  + (lanes - 1) / 2 * i' / ipc              with vectors
//
// A nest of loops has one check for all entries of its innermost loop.
// i' is i less the loads and stores that leave the loop, and less half of those
// that two iterations of the loop around it share when they are done at once.
// 1.5: packing,
// unpacking and realigning.  The last term is the rest of less than a vector,
// half of it on average.  Entries whose check fails take check + plain.
//
// Example: 20 instructions, 3 loads hoisted, 16 lanes, 4 checks: an entry of 4
// iterations takes 40 cycles plain and 54 with the check (refused: 0.7x), one of
// 1000 takes 10000 and 888.
//
// Alias frequency is that of loop-aware dependence profiling (LAMP): of distance
// 0 and of distances from 1 on, per carrying loop; never the one over the whole
// run, which counts what an initialisation wrote long ago.
#include "consumers/decide/versioning.h"

#include <algorithm>
#include <cstdio>
#include <set>

namespace memprof::decide {
namespace {

// Two subtractions, two comparisons, two combinations, and an end to compute.
constexpr double k_check_instructions = 7;
// Number of iterations, branch, copies of the pointers.
constexpr double k_entry_instructions = 8;
constexpr double k_vector_factor = 1.5;
// Splatting invariants, shuffles for sums.
constexpr double k_setup_instructions = 16;
// A store that the next iteration's load waits for: store forwarding, 4 or 5
// cycles on all present x86-64 cores.
constexpr double k_forward_cycles = 5;
// Entries in a burst of mean length that shows what meets within an entry.
constexpr double k_entries_in_burst = 2;

std::string format(const char* text, double value) {
  char buffer[96];
  std::snprintf(buffer, sizeof buffer, text, value);
  return buffer;
}

std::string counted(unsigned count, const char* what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

// Sets the cycles of an entry, and the gain.
void set_gain(VersioningAdvice& advice, const CostModel& model) {
  const VersioningCode& code = advice.code;
  const double n = std::max(1.0, advice.trip_count);
  const double ipc = model.instructions_per_cycle;
  const double entries = std::max(1.0, advice.inner_entries);
  // Where there are two iterations to share.
  const double shared = advice.facts.inner_invocations && entries < 2 ? 0 : code.shared;
  double plain = n * code.instructions / ipc;
  if (code.moved) plain = std::max(plain, n * k_forward_cycles);
  // A moved store was a load as well.
  const double left =
      std::max(1.0, code.instructions - code.hoisted - 2.0 * code.moved -
                        shared / 2.0);
  const double check =
      (k_entry_instructions + code.checks * k_check_instructions +
       code.hoisted) / ipc;
  double loop = n * left / ipc;
  if (code.lanes > 1 && n >= code.lanes) {
    const double vectors = n / code.lanes * k_vector_factor * left / ipc;
    const double rest = (code.lanes - 1) / 2.0 * left / ipc;
    loop = std::min(loop, k_setup_instructions / ipc + vectors + rest);
  }
  advice.plain_cycles = entries * plain;
  advice.checked_cycles = check + entries * ((1 - advice.meet_share) * loop +
                                             advice.meet_share * plain);
  advice.gain = advice.plain_cycles / advice.checked_cycles;
}

}  // namespace

double AccessPair::frequency() const {
  // One execution may count in both.
  return executions ? std::min(1.0, static_cast<double>(intra + carried) /
                                        static_cast<double>(executions))
                    : 0;
}

double AccessPair::inferred_frequency() const {
  return executions ? std::min(1.0, static_cast<double>(inferred) /
                                        static_cast<double>(executions))
                    : 0;
}

VersioningAdvice decide_versioning(const VersioningFacts& facts,
                                   const std::optional<VersioningCode>& code,
                                   const CostModel& model) {
  VersioningAdvice advice;
  advice.facts = facts;
  advice.code_seen = code.has_value();
  if (code) advice.code = *code;
  if (facts.invocations) {
    const double entries = static_cast<double>(facts.invocations);
    advice.trip_count = static_cast<double>(facts.iterations) / entries;
    if (facts.inner_invocations) {
      const double inner = static_cast<double>(facts.inner_invocations);
      advice.inner_entries = inner / entries;
      advice.trip_count = static_cast<double>(facts.inner_iterations) / inner;
    }
    advice.meet_share =
        std::min(1.0, static_cast<double>(facts.meetings) / entries);
  }
  for (const AccessPair& pair : facts.pairs) {
    advice.frequency = std::max(advice.frequency, pair.frequency());
    advice.inferred_frequency =
        std::max(advice.inferred_frequency, pair.inferred_frequency());
  }

  const auto refuse = [&](Reason reason) {
    advice.reason = reason;
    return advice;
  };
  if (std::max(facts.iterations, facts.inner_iterations) < model.min_loop_iterations)
    return refuse(Reason::few_executions);
  if (!advice.code.obstacle.empty()) return refuse(Reason::code_shape);
  if (advice.frequency > model.max_meet_frequency)
    return refuse(Reason::conflicts);
  if (advice.inferred_frequency > model.max_meet_frequency)
    return refuse(Reason::may_conflict);
  if (code) {
    set_gain(advice, model);
    if (advice.gain < model.min_gain)
      return refuse(advice.trip_count < model.min_trip_count
                        ? Reason::short_loop
                        : Reason::no_gain);
  } else if (advice.trip_count < model.min_trip_count) {
    return refuse(Reason::short_loop);
  }
  return refuse(Reason::taken);
}

PairIndex::PairIndex(const feedback::Profile& profile) {
  for (const auto& row : profile.dependences)
    if (row.loop != feedback::k_none)
      dependences_[{row.source, row.sink}].push_back(&row);
  for (const auto& row : profile.inferred_dependences)
    inferred_[{row.source, row.sink}] += row.count;
  burst_length_ = profile.run.burst_length;
}

// The ids of LOOP and of the loops in it.  Enclosing loops may come later.
static std::set<feedback::Id> nest(const feedback::Function& function,
                                   feedback::Id loop) {
  std::set<feedback::Id> ids = {loop};
  for (bool more = true; more;) {
    more = false;
    for (const auto& inner : function.loops)
      if (inner.parent != feedback::k_none && ids.count(inner.parent))
        more |= ids.insert(inner.id).second;
  }
  return ids;
}

VersioningFacts PairIndex::facts(const feedback::Function& function,
                                 feedback::Id loop,
                                 const std::vector<Sites>& pairs) const {
  VersioningFacts facts;
  const std::set<feedback::Id> inside = nest(function, loop);
  double iterations = 0;  // of all these loops
  for (const auto& row : function.loops) {
    if (row.id == loop) {
      facts.invocations = row.invocations;
      facts.iterations = row.iterations;
    }
    if (inside.count(row.id)) iterations += static_cast<double>(row.iterations);
  }
  const bool seen_whole = k_entries_in_burst * iterations <=
                          static_cast<double>(facts.invocations) *
                              static_cast<double>(burst_length_);
  std::map<feedback::Id, std::uint64_t> executions;
  for (const auto& site : function.sites) executions[site.id] = site.executions;
  for (const auto& [store, other] : pairs) {
    AccessPair pair;
    pair.store = store;
    pair.other = other;
    pair.executions = executions[other];
    for (const auto& ends : {Sites{store, other}, Sites{other, store}}) {
      const auto rows = dependences_.find(ends);
      if (rows == dependences_.end()) continue;
      for (const feedback::Dependence* row : rows->second)
        if (inside.count(row->loop)) {
          // Carried by an inner loop: the same iteration of this one.
          if (row->loop == loop) {
            pair.intra += row->intra;
            pair.carried += row->carried;
          } else {
            pair.intra += row->count;
          }
          facts.meetings += row->count;
          pair.executions = executions[row->sink];
        }
      if (store == other) break;
    }
    if (const auto row = inferred_.find({store, other}); row != inferred_.end() && !seen_whole)
      pair.inferred = row->second;
    facts.pairs.push_back(pair);
  }
  facts.meetings = std::min(facts.meetings, facts.invocations);
  std::stable_sort(facts.pairs.begin(), facts.pairs.end(),
                   [](const AccessPair& a, const AccessPair& b) {
                     return std::pair(a.frequency(), a.inferred_frequency()) >
                            std::pair(b.frequency(), b.inferred_frequency());
                   });
  return facts;
}

std::vector<PairIndex::Sites> PairIndex::all_pairs(
    const feedback::Function& function, feedback::Id loop) {
  const std::set<feedback::Id> inside = nest(function, loop);
  std::vector<Sites> pairs;
  for (const auto& store : function.sites)
    if (store.kind == feedback::Access::store && store.executions &&
        inside.count(store.loop))
      for (const auto& load : function.sites)
        if (load.kind == feedback::Access::load && load.executions &&
            inside.count(load.loop))
          pairs.emplace_back(store.id, load.id);
  return pairs;
}

std::string VersioningAdvice::text() const {
  const std::string trips = format("%.1f iterations per entry", trip_count);
  const std::string runs =
      format("%.0f iterations", static_cast<double>(std::max(
                                    facts.iterations, facts.inner_iterations)));
  const std::string refused = "not versioned: ";
  switch (reason) {
    case Reason::taken: {
      std::string line =
          facts.inner_invocations ? "loop nest versioned" : "loop versioned";
      if (code_seen) {
        line += " on " + counted(code.checks, "address check");
        if (code.hoisted)
          line += ", " + counted(code.hoisted, "load") + " hoisted";
        if (code.moved) line += ", " + counted(code.moved, "store") + " moved";
        if (code.lanes > 1)
          line += ", vectors of " + std::to_string(code.lanes);
        if (code.shared) line += ", two outer iterations at once";
      } else {
        line = "loop worth an address check";
      }
      line += ": " + trips;
      if (facts.inner_invocations)
        line += format(", %.1f entries per check", inner_entries);
      line += ", " + runs + ", pairs meet in at most " +
              format("%.1f %% of the executions", 100 * frequency);
      if (gain > 0) line += format(", about %.1fx as fast", gain);
      return line;
    }
    case Reason::few_executions: return refused + runs + " are too few";
    case Reason::conflicts:
      return refused +
             format("a store and a load meet in %.1f %% of the executions",
                    100 * frequency);
    case Reason::may_conflict:
      return refused +
             format("a store and a load may meet in %.1f %% of the executions, as "
                    "far as a sampled profile tells",
                    100 * inferred_frequency);
    case Reason::short_loop:
      return refused + trips + " are too few" +
             (gain > 0 ? format(", %.2fx as fast with the check", gain) : "");
    case Reason::no_gain:
      return refused + trips +
             format(", %.2fx as fast with the check", gain);
    default: break;
  }
  return refused + code.obstacle;
}

}  // namespace memprof::decide
