// cmd_advise.cc - memprof advise: what -fprofile-mem-use will do, and why.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Asks the functions of consumers/decide that the plugin asks.  What this command does
// not have is the code: which loads depend on which, what an iteration costs, what the
// compiler knows about aliases.  Decisions that depend on it have the reason needs-code
// here; all others are those of the rebuild.
#include <algorithm>
#include <cstdio>
#include <variant>

#include "consumers/cli/command.h"
#include "consumers/cli/profile_view.h"
#include "consumers/cli/table.h"
#include "consumers/decide/huge_pages.h"
#include "consumers/decide/prefetch.h"
#include "consumers/decide/field_order.h"
#include "consumers/decide/source_advice.h"
#include "consumers/decide/versioning.h"
#include "feedback/json_report.h"
#include "feedback/reader.h"

namespace memprof::cli {
namespace {

using namespace feedback;

const Option k_options[] = {
    {"all", nullptr, "refused candidates as well, with the reason"},
    {"top", "N", "at most N candidates of a kind, most executed first (default 20, 0 = all)"},
};

constexpr unsigned long k_default_rows = 20;

// A load of a profile.
struct LoadRow {
  const ProfileView::SiteRef* ref;
  decide::Decision decision;
};

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

std::vector<LoadRow> load_rows(const ProfileView& view) {
  decide::CostModel model;
  decide::LoadIndex loads(view.profile(), model);
  std::vector<LoadRow> all;
  for (const auto& ref : view.sites()) {
    if (ref.site->kind != Access::load || !ref.site->executions) continue;
    decide::Candidate candidate =
        candidate_of(decide::Transformation::prefetch, ref.file(), ref.site->line,
                     ref.function->name, ref.site->expression);
    candidate.column = ref.site->column;
    all.push_back({&ref, decide::decide_prefetch(candidate, loads.facts(*ref.function, *ref.site),
                                                 nullptr, nullptr, model)});
  }
  std::stable_sort(all.begin(), all.end(), [](const LoadRow& a, const LoadRow& b) {
    return a.ref->site->executions > b.ref->site->executions;
  });
  return all;
}

// A loop with stores, and what it would gain if its accesses never met.
struct LoopRow {
  const ProfileView::LoopRef* ref;
  decide::Decision decision;
  std::vector<decide::AccessPair> pairs;  // all, most frequent first
  decide::SourceAdvice source;
};

// Beyond this a loop is listed without its rarest pairs.
constexpr std::size_t k_max_pairs = 200;

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
  return {ref.site->expression, !ref.site->inlined_at.empty() || ref.file() != ref.module->file,
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
      candidate_of(decide::Transformation::versioning, ref.module->file, ref.loop->line,
                   function.name, "loop"),
      facts, nullptr, model);
  if (row.decision.open() && row.decision.number("trip_count") >= model.min_trip_count)
    row.source = decide::advise_source(pairs, carried);
  if (row.pairs.size() > k_max_pairs) row.pairs.resize(k_max_pairs);
  return row;
}

std::vector<LoopRow> loop_rows(const ProfileView& view) {
  decide::CostModel model;
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
    if (!row.pairs.empty()) all.push_back(std::move(row));
  }
  std::stable_sort(all.begin(), all.end(), [](const LoopRow& a, const LoopRow& b) {
    return a.ref->loop->iterations > b.ref->loop->iterations;
  });
  return all;
}

// An allocation call.
struct AllocationRow {
  decide::AllocationIndex::Key key;
  decide::Decision decision;
};

std::vector<AllocationRow> allocation_rows(const Profile& profile) {
  const decide::CostModel model;
  const decide::AllocationIndex index(profile, model);
  std::vector<AllocationRow> all;
  for (const auto& [key, facts] : index.entries()) {
    // No rebuild sees a call of code that was not compiled with us.
    const decide::AllocationCode elsewhere;
    all.push_back({key, decide::decide_huge_pages(
                            candidate_of(decide::Transformation::huge_pages, key.file, key.line,
                                         key.function, facts.allocator),
                            facts, key.file.empty() ? &elsewhere : nullptr, model)});
  }
  std::stable_sort(all.begin(), all.end(), [](const AllocationRow& a, const AllocationRow& b) {
    return a.decision.count("accesses") > b.decision.count("accesses");
  });
  return all;
}

