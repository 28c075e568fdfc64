// load_view.h - a load as seen from another loop than its own.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "consumers/decide/code_facts.h"
#include "consumers/decide/load_index.h"

namespace memprof::decide {

// The first address of an entry mostly goes on where the entry before ended, as the rows of
// a matrix do that lie one after the other: there are few jumps per entry.
inline constexpr double k_entry_jumps = 0.5;

// The facts about the first execution in each entry of LOAD's loop, LINE being the bytes of
// a line of the cache.
LoadFacts of_entries(LoadFacts load, double line);
// The facts about the second one, where the loop walks a list: of its later executions, not
// more than one for each entry.
LoadFacts of_second_nodes(LoadFacts load, double line);
// The facts about a load of a function in the loop that calls it.
LoadFacts of_calls(LoadFacts load, const PrefetchCode& code);
double jumps_per_entry(const LoadFacts& load);
bool entries_follow(const LoadFacts& load);

}  // namespace memprof::decide
