// stream_advice.h - which changes of a loop the shapes of its streams call for.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// For people: a table of rules from how regular a loop is, and how long, far apart and
// interleaved its streams are, to what is worth trying.
//
//     rule            streams of the loop                               and
//     prefetching     long, step below 10 bytes
//     tiling          10,000 long ones, some of them with steps of 10 bytes and more
//     fission         10,000 short ones, and interleaved long ones
//     fusion          long ones over what a loop beside it goes over, too
//     interchange     steps of 32 bytes and more
//     padding         few long ones, step below 8 bytes                 cache misses
//     copying         long, steps of 32 bytes and more
//     superpages      long, over 10 pages and more                      TLB misses
//     unrolling       10,000 scalar ones                                spills
//     restructuring   few long ones, step below 8 bytes                 cache and TLB misses
//     scatter/gather  less than 0.6 of the references are in one
//
// Long: 100 elements. Few: less than 100 streams. Where a rule names no number of streams, these
// must have a tenth of the loop's references. A rate of misses is high from 5 % of the accesses on
// (second level of the cache), 0.1 % (TLB: half of what a walk over memory in order makes).
//
// Scalar streams may come from registers that were spilled, which GIMPLE does not show. So
// `unrolling' says what to look for, and scalar streams are no part of tiling and fission, of
// which they are a sign in the paper.
//
// Paper: Mohan, de Supinski, McKee, Mueller, Yoo, Schulz, SC 2003, table 1.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "feedback/regularity.h"

namespace memprof::decide {

enum class StreamRule : std::uint8_t {
  prefetching, tiling, fission, fusion, interchange, padding, copying, superpages, unrolling,
  restructuring, scatter_gather
};
const char* name(StreamRule rule);

// Streams that a rule is about: minimum number of elements, steps in [step, below) bytes.
struct StreamShape {
  std::uint64_t length = 3, step = 0, below = ~std::uint64_t{0};
};

struct StreamFacts {
  feedback::Regularity sum;  // of the loop
  // Misses per access of the sites that a model of the caches looked at; below 0: unknown.
  double cache_misses = -1, tlb_misses = -1;
};

struct StreamAdvice {
  StreamRule rule;
  StreamShape shape;
  std::string text;  // the figures
};

// In the order of the table, without fusion.
std::vector<StreamAdvice> advise_streams(const StreamFacts& facts);

// Whether two loops beside each other, which access the same array, both go over it in long
// streams.
bool worth_fusing(const feedback::Regularity& a, const feedback::Regularity& b);

// Elements of streams of SHAPE.
std::uint64_t elements_of(const feedback::Regularity& sum, const StreamShape& shape);

}  // namespace memprof::decide
