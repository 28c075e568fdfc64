// validate.h - every fault of a document, not just the first.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "feedback/result.h"

namespace memprof::feedback {

// Shape (types, required keys, ranges) and sense (ids resolve and are unique,
// counts agree: executions against accesses, intra + carried against count,
// captured against accesses, frequencies in 0..1, index ranges).  Empty: good.
// At most `limit' faults.
std::vector<Error> validate_file(const std::string& path, unsigned limit = 100);

}  // namespace memprof::feedback
