// pair_index.cc - what a profile says about a loop and its pairs of accesses.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/decide/pair_index.h"

#include <algorithm>
#include <set>

namespace memprof::decide {
namespace {

// Entries in a burst of mean length that shows what meets within an entry.
constexpr double k_entries_in_burst = 2;

// The ids of LOOP and of the loops in it.  Enclosing loops may come later.
std::set<feedback::Id> nest(const feedback::Function& function,
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

PairIndex::PairIndex(const feedback::Profile& profile) {
  for (const auto& row : profile.dependences)
    if (row.loop != feedback::k_none)
      dependences_[{row.source, row.sink}].push_back(&row);
  for (const auto& row : profile.inferred_dependences)
    inferred_[{row.source, row.sink}] += row.count;
  burst_length_ = profile.run.burst_length;
}

VersioningFacts PairIndex::facts(const feedback::Function& function,
                                 feedback::Id loop,
                                 const std::vector<Sites>& pairs) const {
  VersioningFacts facts;
  const std::set<feedback::Id> inside = nest(function, loop);
  double iterations = 0;  // of all these loops
  for (const auto& row : function.loops) {
    if (row.id == loop) {
      facts.line = row.line;
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

}  // namespace memprof::decide
