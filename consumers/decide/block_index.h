// block_index.h - which of few large objects of an allocation call miss the TLB.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "consumers/decide/cost_model.h"
#include "consumers/decide/allocation_index.h"
#include "feedback/model.h"

namespace memprof::decide {

// As many as a site's word in the rebuild has bits.
constexpr std::uint64_t k_max_blocks = 64;

class BlockIndex {
 public:
  // Makes `blocks' in the ENTRIES of calls with few large objects, which OF_GROUP
  // has by group, and finds what is accessed of each.
  BlockIndex(const feedback::Profile& profile, const std::map<feedback::Id, std::size_t>& of_group,
             std::vector<AllocationIndex::Entry>& entries, const CostModel& model);

  // COUNT misses or page changes of SITE in GROUP are added to MEMBER of the objects.
  void add(feedback::Id site, feedback::Id group, double count, double BlockFacts::*member);

 private:
  void add_row(const feedback::ObjectRelative& row, std::vector<BlockFacts>& blocks);

  std::map<feedback::Id, std::vector<BlockFacts>*> blocks_;
  // Of the accesses of a site to a group, the part of each object.
  std::map<std::pair<feedback::Id, feedback::Id>, std::vector<double>> parts_;
};

}  // namespace memprof::decide
