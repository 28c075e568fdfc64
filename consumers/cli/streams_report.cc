// streams_report.cc - what memprof streams prints of hot data streams.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/cli/streams_report.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <map>

#include "consumers/cli/table.h"

namespace memprof::cli {
namespace {

using streams::NameRow;

std::string one_digit(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

std::string place(const StreamProfile& profile, const NameRow& name) {
  const ProfileView::SiteRef* site = profile.site(name.site);
  return printable(site == nullptr ? "?" : ProfileView::where(*site));
}

std::string expression(const StreamProfile& profile, const NameRow& name) {
  const ProfileView::SiteRef* site = profile.site(name.site);
  if (site == nullptr) return "-";
  if (!site->site->field.empty()) return printable(site->site->type + "::" + site->site->field);
  return site->site->expression.empty() ? "-" : printable(site->site->expression);
}

std::string group_text(const StreamProfile& profile, const NameRow& name) {
  const feedback::Group* group = profile.group(name.group);
  return group == nullptr ? "unknown memory" : printable(ProfileView::group_name(*group));
}

const NameRow& first(const StreamAnalysis& a, const StreamRow& row) {
  return a.names[row.stream.names[0]];
}

std::string efficiency(const streams::Packing& p) {
  return p.actual == 0 ? "-" : percent(p.efficiency());
}

// In a quoted string of dot.
std::string quoted(std::string text) {
  for (char& c : text)
    if (c == '"' || c == '\\') c = '_';
  return text;
}

std::size_t shown(std::size_t all, std::size_t top) { return top == 0 ? all : std::min(all, top); }

}  // namespace

void print_streams(const StreamProfile& profile, const StreamAnalysis& a, std::size_t top) {
  std::printf("%s references to %s names (%s) in thread %u\n", grouped(a.found.references).c_str(),
              grouped(a.found.names).c_str(), streams::name(a.naming), a.thread);
  std::printf("%s at %s times the references per name; coverage %s\n",
              counted(a.rows.size(), "hot stream").c_str(), grouped(a.found.multiple).c_str(),
              percent(a.found.coverage).c_str());
  std::printf("heap %s references to %s names, global %s to %s\n", grouped(a.heap.references).c_str(),
              grouped(a.heap.names).c_str(), grouped(a.global.references).c_str(),
              grouped(a.global.names).c_str());
  if (a.rows.empty()) return;
  if (a.wps0.ascii != 0)
    std::printf("WPS0 %s bytes (ASCII), WPS1 %s\n", grouped(a.wps0.ascii).c_str(),
                grouped(a.wps1.ascii).c_str());
  std::printf("flow graph %s\n", counted(a.graph.edges.size(), "edge").c_str());
  std::printf("members %s (%s of the names), mean length %s, mean interval %s, packing %s\n\n",
              grouped(a.members).c_str(),
              percent(static_cast<double>(a.members) / static_cast<double>(a.found.names)).c_str(),
              one_digit(a.locality.spatial).c_str(), one_digit(a.locality.temporal).c_str(),
              percent(a.packing).c_str());
  Table table({{"#", true}, {"heat", true}, {"length", true}, {"times", true}, {"interval", true},
               {"packing", true}, {"clustered", true}, {"advice"}, {"begins at"},
               {"with", false, 40}});
  for (std::size_t i = 0; i < shown(a.rows.size(), top); i++) {
    const StreamRow& row = a.rows[i];
    table.add_row({std::to_string(i + 1), grouped(row.stream.heat()),
                   grouped(row.stream.names.size()), grouped(row.stream.occurrences),
                   one_digit(row.stream.interval()), efficiency(row.packing),
                   efficiency(row.clustered), name(row.advice), place(profile, first(a, row)),
                   group_text(profile, first(a, row))});
  }
  std::fputs(table.text(Style::of(stdout)).c_str(), stdout);
}

void print_members(const StreamProfile& profile, const StreamAnalysis& a, std::size_t number) {
  const StreamRow& row = a.rows[number - 1];
  std::printf("stream %zu: heat %s, %s of %s, interval %s, packing %s, clustered %s, advice %s\n\n",
              number, grouped(row.stream.heat()).c_str(),
              counted(row.stream.occurrences, "time").c_str(),
              counted(row.stream.names.size(), "reference").c_str(),
              one_digit(row.stream.interval()).c_str(), efficiency(row.packing).c_str(),
              efficiency(row.clustered).c_str(), name(row.advice));
  Table table({{"#", true}, {"first accessed at"}, {"what", false, 40}, {"object", false, 44},
               {"number", true}, {"offset", true}, {"block"}});
  std::map<std::uint64_t, std::size_t> blocks;  // numbered as they come
  for (std::size_t i = 0; i < row.stream.names.size(); i++) {
    const NameRow& n = a.names[row.stream.names[i]];
    const std::size_t block =
        blocks.try_emplace(n.extent.address / streams::k_block, blocks.size() + 1).first->second;
    table.add_row({std::to_string(i + 1), place(profile, n), expression(profile, n),
                   group_text(profile, n), std::to_string(n.object), grouped(n.offset),
                   std::to_string(block)});
  }
  std::fputs(table.text(Style::of(stdout)).c_str(), stdout);
}

void add_members_json(const StreamProfile& profile, const StreamAnalysis& a, std::size_t number,
                      feedback::JsonReport& json) {
  const StreamRow& row = a.rows[number - 1];
  json.key("stream");
  json.open_object();
  json.member("number", std::uint64_t{number});
  json.member("heat", row.stream.heat());
  json.member("occurrences", row.stream.occurrences);
  json.key("members");
  json.open_array();
  for (const std::uint32_t name : row.stream.names) {
    const NameRow& n = a.names[name];
    json.open_object();
    json.member("where", place(profile, n));
    json.member("expression", expression(profile, n));
    json.member("object", group_text(profile, n));
    json.member("number", std::uint64_t{n.object});
    json.member("offset", n.offset);
    json.member("block", n.extent.address / streams::k_block);
    json.close_object();
  }
  json.close_array();
  json.close_object();
}

void add_graph_json(const streams::FlowGraph& graph, std::size_t most, feedback::JsonReport& json) {
  json.key("flow_graph");
  json.open_object();
  json.key("edges");
  json.open_array();
  for (const streams::FlowGraph::Edge& e : graph.edges) {
    if (e.from >= most || e.to >= most) continue;
    json.open_object();
    json.member("from", std::uint64_t{e.from} + 1);
    json.member("to", std::uint64_t{e.to} + 1);
    json.member("weight", e.weight);
    json.close_object();
  }
  json.close_array();
  json.key("dominators");
  json.open_array();
  for (std::size_t i = 0; i < most && i < graph.dominators.size(); i++)
    json.value(std::uint64_t{graph.dominators[i]} + 1);
  json.close_array();
  json.close_object();
}

void print_flow_graph(const StreamProfile& profile, const StreamAnalysis& a, std::size_t top) {
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < shown(a.rows.size(), top); i++)
    labels.push_back(quoted(place(profile, first(a, a.rows[i]))) + "\\nheat " +
                     std::to_string(a.rows[i].stream.heat()) + ", length " +
                     std::to_string(a.rows[i].stream.names.size()));
  print_graph(labels, a.graph);
}

void print_graph(const std::vector<std::string>& labels, const streams::FlowGraph& graph) {
  const std::size_t most = labels.size();
  std::printf("digraph streams {\n");
  for (std::size_t i = 0; i < most; i++)
    std::printf("  s%zu [label=\"%zu: %s\"];\n", i + 1, i + 1, labels[i].c_str());
  for (const streams::FlowGraph::Edge& e : graph.edges)
    if (e.from < most && e.to < most)
      std::printf("  s%u -> s%u [label=\"%" PRIu64 "\"];\n", e.from + 1, e.to + 1, e.weight);
  for (std::size_t i = 0; i < most && i < graph.dominators.size(); i++)
    if (const std::uint32_t d = graph.dominators[i]; d != i && d < most)
      std::printf("  s%u -> s%zu [style=dashed, constraint=false];\n", d + 1, i + 1);
  std::printf("}\n");
}

void print_potential(const std::vector<std::uint64_t>& sizes,
                     const std::vector<streams::Misses>& misses) {
  Table table({{"cache", true}, {"misses", true}, {"of references", true}, {"in streams", true},
               {"prefetch", true}, {"cluster", true}, {"both", true}});
  for (std::size_t i = 0; i < sizes.size(); i++) {
    const streams::Misses& m = misses[i];
    const auto of_base = [&m](std::uint64_t n) {
      return m.base == 0 ? std::string("-")
                         : percent(static_cast<double>(n) / static_cast<double>(m.base));
    };
    table.add_row({size_text(sizes[i]), grouped(m.base),
                   m.references == 0
                       ? std::string("-")
                       : percent(static_cast<double>(m.base) / static_cast<double>(m.references)),
                   of_base(m.base_hot), of_base(m.prefetch), of_base(m.cluster), of_base(m.both)});
  }
  std::printf("Misses of a fully associative cache; those left by each change, of all misses\n\n%s",
              table.text(Style::of(stdout)).c_str());
}

void print_skew(const StreamAnalysis& a) {
  std::printf("90 %% of the references go to %s of the names (%s) and %s of the addresses, and come "
              "from %s of the sites\n",
              percent(a.skew_names).c_str(), streams::name(a.naming),
              percent(a.skew_addresses).c_str(), percent(a.skew_sites).c_str());
}

void add_json(const std::vector<std::uint64_t>& sizes, const std::vector<streams::Misses>& misses,
              feedback::JsonReport& json) {
  json.key("potential");
  json.open_array();
  for (std::size_t i = 0; i < sizes.size(); i++) {
    const streams::Misses& m = misses[i];
    json.open_object();
    json.member("cache", sizes[i]);
    json.member("references", m.references);
    json.member("misses", m.base);
    json.member("misses_in_streams", m.base_hot);
    json.member("prefetch", m.prefetch);
    json.member("cluster", m.cluster);
    json.member("both", m.both);
    json.close_object();
  }
  json.close_array();
}

void add_json(const StreamProfile& profile, const StreamAnalysis& a, std::size_t top,
              feedback::JsonReport& json) {
  json.key("hot_streams");
  json.open_object();
  json.member("naming", streams::name(a.naming));
  json.member("thread", std::uint64_t{a.thread});
  json.member("references", a.found.references);
  json.member("names", a.found.names);
  json.member("heap_references", a.heap.references);
  json.member("heap_names", a.heap.names);
  json.member("global_references", a.global.references);
  json.member("global_names", a.global.names);
  json.member("multiple", a.found.multiple);
  json.member("threshold", static_cast<double>(a.found.multiple * a.found.references) /
                               static_cast<double>(std::max<std::uint64_t>(a.found.names, 1)));
  json.member("coverage", a.found.coverage);
  json.member("found", std::uint64_t{a.rows.size()});
  json.member("members", a.members);
  json.member("wps0_ascii", a.wps0.ascii);
  json.member("wps1_ascii", a.wps1.ascii);
  json.member("edges", std::uint64_t{a.graph.edges.size()});
  json.key("curve");
  json.open_array();
  for (const streams::CoveragePoint& p : a.found.curve) {
    json.open_object();
    json.member("multiple", p.multiple);
    json.member("streams", std::uint64_t{p.streams});
    json.member("coverage", p.coverage);
    json.close_object();
  }
  json.close_array();
  json.key("streams");
  json.open_array();
  for (std::size_t i = 0; i < shown(a.rows.size(), top); i++) {
    const StreamRow& row = a.rows[i];
    json.open_object();
    json.member("number", std::uint64_t{i + 1});
    json.member("heat", row.stream.heat());
    json.member("length", std::uint64_t{row.stream.names.size()});
    json.member("times", row.stream.occurrences);
    json.member("interval", row.stream.interval());
    json.member("packing", row.packing.efficiency());
    json.member("clustered", row.clustered.efficiency());
    json.member("advice", name(row.advice));
    json.member("place", place(profile, first(a, row)));
    json.member("group", group_text(profile, first(a, row)));
    json.close_object();
  }
  json.close_array();
  json.close_object();
  json.key("locality");
  json.open_object();
  json.member("spatial", a.locality.spatial);
  json.member("temporal", a.locality.temporal);
  json.member("packing", a.packing);
  json.member("skew_names", a.skew_names);
  json.member("skew_addresses", a.skew_addresses);
  json.member("skew_sites", a.skew_sites);
  json.close_object();
}

}  // namespace memprof::cli
