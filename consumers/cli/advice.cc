// advice.cc - the decisions about a whole profile, as a rebuild will make them.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/cli/advice.h"

#include <algorithm>
#include <iterator>

#include "consumers/cli/text_file.h"
#include "consumers/elf/debug_file.h"
#include "consumers/decide/branch_counts.h"
#include "consumers/decide/field_order.h"
#include "consumers/decide/hot_functions.h"
#include "consumers/decide/machine.h"
#include "consumers/decide/prefetch.h"
#include "consumers/decide/streaming_stores.h"
#include "consumers/decide/variable_pages.h"

namespace memprof::cli {
namespace {

using namespace feedback;

decide::Candidate candidate_of(decide::Transformation transformation, const std::string& file,
                               std::uint32_t line, const std::string& function,
                               const std::string& expression) {
  decide::Candidate candidate;
  candidate.transformation = transformation;
  candidate.file = file.c_str();
  candidate.line = line;
  candidate.function = function.c_str();
  candidate.expression = expression.c_str();
  return candidate;
}

decide::Candidate candidate_of(decide::Transformation transformation, const ProfileView::SiteRef& ref) {
  decide::Candidate candidate =
      candidate_of(transformation, ref.file(), ref.site->line, ref.function->name, ref.site->expression);
  candidate.column = ref.site->column;
  return candidate;
}

// Beyond this a loop is listed without its rarest pairs.
constexpr std::size_t k_max_pairs = 200;

// Of objects and programs: plugin/use/remarks.cc.
constexpr std::string_view k_remarks_section = ".memprof.remarks";

// Whether REF, in the loop of ROW, accessed one address in each entry of that loop, and in
// each iteration.
bool invariant(const ProfileView& view, const ProfileView::SiteRef& ref,
               const ProfileView::LoopRef& loop) {
  const Stride* stride = view.stride(ref.site->id);
  if (!stride || ref.site->loop != loop.loop->id) return false;
  // Between two entries it may move.
  const std::uint64_t entries = loop.loop->invocations, all = ref.site->executions;
  std::uint64_t still = 0;
  for (const auto& step : stride->histogram)
    if (step.stride == 0) still = step.count;
  return still + entries >= all && all + entries >= loop.loop->iterations;
}

decide::NamedAccess named(const ProfileView& view, Id site, const ProfileView::LoopRef& loop) {
  const ProfileView::SiteRef& ref = *view.site(site);
  return {ref.site->expression, !ref.site->inlined_at.empty() || ref.file() != loop.file(),
          invariant(view, ref, loop)};
}

LoopRow loop_row(const ProfileView& view, const ProfileView::LoopRef& ref,
                 const decide::PairIndex& index, const decide::CostModel& model) {
  const Function& function = *ref.function;
  const decide::VersioningFacts facts = index.facts(
      function, ref.loop->id, decide::PairIndex::all_pairs(function, ref.loop->id));
  LoopRow row{&ref, {}, facts.pairs, {}};
  bool carried = false;
  std::vector<decide::NamedPair> pairs;
  for (const auto& pair : facts.pairs) {
    carried |= pair.carried + pair.inferred > 0;
    pairs.push_back({named(view, pair.store, ref), named(view, pair.other, ref),
                     pair.intra + pair.carried + pair.inferred > 0});
  }
  row.decision = decide::decide_versioning(
      candidate_of(decide::Transformation::versioning, ref.file(), ref.loop->line,
                   function.name, "loop"),
      facts, nullptr, model);
  if (row.decision.open() && row.decision.number("trip_count") >= model.min_trip_count)
    row.source = decide::advise_source(pairs, carried);
  if (row.pairs.size() > k_max_pairs) row.pairs.resize(k_max_pairs);
  return row;
}

}  // namespace

feedback::Result<bool> move_to_caches(Profile& profile, const std::string& caches) {
  decide::CostModel model;
  if (caches.empty() || !decide::apply_caches(caches, model))
    return feedback::Error{feedback::Error::Kind::usage, "", "",
                           "--cache=" + caches + " makes no sense; such as L2=1M,LLC=32M,TLB=1536"};
  if (profile.reuse.empty())
    return feedback::Error{feedback::Error::Kind::usage, "", "",
                           "it has no table reuse, which sampled profiles have: what other caches miss is not known"};
  return decide::move_to_caches(profile, caches);
}

std::vector<LoadRow> load_rows(const ProfileView& view) {
  const decide::CostModel model = decide::model_of(view.profile());
  decide::LoadIndex loads(view.profile(), model);
  std::vector<LoadRow> all;
  for (const auto& ref : view.sites()) {
    if (ref.site->kind != Access::load || !ref.site->executions) continue;
    if (ref.site->width == 0) continue;  // of memmove and its like, where no rebuild prefetches
    all.push_back({&ref, decide::decide_prefetch(candidate_of(decide::Transformation::prefetch, ref),
                                                 loads.facts(*ref.function, *ref.site), nullptr, nullptr, model)});
  }
  std::stable_sort(all.begin(), all.end(), [](const LoadRow& a, const LoadRow& b) {
    return a.ref->site->executions > b.ref->site->executions;
  });
  return all;
}

std::vector<LoadRow> store_rows(const ProfileView& view) {
  const decide::CostModel model = decide::model_of(view.profile());
  const decide::StoreIndex index(view.profile(), model);
  std::vector<LoadRow> all;
  for (const auto& ref : view.sites()) {
    if (ref.site->kind != Access::store || ref.site->loop == k_none) continue;
    const decide::StreamingFacts facts = index.facts({&ref.site->id, 1});
    if (!facts.known) continue;
    decide::StreamingLoop around;
    for (const Loop& loop : ref.function->loops)
      if (loop.id == ref.site->loop) around.entries = around.inner_entries = loop.invocations;
    all.push_back({&ref, decide::decide_streaming_stores(
                             candidate_of(decide::Transformation::streaming_stores, ref), facts, around, nullptr, model)});
  }
  std::ranges::stable_sort(all, std::ranges::greater(), [](const LoadRow& row) { return row.decision.count("bytes"); });
  return all;
}

std::vector<LoopRow> loop_rows(const ProfileView& view) {
  const decide::CostModel model = decide::model_of(view.profile());
  decide::PairIndex index(view.profile());
  std::vector<LoopRow> all;
  for (const auto& ref : view.loops()) {
    // Innermost ones: what is around them becomes faster with them.
    const auto& loops = ref.function->loops;
    const bool outer = std::any_of(loops.begin(), loops.end(), [&](const Loop& other) {
      return other.parent == ref.loop->id;
    });
    if (outer || !ref.loop->iterations) continue;
    LoopRow row = loop_row(view, ref, index, model);
    // Without a pair there is nothing to check; the compiler may ask for vectors all the same.
    if (!row.pairs.empty() || row.decision.open()) all.push_back(std::move(row));
  }
  std::stable_sort(all.begin(), all.end(), [](const LoopRow& a, const LoopRow& b) {
    return a.ref->loop->iterations > b.ref->loop->iterations;
  });
  return all;
}

std::vector<FunctionRow> function_rows(const Profile& profile) {
  const decide::CostModel model = decide::model_of(profile);
  std::vector<FunctionRow> all;
  for (const Module& module : profile.modules)
    for (const Function& function : module.functions) {
      decide::FunctionFacts facts;
      facts.program_accesses = profile.run.accesses;
      for (const Site& site : function.sites) facts.add(function, site);
      if (!facts.accesses) continue;
      const std::string& file = function.file.empty() ? module.file : function.file;
      const auto candidate = [&](decide::Transformation what) {
        return candidate_of(what, file, function.line, function.name, function.name);
      };
      all.push_back({&function, decide::decide_hot_function(candidate(decide::Transformation::hot_functions), facts,
                                                            nullptr, model)});
      all.push_back({&function, decide::decide_branch_counts(candidate(decide::Transformation::branch_counts),
                                                             {facts, {}}, nullptr, model)});
    }
  std::ranges::stable_sort(all, std::ranges::greater(),
                           [](const FunctionRow& row) { return row.decision.count("executions"); });
  return all;
}

std::vector<AllocationRow> allocation_rows(const Profile& profile) {
  const decide::CostModel model = decide::model_of(profile);
  const decide::AllocationIndex index(profile, model);
  std::vector<AllocationRow> all;
  const decide::HeapFacts heap = decide::heap_facts(index, model);
  for (const auto& [key, facts] : index.entries()) {
    // No rebuild sees a call of code that was not compiled with us.
    const decide::AllocationCode elsewhere;
    const decide::AllocationCode* const code = key.file.empty() ? &elsewhere : nullptr;
    const auto candidate = [&key = key, &facts = facts](decide::Transformation what) {
      return candidate_of(what, key.file, key.line, key.function, facts.allocator);
    };
    if (facts.arena.number != 0) {
      all.push_back({key,
                     decide::decide_co_allocation(
                         candidate(decide::Transformation::co_allocation), facts, code, model),
                     decide::order_advice(facts, model)});
      // A shared arena has huge pages.
      if (all.back().decision.take()) continue;
    }
    all.push_back({key,
                   decide::decide_allocation(candidate(decide::Transformation::huge_pages), facts,
                                             heap, code, model),
                   {}});
  }
  const decide::VariableIndex variables(profile, model);
  for (const decide::VariableFacts& facts : variables.entries())
    all.push_back({{facts.file, facts.line, facts.name, facts.type},
                   decide::decide_variable(candidate_of(decide::Transformation::huge_pages, facts.file,
                                                        facts.line, facts.name, facts.name),
                                           facts, variables, nullptr, model),
                   {}});
  std::stable_sort(all.begin(), all.end(), [](const AllocationRow& a, const AllocationRow& b) {
    return a.decision.count("accesses") > b.decision.count("accesses");
  });
  return all;
}

std::vector<TypeRow> type_rows(const Profile& profile) {
  const decide::CostModel model = decide::model_of(profile);
  std::vector<TypeRow> all;
  for (const decide::TypeFacts& facts : decide::type_facts(profile)) {
    decide::Decision decision =
        decide::decide_field_order(decide::candidate_of(*facts.type), facts, nullptr, model);
    if (decision.count("accesses")) all.push_back({facts.type->obstacles, std::move(decision)});
  }
  std::stable_sort(all.begin(), all.end(), [](const TypeRow& a, const TypeRow& b) {
    return a.decision.count("accesses") > b.decision.count("accesses");
  });
  return all;
}

Result<std::vector<decide::Decision>> compiled_decisions(const std::string& file) {
  if (const std::string section = elf::section_of_program(file, k_remarks_section); !section.empty())
    return decide::read_remarks(section);
  auto text = read_text(file);
  if (!text) return text.error();
  if (text->starts_with("\177ELF"))
    return Error{Error::Kind::usage, file, "", "has no decisions: it was built without -fprofile-mem-use, or stripped, and no debug file of it has some"};
  return decide::read_remarks(*text);
}

std::vector<decide::Decision> decisions_beside(const std::string& profile) {
  constexpr std::string_view k_ending = ".memprof.json";
  if (!profile.ends_with(k_ending)) return {};
  const std::string program = profile.substr(0, profile.size() - k_ending.size());
  return decide::read_remarks(elf::section_of_program(program, k_remarks_section));
}

Result<KnownDecisions> known_decisions(const ProfileView& view, const std::string& profile,
                                       const std::string& file) {
  if (!file.empty()) {
    auto decisions = compiled_decisions(file);
    if (!decisions) return decisions.error();
    return KnownDecisions{std::move(*decisions), true};
  }
  if (auto beside = decisions_beside(profile); !beside.empty()) return KnownDecisions{std::move(beside), true};
  return KnownDecisions{predicted_decisions(view), false};
}

std::vector<decide::Decision> predicted_decisions(const ProfileView& view) {
  std::vector<decide::Decision> all;
  const auto take = [&](auto rows) {
    for (auto& row : rows) all.push_back(std::move(row.decision));
  };
  take(type_rows(view.profile()));
  take(allocation_rows(view.profile()));
  take(load_rows(view));
  take(store_rows(view));
  take(loop_rows(view));
  take(function_rows(view.profile()));
  return all;
}

void gate_json(const decide::Gate& gate, feedback::JsonReport& json) {
  if (gate.name.empty()) return;
  json.key("gate");
  json.open_object();
  json.member("name", gate.name);
  json.member("value", gate.value);
  json.member(gate.at_most ? "most" : "least", gate.limit);
  json.close_object();
}

}  // namespace memprof::cli
