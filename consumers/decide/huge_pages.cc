// huge_pages.cc - which allocation calls get an arena with huge pages.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Problem: a processor remembers the places of some 2000 pages of 4 KB.  Accesses
// that jump about in more than these 8 MB wait for the page tables, too, and the
// objects of one kind that malloc has mixed with all others need more pages and
// more lines than they would by themselves.
//
// Before:                              After (the rebuild, when the gates pass):
//
//   n = malloc (sizeof *n);              n = __mprt_hot_malloc (sizeof *n, &site);
//
// Gates, in this order; the first one that fails is the reason:
//
//   1. heap        objects of malloc, calloc, realloc, operator new, ...
//   2. span        what is alive at a time exceeds the reach of the TLB
//   3. misses      so many accesses change the page, of so many in all
//   4. size        a slab holds small objects, large ones have pages of their own;
//                  in between (mean size) neither helps
//   5. sparse      of large blocks, each small page is accessed some times
//
// Page changes.  A stride of s bytes leaves the page with chance |s| / 4096.
// Strides that the histogram of a site does not name are random ones.  Of the
// page changes in a group of span S, the share 1 - reach / S misses.  A profile
// with the module cache has the misses of a model for most sites instead.
//
// Example: isort with 2^25 keys: counters of 134 MB, 2^26 accesses at random of
// 2^28 in all.  Misses 2^26 * (1 - 8.4 / 134) = 62.9 million, 23 % of all accesses:
// taken.  The keys, read in order: 4 / 4096 of 2^26 accesses change the page,
// 0.02 % of all: refused.
#include "consumers/decide/huge_pages.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <set>

