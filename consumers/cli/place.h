// place.h - FILE:LINE as a user types it, and the sites that it means.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The file names in a profile are as the compiler was given them ("../src/a.c"),
// the one on the command line is as the user sees them ("src/a.c", "a.c", or an
// absolute name).  Two names match when one, cut at a slash, is the end of the
// other, after "." and ".." are resolved and leading ".." dropped.  When several
// files of the profile match, those that share the most trailing components
// win; if these are several still, all are shown.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "consumers/cli/profile_view.h"

namespace memprof::cli {

struct Place {
  std::string file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;  // 0: any
};

// "a.c:12" or "a.c:12:7"; a colon inside the file name is part of it.
std::optional<Place> parse_place(std::string_view text);

// Number of trailing components that A and B share; 0: they do not match.
unsigned matching_components(const std::string& a, const std::string& b);

struct PlaceMatch {
  std::vector<const ProfileView::SiteRef*> sites;  // by column, then ordinal
  // Sites whose code is inlined with a call on that line, if they are not shown there; most executed first.
  std::vector<const ProfileView::SiteRef*> inlined;
  // Sites of functions of system headers that are called on that line, most executed first.
  std::vector<const ProfileView::SiteRef*> called;
  bool file_known = false;
  std::uint32_t nearest_line = 0;  // with a site, in that file, if sites is empty
};

PlaceMatch find_sites(const ProfileView& view, const Place& place);

}  // namespace memprof::cli
