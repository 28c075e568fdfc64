// show_pages.h - memprof show --pages of several profiles.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "consumers/cli/profile_view.h"
#include "consumers/cli/table.h"

namespace memprof::cli {

// How walks and requests grow from the first of VIEWS, runs of one program with more and more
// threads, beside what these gain. At most TOP objects; 0: all.
std::string pages_growth_text(const std::vector<ProfileView>& views, std::size_t top,
                              const Style& style);

}  // namespace memprof::cli
