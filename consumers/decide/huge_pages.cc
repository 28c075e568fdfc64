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
//   3. misses      the share of accesses that change the page
//   4. size        a slab holds small objects, large ones have pages of their own;
//                  in between (mean size) neither helps
//   5. sparse      of large blocks, each small page is accessed some times, and half of them were in
//                  memory when the program ended
//   6. repaid      misses * 40 cycles are 1.5 times what the first touch of the
//                  huge pages takes, 100,000 cycles each
//
// Where 2, 3 or 6 fails, an arena may still pay since its objects lie closer together and dead
// ones are reused sooner (slab_worth.h).
//
// Blocks.  A program gets most of its large blocks through one call, in a function
// that ends it when there is no memory: the table that is looked up at random
// as well as the lists that are read in order.  Huge pages for the lists are a first
// touch for nothing.  So gates 5 and 6 are for each block where there are at most
// 64, known by their serial numbers: those of the objects that LMADs hold.  The
// rebuild counts the objects of the call in the same way.
//
// With the module pages, gate 6 of a block is the rule of Chen et al. instead: whether it is one of
// the hottest by walks that read memory (walk_rank.cc).
//
// Order.  A site that reads a block line by line changes the page, too, but the processor
// has fetched the first line of the next one by then, and looked it up for that.
// Gate 6 of blocks leaves these misses out: of the page changes of a site, those
// by a line or less.
//
// Page changes.  A stride of s bytes leaves the page with chance |s| / 4096.
// Strides that the histogram of a site does not name are random ones.  Of the
// page changes in a group of span S, the share 1 - reach / S misses.  A profile
// with the module cache has the misses of a model for most sites instead.
//
// Objects of one line.  Objects of 64 bytes begin in the middle of a line where neighbours
// are visited together, see runtime/arena/arena.h: where each page that is visited
// brings four lines or more, so that L2 misses four times as often as the TLB.
//
// Example: isort with 2^25 keys: counters of 134 MB, 2^26 accesses at random of
// 2^28 in all.  Misses 2^26 * (1 - 8.4 / 134) = 62.9 million, 23 % of all accesses:
// taken: 2.5 billion cycles for 64 pages, 6.4 million.  The keys, read in order, from
// the same call: no miss that counts, so that the counters get huge pages alone.
#include "consumers/decide/huge_pages.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <optional>
#include <type_traits>

#include "consumers/decide/block_index.h"
#include "consumers/decide/machine.h"
#include "consumers/decide/slab_worth.h"
#include "consumers/decide/text.h"
#include "consumers/decide/whole.h"

