// advice.h - the decisions about a whole profile, as a rebuild will make them.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Asks the functions of consumers/decide that the plugin asks.  What is not here is the
// code: which loads depend on which, what an iteration costs, what the compiler knows about
// aliases.  Decisions that depend on it have the reason needs-code here; all others are
// those of the rebuild.
#pragma once

#include <vector>

#include "consumers/cli/profile_view.h"
#include "consumers/decide/decision.h"
#include "consumers/decide/co_allocation.h"
#include "consumers/decide/heap_pages.h"
#include "consumers/decide/huge_pages.h"
#include "consumers/decide/source_advice.h"
#include "consumers/decide/versioning.h"
#include "feedback/json_report.h"
#include "feedback/result.h"

namespace memprof::cli {

// A load of a profile.
struct LoadRow {
  const ProfileView::SiteRef* ref;
  decide::Decision decision;
};

// A function of a profile: branch_counts or hot_functions.
struct FunctionRow {
  const feedback::Function* function;
  decide::Decision decision;
};

// A loop with stores, and what it would gain if its accesses never met.
struct LoopRow {
  const ProfileView::LoopRef* ref;
  decide::Decision decision;
  std::vector<decide::AccessPair> pairs;  // all, most frequent first
  decide::SourceAdvice source;
};

// An allocation call, or a large variable: then the key's function is its name.
struct AllocationRow {
  decide::AllocationIndex::Key key;
  decide::Decision decision;  // co_allocation or huge_pages
  std::string source;         // what could be done about the order of the objects; empty: nothing
};

// A record type whose fields were accessed.
struct TypeRow {
  std::vector<feedback::Obstacle> obstacles;
  decide::Decision decision;
};

// Makes the misses of PROFILE those of a machine with CACHES (decide::move_to_caches), or says why not.
feedback::Result<bool> move_to_caches(feedback::Profile& profile, const std::string& caches);

// Each with the most executed first.
std::vector<LoadRow> load_rows(const ProfileView& view);
// Of stores in loops that a window met, with what becomes of the lines.
std::vector<LoadRow> store_rows(const ProfileView& view);
std::vector<LoopRow> loop_rows(const ProfileView& view);
std::vector<FunctionRow> function_rows(const feedback::Profile& profile);
std::vector<AllocationRow> allocation_rows(const feedback::Profile& profile);
std::vector<TypeRow> type_rows(const feedback::Profile& profile);

// The decisions of all of them.
std::vector<decide::Decision> predicted_decisions(const ProfileView& view);
// The decisions that a compile wrote: FILE is named by -fprofile-mem-remarks, or an object, a library or a program,
// in which they are as well.
feedback::Result<std::vector<decide::Decision>> compiled_decisions(const std::string& file);
// The decisions of the build that lies beside PROFILE: of prog.memprof.json the program prog.  None: there is no such
// program, or it was built without the profile.
std::vector<decide::Decision> decisions_beside(const std::string& profile);

// The decisions of FILE; without one those beside PROFILE; else those that the profile predicts.
struct KnownDecisions {
  std::vector<decide::Decision> all;
  bool compiled = false;
};
feedback::Result<KnownDecisions> known_decisions(const ProfileView& view, const std::string& profile,
                                                 const std::string& file);

// Member `gate' of the open object, if GATE compares a number.
void gate_json(const decide::Gate& gate, feedback::JsonReport& json);

}  // namespace memprof::cli