// A record type whose fields were accessed.
struct TypeRow {
  std::vector<Obstacle> obstacles;
  decide::Decision decision;
};

std::vector<TypeRow> type_rows(const Profile& profile) {
  std::vector<TypeRow> all;
  for (const decide::TypeFacts& facts : decide::type_facts(profile)) {
    decide::Decision decision = decide::decide_field_order(decide::candidate_of(*facts.type), facts,
                                                           nullptr, decide::CostModel());
    if (decision.count("accesses")) all.push_back({facts.type->obstacles, std::move(decision)});
  }
  std::stable_sort(all.begin(), all.end(), [](const TypeRow& a, const TypeRow& b) {
    return a.decision.count("accesses") > b.decision.count("accesses");
  });
  return all;
}

// What is left to print of a list, and how much there was.
template <typename Row>
struct Listed {
  std::vector<Row> rows;
  std::size_t taken = 0, open = 0, all = 0;

  Listed(std::vector<Row> found, bool refused, std::size_t top) : rows(std::move(found)) {
    all = rows.size();
    for (const Row& row : rows) {
      taken += row.decision.take();
      open += row.decision.open();
    }
    if (!refused)
      std::erase_if(rows, [](const Row& row) {
        return !row.decision.take() && !row.decision.open();
      });
    if (top && rows.size() > top) rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(top), rows.end());
  }
};

// "file:line", or "unknown".
std::string where(const decide::Place& place) {
  return place.file.empty() ? "unknown" : place.file + ":" + std::to_string(place.line);
}

void print_pairs(JsonReport& json, const ProfileView& view, const LoopRow& c) {
  json.key("pairs");
  json.open_array();
  for (const auto& pair : c.pairs) {
    json.open_object();
    json.member("store", ProfileView::where(*view.site(pair.store)));
    json.member("store_expression", view.site(pair.store)->site->expression);
    json.member("load", ProfileView::where(*view.site(pair.other)));
    json.member("load_expression", view.site(pair.other)->site->expression);
    json.member("executions", pair.executions);
    json.member("intra", pair.intra);
    json.member("carried", pair.carried);
    json.member("inferred", pair.inferred);
    json.member("frequency", pair.frequency());
    json.close_object();
  }
  json.close_array();
}

void print_names(JsonReport& json, const char* key, const std::vector<std::string>& names) {
  json.key(key);
  json.open_array();
  for (const auto& name : names) json.value(name);
  json.close_array();
}

// What all decisions have; the object stays open.
void print_decision(JsonReport& json, const std::string& where, const decide::Decision& d) {
  json.open_object();
  json.member("transformation", decide::name(d.transformation));
  json.member("where", where);
  if (d.transformation != decide::Transformation::field_order)
    json.member("function", d.place.function);
  json.member(d.transformation == decide::Transformation::field_order ? "type" : "expression",
              d.place.expression);
  json.member("take", d.take());
  json.member("reason", decide::name(d.reason));
  if (d.shape != decide::Shape::unknown) json.member("shape", decide::name(d.shape));
  for (const decide::Number& number : d.numbers)
    std::visit([&](auto value) { json.member(number.name, value); }, number.value);
  json.member("text", d.text);
}

void print_json(const ProfileView& view, const std::vector<LoadRow>& loads,
                const std::vector<LoopRow>& loops, const std::vector<AllocationRow>& calls,
                const std::vector<TypeRow>& types) {
  JsonReport json;
  json.open_object();
  json.key("advice");
  json.open_array();
  for (const LoadRow& row : loads) {
    print_decision(json, ProfileView::where(*row.ref), row.decision);
    json.close_object();
  }
  for (const LoopRow& row : loops) {
    print_decision(json, ProfileView::where(*row.ref), row.decision);
    print_pairs(json, view, row);
    print_names(json, "restrict", row.source.restricted);
    print_names(json, "locals", row.source.locals);
    json.member("ivdep", row.source.ivdep);
    json.close_object();
  }
  for (const AllocationRow& row : calls) {
    print_decision(json, where(row.decision.place), row.decision);
    json.member("type", row.key.type);
    json.close_object();
  }
  for (const TypeRow& row : types) {
    print_decision(json, where(row.decision.place), row.decision);
    json.key("obstacles");
    json.open_array();
    for (const auto& obstacle : row.obstacles) json.value(decide::obstacle_text(obstacle));
    json.close_array();
    json.close_object();
  }
  json.close_array();
  json.close_object();
  std::fputs(json.text().c_str(), stdout);
}

