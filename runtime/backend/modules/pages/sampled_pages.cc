// sampled_pages.cc - sample mode: walks and requests from how memory is reused.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/modules/pages/sampled_pages.h"

#include <cmath>
#include <map>

#include "feedback/reuse_curve.h"

namespace memprof::backend {

namespace {

using feedback::Id;
using feedback::Pages;

// Of one group: what is right, and what the rows say.
struct Totals {
  double requests = 0, walks = 0, walks_error = 0;
  double seen_requests = 0, seen_as_read = 0, seen_walks = 0;
};

std::uint64_t times(std::uint64_t count, double factor) {
  return static_cast<std::uint64_t>(std::llround(static_cast<double>(count) * factor));
}

double factor(double right, double seen) { return seen > 0 ? right / seen : 0; }

void scale(Pages::Memory& memory, double requests, double walks, std::uint64_t walk_refs) {
  memory.requests = times(memory.requests, requests);
  memory.write_backs = times(memory.write_backs, requests);
  memory.left = times(memory.left, std::min(requests, 1.0));
  memory.walk_dram = std::min(times(memory.walk_dram, walks), walk_refs);
}

}  // namespace

void fit_to_reuse(const PageGeometry& geometry, feedback::Profile& profile) {
  const double lines = static_cast<double>(geometry.llc.size) / geometry.line;
  const auto entries = static_cast<double>(geometry.second.size);
  std::map<Id, Totals> groups;
  for (const feedback::Reuse& row : profile.reuse) {
    Totals& group = groups[row.group];
    group.requests += feedback::misses_at(row.lines, lines);
    group.walks += feedback::misses_at(row.pages, entries);
  }
  for (const feedback::Cache& row : profile.cache)
    if (const auto at = groups.find(row.group); at != groups.end())
      at->second.walks_error += static_cast<double>(row.errors.tlb);
  for (const Pages& row : profile.pages)
    if (const auto at = groups.find(row.group); at != groups.end()) {
      at->second.seen_requests += static_cast<double>(row.memory.requests);
      at->second.seen_as_read += static_cast<double>(row.as_read.requests);
      at->second.seen_walks += static_cast<double>(row.walks);
    }
  for (Pages& row : profile.pages) {
    const auto at = groups.find(row.group);
    if (at == groups.end()) continue;
    const Totals& group = at->second;
    const double share = factor(static_cast<double>(row.walks), group.seen_walks);
    const double walks = factor(group.walks, group.seen_walks);
    row.walks = times(row.walks, walks);
    row.walk_refs = times(row.walk_refs, walks);
    // Half of an interval is two roots of the variance.
    row.variance = static_cast<std::uint64_t>(std::min(std::pow(share * group.walks_error / 2, 2), 1e18));
    scale(row.memory, factor(group.requests, group.seen_requests), walks, row.walk_refs);
    scale(row.as_read, factor(group.requests, group.seen_as_read), walks, row.walk_refs);
  }
}

}  // namespace memprof::backend
