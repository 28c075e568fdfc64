// diff.h - how alike two profiles are.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "feedback/model.h"

namespace memprof::feedback {

// Overlap as gcov-tool defines it: sum over keys of min(a/A, b/B), where A and
// B are the totals; 1 = same distribution, 0 = nothing in common.
struct SiteDifference {
  std::string where;  // file:line:column, function
  std::uint64_t a = 0, b = 0;
};

struct Difference {
  double executions = 1;    // over sites
  double dependences = 1;   // over (source, sink, kind, loop, same iteration or not), measured ones
  double flow = 1;          // reads after writes, over (source, sink), with inferred ones
  double strides = 1;       // over (site, stride)
  double points_to = 1;     // over (site, group)
  double matched_functions = 1;  // share of functions present in both
  std::vector<SiteDifference> largest;  // by |a/A - b/B|, at most 20
};

Difference diff(const Profile& a, const Profile& b);

}  // namespace memprof::feedback
