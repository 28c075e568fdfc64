// report_data.cc - the document that the page reads, and the views without rows of their own.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/cli/report/report_data.h"

#include <algorithm>

#include "consumers/cli/change_report.h"
#include "memprof-config.h"

namespace memprof::cli {

using namespace feedback;

std::string brief(std::string_view text) {
  constexpr std::size_t k_head = 200, k_tail = 100;
  if (text.size() <= k_head + k_tail) return std::string(text);
  // Not in the middle of a character.
  const auto continues = [&](std::size_t at) { return (text[at] & 0xc0) == 0x80; };
  std::size_t head = k_head, tail = text.size() - k_tail;
  while (head > 0 && continues(head)) head--;
  while (tail < text.size() && continues(tail)) tail++;
  return std::string(text.substr(0, head)) + " ... " + std::string(text.substr(tail));
}

void changes_view(JsonReport& json, const ReportInput& in) {
  json.key("changes");
  if (!in.changes) return json.null();
  json.open_object();
  json.member("old", brief(in.old_profile));
  changes_json(*in.changes, k_report_changes, json);
  json.close_object();
}

namespace {

// Tables that this profile has, with their rows.
void put_tables(JsonReport& json, const Profile& p) {
  json.key("tables");
  json.open_array();
#define TABLE(name, Row)                                                                    \
  {                                                                                         \
    json.open_object();                                                                     \
    json.member("name", #name);                                                             \
    json.member("there", std::find(p.sections.begin(), p.sections.end(), #name) != p.sections.end()); \
    json.member("rows", p.name.size());                                                     \
    json.close_object();                                                                    \
  }
#include "feedback/tables.def"
#undef TABLE
  json.close_array();
}

}  // namespace

void run_view(JsonReport& json, const ReportInput& in) {
  const Profile& p = in.view.profile();
  const Run& run = p.run;
  std::size_t functions = 0;
  for (const Module& m : p.modules) functions += m.functions.size();
  json.key("run");
  json.open_object();
  json.member("profile", brief(in.profile));
  json.member("tool", PACKAGE_VERSION);
  json.member("program", brief(p.program.name));
  json.member("command", brief(p.program.command));
  json.member("compiler", brief(p.program.compiler));
  json.member("target", brief(p.program.target));
  json.member("build_id", brief(p.program.build_id));
  json.member("complete", run.complete);
  json.member("mode", run.mode);
  json.member("runs", run.runs);
  json.member("accesses", run.accesses);
  json.member("loads", run.loads);
  json.member("stores", run.stores);
  json.member("events_lost", run.events_lost);
  json.member("external_calls", run.external_calls);
  json.member("objects", run.objects);
  json.member("threads", run.threads);
  json.member("duration_s", run.duration_s);
  json.member("started", brief(started_text(run)));
  json.member("share", run.share);
  json.member("bursts", run.bursts);
  json.member("caches", run.caches);
  json.member("modules", p.modules.size());
  json.member("functions", functions);
  json.member("sites", in.view.sites().size());
  json.member("loops", in.view.loops().size());
  put_tables(json, p);
  json.close_object();
}

std::string report_data(const ReportInput& in) {
  JsonReport json;
  json.open_object();
  run_view(json, in);
  answer_view(json, in);
  decisions_view(json, in);
  memory_view(json, in);
  source_view(json, in);
  types_view(json, in);
  loops_view(json, in);
  objects_view(json, in);
  streams_view(json, in);
  regularity_view(json, in);
  pages_view(json, in);
  changes_view(json, in);
  timeline_view(json, in);
  json.close_object();
  return json.text();
}

}  // namespace memprof::cli
