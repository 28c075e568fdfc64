// walk_rank.h - which large objects make the processor read page tables from memory.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <vector>

#include "consumers/decide/allocation_index.h"

namespace memprof::decide {

// Sets ObjectFacts::hot_blocks of ENTRIES where PROFILE has the table of the module pages; OF_GROUP: the
// entry of a group.
void rank_walks(const feedback::Profile& profile,
                const std::map<feedback::Id, std::size_t>& of_group,
                std::vector<AllocationIndex::Entry>& entries, const CostModel& model);

}  // namespace memprof::decide
