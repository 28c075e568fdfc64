// extrapolate.h - from what the bursts of sample mode saw to the whole run.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "feedback/model.h"

namespace memprof::backend {

// Multiplies the counts of executions by FACTOR.
void extrapolate(feedback::Profile& profile, std::uint64_t factor);

}  // namespace memprof::backend
