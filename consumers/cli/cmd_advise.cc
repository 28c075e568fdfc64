// cmd_advise.cc - memprof advise: what -fprofile-mem-use will do, and why.
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cstdio>
#include <map>
#include <tuple>
#include <variant>

#include "consumers/cli/advice.h"
#include "consumers/cli/advise_streams.h"
#include "consumers/cli/command.h"
#include "consumers/cli/table.h"
#include "consumers/decide/field_order.h"
#include "feedback/json_report.h"
#include "feedback/reader.h"

namespace memprof::cli {
namespace {

using namespace feedback;

const Option k_options[] = {
    {"all", nullptr, "refused candidates as well, with the reason"},
    {"decisions", "FILE", "the rebuilt program, or what -fprofile-mem-remarks= wrote (default: the program beside the profile)"},
    {"cache", "LIST", "for a machine with these caches, such as L2=1M,LLC=32M,TLB=1536 (of sampled profiles)"},
    {"top", "N", "at most N candidates of a kind, most executed first (default 20, 0 = all)"},
};

constexpr unsigned long k_default_rows = 20;

RebuildDoes rebuild_does(const Profile& profile, const std::vector<LoadRow>& loads,
                         const std::vector<AllocationRow>& calls) {
  RebuildDoes does;
  for (const LoadRow& row : loads)
    if (row.decision.take()) does.prefetched.insert(row.ref->site->id);
  for (const AllocationRow& row : calls) {
    if (!row.decision.take() ||
        row.decision.transformation != decide::Transformation::huge_pages)
      continue;
    const decide::AllocationIndex::Key& key = row.key;
    for (const Group& group : profile.groups)
      if (std::tie(group.file, group.line, group.function, group.type) ==
          std::tie(key.file, key.line, key.function, key.type))
        does.huge.insert(group.id);
  }
  return does;
}

// What the build decided, by place: it takes the place of what the profile alone says.
class Built {
 public:
  explicit Built(const std::vector<decide::Decision>& decisions) {
    for (const decide::Decision& d : decisions) by_place_[key(d)] = &d;
  }

  template <typename Row>
  void put_into(std::vector<Row>& rows) const {
    for (Row& row : rows)
      if (const auto at = by_place_.find(key(row.decision)); at != by_place_.end()) {
        const decide::Place place = row.decision.place;
        row.decision = *at->second;
        row.decision.place = place;
      }
  }

