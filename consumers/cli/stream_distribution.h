// stream_distribution.h - memprof streams --cdf: how long hot streams are, and how well packed.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A mean hides whether all streams are alike. Cumulative distributions show it:
//
//     length   streams   heat        packing   streams   heat
//     2         50.0 %   46.4 %        5 %       3.1 %    1.0 %
//     3         75.0 %   73.9 %       50 %      41.0 %   60.2 %
//     4        100.0 %  100.0 %      100 %     100.0 %  100.0 %
//
// Half of the streams have two names, and these have 46.4 % of the heat. Packing is rounded up to
// steps of 5 %, so the last row but one leaves those that are packed as well as can be.
//
// Paper: Chilimbi, PLDI 2001, figures 6 and 7.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "consumers/cli/stream_analysis.h"
#include "feedback/json_report.h"

namespace memprof::cli {

struct DistributionPoint {
  double value;
  double streams, heat;  // shares of those with this value at most
};
// Of values with their heat; rising.
std::vector<DistributionPoint> cumulative(std::vector<std::pair<double, std::uint64_t>> values);

struct StreamDistributions {
  std::vector<DistributionPoint> lengths, packing;  // packing: empty if members have no place
};
StreamDistributions distributions_of(const StreamAnalysis& analysis);

void print_distributions(const StreamAnalysis& analysis);
// Member `distributions' of the open object.
void add_distributions_json(const StreamAnalysis& analysis, feedback::JsonReport& json);

}  // namespace memprof::cli
