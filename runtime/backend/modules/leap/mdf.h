// mdf.h - memory dependence frequency from LMADs.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// LEAP (Wu et al., CGO 2004, section 4.2): how often does a load read a place
// that a store has written at any earlier time?  Both are known as LMADs over
// (object, offset, time), so the question becomes a linear system.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "feedback/model.h"
#include "runtime/backend/event/module.h"
#include "runtime/backend/modules/leap/mdf_chance.h"

namespace memprof::backend {

// Sources shown per load, and a bound for the work, in pairs of LMADs compared:
// a heap of one group and thousands of sites would take minutes.
struct MdfLimits {
  std::size_t sources = 4;
  std::uint64_t pairs = 100'000'000;
};

struct MdfResult {
  std::vector<feedback::Mdf> rows;  // of each load those with the largest estimates
  std::map<feedback::Id, std::vector<feedback::Id>> met;  // all of them, by load, by id
  std::set<feedback::Id> skipped;   // loads that were not compared
};

// Estimates for all pairs of a load and a store.
MdfResult estimate_mdf(const std::vector<MdfAccess>& accesses, const MdfLimits& limits = {});

// The pairs of each loop of FUNCTIONS that RESULT has not, with their bounds; but none of
// stores in UNKNOWN.
std::vector<feedback::NeverMet> never_met(const std::vector<const feedback::Function*>& functions,
                                          const MdfSites& sites, const MdfResult& result,
                                          const std::set<feedback::Id>& unknown);

// The module `mdf' with other limits than it has by default.
std::unique_ptr<Module> make_mdf(const ProgramInfo& program, const MdfLimits& limits);

}  // namespace memprof::backend