void print_row(const std::string& place, const decide::Decision& decision) {
  Style style = Style::of(stdout);
  std::printf("%s %s\n    %s\n",
              style.tinted(decision.take()   ? "yes"
                           : decision.open() ? "?  "
                                             : "no ",
                           decision.take() ? Tint::good : Tint::dim)
                  .c_str(),
              style.heading(printable(place)).c_str(), printable(decision.text).c_str());
}

template <typename Row>
void print_head(const char* what, const Listed<Row>& list, const std::string& all) {
  std::printf("%s: %zu of %s", what, list.taken, all.c_str());
  if (list.open)
    std::printf("; %zu %s the code: the compile decides (-fopt-info)", list.open,
                list.open == 1 ? "needs" : "need");
  std::printf("\n");
}

void print_text(const Listed<LoadRow>& loads, const Listed<LoopRow>& loops) {
  print_head("prefetch", loads, counted(loads.all, "executed load"));
  for (const LoadRow& row : loads.rows)
    print_row(ProfileView::where(*row.ref) + ": " + shortened(row.ref->site->expression) + " in " +
                  shortened(row.ref->function->name),
              row.decision);
  if (!loops.all) return;
  print_head("versioning", loops, counted(loops.all, "inner loop"));
  for (const LoopRow& row : loops.rows) {
    print_row(ProfileView::where(*row.ref) + ": loop in " + shortened(row.ref->function->name),
              row.decision);
    const std::string source = row.source.text();
    if (!source.empty()) std::printf("    in the source: %s\n", printable(source).c_str());
  }
}

void print_text(const Listed<AllocationRow>& calls) {
  if (!calls.all) return;
  print_head("huge pages", calls, counted(calls.all, "allocation call"));
  for (const AllocationRow& row : calls.rows)
    print_row(where(row.decision.place) + ": " + row.decision.place.expression +
                  (row.key.function.empty() ? "" : " in " + shortened(row.key.function)),
              row.decision);
}

void print_text(const Listed<TypeRow>& types) {
  if (!types.all) return;
  print_head("field order", types, counted(types.all, "accessed record type"));
  for (const TypeRow& row : types.rows)
    print_row(where(row.decision.place) + ": " + shortened(row.decision.place.expression), row.decision);
}

int run(const Arguments& arguments) {
  auto top = number_argument(arguments, "top", k_default_rows, 1000000000);
  if (!top) return fail(top.error());
  auto profile = read_profile(arguments.operands()[0]);
  if (!profile) return fail(profile.error());
  ProfileView view(*profile);
  Listed<LoadRow> loads(load_rows(view), arguments.has("all"), *top);
  Listed<LoopRow> loops(loop_rows(view), arguments.has("all"), *top);
  Listed<AllocationRow> calls(allocation_rows(*profile), arguments.has("all"), *top);
  Listed<TypeRow> types(type_rows(*profile), arguments.has("all"), *top);
  if (arguments.json()) {
    print_json(view, loads.rows, loops.rows, calls.rows, types.rows);
    return k_ok;
  }
  print_text(loads, loops);
  print_text(calls);
  print_text(types);
  return k_ok;
}

}  // namespace

const Command k_advise_command = {
    "advise",
    "PROFILE",
    "say what a rebuild with -fprofile-mem-use will do, and why",
    "Prints the allocation calls whose objects get an arena with huge pages, the records\n"
    "whose fields are moved, and the loads and loops that may get a prefetch or a check\n"
    "that stores and loads do not meet, with the numbers of each decision and what could\n"
    "be written in the source instead.  The rebuild decides with the same functions; what\n"
    "only it can know is marked `needs the code', and gcc -fopt-info prints it.",
    k_options, 1, 1, false, run};

}  // namespace memprof::cli
