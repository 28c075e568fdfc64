// layout_growth.h - whether records that matter have grown since a baseline.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "feedback/layout_baseline.h"
#include "feedback/model.h"
#include "feedback/result.h"

namespace memprof::cli {

// Bytes of a line of the cache, on all machines.
inline constexpr std::uint64_t k_line = 64;

// Of a record that has at least so much of the program's accesses, it matters how large it is.
inline constexpr double k_hot_record = 0.01;

// All records that the program accesses, by name.
std::vector<feedback::TypeLayout> layouts_of(const feedback::Profile& profile);

// What is different, in words; NOW and BEFORE are sorted by name.
struct LayoutChanges {
  std::vector<std::string> grown;  // hot records that take more lines of the cache: a failure
  std::vector<std::string> notes;  // what else has changed of hot ones
};
LayoutChanges compare_layouts(const std::vector<feedback::TypeLayout>& before,
                              const std::vector<feedback::TypeLayout>& now, std::uint64_t line);

// memprof layout --baseline=FILE [--update]; the exit status.
int check_layouts(const feedback::Profile& profile, const std::string& baseline, bool update, bool json);

}  // namespace memprof::cli
