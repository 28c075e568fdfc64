// allocation_index.cc - what a profile says about the objects of an allocation call.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/decide/allocation_index.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "consumers/decide/block_index.h"
#include "consumers/decide/co_allocation.h"
#include "consumers/decide/huge_pages.h"
#include "consumers/decide/walk_rank.h"
#include "consumers/decide/watched_blocks.h"
#include "feedback/reuse_curve.h"

namespace memprof::decide {
namespace {

// How a site moves from page to page.
struct Moves {
  double changes = 0;  // share of the executions that leave the page of the one before
  double ordered = 0;  // share of these that do not go further than a line
};

Moves moves_of(const feedback::Stride& row, const CostModel& model) {
  if (!row.executions) return {};
  double far = static_cast<double>(row.other), near = 0;
  for (const auto& entry : row.histogram) {
    const double bytes = std::abs(static_cast<double>(entry.stride));
    (bytes <= model.line_bytes ? near : far) +=
        static_cast<double>(entry.count) * std::min(1.0, bytes / model.page_bytes);
  }
  if (near + far <= 0) return {};
  return {std::min(1.0, (near + far) / static_cast<double>(row.executions)),
          near / (near + far)};
}

}  // namespace

void ObjectFacts::add(const ObjectFacts& other) {
  objects += other.objects;
  bytes += other.bytes;
  span += other.span;
  accesses += other.accesses;
  for (double ObjectFacts::*sum :
       {&ObjectFacts::modelled_misses, &ObjectFacts::page_changes, &ObjectFacts::l1_misses,
        &ObjectFacts::l2_misses, &ObjectFacts::modelled_changes, &ObjectFacts::ordered_misses,
        &ObjectFacts::ordered_changes})
    this->*sum += other.*sum;
  blocks.clear();
  hot_blocks.reset();
  arena = {};
  watched.clear();
}

namespace {

// The sum of the spans of all calls with objects that fit a slab.
std::uint64_t small_bytes(const std::vector<AllocationIndex::Entry>& entries) {
  std::uint64_t sum = 0;
  for (const AllocationIndex::Entry& entry : entries)
    if (slab_bytes(entry.facts)) sum += entry.facts.span;
  return sum;
}

}  // namespace

AllocationIndex::AllocationIndex(const feedback::Profile& profile, const CostModel& model) {
  std::map<feedback::Id, std::size_t> of_group;
  for (const auto& group : profile.groups) {
    if (group.kind != feedback::GroupKind::heap && group.kind != feedback::GroupKind::mapped)
      continue;
    // Groups that differ in their context only are of one call.
    Key key{group.file, group.line, group.function, group.type};
    const auto [at, fresh] = by_key_.try_emplace(key, entries_.size());
    if (fresh) entries_.push_back({std::move(key), {}});
    ObjectFacts& facts = entries_[at->second].facts;
    facts.kind = group.kind;
    facts.allocator = group.allocator;
    facts.carved |= group.parent != feedback::k_none;
    facts.objects += group.objects;
    facts.bytes += group.bytes;
    facts.span += group.span;
    facts.large += group.large;
    facts.resident += group.resident;
    facts.accesses += group.accesses;
    facts.program_accesses = profile.run.accesses;
    of_group[group.id] = at->second;
  }
  BlockIndex blocks(profile, of_group, entries_, model);
  std::map<feedback::Id, Moves> moves;
  for (const auto& row : profile.strides) moves[row.site] = moves_of(row, model);
  std::set<feedback::Id> modelled;
  for (const auto& row : profile.cache) {
    if (row.guessed) continue;
    modelled.insert(row.site);
    const auto at = of_group.find(row.group);
    if (at == of_group.end()) continue;
    const double misses = static_cast<double>(feedback::at_least(row.tlb, row.errors.tlb));
    const double ordered = misses * moves[row.site].ordered;
    ObjectFacts& facts = entries_[at->second].facts;
    facts.modelled_misses += misses;
    facts.l1_misses += static_cast<double>(feedback::at_least(row.l1, row.errors.l1));
    facts.l2_misses += static_cast<double>(feedback::at_least(row.l2, row.errors.l2));
    facts.ordered_misses += ordered;
    blocks.add(row.site, row.group, misses - ordered, &BlockFacts::modelled_misses);
  }
  for (const auto& row : profile.points_to) {
    const auto move = moves.find(row.site);
    if (move == moves.end()) continue;
    const bool in_model = modelled.contains(row.site);
    for (const auto& target : row.groups) {
      const auto at = of_group.find(target.group);
      if (at == of_group.end()) continue;
      const double changes = move->second.changes * static_cast<double>(target.count);
      const double ordered = changes * move->second.ordered;
      ObjectFacts& facts = entries_[at->second].facts;
      (in_model ? facts.modelled_changes : facts.page_changes) += changes;
      if (!in_model) facts.ordered_changes += ordered;
      blocks.add(row.site, target.group, changes - ordered,
                 in_model ? &BlockFacts::modelled_changes : &BlockFacts::page_changes);
    }
  }
  rank_walks(profile, of_group, entries_, model);
  plan_arenas(profile, of_group, entries_, model);
  const std::uint64_t small = small_bytes(entries_);
  for (Entry& entry : entries_) {
    entry.facts.small_bytes = small;
    entry.facts.watched = watched_name(entry.key, entry.facts);
  }
}

const ObjectFacts* AllocationIndex::find(const Key& key) const {
  const auto at = by_key_.find(key);
  return at == by_key_.end() ? nullptr : &entries_[at->second].facts;
}

}  // namespace memprof::decide
