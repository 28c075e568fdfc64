// line_costs.h - what the profile says about each line of a file, all its sites together.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// For `memprof annotate' and the source view of `memprof report', which show the same
// numbers.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "consumers/cli/profile_view.h"
#include "consumers/decide/decision.h"
#include "feedback/error_sum.h"

namespace memprof::cli {

// Executions by stride: the classes of a memory access pattern.
struct StrideMix {
  std::uint64_t unit = 0;       // the same element, or the one beside it
  std::uint64_t constant = 0;   // another stride that a tenth of the executions has
  std::uint64_t irregular = 0;  // the rest

  void add(const feedback::Stride& row, std::uint32_t width);
  std::uint64_t all() const { return unit + constant + irregular; }
  const char* name() const;  // of the greatest part; "-": there is none
};

struct LineCost {
  std::uint64_t loads = 0, stores = 0;
  feedback::ErrorSum loads_error, stores_error;
  feedback::Cache misses;  // of all its sites and their groups
  StrideMix strides;
  std::uint64_t flow = 0;     // executions that read what a known store wrote
  std::uint64_t carried = 0;  // of these, from an earlier iteration
  // Accesses and misses of L2 of the functions that are inlined here, not counted above.
  std::uint64_t inlined = 0, inlined_l2 = 0;
  std::vector<const ProfileView::SiteRef*> sites;  // by column, then ordinal
  std::vector<const decide::Decision*> decisions;
  std::uint64_t accesses() const;
};

using LineCosts = std::map<std::uint32_t, LineCost>;          // by line
using FileCosts = std::map<std::string, LineCosts>;           // by name in the profile

// DECISIONS must outlive the results.
FileCosts file_costs(const ProfileView& view, const std::vector<decide::Decision>& decisions);

// The same for each function alone, without decisions: what is inlined into several ones counts
// for each.
using FunctionCosts = std::map<const feedback::Function*, FileCosts>;
FunctionCosts function_costs(const ProfileView& view);

// Most decisions that are kept for one place of a function: a name that many units have gets the decisions of
// each of them.
inline constexpr std::size_t k_most_decisions = 16;

// Adds DECISIONS, which must outlive the costs, to those functions that have their names.
void add_decisions(const std::vector<std::pair<const feedback::Function*, FileCosts*>>& functions,
                   const std::vector<decide::Decision>& decisions);

}  // namespace memprof::cli
