// answer.h - the answer of a profile: how long the program waits for memory, where, why, and what to do.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// For `memprof PROFILE' and the first view of the report.  The estimate is that of
// consumers/decide/waiting.h; sites of one line are one cause.
#pragma once

#include <string>
#include <vector>

#include "consumers/cli/profile_view.h"
#include "consumers/decide/decision.h"
#include "consumers/decide/waiting.h"
#include "feedback/json_report.h"

namespace memprof::cli {

struct Remedy {
  std::string what;     // "the rebuild prefetches it: at most 5.9 times as fast"
  std::string command;  // that does or shows it; empty: a change of the source
};

struct Cause {
  const ProfileView::SiteRef* site;  // of the line, the one that waits longest
  double share = 0;                  // of the time
  std::vector<std::string> called;   // places in the user's code, of a function of a system header
  std::string why;                   // "random accesses to 512 MB of malloc at a.c:12"
  std::vector<Remedy> remedies;
};

struct Answer {
  bool known = false;  // the profile has modelled misses
  decide::Waiting waiting;
  std::vector<Cause> causes;  // longest first
  std::vector<std::string> notes;  // what would make a profile say more
  std::string rebuild;        // the command
};

// At most TOP causes. PROFILE is the name of the file, for commands.
Answer answer_of(const ProfileView& view, const std::vector<decide::Decision>& decisions,
                 const std::string& profile, std::size_t top);

// As the members of the open object.
void answer_json(const Answer& answer, feedback::JsonReport& json);

// Prints it in some 15 lines; names of files without the folder that all have.
void print_answer(const ProfileView& view, const Answer& answer);

}  // namespace memprof::cli
