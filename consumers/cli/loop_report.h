// loop_report.h - what keeps the iterations of a loop from running side by side.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "consumers/cli/profile_view.h"

namespace memprof::cli {

struct LoopReport {
  // Flow dependences that the loop carries, most frequent first.
  std::vector<const feedback::Dependence*> carried;
  // The ones of them in which a place is read, changed and written back.
  std::vector<const feedback::Dependence*> reductions;
  // Groups that each iteration writes before it reads them.
  struct Private {
    feedback::Id group;
    // Of the module `privatisation'; null: concluded from dependences.
    const feedback::Privatisation* row = nullptr;
  };
  std::vector<Private> privatisable;
  // Whose objects were all born and died in one iteration.
  std::vector<const feedback::Lifetime*> short_lived;
  std::string advice;
};

// Iterations per entry: "100", or "at least 70" where entries are hardly known.
std::string per_entry_text(const feedback::Loop& loop);

LoopReport report_loop(const ProfileView& view, const ProfileView::LoopRef& ref);

}  // namespace memprof::cli
