// variable_pages.h - whether large variables of the program get huge pages.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "consumers/decide/cost_model.h"
#include "consumers/decide/decision.h"
#include "feedback/model.h"

namespace memprof::decide {

// A variable that is alive as long as the program: a global one, or a static one of a function.
struct VariableFacts {
  std::string file;
  std::uint32_t line = 0;
  std::string name, type;
  std::uint64_t bytes = 0, accesses = 0;
  std::uint64_t large = 0, resident = 0;  // as feedback::Group has them
  double misses = 0;  // of the TLB
};

// The variables of a profile that are large enough to matter.
class VariableIndex {
 public:
  VariableIndex(const feedback::Profile& profile, const CostModel& model);
  // The variable that CODE describes: in its place, whatever its type (sizes of arrays are often
  // those of the input), or in another one if only one variable has its name and type. Null
  // when the profile saw no access to it.
  const VariableFacts* find(const VariableCode& code) const;
  // In the order of the profile.
  const std::vector<VariableFacts>& entries() const { return entries_; }

  // Of all that are accessed densely enough: bytes, and misses of the TLB.
  std::uint64_t bytes() const { return bytes_; }
  double misses() const { return misses_; }
  std::uint64_t program_accesses() const { return program_accesses_; }

 private:
  std::vector<VariableFacts> entries_;
  std::uint64_t bytes_ = 0, program_accesses_ = 0;
  double misses_ = 0;
};

// Whether the variable FACTS of INDEX gets huge pages. CODE is null when only the profile is known.
Decision decide_variable(const Candidate& candidate, const VariableFacts& facts,
                         const VariableIndex& index, const VariableCode* code,
                         const CostModel& model);

}  // namespace memprof::decide
