// speedscope.cc - a profile for speedscope: one sampled profile for each metric.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Format: speedscope's file-format-spec.ts. Frames are shared; a sample is the static nest
// of a site, and its weight the count of the metric.
#include <algorithm>
#include <map>

#include "consumers/cli/export/cost_rows.h"
#include "consumers/cli/export/formats.h"
#include "feedback/json_report.h"
#include "feedback/model.h"
#include "memprof-config.h"

namespace memprof::cli {
namespace {

// Its numbers are those of JavaScript, which JsonReport would write as text beyond this.
constexpr std::uint64_t k_greatest = std::uint64_t{1} << 53;

struct Frames {
  std::map<std::string, std::size_t> index;
  std::vector<const std::string*> names;
  std::size_t operator()(const std::string& name) {
    const auto [at, fresh] = index.try_emplace(name, names.size());
    if (fresh) names.push_back(&at->first);
    return at->second;
  }
};

void put_profile(feedback::JsonReport& json, const std::vector<CostRow>& rows, std::size_t metric,
                 const std::vector<std::vector<std::size_t>>& stacks) {
  std::uint64_t total = 0;
  json.open_object();
  json.member("type", "sampled");
  json.member("name", k_cost_metrics[metric].help);
  json.member("unit", "none");
  json.key("samples");
  json.open_array();
  for (std::size_t i = 0; i < rows.size(); i++) {
    if (rows[i].costs[metric] == 0) continue;
    json.open_array();
    for (std::size_t frame : stacks[i]) json.value(frame);
    json.close_array();
  }
  json.close_array();
  json.key("weights");
  json.open_array();
  for (const CostRow& row : rows) {
    if (row.costs[metric] == 0) continue;
    json.value(std::min(row.costs[metric], k_greatest));
    feedback::add_count(total, row.costs[metric]);
  }
  json.close_array();
  json.member("startValue", 0);
  json.member("endValue", std::min(total, k_greatest));
  json.close_object();
}

}  // namespace

std::string to_speedscope(const ProfileView& view, const ExportOptions&) {
  const auto rows = cost_rows(view);
  Frames frames;
  std::vector<std::vector<std::size_t>> stacks;
  for (const CostRow& row : rows) {
    stacks.emplace_back();
    for (const std::string& name : static_stack(view, *row.site))
      stacks.back().push_back(frames(name));
  }
  feedback::JsonReport json;
  json.open_object();
  json.member("$schema", "https://www.speedscope.app/file-format-schema.json");
  json.member("name", view.profile().program.name);
  json.member("exporter", "memprof " PACKAGE_VERSION);
  json.key("shared");
  json.open_object();
  json.key("frames");
  json.open_array();
  for (const std::string* name : frames.names) {
    json.open_object();
    json.member("name", *name);
    json.close_object();
  }
  json.close_array();
  json.close_object();
  json.key("profiles");
  json.open_array();
  for (std::size_t metric = 0; metric < k_metrics; metric++) {
    const bool any = std::any_of(rows.begin(), rows.end(),
                                 [&](const CostRow& r) { return r.costs[metric] != 0; });
    if (any) put_profile(json, rows, metric, stacks);
  }
  json.close_array();
  json.close_object();
  return json.text();
}

}  // namespace memprof::cli
