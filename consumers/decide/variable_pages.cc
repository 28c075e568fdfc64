// variable_pages.cc - whether large variables of the program get huge pages.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Problem: kernels of numbers and old Fortran keep their arrays in variables, not on the heap.
// Their pages of 4 KB cost a page fault each when they are touched first, and page walks later,
// and no option of malloc reaches them.
//
// Before:                              After:
//
//   static int count[1 << 24];           static int count[1 << 24];
//                                        // and a row {count, 64 MB} in the table of which
//                                        // the program asks for huge pages before main
//                                        // (runtime/arena/arena_variables.cc)
//
// The code stays as it is: the variable does not move, and no address of it gets to a function
// that might then change it.
//
// Gates, in this order:
//
//   1. initial     its initial value is zero: others are pages of the program's file, which
//                  cannot be huge (asked of the code)
//   2. sparse      each small page is accessed some times
//   3. size        all such variables together have room for two huge pages
//   4. worth       page faults and misses of the TLB that they spare are 0.05 % of the time,
//                  with one cycle for each access of the program
//
// Smaller variables than 256 KB are not looked at. They profit where they lie between others,
// because a huge page is asked for as a whole.
//
// Example: isort with 2^24 keys in two variables of 67 MB: 32,768 page faults at 1500 cycles, 49
// million cycles, less 64 huge pages at 100,000, and the page walks of the counters.
//
// What it does not do: variables of threads, of shared libraries, and those in a section that
// the source names.
#include "consumers/decide/variable_pages.h"

#include <algorithm>
#include <map>

#include "consumers/decide/heap_pages.h"
#include "consumers/decide/huge_pages.h"
#include "consumers/decide/text.h"
#include "feedback/reuse_curve.h"

namespace memprof::decide {
namespace {

double pages_of(std::uint64_t bytes, const CostModel& model) {
  return static_cast<double>(bytes) / model.page_bytes;
}

struct Verdict {
  Reason reason = Reason::taken;
  std::string why;
  Gate gate = {};
};

Verdict judge(const VariableFacts& facts, const VariableIndex& index, const VariableCode* code,
              double worth, const CostModel& model) {
  if (code && code->obstacle) return {Reason::code_shape, code->obstacle};
  if (!dense(facts.accesses, facts.bytes, model))
    return {Reason::sparse,
            format("%.0f accesses are too few for ", static_cast<double>(facts.accesses)) +
                bytes_text(facts.bytes) + ": huge pages would be hardly used",
            {"page_accesses", accesses_per_page(facts.accesses, facts.bytes, model),
             model.min_page_accesses}};
  if (hollow(facts.large, facts.resident))
    return {Reason::sparse,
            bytes_text(facts.resident) + " of " + bytes_text(facts.large) +
                " were in memory when the program ended: huge pages would need more",
            {"resident_bytes", static_cast<double>(facts.resident),
             static_cast<double>(facts.large) / 2}};
  if (index.bytes() < model.min_variables_bytes)
    return {Reason::middle_size,
            "variables of this size hold " + bytes_text(index.bytes()) +
                " together, which has no room for two huge pages",
            {"variables", static_cast<double>(index.bytes()),
             static_cast<double>(model.min_variables_bytes)}};
  const double least = model.min_heap_share * static_cast<double>(index.program_accesses());
  if (worth < least)
    return {Reason::unrepaid, format("worth only %.1f million cycles", worth / 1e6),
            {"saved_cycles", worth, least}};
  const std::string evidence =
      "huge pages for the variable: " + bytes_text(facts.bytes) + " of " +
      bytes_text(index.bytes()) +
      format(" in such variables, %.0f page faults", pages_of(index.bytes(), model)) +
      format(" and %.0f misses of the TLB, ", index.misses()) +
      format("worth %.1f million cycles", worth / 1e6);
  if (!code) return {Reason::needs_code, "needs the code, whether it is zero at first; " + evidence};
  return {Reason::taken, evidence};
}

}  // namespace

VariableIndex::VariableIndex(const feedback::Profile& profile, const CostModel& model)
    : program_accesses_(profile.run.accesses) {
  std::map<feedback::Id, std::size_t> of_group;
  for (const auto& group : profile.groups)
    if (group.kind == feedback::GroupKind::global && group.bytes >= model.min_variable_bytes &&
        group.accesses) {
      of_group[group.id] = entries_.size();
      entries_.push_back({group.file, group.line, group.function, group.type, group.bytes,
                          group.accesses, group.large, group.resident});
    }
  for (const auto& row : profile.cache)
    if (const auto at = of_group.find(row.group); at != of_group.end() && !row.guessed)
      entries_[at->second].misses += static_cast<double>(feedback::at_least(row.tlb, row.errors.tlb));
  for (const VariableFacts& facts : entries_)
    if (dense(facts.accesses, facts.bytes, model) && !hollow(facts.large, facts.resident)) {
      bytes_ += facts.bytes;
      misses_ += facts.misses;
    }
}

const VariableFacts* VariableIndex::find(const VariableCode& code) const {
  const VariableFacts* alike = nullptr;
  std::size_t count = 0;
  for (const VariableFacts& facts : entries_) {
    if (facts.name != code.name) continue;
    if (facts.file == code.file && facts.line == code.line) return &facts;
    if (facts.type != code.type) continue;
    alike = &facts;
    count++;
  }
  return count == 1 ? alike : nullptr;
}

Decision decide_variable(const Candidate& candidate, const VariableFacts& facts,
                         const VariableIndex& index, const VariableCode* code,
                         const CostModel& model) {
  const double worth = worth_of_pages(pages_of(index.bytes(), model), index.misses(), model);
  const Verdict verdict = judge(facts, index, code, worth, model);
  Decision decision = conclude(candidate, verdict.reason, verdict.why);
  if (decision.refused()) decision.gate = verdict.gate;
  const double part = static_cast<double>(facts.bytes) /
                      static_cast<double>(std::max<std::uint64_t>(1, index.bytes()));
  decision.numbers = {{"span", facts.bytes},
                      {"accesses", facts.accesses},
                      {"variables", index.bytes()},
                      {"page_faults", pages_of(facts.bytes, model)},
                      {"misses", facts.misses},
                      {"saved_cycles", decision.take() || decision.open() ? worth * part : 0.0}};
  return decision;
}

}  // namespace memprof::decide
