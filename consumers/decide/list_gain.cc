// list_gain.cc - how much faster a loop gets that walks a list in each iteration.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Problem: of a chain of a hash table,
//
//     for (i...) for (p = head[hash (key[i])]; p; p = p->next) ...
//
// a prefetch of one node leaves the misses of the others, and of the head.  And a
// misprediction of the chain's end does not make the processor wait for the chain as that of
// another branch does: both sides soon lead to the next iteration, whose chain starts at an
// address that comes from the key alone.  What is loaded on the wrong side is needed
// afterwards.  So the misses of several chains overlap in any case.  What a misprediction costs
// is what it costs where nothing misses: to fetch anew, and to compute the iteration again.
//
// Each miss takes latency / overlap where the processor itself comes to it, latency / buffers
// where a prefetch fetches it (both as in prefetch.cc), and what an iteration computes
// goes on meanwhile:
//
//   without  max (compute, misses)            + wrong * (mispredict + compute)
//   with     max (compute + prefetch, misses) + wrong * (mispredict + compute + prefetch)
//
// The misses are those of the pointer to the first node, and of as many nodes as a walk has on
// average; those of the list's lines that have a prefetch already take latency / buffers in both
// rows, and in the second one those of the load in question, as far as they are covered: for so
// long as the iterations last that the prefetch looks ahead, at least what the other misses take.
//
// After a mispredicted branch the processor is ahead with pointers to first nodes already,
// whose addresses take keys alone: a prefetch of these counts where no branch of the list is mispredicted.
//
// wrong: the branches on the list that are mispredicted in an iteration.  Whether a list is
// empty: min (share, 1 - share).  Where it ends: of N nodes on average all branches but the
// last go on, so that min (1 / N, 1 - 1 / N) of N branches are mispredicted, min (1, N - 1).
// Lists of one length end as predicted.  The profile has no lengths; a mean that is nearly
// a whole number is taken for the length of all.
//
// Example: 2^20 heads, 8 MB, latency 300; 2^21 nodes, latency 450; overlap 8, buffers 12, compute 13.
// Lists of two nodes: 36 + 2 * 56 = 148 cycles. With the head prefetched 136, with the first
// node as well 117: 1.26 times as fast (measured on Zen 5: 1.13 to 1.17, by hand 1.30 to 1.42). Of random lengths 86 %
// are not empty, and have 2.3 nodes: wrong is 1.0, 148 + 33 = 181 cycles. A prefetch of the head makes them
// 184, one of the first node 173, 1.05 times as fast (0.99; by hand 1.07 to 1.09; both 0.91).
//
// Too little is promised where a list has hardly more than its first node: then no miss is left
// that the processor itself comes to, and mispredictions cost nothing beside what prefetches
// take (hj2 of Ainsworth and Jones: 1.16, measured 1.9).
#include "consumers/decide/list_gain.h"

#include <algorithm>
#include <cmath>

#include "consumers/decide/machine.h"

namespace memprof::decide {
namespace {

// How far from a whole number the mean of lists of one length is at most: counts of a sampled
// profile are estimates.  Of random lengths, one mean in 50 is so by chance.
constexpr double k_whole = 0.01;

double ratio(std::uint64_t part, double whole) { return static_cast<double>(part) / whole; }

// What the loads of a list miss in an iteration of the loop around its walk, in cycles of
// latency.
struct ListMisses {
  double entries = 1;  // lists that are not empty
  double length = 1;   // nodes of such a list
  double start = 0, nodes = 0;
};

ListMisses misses_of(const OtherLoads& others, double iterations, const CostModel& model) {
  ListMisses list;
  if (const LoadFacts* start = others.start)
    list.start = std::min(1.0, ratio(start->executions, iterations)) * miss_share(*start, model) *
                 latency_of(*start, model);
  const LoadFacts* node = others.node;
  if (!node || !node->invocations) return list;
  list.entries = std::min(1.0, ratio(node->invocations, iterations));
  list.length = std::max(1.0, ratio(node->executions, static_cast<double>(node->invocations)));
  list.nodes = list.entries * list.length * miss_share(*node, model) * latency_of(*node, model);
  return list;
}

// Branches on the list that are mispredicted in an iteration.
double wrong_branches(const ListMisses& list) {
  const bool one_length = std::abs(list.length - std::round(list.length)) < k_whole;
  return std::min(list.entries, 1 - list.entries) +
         (one_length ? 0 : list.entries * std::min(1.0, list.length - 1));
}

}  // namespace

void set_list_gain(PrefetchDraft& draft, const LoadFacts& load, const PrefetchCode& code,
                   const OtherLoads& others, double beyond, const CostModel& model) {
  const double compute = code.instructions / model.instructions_per_cycle;
  const double extra = (model.prefetch_instructions + (code.staged ? model.second_load_instructions : 0)) /
                       model.instructions_per_cycle;
  draft.overlap = std::clamp(model.window_instructions / std::max(1.0, code.instructions), 1.0,
                             model.window_misses);
  const ListMisses list = misses_of(others, static_cast<double>(load.iterations), model);
  const double own = draft.share * draft.misses * draft.latency_cycles;
  const double first = list.nodes / list.length;
  const double asked = (code.start_asked ? list.start : 0) + (code.first_asked ? first : 0);
  const double all = code.list == ListPart::start ? own + list.nodes : list.start + list.nodes;
  const double flow = std::max(own, all - asked) / draft.overlap + asked / model.overlapping_misses;
  const double apart = std::max(draft.iteration_cycles, flow - own / draft.overlap);
  const double hidden = std::min(1.0, static_cast<double>(draft.distance) * apart / draft.latency_cycles);
  const bool start = code.list == ListPart::start;
  draft.waits = wrong_branches(list) + (start ? 0 : code.waits);
  // What is found on the wrong side, too, gains nothing.
  const double late = start ? std::max(0.0, 1 - draft.waits) : 1;
  const double covered = own * (1 - beyond) * hidden * late;
  const double spared = covered / draft.overlap;
  const double asked_for = (covered + own * beyond) / model.overlapping_misses;
  const double without = std::max(compute, flow) + draft.waits * (model.mispredict_cycles + compute);
  const double with = std::max(compute + extra, flow - spared + asked_for) +
                      draft.waits * (model.mispredict_cycles + compute + extra);
  draft.gain = without / with;
  draft.saved_cycles = without - with;
}

}  // namespace memprof::decide
