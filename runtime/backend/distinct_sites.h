// distinct_sites.h - does a range execute every site through one access only?
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <vector>

#include "runtime/backend/batch.h"

namespace memprof::backend {

// State that a module keeps per site can be advanced access by access when no
// site occurs twice in a range; otherwise the executions interleave.
class DistinctSites {
 public:
  bool operator()(std::span<const RangeAccess> accesses) {
    serial_++;
    for (const RangeAccess& a : accesses) {
      if (a.site >= last_.size()) last_.resize(a.site + a.site / 2 + 64);
      if (last_[a.site] == serial_) return false;
      last_[a.site] = serial_;
    }
    return true;
  }

 private:
  std::vector<std::uint64_t> last_;  // by SiteId: the last question that had it
  std::uint64_t serial_ = 0;
};

}  // namespace memprof::backend
