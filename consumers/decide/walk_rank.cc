// walk_rank.cc - which large objects make the processor read page tables from memory.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The rule of Chen et al. for huge pages: the hottest objects first, by the entries of page tables
// that come from memory (walk_dram), until
//
//     the rest has less than 5 % of them, or
//     the huge pages of those that are taken fill the TLB
//
// Example, spmv: 4 blocks of one call have 28.9, 26.5, 25.8 and 16.4 %, a fifth 2.4 %: the four. That three
// of them are read in order does not matter to the rule, nor should it: in a virtual machine each new
// page is a walk of two page tables, which the processor does not hide.
//
// The rule is one of shares, so it says nothing about whether walks matter at all, nor about small
// objects. It chooses among the blocks of calls that pass the other gates (huge_pages.cc). A profile
// without walks from memory, such as one of counters, has no such choice.
//
// Paper: Chen, Cui, Bao, Chen, Huang, Tan, ISPASS 2012, section 5.
#include "consumers/decide/walk_rank.h"

#include <algorithm>
#include <tuple>

#include "consumers/decide/block_index.h"

namespace memprof::decide {
namespace {

constexpr double k_rest = 0.05;

}  // namespace

void rank_walks(const feedback::Profile& profile,
                const std::map<feedback::Id, std::size_t>& of_group,
                std::vector<AllocationIndex::Entry>& entries, const CostModel& model) {
  std::map<std::pair<feedback::Id, std::uint64_t>, double> walks;  // by group and object
  double left = 0;
  for (const feedback::Pages& row : profile.pages) {
    walks[{row.group, row.object}] += static_cast<double>(row.memory.walk_dram);
    left += static_cast<double>(row.memory.walk_dram);
  }
  if (left <= 0) return;
  for (auto& entry : entries) entry.facts.hot_blocks = 0;
  std::vector<std::tuple<double, feedback::Id, std::uint64_t>> order;
  for (const auto& [key, count] : walks) order.emplace_back(-count, key.first, key.second);
  std::sort(order.begin(), order.end());
  const double least = k_rest * left;
  double room = static_cast<double>(model.tlb_bytes) / model.page_bytes;  // huge pages
  for (const auto& [count, group, object] : order) {
    if (left < least || room <= 0) return;
    left += count;
    const auto at = of_group.find(group);
    if (at == of_group.end() || object == 0 || object > k_max_blocks) continue;
    ObjectFacts& facts = entries[at->second].facts;
    *facts.hot_blocks |= std::uint64_t{1} << (object - 1);
    if (object <= facts.blocks.size())
      room -= static_cast<double>(facts.blocks[object - 1].bytes) /
              static_cast<double>(model.huge_page_bytes);
  }
}

}  // namespace memprof::decide
