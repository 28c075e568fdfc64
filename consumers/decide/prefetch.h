// prefetch.h - which loads get a prefetch, and how far ahead.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "consumers/decide/cost_model.h"
#include "consumers/decide/decision.h"
#include "consumers/decide/load_index.h"

namespace memprof::decide {

// What the profile says about other loads: the one that the address is computed from, and of
// a list that the load is part of, the load that comes to each node first and that of the
// pointer to the first node.  Null: nothing.
struct OtherLoads {
  OtherLoads(const LoadFacts* index_load = nullptr, const LoadFacts* node_load = nullptr,
             const LoadFacts* start_load = nullptr)
      : index(index_load), node(node_load), start(start_load) {}

  const LoadFacts* index;
  const LoadFacts* node;
  const LoadFacts* start;
};

// A pure function of what the profile says about one LOAD, what the compiler says about
// the CODE around it (null: `memprof advise' has none), what the profile says about OTHERS,
// and the machine.
Decision decide_prefetch(const Candidate& candidate, const LoadFacts& load,
                         const PrefetchCode* code, const OtherLoads& others,
                         const CostModel& model);

}  // namespace memprof::decide
