// write_report.h - a profile, and what belongs to it, becomes a page in a file.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "consumers/decide/decision.h"
#include "feedback/result.h"

namespace memprof::cli {

struct ReportRequest {
  std::string profile, against;      // files; no AGAINST: nothing to compare with
  std::vector<std::string> sources;  // folders
  // Of a compile; nothing: those that follow from the profile.
  std::optional<std::vector<decide::Decision>> decisions;
  std::string verified = "null";     // JSON as memprof verify prints it
};

// The HTML text.
feedback::Result<std::string> make_report(const ReportRequest& request);

// "a.html" for "a.json".
std::string page_name(std::string profile);

feedback::Status write_page(const std::string& output, const std::string& page);

}  // namespace memprof::cli
