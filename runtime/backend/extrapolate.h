// extrapolate.h - from what the bursts of sample mode saw to the whole run.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>

#include "feedback/model.h"

namespace memprof::backend {

// Multiplies the counts of executions by FACTOR, or what OWN says for a site.
void extrapolate(feedback::Profile& profile, std::uint64_t factor,
                 const std::map<feedback::Id, std::uint64_t>& own);

}  // namespace memprof::backend
