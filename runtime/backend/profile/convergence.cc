// convergence.cc - when sample mode has seen enough.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/profile/convergence.h"

#include <cmath>
#include <numeric>
#include <utility>

namespace memprof::backend {

bool Convergence::note(std::vector<std::uint64_t> executions) {
  next_ *= 2;
  const std::vector<std::uint64_t> before = std::exchange(before_, std::move(executions));
  const auto sum = [](const std::vector<std::uint64_t>& counts) {
    return static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}));
  };
  const double then = sum(before), now = sum(before_);
  if (then == 0) return false;
  double change = 0;
  // A library that has been loaded since has more sites.
  for (std::size_t site = 0; site < before_.size(); site++) {
    const std::uint64_t old = site < before.size() ? before[site] : 0;
    change += std::abs(static_cast<double>(before_[site]) / now - static_cast<double>(old) / then);
  }
  return change / 2 < limit_;
}

}  // namespace memprof::backend