namespace memprof::decide {
namespace {

// The allocator of a call that is not the profile's.
constexpr char k_another_function[] = "another function";

// As in runtime/arena/arena.h: the largest object of a slab, the least block with
// huge pages of its own.
constexpr double k_largest_small = 32 << 10;
constexpr double k_least_large = 4 << 20;
constexpr std::uint64_t k_line = 64;
// Misses of L2 for each of the TLB, where neighbours are visited together.
constexpr double k_neighbours = 4;

// A decision in the making.
struct Draft {
  Reason reason = Reason::few_misses;
  ObjectFacts facts;
  double scale = 1;  // of the input, against the profile's
  // Which large objects of the call, by serial number (bit 0: the first); those
  // after the last bit get no huge pages.
  std::uint64_t blocks = k_all_blocks;
  double misses = 0;        // of the TLB, expected
  double miss_share = 0;    // of the accesses of the whole program
  std::uint64_t reach = 0;  // bytes that the span was compared with
  // Of the objects that get them, or would: pages, and cycles that the misses
  // take and that the first touch of the pages does.
  std::uint64_t pages = 0;
  double saved_cycles = 0, touch_cycles = 0;
  std::optional<SlabWorth> slabs;  // it is for these that the arena pays
  Gate gate;
};

std::string megabytes(double bytes) { return format("%.1f MB", bytes / 1e6); }

// The part of the misses that SPAN bytes leave of PAGE_CHANGES.
double changes_that_miss(double page_changes, std::uint64_t span, const CostModel& model) {
  if (page_changes <= 0) return 0;
  return page_changes *
         share_beyond(static_cast<double>(model.tlb_bytes), static_cast<double>(span));
}

// MISSES of what holds THEN bytes, on the machine and with the inputs that MODEL assumes,
// where NOW bytes are held; SPAN: in the profile; MOST: accesses that might miss, there.
double moved_misses(double misses, std::uint64_t then, std::uint64_t now, std::uint64_t span,
                    double most, const CostModel& model) {
  const double bytes = static_cast<double>(span), reach = static_cast<double>(now);
  return model.input_scale * moved_share(misses, then ? static_cast<double>(then) : reach, bytes,
                                         reach, bytes * model.input_scale, std::max(misses, most));
}

// FACTS for the inputs that are assumed: large objects grow, small ones are more, and each
// is accessed as often.
ObjectFacts at_scale(ObjectFacts facts, const CostModel& model) {
  const std::uint64_t span = facts.span;
  const auto grow = [&](auto&... counts) {
    const auto grown = [&](auto count) {
      const double value = static_cast<double>(count) * model.input_scale;
      if constexpr (std::is_same_v<decltype(count), double>)
        return value;
      else
        return whole(value);
    };
    ((counts = grown(counts)), ...);
  };
  // What L2 holds because it was accessed shortly before, the TLB does, too.
  facts.l2_misses = moved_misses(facts.l2_misses, model.modelled_l2_bytes, model.l2_bytes, span,
                                 facts.l1_misses, model);
  const double local = std::min(
      1.0, facts.l2_misses / model.input_scale / std::max(1.0, facts.modelled_changes));
  const auto moved = [&](double misses, double changes) {
    return moved_misses(misses, model.modelled_tlb_bytes, model.tlb_bytes, span, changes * local,
                        model);
  };
  facts.modelled_misses = moved(facts.modelled_misses, facts.modelled_changes);
  for (BlockFacts& block : facts.blocks) {
    block.modelled_misses = moved(block.modelled_misses, block.modelled_changes);
    grow(block.bytes, block.accesses, block.page_changes);
  }
  if (facts.bytes <= k_largest_small * static_cast<double>(facts.objects)) grow(facts.objects);
  grow(facts.bytes, facts.span, facts.small_bytes, facts.accesses, facts.program_accesses, facts.page_changes,
       facts.ordered_misses, facts.ordered_changes);
  return facts;
}

// GATE: what was compared, if it was numbers.
Draft refuse(Draft draft, Reason reason, Gate gate = {}) {
  draft.reason = reason;
  draft.gate = std::move(gate);
  return draft;
}
Draft unrepaid(Draft draft, const CostModel& model) {
  Gate gate{"saved_cycles", draft.saved_cycles, model.min_repaid * draft.touch_cycles};
  return refuse(std::move(draft), Reason::unrepaid, std::move(gate));
}

}  // namespace

bool replaceable(const std::string& allocator) {
  static const char* const known[] = {"malloc", "calloc", "realloc", "operator new",
                                      "operator new[]"};
  return aligned(allocator) ||
         std::find(std::begin(known), std::end(known), allocator) != std::end(known);
}

bool wrapper(const std::string& allocator) {
  static const char* const others[] = {"reallocarray", "valloc", "pvalloc", "strdup", "strndup", "mmap",
                                       "mmap64", "mremap", "shmat", "_gfortran_allocate",
                                       k_another_function};
  return !allocator.empty() && !replaceable(allocator) &&
         std::find(std::begin(others), std::end(others), allocator) == std::end(others);
}

bool placeable(const ObjectFacts& facts) {
  return replaceable(facts.allocator) || (wrapper(facts.allocator) && !facts.carved);
}

bool aligned(const std::string& allocator) {
  return allocator == "aligned_alloc" || allocator == "posix_memalign" || allocator == "memalign";
}

ObjectFacts of_call(ObjectFacts facts, const AllocationCode* code) {
  if (code && code->replaceable != replaceable(facts.allocator))
    facts.allocator = code->replaceable ? "malloc" : k_another_function;
  return facts;
}

std::string no_arena_text(Reason reason, const ObjectFacts& facts) {
  if (reason == Reason::not_heap) return "not from malloc";
  if (reason == Reason::wrapped)
    return "allocated by " + facts.allocator + ", which is not one that can be replaced";
  return {};
}

bool neighbours_together(const ObjectFacts& facts) {
  return facts.l2_misses > k_neighbours * facts.modelled_misses;
}

double accesses_per_page(std::uint64_t accesses, std::uint64_t bytes, const CostModel& model) {
  return static_cast<double>(accesses) * model.page_bytes / static_cast<double>(bytes);
}

bool dense(std::uint64_t accesses, std::uint64_t bytes, const CostModel& model) {
  return bytes == 0 || accesses_per_page(accesses, bytes, model) >= model.min_page_accesses;
}

// As class_of in runtime/arena/arena.h: multiples of 16, from 1 KB on four sizes per
// doubling and a line more.
std::uint64_t slab_object_bytes(std::uint64_t bytes) {
  if (bytes > k_largest_small) return 0;
  if (bytes <= 1024) return std::max<std::uint64_t>(bytes + 15, 16) & ~std::uint64_t{15};
  const std::uint64_t step = std::bit_floor(bytes - 1) / 4;
  return (bytes + step - 1) / step * step + 64;
}

std::uint64_t slab_bytes(const ObjectFacts& facts) {
  return facts.objects ? slab_object_bytes(facts.bytes / facts.objects) : 0;
}

bool too_few_misses(Reason reason) {
  return reason == Reason::fits_tlb || reason == Reason::few_misses || reason == Reason::unrepaid;
}

namespace {

// Adds BYTES in huge pages and the misses that they spare to what ADVICE compares;
// whether these alone repay.
bool add_pages(Draft& draft, double bytes, double misses, const CostModel& model) {
  const double pages = std::ceil(bytes / static_cast<double>(model.huge_page_bytes));
  const double saved = misses * model.tlb_miss_cycles;
  const double touch = pages * model.huge_page_cycles;
  draft.pages += whole(pages);
  draft.saved_cycles += saved;
  draft.touch_cycles += touch;
  return saved >= model.min_repaid * touch;
}

// Gates 4 to 6 for each of the blocks.
Draft decide_blocks(Draft draft, const CostModel& model) {
  const ObjectFacts& facts = draft.facts;
  Draft chosen = draft, all = draft;
  chosen.blocks = 0;
  bool large = false, left = false;
  double largest = 0;
  for (std::size_t i = 0; i < facts.blocks.size(); i++) {
    const BlockFacts& block = facts.blocks[i];
    const double misses =
        block.modelled_misses + changes_that_miss(block.page_changes, facts.span, model);
    const double bytes = static_cast<double>(block.bytes);
    largest = std::max(largest, bytes);
    add_pages(all, bytes, misses, model);
    Draft alone = draft;
    if (!block.bytes) continue;  // never touched
    const bool repaid = add_pages(alone, bytes, misses, model);
    if (!(facts.hot_blocks ? (*facts.hot_blocks >> i & 1) != 0 : repaid) ||
        !dense(block.accesses, block.bytes, model)) {
      left = true;
      continue;
    }
    add_pages(chosen, bytes, misses, model);
    chosen.blocks |= std::uint64_t{1} << i;
    large |= bytes >= k_least_large;
  }
  if (largest < k_least_large)
    return refuse(std::move(all), Reason::middle_size, {"object_bytes", largest, k_least_large});
  if (!large) {
    all.blocks = 0;
    return unrepaid(std::move(all), model);
  }
  if (!left) chosen.blocks = k_all_blocks;
  return refuse(std::move(chosen), Reason::taken);
}

// Gates 1 to 6.
Draft decide_misses(Draft draft, const CostModel& model) {
  const ObjectFacts& facts = draft.facts;
  draft.reach = whole(model.tlb_factor * static_cast<double>(model.tlb_bytes));
  if (facts.kind != feedback::GroupKind::heap) return refuse(draft, Reason::not_heap);
  if (!placeable(facts)) return refuse(draft, Reason::wrapped);
  if (facts.span < draft.reach)
    return refuse(draft, Reason::fits_tlb,
                  {"span", static_cast<double>(facts.span), static_cast<double>(draft.reach)});
  draft.misses = facts.modelled_misses + changes_that_miss(facts.page_changes, facts.span, model);
  draft.miss_share =
      draft.misses / std::max(1.0, static_cast<double>(facts.program_accesses));
  if (const double least = static_cast<double>(model.min_tlb_misses); draft.misses < least)
    return refuse(draft, Reason::few_misses, {"misses", draft.misses, least});
  if (draft.miss_share < model.min_tlb_share)
    return refuse(draft, Reason::few_misses, {"miss_share", draft.miss_share, model.min_tlb_share});
  const double mean =
      static_cast<double>(facts.bytes) / std::max(1.0, static_cast<double>(facts.objects));
  const bool everything = model.tlb_factor <= 0;
  if (mean >= k_least_large && hollow(facts.large, facts.resident))
    return refuse(draft, Reason::sparse,
                  {"resident_bytes", static_cast<double>(facts.resident),
                   static_cast<double>(facts.large) / 2});
  if (!facts.blocks.empty() && mean > k_largest_small && !everything)
    return decide_blocks(std::move(draft), model);
  if (mean > k_largest_small && mean < k_least_large && !everything)
    return refuse(draft, Reason::middle_size, {"object_bytes", mean, k_least_large});
  if (mean >= k_least_large && !dense(facts.accesses, facts.span, model))
    return refuse(draft, Reason::sparse,
                  {"page_accesses", accesses_per_page(facts.accesses, facts.span, model),
                   model.min_page_accesses});
  double misses = draft.misses;
  if (mean >= k_least_large)
    misses = facts.modelled_misses - facts.ordered_misses +
             changes_that_miss(facts.page_changes - facts.ordered_changes, facts.span, model);
  const bool repaid = add_pages(draft, static_cast<double>(facts.span), misses, model);
  return repaid ? refuse(draft, Reason::taken) : unrepaid(draft, model);
}

Draft draft_of(const ObjectFacts& measured, const CostModel& model) {
  Draft draft;
  draft.facts = measured.span ? at_scale(measured, model) : measured;
  draft.scale = model.input_scale;
  draft = decide_misses(std::move(draft), model);
  if (!too_few_misses(draft.reason)) return draft;
  const SlabWorth worth = slab_worth(draft.facts, model);
  if (!repays(worth, draft.facts, model)) return draft;
  draft.slabs = worth;
  draft.saved_cycles = worth.cycles();
  draft.touch_cycles = 0, draft.pages = 0;
  return refuse(std::move(draft), Reason::taken);
}

// Of which objects, when it is not all.
std::string blocks_text(const Draft& draft) {
  if (draft.blocks == k_all_blocks) return "";
  std::string numbers;
  for (unsigned i = 0; i < k_max_blocks; i++)
    if (draft.blocks >> i & 1) numbers += (numbers.empty() ? " " : ", ") + std::to_string(i + 1);
  return "; only for number" + numbers + " of them";
}

std::string span_text(const Draft& draft) {
  const std::string span = "span " + megabytes(static_cast<double>(draft.facts.span));
  return draft.scale == 1
             ? span
             : span + format(" with inputs %.0f times as large as in the profile", draft.scale);
}

std::string objects_text(const ObjectFacts& facts) {
  return format("%.0f objects of ", static_cast<double>(facts.objects)) +
         format("%.0f bytes", static_cast<double>(facts.bytes) /
                                  std::max(1.0, static_cast<double>(facts.objects)));
}

std::string misses_text(const Draft& draft) {
  return format(draft.facts.modelled_misses > draft.misses / 2
                    ? "%.0f misses of the TLB (modelled), "
                    : "%.0f misses of the TLB, ",
                draft.misses) +
         format("%.2f in 100 accesses", 100 * draft.miss_share);
}

// Whether the objects are to begin in the middle of a line each.
bool across_lines(const ObjectFacts& facts) {
  return neighbours_together(facts) && slab_bytes(facts) == k_line;
}

std::string touch_text(const Draft& draft) {
  return format("worth %.1f million cycles, first touch of ", draft.saved_cycles / 1e6) +
         format("%.0f huge pages ", static_cast<double>(draft.pages)) +
         format("%.1f", draft.touch_cycles / 1e6);
}

std::string text_of(const Draft& draft) {
  const ObjectFacts& facts = draft.facts;
  const std::string evidence =
      objects_text(facts) + ", " + span_text(draft) + ", " + misses_text(draft);
  switch (draft.reason) {
    case Reason::taken:
      if (draft.slabs)
        return "site arena: " + objects_text(facts) + ", " + span_text(draft) +
               format(", %.0f %% denser than", 100 * draft.slabs->denser) +
               format(" in malloc's heap, %.0f of them where others have died, ", draft.slabs->reused) +
               format("worth %.1f million cycles", draft.saved_cycles / 1e6);
      return "site arena with huge pages: " + evidence + ", " + touch_text(draft) +
             blocks_text(draft) +
             (across_lines(facts) ? ", each in halves of two lines because neighbours are "
                                    "visited together"
                                  : "");
    case Reason::unrepaid:
      return evidence + "; without what is read in order " + touch_text(draft) + ": not repaid";
    case Reason::not_heap:
    case Reason::wrapped: return no_arena_text(draft.reason, facts);
    case Reason::fits_tlb:
      return span_text(draft) + " is less than " + megabytes(static_cast<double>(draft.reach)) +
             ", which the TLB reaches";
    case Reason::middle_size:
      return objects_text(facts) + " are neither small nor large enough";
    case Reason::sparse:
      if (hollow(facts.large, facts.resident))
        return megabytes(static_cast<double>(facts.resident)) + " of " +
               megabytes(static_cast<double>(facts.large)) +
               " were in memory when the program ended: huge pages would need more";
      return format("%.0f accesses", static_cast<double>(facts.accesses)) + " are too few for " +
             span_text(draft) + ": huge pages would be hardly used";
    default: break;
  }
  return misses_text(draft) + " are too few";
}

}  // namespace

Decision decide_huge_pages(const Candidate& candidate, const ObjectFacts& measured,
                           const AllocationCode* code, const CostModel& model) {
  const Draft draft = draft_of(of_call(measured, code), model);
  Decision decision = conclude(candidate, Transformation::huge_pages, draft.reason,
                               text_of(draft));
  if (decision.refused()) decision.gate = draft.gate;
  decision.numbers = {{"objects", draft.facts.objects},
                      {"span", draft.facts.span},
                      {"accesses", draft.facts.accesses},
                      {"tlb_bytes", model.tlb_bytes},
                      {"input_scale", model.input_scale},
                      {"misses", draft.misses},
                      {"pages", draft.pages},
                      {"saved_cycles", draft.saved_cycles},
                      {"touch_cycles", draft.touch_cycles}};
  if (const std::uint64_t bytes = slab_bytes(draft.facts))
    decision.numbers.push_back({"slab_bytes", bytes});
  if (across_lines(draft.facts)) decision.numbers.push_back({"first", k_line / 2});
  if (draft.blocks != k_all_blocks) decision.numbers.push_back({"blocks", draft.blocks});
  return decision;
}

}  // namespace memprof::decide
