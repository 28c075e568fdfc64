// rebuild.cc - fuzz target: a profile, in a compile that uses it.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The compiler asks for each function, site, loop, allocation call, variable and type of its unit.  Here
// every name of the profile is asked for, with code of each shape.  What the compiler then does to
// its own code is tried by testsuite/long/mutated_profiles.py.
#include <string>

#include "feedback/reader.h"
#include "feedback/writer.h"
#include "plugin/use/bridge.h"
#include "testsuite/fuzz/mutators.h"
#include "testsuite/fuzz/target.h"

namespace memprof::fuzz {
namespace {

using namespace memprof::plugin;
using decide::Transformation;

void ask_about_site(const function_profile* function, const feedback::Site& site) {
  const decide::Candidate load{Transformation::prefetch, "a.c", 1, 1, "f", "x", nullptr};
  profile_site(function, site.ordinal);
  must(*profile_expression(function, site.ordinal) != 0, "a site without words");
  for (const decide::Shape shape : {decide::Shape::strided, decide::Shape::indirect, decide::Shape::linked, decide::Shape::search}) {
    decide::PrefetchCode code;
    code.shape = shape;
    code.instructions = 20;
    code.waits = 0.5;
    code.index_step = 8;
    code.step = 256;
    code.index_ordinal = code.node_ordinal = code.start_ordinal = static_cast<int>(site.ordinal / 2);
    code.list = shape == decide::Shape::linked ? decide::ListPart::first : decide::ListPart::none;
    must(profile_decide_prefetch(function, load, site.ordinal, code)->text != nullptr, "a decision without words");
  }
  const decide::Candidate loop{Transformation::versioning, "a.c", 1, 1, "f", "x", nullptr};
  const decide::SitePair pair{site.ordinal, site.ordinal / 2};
  for (const unsigned out : {0u, 1u, 9u}) {
    decide::VersioningCode code;
    code.instructions = 10;
    code.checks = 1;
    code.lanes = 4;
    must(profile_decide_versioning(function, loop, {site.ordinal, out, 1, &pair}, code)->text != nullptr, "a decision without words");
  }
}

void ask_about_function(const function_profile* function) {
  const decide::Candidate candidate{Transformation::hot_functions, "a.c", 1, 1, "f", "f", nullptr};
  must(profile_decide_hot_function(function, candidate, {})->text != nullptr, "a decision without words");
}

// A loop whose body and exit have sites.
void ask_about_branches(const function_profile* function) {
  const decide::Candidate candidate{Transformation::branch_counts, "a.c", 1, 1, "f", "f", nullptr};
  constexpr decide::FlowEdge k_edges[] = {{0, 2, 1}, {2, 3, .9}, {3, 2, 1}, {2, 1, .1}};
  constexpr decide::BlockSite k_sites[] = {{2, 0}, {3, 1}, {3, 2}, {1, 7}};
  constexpr decide::LoopEntry k_entries[] = {{0, 1}};
  constexpr unsigned k_classes[] = {0, 0, 2, 3};
  constexpr double k_guesses[] = {10, 10, 100, 90};
  const decide::BranchCode code{nullptr, 4, 4, 4, 1, k_edges, k_sites, k_entries, k_classes, k_guesses};
  const decision_view* view = profile_decide_branch_counts(function, candidate, code);
  must(view->text != nullptr, "a decision without words");
  for (unsigned edge = 0; view->take && edge < 4; edge++) must(view->probabilities[edge] <= 1, "a probability above 1");
  for (unsigned block = 0; view->take && block < 4; block++) must(view->block_counts[block] >= 0, "executions below 0");
}

void ask_about_store(const function_profile* function, const feedback::Site& site) {
  const decide::Candidate store{Transformation::streaming_stores, "a.c", 1, 1, "f", "x", nullptr};
  const unsigned stores[] = {site.ordinal, site.ordinal + 1};
  for (const unsigned out : {0u, 1u, 9u}) {
    decide::StreamingCode code;
    code.instructions = 4;
    code.written = 16;
    code.stores = code.others = stores;
    code.store_count = 1 + out % 2;
    code.other_count = 2;
    must(profile_decide_streaming(function, store, {site.ordinal, out, 0, nullptr}, code)->text != nullptr, "a decision without words");
  }
}

void ask_about_functions(profile* rows, const feedback::Profile& known) {
  for (const feedback::Module& m : known.modules) {
    profile_options(rows, m.file.c_str(), "-O2");
    profile_knows_source(rows, m.file.c_str());
    for (const feedback::Function& f : m.functions) {
      function_match found = profile_find(rows, m.file.c_str(), f.linkage_name.c_str(), f.checksum, false, true);
      if (!found.function) {
        const site_shape shape{false, 4, "a[i]", "int", "", 1, "", 3, 5};
        found = profile_salvage(rows, found, m.file.c_str(), f.linkage_name.c_str(), &shape, 1);
      }
      profile_match_remark(rows, found, m.file.c_str(), f.linkage_name.c_str());
      profile_find(rows, "elsewhere.c", f.linkage_name.c_str(), f.checksum, true, false);
      found = profile_find(rows, m.file.c_str(), f.linkage_name.c_str(), f.checksum, false, true);
      if (!found.function) continue;
      ask_about_function(found.function);
      ask_about_branches(found.function);
      for (const feedback::Site& site : f.sites) {
        ask_about_site(found.function, site);
        ask_about_store(found.function, site);
      }
    }
  }
}

void ask_about_objects(profile* rows, const feedback::Profile& known) {
  for (const feedback::Group& g : known.groups) {
    const decide::AllocationCode call{g.file.c_str(), g.line, g.function.c_str(), g.type.c_str(), true, true};
    profile_decide_huge_pages(rows, {Transformation::huge_pages}, call);
    profile_decide_co_allocation(rows, {Transformation::co_allocation}, call);
    profile_watched_name(rows, call);
    profile_wrapper_p(rows, g.function.c_str());
    profile_decide_variable(rows, {Transformation::huge_pages}, {g.file.c_str(), g.line, g.function.c_str(), g.type.c_str(), nullptr});
  }
  for (const feedback::RecordType& type : known.types) {
    decide::RecordCode code{type.name.c_str(), type.key, static_cast<unsigned>(type.fields.size()), nullptr};
    profile_decide_field_order(rows, {Transformation::field_order}, code);
  }
}

void ask(const std::string& path, const char* source, const feedback::Profile& known, bool eager) {
  profile_request request;
  request.source = source;
  request.eager = request.move_fields = eager;
  profile_status status;
  const char* message = nullptr;
  profile* const rows = profile_open(path.c_str(), {"L1d=32K/8/64,L2=1M/8/64", 0, eager ? 1u : 4u}, request, &status, &message);
  must(rows != nullptr && message != nullptr, "no answer");
  ask_about_functions(rows, known);
  ask_about_objects(rows, known);
  profile_close(rows);
}

void try_rebuild(std::string_view input) {
  const std::string path = put("r.memprof.json", input);
  auto known = feedback::read_profile(path);
  if (!known) {
    ask(path, "a.c", {}, false);
    return;
  }
  const std::string source = known->modules.empty() ? "a.c" : known->modules.front().file;
  ask(path, nullptr, *known, false);
  // In the order of this build, with an index that is right.
  const std::string canonical = put("c.memprof.json", feedback::to_json(*known));
  ask(canonical, source.c_str(), *known, true);
}

}  // namespace
}  // namespace memprof::fuzz

MEMPROF_FUZZ_MUTATED_TARGET("rebuild", memprof::fuzz::try_rebuild, memprof::fuzz::mutate_json)
