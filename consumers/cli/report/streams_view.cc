// streams_view.cc - hot data streams: heat and packing, the members of each, what follows what.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What `memprof streams' finds (stream_analysis.h), by heat. A page has
//
//     rows     the hottest streams, with all their members
//     points   heat and packing of those that come next, for the chart alone
//     edges    between streams of rows, the most frequent first
//     places   the source, type and memory of members, each once
//
// A member is [place, object, offset, block]: blocks of 64 bytes are numbered as the stream meets
// them. Without the file of streams the view has a note and nothing else, as it has where an
// analysis would take minutes.
#include <algorithm>
#include <map>

#include "consumers/cli/report/report_data.h"
#include "consumers/cli/stream_analysis.h"

namespace memprof::cli {

using namespace feedback;

namespace {

// A page is written while one waits. An access of a program that hardly repeats itself takes some 2
// microseconds and 130 bytes (hashjoin 17: 1.4 million in 2.5 s and 178 MB).
constexpr std::uint64_t k_most_accesses = 5'000'000;

class StreamsView {
 public:
  StreamsView(JsonReport& json, const StreamProfile& profile, const StreamAnalysis& analysis)
      : json_(json), profile_(profile), analysis_(analysis),
        shown_(std::min(analysis.rows.size(), k_report_streams)) {}

  void put() {
    put_sums();
    json_.key("rows");
    json_.open_array();
    for (std::size_t i = 0; i < shown_; i++) put_row(i);
    json_.close_array();
    put_points();
    put_edges();
    put_places();
  }

 private:
  void put_sums() {
    json_.member("all", analysis_.rows.size());
    json_.member("naming", streams::name(analysis_.naming));
    json_.member("thread", analysis_.thread);
    json_.member("references", analysis_.found.references);
    json_.member("names", analysis_.found.names);
    json_.member("multiple", analysis_.found.multiple);
    json_.member("coverage", analysis_.found.coverage);
    json_.member("members", analysis_.members);
    json_.member("spatial", analysis_.locality.spatial);
    json_.member("temporal", analysis_.locality.temporal);
    json_.member("packing", analysis_.packing);
    json_.member("stopped", profile_.row().stopped);
  }

  void put_row(std::size_t i) {
    const StreamRow& row = analysis_.rows[i];
    json_.open_object();
    json_.member("number", i + 1);
    json_.member("heat", row.stream.heat());
    json_.member("times", row.stream.occurrences);
    json_.member("first", row.stream.first);
    json_.member("interval", row.stream.interval());
    json_.member("packing", row.packing.efficiency());
    json_.member("clustered", row.clustered.efficiency());
    json_.member("blocks", row.packing.actual);
    json_.member("least", row.packing.least);
    json_.member("advice", name(row.advice));
    put_members(row);
    json_.close_object();
  }

  void put_members(const StreamRow& row) {
    std::map<std::uint64_t, std::size_t> blocks;
    json_.key("members");
    json_.open_array();
    for (const streams::Symbol symbol : row.stream.names) {
      const streams::NameRow& n = analysis_.names[symbol];
      const std::uint64_t block = n.extent.address / streams::k_block;
      json_.open_array();
      json_.value(place(n));
      json_.value(n.object);
      json_.value(n.offset);
      json_.value(blocks.try_emplace(block, blocks.size() + 1).first->second);
      json_.close_array();
    }
    json_.close_array();
  }

  std::size_t place(const streams::NameRow& n) {
    const auto [at, fresh] = numbers_.try_emplace({n.site, n.group}, places_.size());
    if (fresh) places_.push_back(&n);
    return at->second;
  }

  void put_points() {
    json_.key("points");
    json_.open_array();
    for (std::size_t i = shown_; i < std::min(analysis_.rows.size(), k_report_points); i++) {
      json_.open_array();
      json_.value(analysis_.rows[i].stream.heat());
      json_.value(analysis_.rows[i].packing.efficiency());
      json_.close_array();
    }
    json_.close_array();
  }

  void put_edges() {
    std::vector<streams::FlowGraph::Edge> edges;
    for (const streams::FlowGraph::Edge& e : analysis_.graph.edges)
      if (e.from < shown_ && e.to < shown_) edges.push_back(e);
    std::stable_sort(edges.begin(), edges.end(),
                     [](const auto& a, const auto& b) { return a.weight > b.weight; });
    json_.member("edges_all", analysis_.graph.edges.size());
    json_.key("edges");
    json_.open_array();
    for (std::size_t i = 0; i < std::min(edges.size(), k_report_rows); i++) {
      json_.open_array();
      json_.value(edges[i].from + 1);
      json_.value(edges[i].to + 1);
      json_.value(edges[i].weight);
      json_.close_array();
    }
    json_.close_array();
  }

  void put_places() {
    json_.key("places");
    json_.open_array();
    for (const streams::NameRow* n : places_) {
      const ProfileView::SiteRef* ref = profile_.site(n->site);
      const Group* group = profile_.group(n->group);
      json_.open_object();
      json_.member("file", ref ? brief(ref->file()) : "");
      json_.member("line", ref ? ref->site->line : 0);
      json_.member("column", ref ? ref->site->column : 0);
      json_.member("function", ref ? brief(ref->function->name) : "");
      json_.member("kind", ref ? kind_name(ref->site->kind) : "");
      json_.member("what", ref ? brief(what(*ref->site)) : "");
      json_.member("memory", group ? brief(ProfileView::group_name(*group)) : "unknown memory");
      json_.close_object();
    }
    json_.close_array();
  }

  static std::string what(const Site& site) {
    return site.field.empty() ? site.expression : site.type + "::" + site.field;
  }

  JsonReport& json_;
  const StreamProfile& profile_;
  const StreamAnalysis& analysis_;
  const std::size_t shown_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> numbers_;
  std::vector<const streams::NameRow*> places_;
};

}  // namespace

void streams_view(JsonReport& json, const ReportInput& in) {
  json.key("streams");
  if (!in.streams && in.no_streams.empty()) return json.null();
  json.open_object();
  std::string note = in.no_streams;
  if (in.streams && in.streams->row().accesses > k_most_accesses) {
    note = "They have too many accesses for a page; memprof streams shows them.";
  } else if (in.streams) {
    const auto analysis = analyse_streams(*in.streams, {});
    if (analysis)
      StreamsView(json, *in.streams, *analysis).put();
    else
      note = analysis.error().text();
  }
  json.member("note", brief(note));
  json.close_object();
}

}  // namespace memprof::cli
