// hot_functions.h - which functions are compiled with the options that GCC has for measured code.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "consumers/decide/cost_model.h"
#include "consumers/decide/decision.h"
#include "feedback/model.h"

namespace memprof::decide {

// What the profile says about a function.
struct FunctionFacts {
  std::uint64_t program_accesses = 0;  // of the whole run
  std::uint64_t accesses = 0;          // of the function's sites
  // Of its loop with most iterations.
  std::uint64_t iterations = 0;
  double trip_count = 0;

  double share() const { return program_accesses ? static_cast<double>(accesses) / static_cast<double>(program_accesses) : 0; }
  // Adds SITE, which FUNCTION has in the profile.
  void add(const feedback::Function& function, const feedback::Site& site);
};

// A pure function of the FACTS and what the compiler says about the CODE (null: `memprof advise' has none).
Decision decide_hot_function(const Candidate& candidate, const FunctionFacts& facts, const FunctionCode* code,
                             const CostModel& model);

}  // namespace memprof::decide
