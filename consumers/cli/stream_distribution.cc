// stream_distribution.cc - memprof streams --cdf: how long hot streams are, and how well packed.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/cli/stream_distribution.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "consumers/cli/table.h"

namespace memprof::cli {
namespace {

constexpr double k_steps = 20;  // of packing

void add_points(const char* name, const char* value, const std::vector<DistributionPoint>& points,
                feedback::JsonReport& json) {
  json.key(name);
  json.open_array();
  for (const DistributionPoint& p : points) {
    json.open_object();
    json.member(value, p.value);
    json.member("streams", p.streams);
    json.member("heat", p.heat);
    json.close_object();
  }
  json.close_array();
}

}  // namespace

std::vector<DistributionPoint> cumulative(std::vector<std::pair<double, std::uint64_t>> values) {
  std::sort(values.begin(), values.end());
  double all = 0, heat = 0;
  for (const auto& [value, h] : values) all += static_cast<double>(h);
  std::vector<DistributionPoint> points;
  for (std::size_t i = 0; i < values.size(); i++) {
    heat += static_cast<double>(values[i].second);
    if (i + 1 < values.size() && values[i + 1].first == values[i].first) continue;
    points.push_back({values[i].first,
                      static_cast<double>(i + 1) / static_cast<double>(values.size()),
                      all == 0 ? 0 : heat / all});
  }
  return points;
}

StreamDistributions distributions_of(const StreamAnalysis& analysis) {
  std::vector<std::pair<double, std::uint64_t>> lengths, packing;
  for (const StreamRow& row : analysis.rows) {
    lengths.emplace_back(static_cast<double>(row.stream.names.size()), row.stream.heat());
    if (row.packing.actual != 0)
      packing.emplace_back(std::ceil(row.packing.efficiency() * k_steps) / k_steps, row.stream.heat());
  }
  return {cumulative(std::move(lengths)), cumulative(std::move(packing))};
}

void print_distributions(const StreamAnalysis& analysis) {
  const StreamDistributions d = distributions_of(analysis);
  Table lengths({{"length", true}, {"streams", true}, {"heat", true}});
  for (const DistributionPoint& p : d.lengths)
    lengths.add_row({grouped(static_cast<std::uint64_t>(p.value)), percent(p.streams), percent(p.heat)});
  Table packing({{"packing", true}, {"streams", true}, {"heat", true}});
  for (const DistributionPoint& p : d.packing)
    packing.add_row({percent(p.value), percent(p.streams), percent(p.heat)});
  std::printf("Shares of the hot streams, and of their heat, that are no longer\n\n%s\n",
              lengths.text(Style::of(stdout)).c_str());
  std::printf("... and that are packed no better\n\n%s", packing.text(Style::of(stdout)).c_str());
}

void add_distributions_json(const StreamAnalysis& analysis, feedback::JsonReport& json) {
  const StreamDistributions d = distributions_of(analysis);
  json.key("distributions");
  json.open_object();
  add_points("lengths", "length", d.lengths, json);
  add_points("packing", "packing", d.packing, json);
  json.close_object();
}

}  // namespace memprof::cli
