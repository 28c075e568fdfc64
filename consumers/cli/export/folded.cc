// folded.cc - a profile for flamegraph.pl and other viewers of folded stacks.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// One line for each site: the frames of its static nest between semicolons, then a count.
#include <algorithm>

#include "consumers/cli/export/cost_rows.h"
#include "consumers/cli/export/formats.h"

namespace memprof::cli {

std::string to_folded(const ProfileView& view, const ExportOptions& options) {
  std::string out;
  for (const CostRow& row : cost_rows(view)) {
    const std::uint64_t n = metric_of(row.costs, options.metric).value_or(0);
    if (n == 0) continue;
    bool first = true;
    for (std::string frame : static_stack(view, *row.site)) {
      frame = one_line(frame);
      // A frame ends at a semicolon.
      std::replace(frame.begin(), frame.end(), ';', ':');
      out += (first ? "" : ";") + frame;
      first = false;
    }
    out += ' ' + std::to_string(n) + '\n';
  }
  return out;
}

}  // namespace memprof::cli
