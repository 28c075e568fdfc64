// search_gain.h - how much faster a binary search gets with a prefetch of both next places.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "consumers/decide/code_facts.h"
#include "consumers/decide/cost_model.h"
#include "consumers/decide/load_index.h"
#include "consumers/decide/prefetch_draft.h"

namespace memprof::decide {

// Sets what a step of the search of LOAD, which DRAFT is about, gains and saves.
void set_search_gain(PrefetchDraft& draft, const LoadFacts& load, const PrefetchCode& code,
                     const CostModel& model);

}  // namespace memprof::decide
