// versioning.cc - which loops get a copy whose loads and stores never meet.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Problem: a store that may be to the bytes of a later load keeps that load
// where it is.  It cannot be moved before the loop, nor past the store,
// nor be made a vector together with its neighbours.  In nearly all loops the
// two never meet, but only the profile knows in which.
//
//   for (i = 0; i < s->n; i++)        if (bytes s->p[0 .. s->n) hold neither
//     s->p[i] ^= s->key;                  s->n nor s->p nor s->key)
//                                       n = s->n, p = s->p, key = s->key;
//                                       for (i = 0; i < n; i++)   // vectors
//                                         p[i] ^= key;
//                                     else
//                                       the loop as it was
//
// The check makes it right for every input; the decision is only about time.
// Gates, in this order; the first one that fails is the reason:
//
//   1. executions  iterations of the loop that make it matter at all
//   2. code        what prevents it is named
//   3. pairs       no pair meets in more than 2 % of the executions of its sink
//                  within one entry of the loop, in the same iteration or from
//                  an earlier one.  What was written before the loop was
//                  entered does not count: the check does not fail for it.  In a
//                  sampled profile the inferred dependences of a pair may be
//                  more, and it does not say whether they were within an entry
//                  (entries so short that bursts saw them whole aside: what
//                  meets within one was measured).  Mostly they were not: an image
//                  is read that the pass before wrote.  So half of the entries
//                  are taken to fail the check, and it must be so cheap that
//                  entries which all fail it lose at most 2 %
//   4. gain        cycles of an entry, without / with the check: 1.1, and 1.3 where a
//                  sampled profile saw so few iterations that only the error of its
//                  estimate lets them pass gate 1 (machine.cc).  How long entries are, it
//                  knows no better, and a copy costs code
//   5. saved       cycles of the whole run, which must be worth the code
//
// Without the code, a loop is refused for certain by gate 1 only: which of its pairs are in
// the compiler's way is a fact of the code.
//
// Gain.  An entry of n iterations with i instructions each takes
//
//   plain    n * i / ipc, at least n * forward where a sum is kept in memory
//   checked  check + n * i' / ipc                            without vectors
//            check + set-up + n / lanes * 1.5 * i' / ipc
//                  + (lanes - 1) / 2 * i' / ipc              with vectors
//
// A nest of loops has one check for all entries of its innermost loop.
// i' is i less the loads and stores that leave the loop, and less half of those
// that two iterations of the loop around it share when they are done at once.
// 1.5: packing,
// unpacking and realigning.  The last term is the rest of less than a vector,
// half of it on average.  Entries whose check fails take check + plain.
//
// Example: 20 instructions, 3 loads hoisted, 16 lanes, 4 checks: an entry of 4
// iterations takes 40 cycles plain and 54 with the check (refused: 0.7x), one of
// 1000 takes 10000 and 888.
//
// A loop without checks has no copy: no store of it is in the way, and the question is whether entries are
// long enough for vectors, which GCC does not know at -O2: two vectors and 6 iterations, and the gain.
//
// Alias frequency is that of loop-aware dependence profiling (LAMP): of distance
// 0 and of distances from 1 on, per carrying loop; never the one over the whole
// run, which counts what an initialisation wrote long ago.
#include "consumers/decide/versioning.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "consumers/decide/text.h"

