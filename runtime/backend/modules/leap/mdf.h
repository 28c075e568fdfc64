// mdf.h - memory dependence frequency from LMADs.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// LEAP (Wu et al., CGO 2004, section 4.2): how often does a load read a place
// that a store has written at any earlier time?  Both are known as LMADs over
// (object, offset, time), so the question becomes a linear system.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "feedback/model.h"

namespace memprof::backend {

// One load or store of one group.
struct MdfAccess {
  const feedback::ObjectRelative* row = nullptr;
  std::uint64_t width = 0;
  std::uint64_t executions = 0;  // of the site, over all groups
  bool store = false;
};

// Sources shown per load, and a bound for the work, in pairs of LMADs compared:
// a heap of one group and thousands of sites would take minutes.
struct MdfLimits {
  std::size_t sources = 4;
  std::uint64_t pairs = 100'000'000;
};

// Frequencies of all pairs whose estimate is above 0, the largest of each load.
// An access whose width varies or is above 64 bytes must be left out.
std::vector<feedback::Mdf> estimate_mdf(const std::vector<MdfAccess>& accesses,
                                        const MdfLimits& limits = {});

}  // namespace memprof::backend
