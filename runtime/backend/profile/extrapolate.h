// extrapolate.h - from what the bursts of sample mode saw to the whole run.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>

#include "feedback/model.h"

namespace memprof::backend {

// How often what bursts saw has happened; of some sites and loops that is known.
struct Factors {
  std::uint64_t all = 1;
  std::map<feedback::Id, std::uint64_t> sites, loops;

  std::uint64_t of_site(feedback::Id site) const { return of(sites, site); }
  std::uint64_t of_loop(feedback::Id loop) const { return of(loops, loop); }

 private:
  std::uint64_t of(const std::map<feedback::Id, std::uint64_t>& own, feedback::Id id) const {
    const auto it = own.find(id);
    return it == own.end() ? all : it->second;
  }
};

// Multiplies the counts of executions.
void extrapolate(feedback::Profile& profile, const Factors& factors);

}  // namespace memprof::backend