namespace memprof::decide {
namespace {

// Two subtractions, two comparisons, two combinations, and an end to compute.
constexpr double k_check_instructions = 7;
// Number of iterations, branch, copies of the pointers.
constexpr double k_entry_instructions = 8;
constexpr double k_vector_factor = 1.5;
// Splatting invariants, shuffles for sums.
constexpr double k_setup_instructions = 16;
// Share of the entries that are taken to fail the check where the profile does not know.
constexpr double k_unknown_share = 0.5;
// A store that the next iteration's load waits for: store forwarding, 4 or 5
// cycles on all present cores.
constexpr double k_forward_cycles = 5;

// A decision in the making.
struct Draft {
  Reason reason = Reason::code_shape;
  VersioningFacts facts;
  std::optional<VersioningCode> code;
  double trip_count = 0;     // iterations of the innermost loop per entry of it
  double inner_entries = 1;  // of that per entry of the loop
  double frequency = 0;      // of the pair that meets most often
  double least_frequency = 0;  // of the one that meets least often
  double inferred_frequency = 0;  // of the pair that may
  double meet_share = 0;     // of the entries, at most
  double failing_check = 0;  // what a check that fails adds to an entry
  double gain = 0;
  double saved_cycles = 0;   // of the run
  Gate gate;
};

// Sets the cycles of an entry, and the gain.
void set_gain(Draft& draft, const CostModel& model) {
  const VersioningCode& code = *draft.code;
  const double n = std::max(1.0, draft.trip_count);
  const double ipc = model.instructions_per_cycle;
  const double entries = std::max(1.0, draft.inner_entries);
  // Where there are two iterations to share.
  const double shared = draft.facts.inner_invocations && entries < 2 ? 0 : code.shared;
  double plain = n * code.instructions / ipc;
  if (code.moved) plain = std::max(plain, n * k_forward_cycles);
  // A moved store was a load as well.
  const double left =
      std::max(1.0, code.instructions - code.hoisted - 2.0 * code.moved -
                        shared / 2.0);
  const double check =
      (k_entry_instructions + code.checks * k_check_instructions +
       code.hoisted) / ipc;
  double loop = n * left / ipc;
  if (code.lanes > 1 && n >= code.lanes) {
    const double vectors = n / code.lanes * k_vector_factor * left / ipc;
    const double rest = (code.lanes - 1) / 2.0 * left / ipc;
    loop = std::min(loop, k_setup_instructions / ipc + vectors + rest);
  }
  const double checked =
      check + entries * ((1 - draft.meet_share) * loop + draft.meet_share * plain);
  draft.gain = entries * plain / checked;
  draft.failing_check = check / (entries * plain);
  draft.saved_cycles =
      static_cast<double>(std::max(draft.facts.iterations, draft.facts.inner_iterations)) * code.instructions / ipc * (1 - 1 / draft.gain);
}

Draft start(const VersioningFacts& facts, const VersioningCode* code) {
  Draft draft;
  draft.facts = facts;
  if (code) draft.code = *code;
  if (facts.invocations) {
    const double entries = static_cast<double>(facts.invocations);
    draft.trip_count = static_cast<double>(facts.iterations) / entries;
    if (facts.inner_invocations) {
      const double inner = static_cast<double>(facts.inner_invocations);
      draft.inner_entries = inner / entries;
      draft.trip_count = static_cast<double>(facts.inner_iterations) / inner;
    }
    draft.meet_share = std::min(1.0, static_cast<double>(facts.meetings) / entries);
  }
  if (!facts.pairs.empty()) draft.least_frequency = 1;
  for (const AccessPair& pair : facts.pairs) {
    draft.frequency = std::max(draft.frequency, pair.frequency());
    draft.least_frequency = std::min(draft.least_frequency, pair.frequency());
    draft.inferred_frequency = std::max(draft.inferred_frequency, pair.inferred_frequency());
  }
  return draft;
}

bool needs_no_copy(const Draft& draft) {
  return draft.code && !draft.code->obstacle && !draft.code->checks && draft.code->lanes > 1;
}

// The gates. Each that compares numbers leaves them in DRAFT.
Reason reason_of(Draft& draft, const CostModel& model) {
  const VersioningFacts& facts = draft.facts;
  const std::uint64_t iterations = std::max(facts.iterations, facts.inner_iterations);
  draft.gate = {"iterations", static_cast<double>(iterations),
                static_cast<double>(model.min_loop_iterations)};
  if (iterations < model.min_loop_iterations) return Reason::few_executions;
  draft.gate = {};
  // Which pairs would have to be checked, only the compiler knows.
  if (!draft.code) return Reason::needs_code;
  if (draft.code->obstacle) return Reason::code_shape;
  draft.gate = {"frequency", draft.frequency, model.max_meet_frequency, true};
  if (draft.frequency > model.max_meet_frequency) return Reason::conflicts;
  const bool unknown = draft.inferred_frequency > model.max_meet_frequency;
  if (unknown) draft.meet_share = std::max(draft.meet_share, k_unknown_share);
  set_gain(draft, model);
  draft.gate = {"failing_check", draft.failing_check, model.max_failing_check, true};
  if (unknown && draft.failing_check > model.max_failing_check) return Reason::may_conflict;
  // GCC weighs the code of vectors by itself, and has a scalar loop for short entries.
  if (needs_no_copy(draft)) {
    draft.gate = {"trip_count", draft.trip_count,
                  std::max(model.min_trip_count, 2.0 * draft.code->lanes)};
    if (draft.trip_count < draft.gate.limit) return Reason::short_loop;
  }
  const double least = needs_no_copy(draft) ? std::min(1.0, model.min_gain)
                       : iterations < model.sure_loop_iterations
                           ? std::max(model.min_gain, model.min_unsure_gain)
                           : model.min_gain;
  draft.gate = {"gain", draft.gain, least};
  if (draft.gain >= draft.gate.limit) {
    draft.gate = {"saved_cycles", draft.saved_cycles * model.input_scale, model.min_saved_cycles};
    return draft.gate.value >= draft.gate.limit ? Reason::taken : Reason::few_executions;
  }
  return draft.trip_count < model.min_trip_count ? Reason::short_loop : Reason::no_gain;
}

std::string trips_text(const Draft& draft) {
  return format("%.1f iterations per entry", draft.trip_count);
}

std::string runs_text(const Draft& draft) {
  return format("%.0f iterations", static_cast<double>(std::max(draft.facts.iterations,
                                                                draft.facts.inner_iterations)));
}

std::string perhaps_text(const Draft& draft) {
  return draft.inferred_frequency > 0
             ? format(", perhaps %.1f %% (a sampled profile)", 100 * draft.inferred_frequency)
             : std::string();
}

std::string taken_text(const Draft& draft) {
  const VersioningCode& code = *draft.code;
  if (!code.checks)
    return "GCC is asked for vectors of " + std::to_string(code.lanes) + ", no store is in the way: " +
           trips_text(draft) + ", " + runs_text(draft);
  const bool nest = draft.facts.inner_invocations != 0;
  std::string line = nest ? "loop nest versioned" : "loop versioned";
  line += " on " + counted(code.checks, "address check");
  if (code.hoisted) line += ", " + counted(code.hoisted, "load") + " hoisted";
  if (code.moved) line += ", " + counted(code.moved, "store") + " moved";
  if (code.lanes > 1) line += ", vectors of " + std::to_string(code.lanes);
  if (code.shared) line += ", two outer iterations at once";
  line += ": " + trips_text(draft);
  if (nest) line += format(", %.1f entries per check", draft.inner_entries);
  return line + ", " + runs_text(draft) +
         format(", pairs meet in at most %.1f %% of the executions", 100 * draft.frequency) +
         perhaps_text(draft) + format(", about %.1fx as fast", draft.gain);
}

// What the profile says about a loop that the code decides on.
std::string open_text(const Draft& draft) {
  if (draft.facts.pairs.empty())
    return trips_text(draft) + ", " + runs_text(draft) + ", no pair of a store and a load";
  return trips_text(draft) + ", " + runs_text(draft) + ", " +
         counted(draft.facts.pairs.size(), "pair") + " of a store and a load, which meet in " +
         format("%.1f", 100 * draft.least_frequency) +
         format(" to %.1f %% of the executions", 100 * draft.frequency) + perhaps_text(draft);
}

std::string refusal_text(const Draft& draft) {
  switch (draft.reason) {
    case Reason::few_executions:
      return runs_text(draft) + " are too few" +
             (draft.gain > 0 ? format(": they save %.0f cycles", draft.saved_cycles) : std::string());
    case Reason::conflicts:
      return format("a store and a load meet in %.1f %% of the executions",
                    100 * draft.frequency);
    case Reason::may_conflict:
      return format("a store and a load may meet in %.1f %% of the executions, as far as a "
                    "sampled profile tells",
                    100 * draft.inferred_frequency) +
             format(", and a check that fails takes %.1f %% of an entry",
                    100 * draft.failing_check);
    case Reason::short_loop:
      return trips_text(draft) + " are too few" +
             (needs_no_copy(draft) ? " for vectors"
                                   : format(", %.2fx as fast with the check", draft.gain));
    case Reason::no_gain:
      return trips_text(draft) + format(", %.2fx as fast with the check", draft.gain);
    default: break;
  }
  return draft.code && draft.code->obstacle ? draft.code->obstacle : "";
}

}  // namespace

Decision decide_versioning(const Candidate& candidate, const VersioningFacts& facts,
                           const VersioningCode* code, const CostModel& model) {
  Draft draft = start(facts, code);
  draft.reason = reason_of(draft, model);
  Decision decision = conclude(candidate, draft.reason,
                               draft.reason == Reason::taken        ? taken_text(draft)
                               : draft.reason == Reason::needs_code ? open_text(draft)
                                                                    : refusal_text(draft));
  decision.gain = draft.gain;
  if (decision.refused()) decision.gate = draft.gate;
  decision.numbers = {{"loop_line", std::uint64_t{facts.line}},
                      {"iterations", facts.iterations},
                      {"trip_count", draft.trip_count},
                      {"frequency", draft.frequency},
                      {"meet_share", draft.meet_share}};
  if (code && decision.gain > 0)
    decision.numbers.push_back({"saved_cycles", draft.saved_cycles});
  if (code)
    for (const auto& [name, value] :
         {std::pair("checks", code->checks), std::pair("hoisted", code->hoisted),
          std::pair("moved", code->moved), std::pair("lanes", code->lanes)})
      decision.numbers.push_back({name, std::uint64_t{value}});
  return decision;
}

}  // namespace memprof::decide
