// range_pattern.h - when the rest of a range joins the same streams again and again.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A loop of equal steps keeps its streams, though accesses may share them, and take turns:
//
//     a[i] + a[i-1] + a[i+1]      iteration 6   streams 0 1 0      a[i] and a[i+1] are elements
//                                 iteration 7   streams 5 1 5      4 and 5 of stream 0, then 4
//                                 iteration 8   streams 0 1 0      and 5 of stream 5, ...
//
// The pattern of a *period* of up to four iterations goes on to the end of the range, provided that
//
//   * all references of two periods have joined the same streams in the same order,
//   * each stream has moved, in a period, as far as the accesses that joined it, and
//   * accesses of different steps never meet: they might then find that a stream of the other one
//     was modified last.
//
// For then all that decides which reference joins which stream, the addresses that streams expect and the order in
// which they were modified, is after a period as it was before it, only moved. Streams of earlier
// code that expect an address of the range were modified before these.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/backend/event/range.h"
#include "runtime/backend/modules/regularity/stream_detector.h"

namespace memprof::backend {

class RangePattern {
 public:
  // A row of a range with ACCESSES, one row each.
  void begin(std::span<const RangeAccess> accesses) {
    accesses_ = accesses;
    joined_.clear();
    apart_ = true;
  }
  // The next reference of a whole iteration joined STREAM, or none.
  void note(std::uint32_t stream) { joined_.push_back(stream); }
  // Iteration FIRST comes next, and all before it were noted. How many iterations the pattern has
  // that goes on from there; 0: none is certain.
  std::size_t period(std::uint64_t first, const std::vector<StreamDetector::Stream>& streams);
  // The streams that are joined in a period of ITERATIONS, in their order.
  std::span<const std::uint32_t> last(std::size_t iterations) const {
    const std::size_t n = iterations * accesses_.size();
    return {joined_.data() + joined_.size() - n, n};
  }

 private:
  static constexpr std::size_t k_longest = 4;

  bool moves_along(std::size_t iterations,
                   const std::vector<StreamDetector::Stream>& streams) const;
  bool apart(std::uint64_t first, std::size_t iterations) const;

  std::span<const RangeAccess> accesses_;
  std::vector<std::uint32_t> joined_;  // streams, in the order of references
  bool apart_ = true;  // no accesses of different steps were seen to meet
};

}  // namespace memprof::backend
