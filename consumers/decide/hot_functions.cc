// hot_functions.cc - which functions are compiled with the options that GCC has for measured code.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Problem: at -O2 GCC makes vectors only where that costs no code at all, and neither unrolls nor peels loops: it would
// do so everywhere, and most code is executed rarely. At -O3 it does it everywhere, also in loops of three iterations,
// which become slower. With a profile of its own (-fprofile-use) GCC switches these passes on, since it then knows how
// often loops iterate. The profile of memory knows it as well:
//
//   force (sim);      51.7 % of the accesses       the options of -fprofile-use for loops
//   init (sim);        0.1 %                       as before
//
// And each loop of a hot function gets the iterations per entry that were measured, so that passes choose by them: a loop
// of three iterations is written out, and not made a vector of eight.
//
// Gates, in this order; the first one that fails is the reason:
//
//   1. executions  accesses of the function, which must matter at all
//   2. share       1 % of the program's accesses
//   3. code        what prevents it is named: -Os, GCC's own profile
//   4. iterations  of its loop with most
//
// What it does not do: inlining is over when sites are matched. Branches are the business of branch_counts.h: interpreters
// gain by them, loops that compute by these options.
//
// From: Chang, Mahlke and Hwu, Using profile information to assist classic code optimizations, Software: Practice and
// Experience 1991; the options are those that GCC's manual names under -fprofile-use.
#include "consumers/decide/hot_functions.h"

#include "consumers/decide/text.h"

namespace memprof::decide {
namespace {

// The gates. Each that compares numbers leaves them in GATE.
Reason reason_of(const FunctionFacts& facts, const FunctionCode* code, const CostModel& model, Gate& gate) {
  const auto below = [&](const char* name, double value, double least) {
    gate = {name, value, least};
    return value < least;
  };
  if (below("executions", static_cast<double>(facts.accesses), static_cast<double>(model.min_executions)))
    return Reason::few_executions;
  if (below("share", facts.share(), model.min_hot_share)) return Reason::few_executions;
  gate = {};
  if (code && code->obstacle) return Reason::code_shape;
  if (below("iterations", static_cast<double>(facts.iterations), static_cast<double>(model.min_loop_iterations)))
    return Reason::short_loop;
  gate = {};
  return Reason::taken;
}

std::string share_text(const FunctionFacts& facts) {
  return format("%.1f %% of the program's accesses", 100 * facts.share());
}

std::string text_of(const FunctionFacts& facts, const FunctionCode* code, Reason reason, const Gate& gate) {
  switch (reason) {
    case Reason::few_executions:
      return gate.name == "share" ? share_text(facts) : std::to_string(facts.accesses) + " accesses";
    case Reason::code_shape: return code->obstacle;
    case Reason::short_loop: return std::to_string(facts.iterations) + " iterations of its longest loop";
    default:
      return "hot function: its loops are compiled as with GCC's own profile: " + share_text(facts) +
             format(", its longest loop has %.1f iterations per entry", facts.trip_count);
  }
}

}  // namespace

void FunctionFacts::add(const feedback::Function& function, const feedback::Site& site) {
  accesses += site.executions;
  for (const feedback::Loop& loop : function.loops)
    if (loop.id == site.loop && loop.iterations > iterations) {
      iterations = loop.iterations;
      trip_count = loop.invocations ? static_cast<double>(iterations) / static_cast<double>(loop.invocations)
                                    : static_cast<double>(iterations);
    }
}

Decision decide_hot_function(const Candidate& candidate, const FunctionFacts& facts, const FunctionCode* code,
                             const CostModel& model) {
  Gate gate;
  const Reason reason = reason_of(facts, code, model, gate);
  Decision decision = conclude(candidate, reason, text_of(facts, code, reason, gate));
  if (decision.refused()) decision.gate = gate;
  decision.numbers = {{"executions", facts.accesses},
                      {"share", facts.share()},
                      {"iterations", facts.iterations},
                      {"trip_count", facts.trip_count}};
  return decision;
}

}  // namespace memprof::decide
