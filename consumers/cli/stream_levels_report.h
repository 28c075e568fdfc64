// stream_levels_report.h - what memprof streams --level=N prints: hot streams of streams.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>

#include "consumers/cli/stream_analysis.h"
#include "feedback/json_report.h"

namespace memprof::cli {

// A line for each level, then the first TOP streams of the highest one; TOP = 0: all.
void print_levels(const StreamAnalysis& analysis, std::size_t top);
// The flow graph of the highest level in the language of dot.
void print_level_graph(const StreamAnalysis& analysis, std::size_t top);
// Member `levels' of the open object: from level 1 on, with streams and flow graph.
void add_levels_json(const StreamAnalysis& analysis, std::size_t top, feedback::JsonReport& json);

}  // namespace memprof::cli
