// verify_trials.h - memprof verify --trials.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "consumers/cli/verify_builds.h"

namespace memprof::cli {

// Builds once with prefetches on trial, runs that once, prints what each nest of loops measured, and adds
// the prefetches that do not pay to VETO_FILE.  Returns the exit status.
int verify_trials(Builds& builds, const std::string& veto_file, bool json);

}  // namespace memprof::cli
