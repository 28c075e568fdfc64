// cmd_advise.cc - memprof advise: what -fprofile-mem-use will do, and why.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Asks the functions of consumers/decide that the plugin asks.  What we do not
// have is the code around an access, so an advice taken here is "if the code
// allows it": the compiler's own answer is in -fopt-info.
#include <algorithm>
#include <cstdio>

#include "consumers/cli/command.h"
#include "consumers/cli/profile_view.h"
#include "consumers/cli/table.h"
#include "consumers/decide/huge_pages.h"
#include "consumers/decide/prefetch.h"
#include "consumers/decide/reorder.h"
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

struct Candidate {
  const ProfileView::SiteRef* ref;
  decide::Advice advice;
};

std::vector<Candidate> candidates(const ProfileView& view) {
  decide::CostModel model;
  decide::LoadIndex loads(view.profile(), model);
  std::vector<Candidate> all;
  for (const auto& ref : view.sites())
    if (ref.site->kind == Access::load)
      all.push_back({&ref, decide::decide_prefetch(loads.facts(*ref.function, *ref.site),
                                                   std::nullopt, model)});
  std::stable_sort(all.begin(), all.end(), [](const Candidate& a, const Candidate& b) {
    return a.ref->site->executions > b.ref->site->executions;
  });
  return all;
}

// A loop with stores, and what it would gain if its accesses never met.
struct LoopCandidate {
  const ProfileView::LoopRef* ref;
  decide::VersioningAdvice advice;  // from the pairs that do not meet, if any
  std::vector<decide::AccessPair> pairs;  // all, most frequent first
  decide::SourceAdvice source;
};

// Beyond this a loop is listed without its rarest pairs.
constexpr std::size_t k_max_pairs = 200;

LoopCandidate loop_candidate(const ProfileView& view, const ProfileView::LoopRef& ref,
                             const decide::PairIndex& index, const decide::CostModel& model) {
  const Function& function = *ref.function;
  decide::VersioningFacts facts = index.facts(
      function, ref.loop->id, decide::PairIndex::all_pairs(function, ref.loop->id));
  LoopCandidate candidate{&ref, {}, facts.pairs, {}};
  // A sum, or one array: the compiler knows that these meet, and asks for none.
  const auto known = [&](const decide::AccessPair& pair) {
    return std::max(pair.frequency(), pair.inferred_frequency()) > model.max_meet_frequency &&
           decide::same_variable(view.site(pair.store)->site->expression,
                                 view.site(pair.other)->site->expression);
  };
  bool carried = false;
  for (const auto& pair : facts.pairs) carried |= pair.carried + pair.inferred > 0;
  if (!std::all_of(facts.pairs.begin(), facts.pairs.end(), known)) {
    std::erase_if(facts.pairs, known);
    facts.meetings = 0;
  }
  std::vector<decide::NamedPair> named;
  for (const auto& pair : facts.pairs) {
    facts.meetings = std::max(facts.meetings,
                              std::min(facts.invocations, pair.intra + pair.carried));
    named.push_back({view.site(pair.store)->site->expression,
                     view.site(pair.other)->site->expression});
  }
  candidate.advice = decide::decide_versioning(facts, std::nullopt, model);
  if (candidate.advice.take()) candidate.source = decide::advise_source(named, carried);
  if (candidate.pairs.size() > k_max_pairs) candidate.pairs.resize(k_max_pairs);
  return candidate;
}

std::vector<LoopCandidate> loop_candidates(const ProfileView& view) {
  decide::CostModel model;
  decide::PairIndex index(view.profile());
  std::vector<LoopCandidate> all;
  for (const auto& ref : view.loops()) {
    // Innermost ones: what is around them becomes faster with them.
    const auto& loops = ref.function->loops;
    const bool outer = std::any_of(loops.begin(), loops.end(), [&](const Loop& other) {
      return other.parent == ref.loop->id;
    });
    if (outer || !ref.loop->iterations) continue;
    LoopCandidate candidate = loop_candidate(view, ref, index, model);
    if (!candidate.pairs.empty()) all.push_back(std::move(candidate));
  }
  std::stable_sort(all.begin(), all.end(), [](const LoopCandidate& a, const LoopCandidate& b) {
    return a.ref->loop->iterations > b.ref->loop->iterations;
  });
  return all;
}

