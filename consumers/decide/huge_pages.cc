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
//   6. repaid      misses * 40 cycles are 1.5 times what the first touch of the
//                  huge pages takes, 100,000 cycles each
//
// Blocks.  A program gets most of its large blocks through one call, in a function
// that ends it when there is no memory: the table that is looked up at random
// as well as the lists that are read in order.  Huge pages for the lists are a first
// touch for nothing.  So gates 5 and 6 are for each block where there are at most
// 64, known by their serial numbers: those of the objects that LMADs hold.  The
// rebuild counts the objects of the call in the same way.
//
// Order.  Who reads a block line by line changes the page, too, but the processor
// has fetched the first line of the next one by then, and looked it up for that.
// Gate 6 of blocks leaves these misses out: of the page changes of a site, those
// by a line or less.
//
// Page changes.  A stride of s bytes leaves the page with chance |s| / 4096.
// Strides that the histogram of a site does not name are random ones.  Of the
// page changes in a group of span S, the share 1 - reach / S misses.  A profile
// with the module cache has the misses of a model for most sites instead.
//
// Example: isort with 2^25 keys: counters of 134 MB, 2^26 accesses at random of
// 2^28 in all.  Misses 2^26 * (1 - 8.4 / 134) = 62.9 million, 23 % of all accesses:
// taken: 2.5 billion cycles for 64 pages, 6.4 million.  The keys, read in order, from
// the same call: no miss that counts, so that the counters get huge pages alone.
#include "consumers/decide/huge_pages.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <set>

#include "consumers/decide/block_index.h"

