// co_allocation.cc - which allocation calls share an arena.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Problem: an allocator places objects in the order of the calls, so that what is used together
// lies apart: a key after the text that is hardly ever read, the nodes of a list among those of
// all others.
//
// Before:                              After (the rebuild, when the gates pass):
//
//   e = malloc (sizeof *e);              e = __mprt_hot_malloc (sizeof *e, &arena);
//   e->text = malloc (length);           e->text = malloc (length);
//   e->key = malloc (17);                e->key = __mprt_hot_malloc (17, &arena);
//
//   |entry|text.............|key|entry   |entry|key|entry|key|   |text|text|
//
// The module co_access has tried some sets of allocation calls in a model of the caches. A set of
// one is an arena for one call. Here
//
//   1. sets are left out that do not pass the gates
//   2. a set stays if it saves more than the best disjoint sets inside it together
//   3. of what stays, the largest sets become arenas
//
// What misses cost are estimates: an out-of-order processor hides a part, and other accesses, which
// the model does not see, take a part of the caches. Both make gains look larger than they are, so
// the gates ask for much.
//
// Gates of a set, in this order; the first one that fails is the reason:
//
//   1. heap        objects of malloc, calloc, realloc, operator new, ...
//   2. misses      it saves 0.8 million cycles and 2 % of all
//   3. gain        its misses cost 1.1 times as much before as after
//
// Example: entries and keys of a hash table, with a text between each two: lines fetched into L1
// {entry} 0.9 -> 0.9 million, {key} 0.9 -> 0.9, {entry, key} 1.8 -> 1.0: one arena for both.
//
// Papers: Savage and Jones, HALO, CGO 2020 (groups of allocation contexts by affinity); Chilimbi and
// Shaham, Cache-conscious coallocation of hot data streams, PLDI 2006 (co-allocation, evaluated before it is
// chosen); PreFix, CGO 2025 (objects of several sites in the order of their use).
#include "consumers/decide/co_allocation.h"

#include <algorithm>
#include <set>

#include "consumers/decide/huge_pages.h"
#include "consumers/decide/text.h"

namespace memprof::decide {
namespace {

using Misses = feedback::CoAccess::Misses;
using Calls = std::set<std::size_t>;  // of entries

constexpr std::uint64_t k_line = 64;

double cycles(const Misses& m, const CostModel& model) {
  return static_cast<double>(m.l1) * model.l1_miss_cycles +
         static_cast<double>(m.l2) * model.l2_miss_cycles +
         static_cast<double>(m.llc) * model.llc_miss_cycles;
}

void add(Misses& sum, const Misses& m) {
  sum.l1 += m.l1;
  sum.l2 += m.l2;
  sum.llc += m.llc;
}

// What an arena for some calls would save.
struct Plan {
  Calls calls;
  Misses before, after, ordered;
  double saved = 0;  // 0: the gates refuse it
  // The most that this set or disjoint ones inside it save, and which those are.
  double best = 0;
  std::vector<std::size_t> arenas;  // numbers of plans
};

double saved_cycles(const Misses& before, const Misses& after, const CostModel& model) {
  return cycles(before, model) - cycles(after, model);
}

struct Verdict {
  Reason reason = Reason::taken;
  Gate gate;  // of a refusal
};

Verdict judge(const Misses& before, const Misses& after, double program_cycles,
              const CostModel& model) {
  const double saved = saved_cycles(before, after, model);
  const double least = std::max(model.min_arena_cycles, model.min_arena_share * program_cycles);
  if (saved < least) return {Reason::few_misses, {"saved_cycles", saved, least}};
  const double most = cycles(before, model) / std::max(1e-9, model.min_arena_gain);
  if (cycles(after, model) > most)
    return {Reason::no_gain, {"miss_cycles", cycles(after, model), most, true}};
  return {};
}

// One plan for each set of calls, smaller sets first.
std::vector<Plan> plans_of(const feedback::Profile& profile,
                           const std::map<feedback::Id, std::size_t>& call_of) {
  std::map<Calls, Plan> plans;
  for (const feedback::CoAccess& row : profile.co_access) {
    Calls calls;
    for (const auto& member : row.groups)
      if (const auto at = call_of.find(member.group); at != call_of.end()) calls.insert(at->second);
    if (calls.empty()) continue;
    Plan& plan = plans[calls];
    plan.calls = calls;
    add(plan.before, row.before);
    add(plan.after, row.after);
    add(plan.ordered, row.ordered);
  }
  std::vector<Plan> all;
  for (auto& [calls, plan] : plans) all.push_back(std::move(plan));
  std::stable_sort(all.begin(), all.end(), [](const Plan& a, const Plan& b) {
    return a.calls.size() < b.calls.size();
  });
  return all;
}

bool disjoint(const Calls& a, const Calls& b) {
  return std::none_of(a.begin(), a.end(), [&](std::size_t call) { return b.contains(call); });
}

// Of the first COUNT plans, those inside INSIDE (null: all) that save the most and do not
// overlap.
Plan best_inside(const std::vector<Plan>& plans, std::size_t count, const Calls* inside) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < count; i++)
    if (plans[i].best > 0 && (!inside || std::includes(inside->begin(), inside->end(),
                                                       plans[i].calls.begin(), plans[i].calls.end())))
      order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return plans[a].best > plans[b].best;
  });
  Plan sum;
  for (const std::size_t i : order) {
    if (!disjoint(plans[i].calls, sum.calls)) continue;
    sum.calls.insert(plans[i].calls.begin(), plans[i].calls.end());
    sum.best += plans[i].best;
    sum.arenas.insert(sum.arenas.end(), plans[i].arenas.begin(), plans[i].arenas.end());
  }
  return sum;
}