namespace memprof::decide {
namespace {

// As in runtime/use/arena.h: the largest object of a slab, the least block with
// huge pages of its own.
constexpr double k_largest_small = 32 << 10;
constexpr double k_least_large = 4 << 20;

std::string format(const char* text, double value) {
  char buffer[96];
  std::snprintf(buffer, sizeof buffer, text, value);
  return buffer;
}

std::string megabytes(double bytes) { return format("%.1f MB", bytes / 1e6); }

// Share of the executions that leave the page of the one before.
double page_changes(const feedback::Stride& row, unsigned page) {
  if (!row.executions) return 0;
  double changes = static_cast<double>(row.other);
  for (const auto& entry : row.histogram)
    changes += static_cast<double>(entry.count) *
               std::min(1.0, std::abs(static_cast<double>(entry.stride)) / page);
  return std::min(1.0, changes / static_cast<double>(row.executions));
}

ArenaAdvice refuse(ArenaAdvice advice, ArenaReason reason) {
  advice.reason = reason;
  return advice;
}

}  // namespace

bool routable(const std::string& allocator) {
  static const char* const known[] = {"malloc",        "calloc",         "realloc",
                                      "aligned_alloc", "posix_memalign", "operator new",
                                      "operator new[]"};
  return std::find(std::begin(known), std::end(known), allocator) != std::end(known);
}

// As class_of in runtime/use/arena.h: multiples of 16, from 1 KB on four sizes per
// doubling and a line more.
std::uint64_t slab_object_bytes(std::uint64_t bytes) {
  if (bytes > k_largest_small) return 0;
  if (bytes <= 1024) return std::max<std::uint64_t>(bytes + 15, 16) & ~std::uint64_t{15};
  const std::uint64_t step = std::bit_floor(bytes - 1) / 4;
  return (bytes + step - 1) / step * step + 64;
}

ArenaAdvice decide_huge_pages(const ObjectFacts& facts, const CostModel& model) {
  ArenaAdvice advice;
  advice.facts = facts;
  advice.reach = static_cast<std::uint64_t>(model.tlb_factor * static_cast<double>(model.tlb_bytes));
  if (facts.kind != feedback::GroupKind::heap) return refuse(advice, ArenaReason::not_heap);
  if (!routable(facts.allocator)) return refuse(advice, ArenaReason::wrapped);
  if (facts.span < advice.reach) return refuse(advice, ArenaReason::fits_tlb);
  advice.misses = facts.modelled_misses;
  if (facts.page_changes > 0)
    advice.misses += facts.page_changes * (1 - std::min(1.0, static_cast<double>(model.tlb_bytes) /
                                                                 static_cast<double>(facts.span)));
  advice.miss_share =
      advice.misses / std::max(1.0, static_cast<double>(facts.program_accesses));
  if (advice.misses < static_cast<double>(model.min_tlb_misses) ||
      advice.miss_share < model.min_tlb_share)
    return refuse(advice, ArenaReason::few_misses);
  const double mean =
      static_cast<double>(facts.bytes) / std::max(1.0, static_cast<double>(facts.objects));
  if (mean > k_largest_small && mean < k_least_large && model.tlb_factor > 0)
    return refuse(advice, ArenaReason::middle_size);
  const double pages = static_cast<double>(facts.span) / model.page_bytes;
  if (mean >= k_least_large && static_cast<double>(facts.accesses) < model.min_page_accesses * pages)
    return refuse(advice, ArenaReason::sparse);
  return refuse(advice, ArenaReason::taken);
}

const char* name(ArenaReason reason) {
  switch (reason) {
    case ArenaReason::taken: return "taken";
    case ArenaReason::not_heap: return "not-heap";
    case ArenaReason::wrapped: return "wrapped";
    case ArenaReason::fits_tlb: return "fits-tlb";
    case ArenaReason::middle_size: return "middle-size";
    case ArenaReason::sparse: return "sparse";
    case ArenaReason::few_misses: break;
  }
  return "few-misses";
}

std::string ArenaAdvice::text() const {
  const std::string refused = "no arena: ";
  const std::string span = "span " + megabytes(static_cast<double>(facts.span));
  const std::string objects =
      format("%.0f objects of ", static_cast<double>(facts.objects)) +
      format("%.0f bytes", static_cast<double>(facts.bytes) /
                               std::max(1.0, static_cast<double>(facts.objects)));
  const std::string rate =
      format(facts.modelled_misses > misses / 2 ? "%.0f misses of the TLB (modelled), " : "%.0f misses of the TLB, ",
             misses) +
      format("%.2f in 100 accesses", 100 * miss_share);
  switch (reason) {
    case ArenaReason::taken:
      return "site arena with huge pages: " + objects + ", " + span + ", " + rate;
    case ArenaReason::not_heap: return refused + "not from malloc";
    case ArenaReason::wrapped:
      return refused + "allocated by " + facts.allocator + ", which is not one that can be replaced";
    case ArenaReason::fits_tlb:
      return refused + span + " is less than " + megabytes(static_cast<double>(reach)) +
             ", which the TLB reaches";
    case ArenaReason::middle_size:
      return refused + objects + " are neither small nor large enough";
    case ArenaReason::sparse:
      return refused +
             format("%.0f accesses", static_cast<double>(facts.accesses)) +
             " are too few for " + span + ": huge pages would be hardly used";
    case ArenaReason::few_misses: break;
  }
  return refused + rate + " are too few";
}

ArenaIndex::ArenaIndex(const feedback::Profile& profile, const CostModel& model) {
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
    facts.objects += group.objects;
    facts.bytes += group.bytes;
    facts.span += group.span;
    facts.accesses += group.accesses;
    facts.program_accesses = profile.run.accesses;
    of_group[group.id] = at->second;
  }
  std::set<feedback::Id> modelled;
  for (const auto& row : profile.cache) {
    modelled.insert(row.site);
    if (const auto at = of_group.find(row.group); at != of_group.end())
      entries_[at->second].facts.modelled_misses += static_cast<double>(row.tlb);
  }
  std::map<feedback::Id, double> changes;
  for (const auto& row : profile.strides)
    if (!modelled.contains(row.site)) changes[row.site] = page_changes(row, model.page_bytes);
  for (const auto& row : profile.points_to)
    if (const auto share = changes.find(row.site); share != changes.end())
      for (const auto& target : row.groups)
        if (const auto at = of_group.find(target.group); at != of_group.end())
          entries_[at->second].facts.page_changes +=
              share->second * static_cast<double>(target.count);
}

const ObjectFacts* ArenaIndex::find(const Key& key) const {
  const auto at = by_key_.find(key);
  return at == by_key_.end() ? nullptr : &entries_[at->second].facts;
}

}  // namespace memprof::decide
