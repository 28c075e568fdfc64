// streams_report.h - what memprof streams prints of hot data streams.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "consumers/cli/stream_analysis.h"
#include "feedback/json_report.h"

namespace memprof::cli {

// Threshold, sizes, locality, and the first TOP streams; TOP = 0: all.
void print_streams(const StreamProfile& profile, const StreamAnalysis& analysis, std::size_t top);
// The members of stream NUMBER, from 1, one a line.
void print_members(const StreamProfile& profile, const StreamAnalysis& analysis,
                   std::size_t number);
// The stream flow graph in the language of dot.
void print_flow_graph(const StreamProfile& profile, const StreamAnalysis& analysis,
                      std::size_t top);
// GRAPH between its first streams, which have LABELS.
void print_graph(const std::vector<std::string>& labels, const streams::FlowGraph& graph);
void print_potential(const std::vector<std::uint64_t>& sizes,
                     const std::vector<streams::Misses>& misses);
void print_skew(const StreamAnalysis& analysis);
// Members `hot_streams' and `locality' of the open object.
void add_json(const StreamProfile& profile, const StreamAnalysis& analysis, std::size_t top,
              feedback::JsonReport& json);
// Member `stream': the members of stream NUMBER, from 1.
void add_members_json(const StreamProfile& profile, const StreamAnalysis& analysis, std::size_t number,
                      feedback::JsonReport& json);
// Member `flow_graph': edges between the first MOST streams, and the dominator of each.
void add_graph_json(const streams::FlowGraph& graph, std::size_t most, feedback::JsonReport& json);
// Member `potential', a row for each size.
void add_json(const std::vector<std::uint64_t>& sizes, const std::vector<streams::Misses>& misses,
              feedback::JsonReport& json);

}  // namespace memprof::cli
