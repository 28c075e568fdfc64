// show_pages.h - the table `pages' by objects, and of several profiles.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "consumers/cli/profile_view.h"
#include "consumers/cli/table.h"

namespace memprof::cli {

// An object, or all of a group that have no row of their own.
struct ObjectPages {
  feedback::Pages sum;                          // of its threads
  std::vector<const feedback::Pages*> threads;  // rows of the profile
};

// The sums of all rows of each source: figures of two sources are never added.
std::map<feedback::PageSource, feedback::Pages> pages_by_source(const feedback::Profile& profile);
const char* page_source_text(feedback::PageSource source);

// Rows of each source apart; by walks and then by requests, most first.
std::vector<ObjectPages> pages_of_objects(const feedback::Profile& profile);

// How walks and requests grow from the first of VIEWS, runs of one program with more and more
// threads, beside what these gain. At most TOP objects; 0: all.
std::string pages_growth_text(const std::vector<ProfileView>& views, std::size_t top,
                              const Style& style);

}  // namespace memprof::cli
