// decisions_view.cc - what a rebuild does and what it refuses.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Counts by transformation and gate are of all decisions. Rows are those taken, then those
// that need the code, then refusals, each in the order in which they came: most executed
// first.
#include <algorithm>
#include <map>
#include <variant>

#include "consumers/cli/advice.h"
#include "consumers/cli/report/report_data.h"

namespace memprof::cli {
namespace {

using feedback::JsonReport;

int rank(const decide::Decision& d) { return d.take() ? 0 : d.open() ? 1 : 2; }

void put_counts(JsonReport& json, const std::vector<decide::Decision>& decisions) {
  std::map<std::pair<decide::Transformation, decide::Reason>, std::uint64_t> counts;
  for (const decide::Decision& d : decisions) counts[{d.transformation, d.reason}]++;
  json.key("counts");
  json.open_array();
  for (const auto& [key, n] : counts) {
    json.open_object();
    json.member("transformation", decide::name(key.first));
    json.member("reason", decide::name(key.second));
    json.member("take", key.second == decide::Reason::taken);
    json.member("open", key.second == decide::Reason::needs_code);
    json.member("count", n);
    json.close_object();
  }
  json.close_array();
}

void put_row(JsonReport& json, const decide::Decision& d) {
  json.open_object();
  json.member("transformation", decide::name(d.transformation));
  json.member("file", brief(d.place.file));
  json.member("line", d.place.line);
  json.member("column", d.place.column);
  json.member("function", brief(d.place.function));
  json.member("expression", brief(d.place.expression));
  json.member("take", d.take());
  json.member("open", d.open());
  json.member("reason", decide::name(d.reason));
  json.member("gain", d.gain);
  gate_json(d.gate, json);
  json.member("text", brief(d.text));
  json.key("numbers");
  json.open_object();
  for (const decide::Number& n : d.numbers)
    std::visit([&](auto value) { json.member(n.name, value); }, n.value);
  json.close_object();
  json.close_object();
}

}  // namespace

void decisions_view(JsonReport& json, const ReportInput& in) {
  std::vector<const decide::Decision*> order;
  for (const decide::Decision& d : in.decisions) order.push_back(&d);
  std::stable_sort(order.begin(), order.end(),
                   [](const auto* a, const auto* b) { return rank(*a) < rank(*b); });
  json.key("decisions");
  json.open_object();
  json.member("compiled", in.compiled);
  json.member("all", order.size());
  put_counts(json, in.decisions);
  if (order.size() > k_report_decisions) order.resize(k_report_decisions);
  json.key("rows");
  json.open_array();
  for (const auto* d : order) put_row(json, *d);
  json.close_array();
  json.close_object();
}

}  // namespace memprof::cli
