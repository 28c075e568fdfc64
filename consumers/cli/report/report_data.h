// report_data.h - what the page of `memprof report' shows, aggregated from a profile.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A profile of 50 MB is too much for a page. Each view has the rows that matter most, with
// their sums made here, and says how many there are in all ("all"). Views are one file each;
// each adds one member to an object that is open. The page reads nothing but this.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "consumers/cli/profile_view.h"
#include "consumers/cli/source_files.h"
#include "consumers/cli/stream_profile.h"
#include "consumers/decide/decision.h"
#include "feedback/changes.h"
#include "feedback/json_report.h"

namespace memprof::cli {

// Most rows of a view, and most bytes of source.
inline constexpr std::size_t k_report_sites = 2000, k_report_groups = 1000, k_report_loops = 300,
                             k_report_types = 200, k_report_decisions = 2000,
                             k_report_changes = 500, k_report_rows = 500,
                             k_report_streams = 300, k_report_points = 2000;
inline constexpr std::size_t k_report_source = 2'500'000;

struct ReportInput {
  const ProfileView& view;
  const std::vector<decide::Decision>& decisions;
  bool compiled = false;         // the decisions are those of a compile
  SourceFiles& sources;
  const feedback::Changes* changes = nullptr;
  std::string profile, old_profile;  // names of their files
  // Of a profile with whole streams: these, or why there are none.
  const StreamProfile* streams = nullptr;
  std::string no_streams = {};
};

// TEXT with at most some 300 characters: a name of a template may have 10,000.
std::string brief(std::string_view text);

void answer_view(feedback::JsonReport& json, const ReportInput& in);
void decisions_view(feedback::JsonReport& json, const ReportInput& in);
void memory_view(feedback::JsonReport& json, const ReportInput& in);    // sites, groups
void source_view(feedback::JsonReport& json, const ReportInput& in);
void types_view(feedback::JsonReport& json, const ReportInput& in);
void loops_view(feedback::JsonReport& json, const ReportInput& in);
void objects_view(feedback::JsonReport& json, const ReportInput& in);   // lifetimes
void regularity_view(feedback::JsonReport& json, const ReportInput& in);
void streams_view(feedback::JsonReport& json, const ReportInput& in);
void pages_view(feedback::JsonReport& json, const ReportInput& in);
void changes_view(feedback::JsonReport& json, const ReportInput& in);
void timeline_view(feedback::JsonReport& json, const ReportInput& in);
void run_view(feedback::JsonReport& json, const ReportInput& in);

// All of them, as the text of a JSON document.
std::string report_data(const ReportInput& in);

}  // namespace memprof::cli
