// advise_streams.h - memprof advise: what the streams of each loop call for.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <set>
#include <string>
#include <vector>

#include "consumers/cli/profile_view.h"
#include "consumers/decide/stream_advice.h"
#include "feedback/json_report.h"

namespace memprof::cli {

// What the rebuild does anyway.
struct RebuildDoes {
  std::set<feedback::Id> prefetched;  // sites
  std::set<feedback::Id> huge;        // groups
};

struct StreamAdviceRow {
  const ProfileView::LoopRef* loop;
  decide::StreamAdvice advice;
  std::string variable;  // "a[i] (malloc at a.c:3)", of the site that the rule is most about
  std::string rebuild;   // its decision about that, or empty
};

// Of loops with a hundredth of the program's references, those with most first.
std::vector<StreamAdviceRow> stream_rows(const ProfileView& view, const RebuildDoes& rebuild);

// TOP = 0: all.
void print_streams(const std::vector<StreamAdviceRow>& rows, std::size_t top);
void streams_json(const std::vector<StreamAdviceRow>& rows, feedback::JsonReport& json);

}  // namespace memprof::cli