 private:
  using Key = std::tuple<decide::Transformation, std::string, unsigned, std::string>;
  static Key key(const decide::Decision& d) {
    return {d.transformation, d.place.file, d.place.line, d.place.expression};
  }
  std::map<Key, const decide::Decision*> by_place_;
};

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
        if constexpr (requires { row.source.empty(); })
          if (!row.source.empty()) return false;
        return !row.decision.take() && !row.decision.open() &&
               row.decision.reason != decide::Reason::not_asked;
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
  gate_json(d.gate, json);
  json.member("text", d.text);
}

void print_json(const ProfileView& view, const std::vector<LoadRow>& loads, const std::vector<LoadRow>& stores,
                const std::vector<LoopRow>& loops, const std::vector<FunctionRow>& functions,
                const std::vector<AllocationRow>& calls, const std::vector<TypeRow>& types,
                const std::vector<StreamAdviceRow>& streams, bool built) {
  JsonReport json;
  json.open_object();
  json.member("decisions", built ? "built" : "predicted");
  json.key("advice");
  json.open_array();
  for (const std::vector<LoadRow>* const rows : {&loads, &stores})
    for (const LoadRow& row : *rows) {
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
  for (const FunctionRow& row : functions) {
    print_decision(json, where(row.decision.place), row.decision);
    json.close_object();
  }
  for (const AllocationRow& row : calls) {
    print_decision(json, where(row.decision.place), row.decision);
    json.member("type", row.key.type);
    if (!row.source.empty()) json.member("source", row.source);
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
  json.key("streams");
  json.open_array();
  streams_json(streams, json);
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

void print_text(const char* what, const Listed<LoadRow>& accesses, const char* one, const char* many) {
  print_head(what, accesses, counted(accesses.all, one, many));
  for (const LoadRow& row : accesses.rows)
    print_row(ProfileView::where(*row.ref) + ": " + shortened(row.ref->site->expression) + " in " +
                  shortened(row.ref->function->name),
              row.decision);
}

void print_text(const Listed<LoopRow>& loops) {
  if (!loops.all) return;
  print_head("versioning", loops, counted(loops.all, "inner loop"));
  for (const LoopRow& row : loops.rows) {
    print_row(ProfileView::where(*row.ref) + ": loop in " + shortened(row.ref->function->name),
              row.decision);
    const std::string source = row.source.text();
    if (!source.empty()) std::printf("    in the source: %s\n", printable(source).c_str());
  }
}

void print_text(const char* what, const Listed<FunctionRow>& functions) {
  if (!functions.all) return;
  print_head(what, functions, counted(functions.all, "executed function"));
  for (const FunctionRow& row : functions.rows)
    print_row(where(row.decision.place) + ": " + shortened(row.function->name), row.decision);
}

void print_text(const char* what, const Listed<AllocationRow>& calls) {
  if (!calls.all) return;
  print_head(what, calls, counted(calls.all, "allocation call"));
  for (const AllocationRow& row : calls.rows) {
    print_row(where(row.decision.place) + ": " + row.decision.place.expression +
                  (row.key.function.empty() ? "" : " in " + shortened(row.key.function)),
              row.decision);
    if (!row.source.empty()) std::printf("    in the source: %s\n", row.source.c_str());
  }
}

// The rows of ROWS about WHAT.
template <typename Row>
std::vector<Row> about(decide::Transformation what, std::vector<Row> rows) {
  std::erase_if(rows, [what](const Row& row) {
    return row.decision.transformation != what;
  });
  return rows;
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
  auto profile = read_profile(arguments.operands()[0], feedback::Input::descriptor_too);
  if (!profile) return fail(profile.error());
  if (arguments.has("cache"))
    if (const auto moved = move_to_caches(*profile, arguments.value("cache")); !moved)
      return fail(arguments.operands()[0] + ": " + moved.error().text());
  ProfileView view(*profile);
  feedback::Result<std::vector<decide::Decision>> build =
      arguments.has("decisions") ? compiled_decisions(arguments.value("decisions"))
      : arguments.has("cache")   ? std::vector<decide::Decision>()
                                 : decisions_beside(arguments.operands()[0]);
  if (!build) return fail(build.error());
  const Built built(*build);
  std::vector<LoadRow> all_loads = load_rows(view), all_stores = store_rows(view);
  std::vector<LoopRow> all_loops = loop_rows(view);
  std::vector<FunctionRow> all_functions = function_rows(*profile);
  std::vector<AllocationRow> all_calls = allocation_rows(*profile);
  std::vector<TypeRow> all_types = type_rows(*profile);
  built.put_into(all_loads), built.put_into(all_stores), built.put_into(all_loops);
  built.put_into(all_functions);
  built.put_into(all_calls), built.put_into(all_types);
  const std::vector<StreamAdviceRow> streams =
      stream_rows(view, rebuild_does(*profile, all_loads, all_calls));
  Listed<LoadRow> loads(all_loads, arguments.has("all"), *top);
  Listed<LoadRow> stores(all_stores, arguments.has("all"), *top);
  Listed<LoopRow> loops(all_loops, arguments.has("all"), *top);
  const auto listed = [&]<typename Row>(decide::Transformation what, const std::vector<Row>& rows) {
    return Listed<Row>(about(what, rows), arguments.has("all"), *top);
  };
  Listed<FunctionRow> functions = listed(decide::Transformation::hot_functions, all_functions);
  const Listed<FunctionRow> branches = listed(decide::Transformation::branch_counts, all_functions);
  Listed<AllocationRow> calls = listed(decide::Transformation::huge_pages, all_calls);
  const Listed<AllocationRow> shared = listed(decide::Transformation::co_allocation, all_calls);
  Listed<TypeRow> types(all_types, arguments.has("all"), *top);
  if (arguments.json()) {
    functions.rows.insert(functions.rows.end(), branches.rows.begin(), branches.rows.end());
    calls.rows.insert(calls.rows.begin(), shared.rows.begin(), shared.rows.end());
    print_json(view, loads.rows, stores.rows, loops.rows, functions.rows, calls.rows, types.rows, streams, !build->empty());
    return k_ok;
  }
  if (!build->empty()) std::printf("what the build did:\n\n");
  print_text("prefetch", loads, "executed load", nullptr);
  if (stores.all) print_text("streaming stores", stores, "store of a loop", "stores of loops");
  print_text(loops);
  print_text("hot functions", functions);
  print_text("branch counts", branches);
  print_text("shared arenas", shared);
  print_text("huge pages", calls);
  print_text(types);
  if (view.has_section("regularity")) print_streams(streams, *top);
  return k_ok;
}

}  // namespace

const Command k_advise_command = {
    "advise",
    "PROFILE",
    "say what a rebuild with -fprofile-mem-use will do, and why",
    "Prints the allocation calls whose objects get a shared arena (with the module co_access)\n"
    "or an arena with huge pages, the records\n"
    "whose fields are moved, the loads that may get a prefetch, the stores that may bypass the\n"
    "caches, the loops that may get a check\n"
    "that stores and loads do not meet, and the functions whose loops GCC unrolls and makes vectors of,\n"
    "with the numbers of each decision and what could\n"
    "be written in the source instead.  The rebuild decides with the same functions; what\n"
    "only it can know is marked `needs the code', unless the rebuilt program lies beside the\n"
    "profile: then it is what the build did.  With the\n"
    "module regularity, hints from the streams of addresses of each loop (doc/regularity.md).",
    k_options, 1, 1, false, run};

}  // namespace memprof::cli
