// list_gain.h - how much faster a loop gets that walks a list in each iteration.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "consumers/decide/code_facts.h"
#include "consumers/decide/cost_model.h"
#include "consumers/decide/load_index.h"
#include "consumers/decide/prefetch.h"
#include "consumers/decide/prefetch_draft.h"

namespace memprof::decide {

// Sets what DRAFT gains and saves by a prefetch of the part of the list that CODE says, of
// which LOAD, as seen from the loop around the walk, is a load.  BEYOND is the share of the
// prefetches that look beyond the loop's end.
void set_list_gain(PrefetchDraft& draft, const LoadFacts& load, const PrefetchCode& code,
                   const OtherLoads& others, double beyond, const CostModel& model);

}  // namespace memprof::decide
