// collection.h - which parts of a run regularity looks at, if it does not look at all of it.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The options are those of sample mode, and mean the same; here the unit is an access:
//
//     complete      period=0               everything
//     periodic      period=N, burst=N      windows of `burst' accesses, `period' apart
//     max samples   bursts=N               at most N windows; of each function: regularity_options.h
//     convergence   converge=PERCENT       no window for what no longer changes
//
// Paper: Mohan et al., SC 2003, section 3.4: the four modes.
#pragma once

#include <cstdint>
#include <optional>

#include "runtime/backend/event/module.h"

namespace memprof::backend {

struct Collection {
  // Accesses between the ends and beginnings of two windows, on average; 0: complete. Nothing
  // said: the module chooses.
  std::optional<std::uint64_t> period;
  std::optional<std::uint64_t> burst;   // accesses in a window
  std::optional<std::uint64_t> bursts;  // windows
  double converge = 0;                  // per cent; 0: never
};

// What MPRT_OPTIONS says of it to PROGRAM's modules.
Collection collection_of(const ProgramInfo& program);

}  // namespace memprof::backend
