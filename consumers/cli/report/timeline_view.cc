// timeline_view.cc - accesses, misses and live memory over the run.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/cli/report/report_data.h"
#include "consumers/cli/show_tables.h"

namespace memprof::cli {

using namespace feedback;

namespace {

void put_slices(JsonReport& json, const char* name, const Timeline::Slices& slices) {
  json.key(name);
  json.open_array();
  for (const std::uint64_t n : slices) json.value(n);
  json.close_array();
}

}  // namespace

void timeline_view(JsonReport& json, const ReportInput& in) {
  const Profile& p = in.view.profile();
  json.key("timeline");
  // The sum over all threads has number 0 and is the first row, if there is one.
  if (p.timeline.empty() || p.timeline.front().thread != 0) return json.null();
  const Timeline& all = p.timeline.front();
  json.open_object();
  json.member("clock", clock_of(p.run));
  put_slices(json, "accesses", all.accesses);
  put_slices(json, "misses", all.misses);
  put_slices(json, "live", all.live);
  json.key("threads");
  json.open_array();
  for (const Timeline& row : p.timeline) {
    if (row.thread == 0) continue;
    json.open_object();
    json.member("thread", row.thread);
    put_slices(json, "accesses", row.accesses);
    json.close_object();
  }
  json.close_array();
  json.close_object();
}

}  // namespace memprof::cli
