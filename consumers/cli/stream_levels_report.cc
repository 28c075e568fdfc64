// stream_levels_report.cc - what memprof streams --level=N prints: hot streams of streams.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/cli/stream_levels_report.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <string>

#include "consumers/cli/streams_report.h"
#include "consumers/cli/table.h"

namespace memprof::cli {
namespace {

using streams::HotStream;
using streams::StreamLevel;

constexpr std::size_t k_most_names = 12;  // of a stream in a line

// "3 1 1 2": numbers of streams of the level below, from 1.
std::string names_text(const HotStream& stream) {
  std::string text;
  for (std::size_t i = 0; i < std::min(stream.names.size(), k_most_names); i++)
    text += (i == 0 ? "" : " ") + std::to_string(stream.names[i] + 1);
  return text + (stream.names.size() > k_most_names ? " ..." : "");
}

double share(std::uint64_t part, std::uint64_t all) {
  return all == 0 ? 0 : static_cast<double>(part) / static_cast<double>(all);
}

std::size_t shown(std::size_t all, std::size_t top) { return top == 0 ? all : std::min(all, top); }

void add_summary(const StreamAnalysis& a, Table& table) {
  const auto add = [&](std::size_t number, const streams::ExploitableStreams& found, std::size_t streams,
                       std::uint64_t covered, std::uint64_t wps, std::size_t edges) {
    table.add_row({std::to_string(number), grouped(found.references), grouped(found.names), grouped(wps),
                   grouped(found.multiple), grouped(streams), percent(found.coverage),
                   percent(share(covered, a.found.references)), grouped(edges)});
  };
  add(0, a.found, a.rows.size(), a.reduced.covered, a.wps0.ascii, a.graph.edges.size());
  for (std::size_t i = 0; i < a.levels.size(); i++) {
    const StreamLevel& level = a.levels[i];
    add(i + 1, level.found, level.found.streams.size(), level.covered, level.wps.ascii,
        level.graph.edges.size());
  }
}

void add_streams_json(const StreamLevel& level, std::size_t top, feedback::JsonReport& json) {
  json.key("streams");
  json.open_array();
  for (std::size_t i = 0; i < shown(level.found.streams.size(), top); i++) {
    const HotStream& stream = level.found.streams[i];
    json.open_object();
    json.member("number", std::uint64_t{i + 1});
    json.member("heat", stream.heat());
    json.member("times", stream.occurrences);
    json.member("interval", stream.interval());
    json.member("references", level.references[i]);
    json.key("streams");
    json.open_array();
    for (const streams::Symbol name : stream.names) json.value(std::uint64_t{name} + 1);
    json.close_array();
    json.close_object();
  }
  json.close_array();
}

}  // namespace

void print_levels(const StreamAnalysis& a, std::size_t top) {
  Table levels({{"level", true}, {"text", true}, {"names", true}, {"WPS", true}, {"multiple", true},
                {"streams", true}, {"coverage", true}, {"of references", true}, {"edges", true}});
  add_summary(a, levels);
  std::fputs(levels.text(Style::of(stdout)).c_str(), stdout);
  const StreamLevel& level = a.levels.back();
  Table table({{"#", true}, {"heat", true}, {"length", true}, {"times", true}, {"interval", true},
               {"references", true}, {"streams of the level below"}});
  for (std::size_t i = 0; i < shown(level.found.streams.size(), top); i++) {
    const HotStream& stream = level.found.streams[i];
    char interval[40];
    std::snprintf(interval, sizeof interval, "%.1f", stream.interval());
    table.add_row({std::to_string(i + 1), grouped(stream.heat()), grouped(stream.names.size()),
                   grouped(stream.occurrences), interval, grouped(level.references[i]),
                   names_text(stream)});
  }
  std::printf("\n%s", table.text(Style::of(stdout)).c_str());
}

void print_level_graph(const StreamAnalysis& a, std::size_t top) {
  const StreamLevel& level = a.levels.back();
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < shown(level.found.streams.size(), top); i++)
    labels.push_back(names_text(level.found.streams[i]) + "\\nheat " +
                     std::to_string(level.found.streams[i].heat()));
  print_graph(labels, level.graph);
}

void add_levels_json(const StreamAnalysis& a, std::size_t top, feedback::JsonReport& json) {
  json.key("levels");
  json.open_array();
  for (std::size_t i = 0; i < a.levels.size(); i++) {
    const StreamLevel& level = a.levels[i];
    json.open_object();
    json.member("level", std::uint64_t{i + 1});
    json.member("text", level.found.references);
    json.member("names", level.found.names);
    json.member("wps_ascii", level.wps.ascii);
    json.member("multiple", level.found.multiple);
    json.member("found", std::uint64_t{level.found.streams.size()});
    json.member("coverage", level.found.coverage);
    json.member("of_references", share(level.covered, a.found.references));
    add_streams_json(level, top, json);
    add_graph_json(level.graph, shown(level.found.streams.size(), top), json);
    json.close_object();
  }
  json.close_array();
}

}  // namespace memprof::cli