// FNV-1a of the words for the calls: the same in all compiles of a program.
std::uint32_t number_of(const Calls& calls, const std::vector<AllocationIndex::Entry>& entries) {
  std::uint32_t hash = 0x811c9dc5;
  for (const std::size_t call : calls) {
    const AllocationIndex::Key& key = entries[call].key;
    const std::string text =
        key.file + ':' + std::to_string(key.line) + ':' + key.function + ':' + key.type + ';';
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x01000193;
  }
  return hash;
}

std::string place_of(const AllocationIndex::Key& key) {
  return key.file.substr(key.file.rfind('/') + 1) + ':' + std::to_string(key.line);
}

// What the calls of PLAN know about it.
void give(const Plan& plan, std::vector<AllocationIndex::Entry>& entries, double program_cycles) {
  std::uint64_t bytes = 0;
  for (const std::size_t call : plan.calls)
    bytes += entries[call].facts.objects * slab_bytes(entries[call].facts);
  const std::uint32_t number = number_of(plan.calls, entries);
  for (const std::size_t call : plan.calls) {
    ArenaFacts& facts = entries[call].facts.arena;
    facts.number = number;
    facts.before = plan.before;
    facts.after = plan.after;
    facts.program_cycles = program_cycles;
    facts.object_bytes = bytes / std::max<std::uint64_t>(1, entries[call].facts.objects);
    facts.others.clear();
    for (const std::size_t other : plan.calls)
      if (other != call) facts.others.push_back(place_of(entries[other].key));
  }
}

}  // namespace

void plan_arenas(const feedback::Profile& profile,
                 const std::map<feedback::Id, std::size_t>& call_of,
                 std::vector<AllocationIndex::Entry>& entries, const CostModel& model) {
  std::vector<Plan> plans = plans_of(profile, call_of);
  double program_cycles = static_cast<double>(profile.run.accesses);
  for (const Plan& plan : plans)
    if (plan.calls.size() == 1) program_cycles += cycles(plan.before, model);
  for (std::size_t i = 0; i < plans.size(); i++) {
    Plan& plan = plans[i];
    // A call that gets no arena with others is judged alone.
    if (plan.calls.size() == 1) {
      give(plan, entries, program_cycles);
      ArenaFacts& facts = entries[*plan.calls.begin()].facts.arena;
      facts.alone_before = plan.before;
      facts.ordered = plan.ordered;
    }
    const bool all_placeable = std::all_of(plan.calls.begin(), plan.calls.end(), [&](std::size_t call) {
      return placeable(entries[call].facts);
    });
    if (all_placeable && judge(plan.before, plan.after, program_cycles, model).reason == Reason::taken)
      plan.saved = saved_cycles(plan.before, plan.after, model);
    const Plan inside = best_inside(plans, i, &plan.calls);
    plan.best = std::max(plan.saved, inside.best);
    plan.arenas = plan.saved > inside.best ? std::vector<std::size_t>{i} : inside.arenas;
  }
  for (const std::size_t i : best_inside(plans, plans.size(), nullptr).arenas)
    give(plans[i], entries, program_cycles);
}

