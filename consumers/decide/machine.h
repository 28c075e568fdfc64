// machine.h - the caches and the inputs that decisions assume.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>

#include "consumers/decide/cost_model.h"
#include "consumers/decide/load_index.h"
#include "feedback/model.h"

namespace memprof::decide {

// Takes over what CACHES says, in the words of run.caches: "L2=1M/8,LLC=32M/16,TLB=1536/12".
// Other parts of it and the ways are skipped.  False if it is no such text; then MODEL stays
// as it is.
bool apply_caches(std::string_view caches, CostModel& model);

// Makes the misses of PROFILE those of a machine with CACHES, in the same words, L1 too, as far as its
// table `reuse' says: sampled profiles know what a cache of any size misses. Returns false, and does
// nothing, without that table, or if CACHES is no such text.
bool move_to_caches(feedback::Profile& profile, std::string_view caches);

// MODEL for the machine on which PROFILE was made, as far as the module `cache' describes
// it, and remembers which caches its misses are of.
void apply_profile(const feedback::Profile& profile, CostModel& model);

// The machine on which PROFILE was made, and inputs as large as its.
CostModel model_of(const feedback::Profile& profile);

// Share of random accesses to SPAN bytes that miss a cache or TLB that holds REACH.
double share_beyond(double reach, double span);

// A SHARE of random accesses that misses where REACH is held, of SPAN bytes, is this one
// where NEW_REACH is held, of NEW_SPAN; never more than MOST.
double moved_share(double share, double reach, double span, double new_reach, double new_span,
                   double most);

// Share of LOAD's executions that will miss L2; 1 where the profile does not say.
double miss_share(const LoadFacts& load, const CostModel& model);

// Cycles of a miss of L2 where LOAD ranges.
double latency_of(const LoadFacts& load, const CostModel& model);

}  // namespace memprof::decide
