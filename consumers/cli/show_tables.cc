// show_tables.cc - the tables of `memprof show', each as text and as JSON.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Each table ranks its rows by what costs time: executions for sites, strides
// and loops, accesses for groups, count for dependences; ties keep the order of
// the document, so the same profile always prints the same text.
#include "consumers/cli/show_tables.h"

#include <algorithm>
#include <iterator>

#include "consumers/cli/show_columns.h"

namespace memprof::cli {

using namespace feedback;

std::span<const ShowTable* const> show_tables() {
#define ADDRESS(name) &show_##name,
  static constexpr const ShowTable* tables[] = {MEMPROF_SHOW_TABLES(ADDRESS)};
  return tables;
}

void add_member(const char* key, const decltype(Shown::json)& value, JsonReport& json) {
  if (const auto* list = std::get_if<std::vector<std::string>>(&value)) {
    json.key(key);
    json.open_array();
    for (const std::string& element : *list) json.value(element);
    json.close_array();
    return;
  }
  std::visit(
      [&](const auto& v) {
        if constexpr (requires { json.value(v); }) json.member(key, v);
      },
      value);
}

std::string stride_text(const Stride* row) {
  if (!row || row->executions < 2) return "-";
  // A dominant stride of a few per mille says nothing.
  constexpr double k_irregular = 0.1;
  if (row->share < k_irregular) return "irregular";
  return signed_bytes(row->dominant) + " (" + percent(row->share) + ")";
}

// "12 calls of functions that are not instrumented and may write memory: qsort_r 9, step 3"
static std::string external_text(const Run& run) {
  if (run.external_calls == 0) return "";
  std::string s = counted(run.external_calls, "call") +
                  " of functions that are not instrumented and may write memory";
  constexpr std::size_t k_most = 6;
  const auto rows = ranked(run.external_functions, k_most, &feedback::ExternalFunction::calls);
  for (const feedback::ExternalFunction* f : rows)
    s += (f == rows.front() ? ": " : ", ") + shortened(printable(f->name)) + " " + grouped(f->calls);
  if (const std::size_t all = run.external_functions.size(); all > rows.size())
    s += " and " + counted(all - rows.size(), "other");
  return s + "\n";
}

std::string overview(const ProfileView& view) {
  const Profile& p = view.profile();
  const Run& run = p.run;
  std::size_t functions = 0;
  for (const Module& m : p.modules) functions += m.functions.size();
  std::string s = printable(p.program.name) + ": " + counted(run.accesses, "access", "accesses") +
                  " (" + counted(run.loads, "load") + ", " + counted(run.stores, "store") +
                  ") to " + counted(run.objects, "object") + " in " + counted(run.runs, "run") +
                  ", " + counted(run.threads, "thread") + "\n";
  s += counted(p.modules.size(), "module") + ", " + counted(functions, "function") + ", " +
       counted(view.sites().size(), "executed site") + ", " +
       counted(view.loops().size(), "loop") + "; mode " + printable(run.mode) + "\n";
  if (const std::string started = started_text(run); !started.empty()) s += started + "\n";
  if (!run.complete)
    s += "The profile is incomplete: the program or its profile was cut off.\n";
  s += external_text(run);
  if (run.events_lost) s += counted(run.events_lost, "event") + " could not be recorded.\n";
  return s;
}

}  // namespace memprof::cli
