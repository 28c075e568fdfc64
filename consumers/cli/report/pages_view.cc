// pages_view.cc - what the accesses to each object cost in walks of page tables and requests.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// One row for each object and source of figures, its threads together, by walks; threads as they
// take turns access by access (Pages::memory). `memprof show --pages' has the other order and
// single threads. Figures of two sources (a model, one with the kernel's page sizes) are never added:
// each source has its own sums, and a row's shares are of those.
#include <algorithm>

#include "consumers/cli/report/report_data.h"
#include "consumers/cli/show_pages.h"
#include "feedback/model.h"

namespace memprof::cli {

using namespace feedback;

void pages_view(JsonReport& json, const ReportInput& in) {
  json.key("pages");
  if (!in.view.has_section("pages")) return json.null();
  const std::vector<ObjectPages> objects = pages_of_objects(in.view.profile());
  json.open_object();
  json.member("all", objects.size());
  json.key("sources");
  json.open_array();
  for (const auto& [source, sum] : pages_by_source(in.view.profile())) {
    json.open_object();
    json.member("name", page_source_text(source));
    json.member("walks", sum.walks);
    json.member("requests", sum.memory.requests);
    json.close_object();
  }
  json.close_array();
  json.key("rows");
  json.open_array();
  for (std::size_t i = 0; i < std::min(objects.size(), k_report_rows); i++) {
    const Pages& r = objects[i].sum;
    json.open_object();
    json.member("memory", r.group == k_none ? "" : brief(in.view.group_name(r.group)));
    json.member("object", r.object);
    json.member("source", page_source_text(r.source));
    json.member("accesses", r.reads + r.writes);
    json.member("walks", r.walks);
    json.member("walk_refs", r.walk_refs);
    json.member("walk_dram", r.memory.walk_dram);
    json.member("requests", r.memory.requests);
    json.member("written", r.memory.write_backs + r.memory.left);
    json.close_object();
  }
  json.close_array();
  json.close_object();
}

}  // namespace memprof::cli
