// never_met.cc - pairs of loads and stores that never met, as rows.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "feedback/never_met.h"

#include <array>

namespace memprof::feedback {
namespace {

constexpr std::array<double, k_may_always_meet + 1> k_bounds = {0, 0.0001, 0.001, 0.01, 0.1, 1};

}  // namespace

double bound_of(MeetLevel level) { return k_bounds[level]; }

MeetLevel level_of(double bound) {
  MeetLevel level = 0;
  while (level < k_may_always_meet && k_bounds[level] < bound) level++;
  return level;
}

void add_rows(std::vector<NeverMet>& rows, Id loop, const StrangersOfLoop& pairs) {
  std::map<std::pair<MeetLevel, std::vector<Id>>, std::vector<Id>> sinks;
  for (const auto& [sink, strangers] : pairs) {
    std::array<std::vector<Id>, k_may_always_meet + 1> sources;
    for (const auto& [source, level] : strangers) sources[level].push_back(source);
    for (MeetLevel level = 0; level <= k_may_always_meet; level++)
      if (!sources[level].empty()) sinks[{level, std::move(sources[level])}].push_back(sink);
  }
  for (auto& [key, loads] : sinks)
    rows.push_back({loop, bound_of(key.first), std::move(loads), key.second});
}

}  // namespace memprof::feedback
