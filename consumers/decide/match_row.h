// match_row.h - how a rebuild found a function in the profile, as a line of the remarks file.
// SPDX-License-Identifier: GPL-3.0-or-later
//
//   {"file":"a.c","kind":"match","function":"f","how":"salvaged","checksum":7,
//    "executions":1000,"used":900}
//
// The file of -fprofile-mem-remarks has one for each function that the profile knows, among
// those of decisions (decision.h). `memprof check' adds them up.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace memprof::decide {

struct MatchRow {
  static constexpr char k_matched[] = "matched";    // unchanged, perhaps in another file
  static constexpr char k_salvaged[] = "salvaged";  // changed, and some sites found again
  static constexpr char k_lost[] = "lost";          // changed, or several fit

  std::string file;               // of this compile
  std::string function;           // linkage name and checksum: of the profile's row
  std::uint32_t checksum = 0;
  std::string how;
  std::uint64_t executions = 0;   // of all sites of the row
  std::uint64_t used = 0;         // of those that were found
};

std::string match_line(const MatchRow& row);

// The lines of TEXT that are of this kind.
std::vector<MatchRow> read_matches(std::string_view text);

}  // namespace memprof::decide
