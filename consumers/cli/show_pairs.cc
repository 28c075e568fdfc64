// show_pairs.cc - memprof show --mdf and --never-met: which loads meet which stores.
// SPDX-License-Identifier: GPL-3.0-or-later
#include <string>
#include <vector>

#include "consumers/cli/show_rows.h"
#include "consumers/cli/table.h"

namespace memprof::cli {
namespace {

using feedback::Id;
using feedback::JsonReport;
using feedback::Mdf;
using feedback::NeverMet;

auto top_mdf(const ProfileView& view, std::size_t top) {
  return ranked(view.profile().mdf, top, &Mdf::est);
}

// The rows with the most pairs.
auto top_never_met(const ProfileView& view, std::size_t top) {
  return ranked(view.profile().never_met, top,
                [](const NeverMet& r) { return r.sinks.size() * r.sources.size(); });
}

// "a.c:3:7 a.c:4:9 and 12 more"
std::string places(const ProfileView& view, const std::vector<Id>& sites) {
  constexpr std::size_t k_most = 4;
  std::string text;
  for (std::size_t i = 0; i < sites.size() && i < k_most; i++)
    text += (i == 0 ? "" : " ") + view.site_name(sites[i]);
  if (sites.size() > k_most) text += " and " + grouped(sites.size() - k_most) + " more";
  return text;
}

void places_json(const ProfileView& view, const char* name, const std::vector<Id>& sites,
                 JsonReport& json) {
  json.key(name);
  json.open_array();
  for (const Id site : sites) json.value(view.site_name(site));
  json.close_array();
}

}  // namespace

std::string mdf_text(const ProfileView& view, std::size_t top, const Style& style) {
  Table table({{"estimate", true}, {"at least", true}, {"at most", true}, {"source"}, {"sink"}});
  const auto rows = top_mdf(view, top);
  for (const Mdf* r : rows)
    table.add_row({percent(r->est), percent(r->lo), percent(r->hi), view.site_name(r->source),
                   view.site_name(r->sink)});
  return section(title("Loads that read what a store has ever written", rows.size(),
                       view.profile().mdf.size(), "; share of the sink's executions"),
                 table, style);
}

void mdf_json(const ProfileView& view, std::size_t top, JsonReport& json) {
  for (const Mdf* r : top_mdf(view, top)) {
    json.open_object();
    json.member("source", view.site_name(r->source));
    json.member("sink", view.site_name(r->sink));
    json.member("lo", r->lo);
    json.member("est", r->est);
    json.member("hi", r->hi);
    json.close_object();
  }
}

std::string never_met_text(const ProfileView& view, std::size_t top, const Style& style) {
  Table table({{"pairs", true}, {"at most", true}, {"loop"}, {"loads"}, {"stores"}});
  const auto rows = top_never_met(view, top);
  for (const NeverMet* r : rows)
    table.add_row({grouped(r->sinks.size() * r->sources.size()),
                   r->hi == 0 ? "never" : percent(r->hi), view.loop_name(r->loop),
                   places(view, r->sinks), places(view, r->sources)});
  return section(title("Loads and stores of a loop that were compared and did not meet",
                       rows.size(), view.profile().never_met.size(),
                       "; at most: share of the load's executions"),
                 table, style);
}

void never_met_json(const ProfileView& view, std::size_t top, JsonReport& json) {
  for (const NeverMet* r : top_never_met(view, top)) {
    json.open_object();
    json.member("loop", view.loop_name(r->loop));
    json.member("hi", r->hi);
    places_json(view, "loads", r->sinks, json);
    places_json(view, "stores", r->sources, json);
    json.close_object();
  }
}

}  // namespace memprof::cli
