// prefetch.h - which loads get a prefetch, and how far ahead.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "consumers/decide/cost_model.h"
#include "consumers/decide/decision.h"
#include "consumers/decide/load_index.h"

namespace memprof::decide {

// A pure function of what the profile says about one LOAD, what the compiler says about
// the CODE around it (null: `memprof advise' has none), what the profile says about the
// load that the address is computed from (INDEX, null: nothing), and the machine.
Decision decide_prefetch(const Candidate& candidate, const LoadFacts& load,
                         const PrefetchCode* code, const LoadFacts* index,
                         const CostModel& model);

}  // namespace memprof::decide
