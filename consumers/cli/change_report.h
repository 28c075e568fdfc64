// change_report.h - the changes between two profiles as text, Markdown and JSON, and limits for them.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "consumers/cli/table.h"
#include "feedback/changes.h"
#include "feedback/json_report.h"
#include "feedback/result.h"

namespace memprof::cli {

// At most TOP rows (0: all) of each subject.
std::string changes_text(const feedback::Changes& changes, std::size_t top, const Style& style);
// As members of an object that is open.
void changes_json(const feedback::Changes& changes, std::size_t top, feedback::JsonReport& json);

// The greatest change relative to the old total of its subject; infinite: there was none.
// The same as a page of Markdown, for the summary of a build.
std::string changes_markdown(const feedback::Changes& changes, std::size_t top);

// Limits of growth: "misses+5%,layout". A subject without a number may not grow at all.
struct GrowthLimit {
  std::string subject;  // accesses, misses, memory, dependences or layout
  double percent = 0;
};
feedback::Result<std::vector<GrowthLimit>> growth_limits(const std::string& text);

// What grew beyond LIMITS, a sentence each: of a subject the growth of its significant rows by all that
// it was before, of layout the records with accesses to their fields that have more bytes.
std::vector<std::string> excesses(const std::vector<GrowthLimit>& limits, const feedback::Changes& changes,
                                  const feedback::Profile& before, const feedback::Profile& after);

double greatest_change(const feedback::Changes& changes);

}  // namespace memprof::cli
