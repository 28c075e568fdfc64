// page_phases.cc - when each group walks page tables and asks memory.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/modules/pages/page_phases.h"

namespace memprof::backend {
namespace {

using Sums = std::array<double, PagePhases::k_figures>;

// Of each group of the document, and of all.
std::map<feedback::Id, Sums> sums_of(const feedback::Profile& profile, Sums& all) {
  std::map<feedback::Id, Sums> sums;
  for (const feedback::Pages& row : profile.pages) {
    const Sums more = {static_cast<double>(row.memory.requests), static_cast<double>(row.walks)};
    for (unsigned f = 0; f < PagePhases::k_figures; f++) sums[row.group][f] += more[f], all[f] += more[f];
  }
  return sums;
}

}  // namespace

void PagePhases::enter_cell(std::uint64_t period) {
  for (unsigned joins = scale_.reach(period); joins > 0; joins--)
    for (auto& [group, counts] : groups_)
      for (TimeCounts& of : counts.of) of.join();
  cell_ = scale_.cell(period);
  begin_ = scale_.begin(cell_) * period_;
  length_ = scale_.begin(1) * period_;
}

void PagePhases::add_rows(const ProgramInfo& program, feedback::Profile& profile) const {
  constexpr double k_least_share = 0.01;
  Sums all{};
  const auto sums = sums_of(profile, all);
  const double end = scale_.cells(end_) / static_cast<double>(period_);
  for (const auto& [group, counts] : groups_) {
    const auto sum = sums.find(program.group_id(group));
    if (sum == sums.end() || (sum->second[requests] < k_least_share * all[requests] &&
                              sum->second[walks] < k_least_share * all[walks]))
      continue;
    feedback::PagePhases& row = profile.page_phases.emplace_back();
    row.group = sum->first;
    for (const auto& [figure, slices] : {std::pair(requests, &row.requests), std::pair(walks, &row.walks)}) {
      std::array<double, feedback::Timeline::k_slices> parts{};
      counts.of[figure].deal(sum->second[figure], end, parts);
      *slices = rounded(parts);
    }
  }
}

}  // namespace memprof::backend
