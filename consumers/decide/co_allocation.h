// co_allocation.h - which allocation calls share an arena.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <string>
#include <vector>

#include "consumers/decide/allocation_index.h"
#include "consumers/decide/cost_model.h"
#include "consumers/decide/decision.h"

namespace memprof::decide {

// Fills in ENTRIES[I].facts.arena from PROFILE's table co_access; CALL_OF: the entry of each
// group. Called by AllocationIndex.
void plan_arenas(const feedback::Profile& profile,
                 const std::map<feedback::Id, std::size_t>& call_of,
                 std::vector<AllocationIndex::Entry>& entries, const CostModel& model);

// A pure function of what the profile says about the objects of one allocation call (FACTS), what
// the compiler says about the call (CODE; null: `memprof advise' has none), and the machine.
Decision decide_co_allocation(const Candidate& candidate, const ObjectFacts& facts,
                              const AllocationCode* code, const CostModel& model);

// Whether the objects come from such an arena, as far as the profile decides.
bool shares_arena(const ObjectFacts& facts, const CostModel& model);

// What to do in the source about objects that are visited in another order than they are
// allocated; empty: nothing.
std::string order_advice(const ObjectFacts& facts, const CostModel& model);

}  // namespace memprof::decide
