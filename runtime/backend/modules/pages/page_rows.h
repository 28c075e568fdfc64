// page_rows.h - the rows of the table `pages': which objects have one.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Objects of less than a page count together, as object 0 of their group, and so do all but the 16
// that walk most:
//
//     object   bytes   walks             number
//     0        40      12                0
//     1        8192    900               2
//     2..40    8192    1 to 39           the 15 of most walks have theirs, others 0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "feedback/model.h"

namespace memprof::backend {

// Objects of fewer bytes are not told apart: the paper's.
inline constexpr std::uint64_t k_least_object = 4096;
// Objects of a group that have rows of their own in the profile, by walks.
inline constexpr std::size_t k_most_objects = 16;

// Of the object with SERIAL number in its group.
inline std::uint32_t object_number(std::uint32_t serial, std::uint64_t bytes) {
  return bytes >= k_least_object ? serial + 1 : 0;
}

// The process whose folder in /proc this is; 0: none.
std::uint32_t pid_of(const std::string& folder);

// Adds ROWS to the profile, as the sums of those with one key.
void put_rows(std::vector<feedback::Pages> rows, feedback::Profile& profile);

}  // namespace memprof::backend
