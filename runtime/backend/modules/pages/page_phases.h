// page_phases.h - when each group walks page tables and asks memory.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The module `pages' looks at one window of accesses in several; what it sees there represents the
// windows up to the next one that it looks at, which together are a period.  In sample mode a period is
// one tick of the clock.  Counts are kept by cells of periods (time_cells.h), and dealt out to the slices
// of the run in the end, so that they add up to what the table `pages' has of the group:
//
//     periods          0 1 2 3        requests of the group in `pages': 80
//     seen             1 0 0 3        of four slices: 20 0 0 60
#pragma once

#include <map>

#include "runtime/backend/base/time_counts.h"
#include "runtime/backend/event/module.h"

namespace memprof::backend {

class PagePhases {
 public:
  enum Figure : unsigned { requests, walks, k_figures };

  // PERIOD: in units of the clock, as the argument of reach().
  explicit PagePhases(std::uint64_t period) : period_(period) {}

  // The clock says TIME, which never goes back by more than a period.
  void reach(std::uint64_t time) {
    end_ = std::max(end_, time + 1);
    if (time - begin_ >= length_) enter_cell(time / period_);
  }
  // One of FIGURE, of GROUP, at a time that was reached last.
  void count(GroupId group, Figure figure) { groups_[group].of[figure].add(cell_, 1); }

  // Adds rows for the groups with 1 % of the requests or walks of PROFILE's table `pages'.
  void add_rows(const ProgramInfo& program, feedback::Profile& profile) const;

 private:
  struct Counts {
    TimeCounts of[k_figures];
  };

  // Of the period PERIOD.
  void enter_cell(std::uint64_t period);

  const std::uint64_t period_;
  std::uint64_t end_ = 0;  // of the clock
  TimeScale scale_;        // of periods
  // Of the time that was reached last, which takes two divisions: its cell, and the times of that cell.
  std::size_t cell_ = 0;
  std::uint64_t begin_ = 0, length_ = 0;
  std::map<GroupId, Counts> groups_;
};

}  // namespace memprof::backend