namespace {

std::string fetched(const Misses& before, const Misses& after) {
  return format("lines fetched into L1 %.0f", static_cast<double>(before.l1)) +
         format(" before, %.0f after, ", static_cast<double>(after.l1)) +
         format("into L2 %.0f", static_cast<double>(before.l2)) +
         format(" before, %.0f after (modelled)", static_cast<double>(after.l2));
}

std::string text_of(Reason reason, const ObjectFacts& facts, const CostModel& model) {
  const ArenaFacts& arena = facts.arena;
  const std::string evidence = fetched(arena.before, arena.after);
  const double saved = saved_cycles(arena.before, arena.after, model);
  const std::string worth =
      format("%.1f million cycles", saved / 1e6) +
      format(", %.1f in 100", 100 * saved / std::max(1.0, arena.program_cycles));
  if (reason == Reason::taken) {
    std::string with;
    for (const std::string& other : arena.others)
      with += (with.empty() ? "arena shared with " : ", ") + other;
    return (with.empty() ? "arena of its own" : with) + ": " + evidence + ", worth " + worth;
  }
  if (std::string text = no_arena_text(reason, facts); !text.empty()) return text;
  if (reason == Reason::no_gain) return evidence + ": hardly fewer";
  return saved <= 0 ? evidence + ": not fewer" : evidence + ": worth only " + worth;
}

// Whether the objects are to begin in the middle of a line each, as malloc's do; see
// runtime/arena/arena.h. Objects of several calls are best in one line.
bool across_lines(const ObjectFacts& facts) {
  return facts.arena.others.empty() && facts.arena.object_bytes == k_line &&
         (neighbours_together(facts) || facts.l1_misses == 0);
}

}  // namespace

Decision decide_co_allocation(const Candidate& candidate, const ObjectFacts& measured,
                              const AllocationCode* code, const CostModel& model) {
  const ObjectFacts facts = of_call(measured, code);
  const ArenaFacts& arena = facts.arena;
  std::uint64_t first = 0;
  Verdict verdict = judge(arena.before, arena.after, arena.program_cycles, model);
  if (!placeable(facts)) verdict = {Reason::wrapped, {}};
  if (facts.kind != feedback::GroupKind::heap) verdict = {Reason::not_heap, {}};
  const Reason reason = verdict.reason;
  Decision decision = conclude(candidate, Transformation::co_allocation, reason,
                               text_of(reason, facts, model));
  if (decision.take() && across_lines(facts)) {
    decision.text += ", each in halves of two lines";
    first = k_line / 2;
  }
  const double after = arena.program_cycles - saved_cycles(arena.before, arena.after, model);
  if (decision.take() && after > 0) decision.gain = arena.program_cycles / after;
  decision.numbers = {{"calls", static_cast<std::uint64_t>(arena.others.size() + 1)},
                      {"arena", static_cast<std::uint64_t>(arena.number)},
                      {"accesses", facts.accesses},
                      {"l1_before", arena.before.l1},
                      {"l1_after", arena.after.l1},
                      {"l2_before", arena.before.l2},
                      {"l2_after", arena.after.l2},
                      {"llc_before", arena.before.llc},
                      {"llc_after", arena.after.llc},
                      {"saved_cycles", saved_cycles(arena.before, arena.after, model)}};
  if (decision.refused()) decision.gate = verdict.gate;
  if (first != 0) decision.numbers.push_back({"first", first});
  return decision;
}

bool shares_arena(const ObjectFacts& facts, const CostModel& model) {
  return model.shared_arenas && facts.arena.number != 0 &&
         decide_co_allocation({}, facts, nullptr, model).take();
}

std::string order_advice(const ObjectFacts& facts, const CostModel& model) {
  const ArenaFacts& arena = facts.arena;
  // Of this call alone; what an arena of the rebuild saves is not saved again.
  const Misses& now = cycles(arena.after, model) < cycles(arena.alone_before, model)
                          ? arena.after
                          : arena.alone_before;
  if (arena.ordered.l1 == 0 ||
      judge(now, arena.ordered, arena.program_cycles, model).reason != Reason::taken ||
      cycles(arena.ordered, model) > model.max_ordered_share * cycles(now, model))
    return {};
  return "visited in another order than allocated: sort, pool or reorder the objects; in the "
         "order of the visits: " +
         fetched(arena.alone_before, arena.ordered);
}

}  // namespace memprof::decide