// An allocation call.
struct AllocationCandidate {
  decide::ArenaIndex::Key key;
  decide::ArenaAdvice advice;

  std::string where() const {
    return key.file.empty() ? "unknown" : key.file + ":" + std::to_string(key.line);
  }
};

std::vector<AllocationCandidate> allocation_candidates(const Profile& profile) {
  const decide::CostModel model;
  const decide::ArenaIndex index(profile, model);
  std::vector<AllocationCandidate> all;
  for (const auto& entry : index.entries())
    all.push_back({entry.key, decide::decide_huge_pages(entry.facts, model)});
  std::stable_sort(all.begin(), all.end(),
                   [](const AllocationCandidate& a, const AllocationCandidate& b) {
                     return a.advice.facts.accesses > b.advice.facts.accesses;
                   });
  return all;
}

// A record type whose fields were accessed.
struct TypeCandidate {
  RecordType type;
  decide::ReorderAdvice advice;

  std::string where() const { return type.file + ":" + std::to_string(type.line); }
};

std::vector<TypeCandidate> type_candidates(const Profile& profile) {
  std::vector<TypeCandidate> all;
  for (const decide::TypeFacts& facts : decide::type_facts(profile)) {
    decide::ReorderAdvice advice = decide::decide_reorder(facts, {});
    if (advice.accesses) all.push_back({*facts.type, std::move(advice)});
  }
  std::stable_sort(all.begin(), all.end(), [](const TypeCandidate& a, const TypeCandidate& b) {
    return a.advice.accesses > b.advice.accesses;
  });
  return all;
}

// What is left to print of a list, and how much there was.
template <typename Row>
struct Listed {
  std::vector<Row> rows;
  std::size_t taken, all;

  Listed(std::vector<Row> candidates, bool refused, std::size_t top) : rows(std::move(candidates)) {
    all = rows.size();
    const auto no = [](const Row& row) { return !row.advice.take(); };
    taken = all - static_cast<std::size_t>(std::count_if(rows.begin(), rows.end(), no));
    if (!refused) std::erase_if(rows, no);
    if (top && rows.size() > top) rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(top), rows.end());
  }
};