namespace memprof::decide {
namespace {

// As in runtime/arena/arena.h: the largest object of a slab, the least block with
// huge pages of its own.
constexpr double k_largest_small = 32 << 10;
constexpr double k_least_large = 4 << 20;

std::string format(const char* text, double value) {
  char buffer[96];
  std::snprintf(buffer, sizeof buffer, text, value);
  return buffer;
}

std::string megabytes(double bytes) { return format("%.1f MB", bytes / 1e6); }

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

// The part of the misses that SPAN bytes leave of PAGE_CHANGES.
double changes_that_miss(double page_changes, std::uint64_t span, const CostModel& model) {
  if (page_changes <= 0) return 0;
  return page_changes * (1 - std::min(1.0, static_cast<double>(model.tlb_bytes) /
                                               static_cast<double>(span)));
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

// As class_of in runtime/arena/arena.h: multiples of 16, from 1 KB on four sizes per
// doubling and a line more.
std::uint64_t slab_object_bytes(std::uint64_t bytes) {
  if (bytes > k_largest_small) return 0;
  if (bytes <= 1024) return std::max<std::uint64_t>(bytes + 15, 16) & ~std::uint64_t{15};
  const std::uint64_t step = std::bit_floor(bytes - 1) / 4;
  return (bytes + step - 1) / step * step + 64;
}

namespace {

// Adds BYTES in huge pages and the misses that they spare to what ADVICE compares;
// whether these alone repay.
bool add_pages(ArenaAdvice& advice, double bytes, double misses, const CostModel& model) {
  const double pages = std::ceil(bytes / static_cast<double>(model.huge_page_bytes));
  const double saved = misses * model.tlb_miss_cycles;
  const double touch = pages * model.huge_page_cycles;
  advice.pages += static_cast<std::uint64_t>(pages);
  advice.saved_cycles += saved;
  advice.touch_cycles += touch;
  return saved >= model.min_repaid * touch;
}

bool dense(std::uint64_t accesses, std::uint64_t bytes, const CostModel& model) {
  return static_cast<double>(accesses) * model.page_bytes >=
         model.min_page_accesses * static_cast<double>(bytes);
}

// Gates 4 to 6 for each of the blocks.
ArenaAdvice decide_blocks(ArenaAdvice advice, const CostModel& model) {
  const ObjectFacts& facts = advice.facts;
  ArenaAdvice chosen = advice, all = advice;
  chosen.blocks = 0;
  bool large = false, some_large = false, left = false;
  for (std::size_t i = 0; i < facts.blocks.size(); i++) {
    const BlockFacts& block = facts.blocks[i];
    const double misses =
        block.modelled_misses + changes_that_miss(block.page_changes, facts.span, model);
    const double bytes = static_cast<double>(block.bytes);
    some_large |= bytes >= k_least_large;
    add_pages(all, bytes, misses, model);
    ArenaAdvice alone = advice;
    if (!block.bytes) continue;  // never touched
    if (!add_pages(alone, bytes, misses, model) ||
        !dense(block.accesses, block.bytes, model)) {
      left = true;
      continue;
    }
    add_pages(chosen, bytes, misses, model);
    chosen.blocks |= std::uint64_t{1} << i;
    large |= bytes >= k_least_large;
  }
  if (!some_large) return refuse(std::move(all), ArenaReason::middle_size);
  if (!large) {
    all.blocks = 0;
    return refuse(std::move(all), ArenaReason::unrepaid);
  }
  if (!left) chosen.blocks = k_all_blocks;
  return refuse(std::move(chosen), ArenaReason::taken);
}

}  // namespace

ArenaAdvice decide_huge_pages(const ObjectFacts& facts, const CostModel& model) {
  ArenaAdvice advice;
  advice.facts = facts;
  advice.reach = static_cast<std::uint64_t>(model.tlb_factor * static_cast<double>(model.tlb_bytes));
  if (facts.kind != feedback::GroupKind::heap) return refuse(advice, ArenaReason::not_heap);
  if (!routable(facts.allocator)) return refuse(advice, ArenaReason::wrapped);
  if (facts.span < advice.reach) return refuse(advice, ArenaReason::fits_tlb);
  advice.misses = facts.modelled_misses + changes_that_miss(facts.page_changes, facts.span, model);
  advice.miss_share =
      advice.misses / std::max(1.0, static_cast<double>(facts.program_accesses));
  if (advice.misses < static_cast<double>(model.min_tlb_misses) ||
      advice.miss_share < model.min_tlb_share)
    return refuse(advice, ArenaReason::few_misses);
  const double mean =
      static_cast<double>(facts.bytes) / std::max(1.0, static_cast<double>(facts.objects));
  const bool everything = model.tlb_factor <= 0;
  if (!facts.blocks.empty() && mean > k_largest_small && !everything)
    return decide_blocks(std::move(advice), model);
  if (mean > k_largest_small && mean < k_least_large && !everything)
    return refuse(advice, ArenaReason::middle_size);
  if (mean >= k_least_large && !dense(facts.accesses, facts.span, model))
    return refuse(advice, ArenaReason::sparse);
  double misses = advice.misses;
  if (mean >= k_least_large)
    misses = facts.modelled_misses - facts.ordered_misses +
             changes_that_miss(facts.page_changes - facts.ordered_changes, facts.span, model);
  const bool repaid = add_pages(advice, static_cast<double>(facts.span), misses, model);
  return refuse(advice, repaid ? ArenaReason::taken : ArenaReason::unrepaid);
}

const char* name(ArenaReason reason) {
  switch (reason) {
    case ArenaReason::taken: return "taken";
    case ArenaReason::not_heap: return "not-heap";
    case ArenaReason::wrapped: return "wrapped";
    case ArenaReason::fits_tlb: return "fits-tlb";
    case ArenaReason::middle_size: return "middle-size";
    case ArenaReason::sparse: return "sparse";
    case ArenaReason::unrepaid: return "unrepaid";
    case ArenaReason::few_misses: break;
  }
  return "few-misses";
}

// Of which objects, when it is not all.
static std::string blocks_text(const ArenaAdvice& advice) {
  if (advice.blocks == k_all_blocks) return "";
  std::string numbers;
  for (unsigned i = 0; i < k_max_blocks; i++)
    if (advice.blocks >> i & 1) numbers += (numbers.empty() ? " " : ", ") + std::to_string(i + 1);
  return "; only for number" + numbers + " of them";
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
  const std::string touch = format("worth %.1f million cycles, first touch of ", saved_cycles / 1e6) +
                            format("%.0f huge pages ", static_cast<double>(pages)) +
                            format("%.1f", touch_cycles / 1e6);
  switch (reason) {
    case ArenaReason::taken:
      return "site arena with huge pages: " + objects + ", " + span + ", " + rate + ", " + touch +
             blocks_text(*this);
    case ArenaReason::unrepaid:
      return refused + objects + ", " + span + ", " + rate + "; without what is read in order " + touch +
             ": not repaid";
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
  BlockIndex blocks(profile, of_group, entries_, model);
  std::map<feedback::Id, Moves> moves;
  for (const auto& row : profile.strides) moves[row.site] = moves_of(row, model);
  std::set<feedback::Id> modelled;
  for (const auto& row : profile.cache) {
    modelled.insert(row.site);
    const auto at = of_group.find(row.group);
    if (at == of_group.end()) continue;
    const double misses = static_cast<double>(row.tlb);
    const double ordered = misses * moves[row.site].ordered;
    ObjectFacts& facts = entries_[at->second].facts;
    facts.modelled_misses += misses;
    facts.ordered_misses += ordered;
    blocks.add(row.site, row.group, misses - ordered, &BlockFacts::modelled_misses);
  }
  for (const auto& row : profile.points_to) {
    const auto move = moves.find(row.site);
    if (move == moves.end() || modelled.contains(row.site)) continue;
    for (const auto& target : row.groups) {
      const auto at = of_group.find(target.group);
      if (at == of_group.end()) continue;
      const double changes = move->second.changes * static_cast<double>(target.count);
      const double ordered = changes * move->second.ordered;
      ObjectFacts& facts = entries_[at->second].facts;
      facts.page_changes += changes;
      facts.ordered_changes += ordered;
      blocks.add(row.site, target.group, changes - ordered, &BlockFacts::page_changes);
    }
  }
}

const ObjectFacts* ArenaIndex::find(const Key& key) const {
  const auto at = by_key_.find(key);
  return at == by_key_.end() ? nullptr : &entries_[at->second].facts;
}

}  // namespace memprof::decide
