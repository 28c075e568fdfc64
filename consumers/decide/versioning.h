// versioning.h - which loops get a copy whose loads and stores never meet.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "consumers/decide/cost_model.h"
#include "consumers/decide/decision.h"
#include "consumers/decide/pair_index.h"

namespace memprof::decide {

// A pure function of what the profile says about a loop and the pairs of accesses in it
// that may be to the same bytes (FACTS), what the compiler says about the CODE (null:
// `memprof advise' has none, and FACTS has all pairs), and the machine.
Decision decide_versioning(const Candidate& candidate, const VersioningFacts& facts,
                           const VersioningCode* code, const CostModel& model);

}  // namespace memprof::decide