void print_pairs(JsonReport& json, const ProfileView& view, const LoopCandidate& c) {
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

void print_json(JsonReport& json, const AllocationCandidate& c) {
  json.open_object();
  json.member("transformation", "huge-pages");
  json.member("where", c.where());
  json.member("function", c.key.function);
  json.member("expression", c.advice.facts.allocator);
  json.member("take", c.advice.take());
  json.member("reason", decide::name(c.advice.reason));
  json.member("type", c.key.type);
  json.member("objects", c.advice.facts.objects);
  json.member("span", c.advice.facts.span);
  json.member("accesses", c.advice.facts.accesses);
  json.member("text", c.advice.text());
  json.close_object();
}

void print_json(JsonReport& json, const TypeCandidate& c) {
  json.open_object();
  json.member("transformation", "layout");
  json.member("where", c.where());
  json.member("type", c.type.name);
  json.member("take", c.advice.take());
  json.member("reason", decide::name(c.advice.reason));
  json.member("accesses", c.advice.accesses);
  json.member("misses", c.advice.misses);
  json.member("lines_before", c.advice.lines_before);
  json.member("lines_after", c.advice.lines_after);
  json.member("text", c.advice.text(c.type));
  json.key("obstacles");
  json.open_array();
  for (const auto& obstacle : c.advice.obstacles) json.value(decide::obstacle_text(obstacle));
  json.close_array();
  json.close_object();
}

void print_json(const ProfileView& view, const std::vector<Candidate>& loads,
                const std::vector<LoopCandidate>& loops,
                const std::vector<AllocationCandidate>& calls,
                const std::vector<TypeCandidate>& types) {
  JsonReport json;
  json.open_object();
  json.key("advice");
  json.open_array();
  for (const Candidate& c : loads) {
    json.open_object();
    json.member("transformation", "prefetch");
    json.member("where", ProfileView::where(*c.ref));
    json.member("function", c.ref->function->name);
    json.member("expression", c.ref->site->expression);
    json.member("take", c.advice.take());
    json.member("reason", decide::name(c.advice.reason));
    json.member("shape", decide::name(c.advice.shape));
    json.member("executions", c.advice.executions);
    json.member("span", c.advice.span);
    json.member("trip_count", c.advice.trip_count);
    json.member("text", c.advice.text());
    json.close_object();
  }
  for (const LoopCandidate& c : loops) {
    json.open_object();
    json.member("transformation", "versioning");
    json.member("where", ProfileView::where(*c.ref));
    json.member("function", c.ref->function->name);
    json.member("take", c.advice.take());
    json.member("reason", decide::name(c.advice.reason));
    json.member("iterations", c.advice.facts.iterations);
    json.member("trip_count", c.advice.trip_count);
    json.member("frequency", c.advice.frequency);
    json.member("text", c.advice.text());
    print_pairs(json, view, c);
    print_names(json, "restrict", c.source.restricted);
    print_names(json, "locals", c.source.locals);
    json.member("ivdep", c.source.ivdep);
    json.close_object();
  }
  for (const AllocationCandidate& c : calls) print_json(json, c);
  for (const TypeCandidate& c : types) print_json(json, c);
  json.close_array();
  json.close_object();
  std::fputs(json.text().c_str(), stdout);
}

void print_row(const std::string& place, bool take, const std::string& text) {
  Style style = Style::of(stdout);
  std::printf("%s %s\n    %s\n",
              style.tinted(take ? "yes" : "no ", take ? Tint::good : Tint::dim).c_str(),
              style.heading(printable(place)).c_str(), printable(text).c_str());
}

void print_text(const Listed<Candidate>& loads, const Listed<LoopCandidate>& loops) {
  std::printf("prefetch: %zu of %s worth it by the profile; the code decides the rest\n",
              loads.taken, counted(loads.all, "executed load").c_str());
  for (const Candidate& c : loads.rows)
    print_row(ProfileView::where(*c.ref) + ": " + c.ref->site->expression + " in " +
                  c.ref->function->name,
              c.advice.take(), c.advice.text());
  if (!loops.all) return;
  std::printf("versioning: %zu of %s worth it by the profile; the code decides the rest\n",
              loops.taken, counted(loops.all, "inner loop").c_str());
  for (const LoopCandidate& c : loops.rows) {
    print_row(ProfileView::where(*c.ref) + ": loop in " + c.ref->function->name,
              c.advice.take(), c.advice.text());
    const std::string source = c.source.text();
    if (!source.empty()) std::printf("    in the source: %s\n", printable(source).c_str());
  }
}

void print_text(const Listed<AllocationCandidate>& calls) {
  if (!calls.all) return;
  std::printf("huge pages: %zu of %s\n", calls.taken,
              counted(calls.all, "allocation call").c_str());
  for (const AllocationCandidate& c : calls.rows)
    print_row(c.where() + ": " + c.advice.facts.allocator +
                  (c.key.function.empty() ? "" : " in " + c.key.function),
              c.advice.take(), c.advice.text());
}

void print_text(const Listed<TypeCandidate>& types) {
  if (!types.all) return;
  std::printf("layout: %zu of %s\n", types.taken,
              counted(types.all, "accessed record type").c_str());
  for (const TypeCandidate& c : types.rows)
    print_row(c.where() + ": " + c.type.name, c.advice.take(), c.advice.text(c.type));
}

int run(const Arguments& arguments) {
  auto top = number_argument(arguments, "top", k_default_rows, 1000000000);
  if (!top) return fail(top.error());
  auto profile = read_profile(arguments.operands()[0]);
  if (!profile) return fail(profile.error());
  ProfileView view(*profile);
  Listed<Candidate> loads(candidates(view), arguments.has("all"), *top);
  Listed<LoopCandidate> loops(loop_candidates(view), arguments.has("all"), *top);
  Listed<AllocationCandidate> calls(allocation_candidates(*profile), arguments.has("all"), *top);
  Listed<TypeCandidate> types(type_candidates(*profile), arguments.has("all"), *top);
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
    "Prints the loads that the profile makes worth a prefetch and the loops that it\n"
    "makes worth a check that stores and loads do not meet, with the numbers of the\n"
    "decision and what could be written in the source instead, and the allocation\n"
    "calls whose objects get an arena with huge pages, and the records whose fields\n"
    "are moved.  The plugin decides with the same code; it also sees the program: see\n"
    "gcc -fopt-info.",
    k_options, 1, 1, false, run};

}  // namespace memprof::cli
