// call_path.h - the functions that an access is in: the compiled one, and those inlined into it.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// For `probe', inlined into `join', inlined into `main':
//
//     main join.c:40 / join join.c:31 / probe join.c:12        place in each: of the call, of the access
//
// Code of system headers that is inlined into the user's has the place of the user's call, and
// the path ends there: the call is what the user can change.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "consumers/cli/profile_view.h"
#include "feedback/model.h"

namespace memprof::cli {

struct PathStep {
  const std::string* function;
  const std::string* file;
  std::uint32_t line = 0, column = 0;
  std::uint32_t frame = 0;  // 0: the compiled function; of Function::frames, from 1
};

// Outermost first, never empty; the last one is where SITE is shown.
std::vector<PathStep> call_path(const ProfileView::SiteRef& site);

// The inlined functions below that, in system headers, outermost first.
std::vector<const feedback::Frame*> header_path(const ProfileView::SiteRef& site);

// "probe in main": the last function of the path and the compiled one, or only that.
std::string function_text(const ProfileView::SiteRef& site);

// Gives sites of inlined code of system headers the place there instead of the call's.
void use_header_places(feedback::Profile& profile);

}  // namespace memprof::cli
