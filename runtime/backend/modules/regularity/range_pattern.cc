// range_pattern.cc - when the rest of a range joins the same streams again and again.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/modules/regularity/range_pattern.h"

#include <algorithm>
#include <utility>

namespace memprof::backend {

std::size_t RangePattern::period(std::uint64_t first,
                                 const std::vector<StreamDetector::Stream>& streams) {
  if (!apart_) return 0;
  const std::size_t size = accesses_.size(), kept = 2 * k_longest * size;
  if (joined_.size() > 8 * kept)
    joined_.erase(joined_.begin(), joined_.end() - static_cast<std::ptrdiff_t>(kept));
  for (std::size_t n = 1; n <= k_longest && 2 * n * size <= joined_.size(); n++) {
    const auto end = joined_.end();
    const auto middle = end - static_cast<std::ptrdiff_t>(n * size);
    if (middle[-1] != end[-1]) continue;
    if (!std::equal(middle, end, middle - static_cast<std::ptrdiff_t>(n * size))) continue;
    if (std::find(middle, end, k_no_stream) != end) return 0;
    if (!moves_along(n, streams)) return 0;
    apart_ = apart(first, n);
    return apart_ ? n : 0;
  }
  return 0;
}

bool RangePattern::moves_along(std::size_t iterations,
                               const std::vector<StreamDetector::Stream>& streams) const {
  const std::span<const std::uint32_t> joined = last(iterations);
  for (std::size_t i = 0; i < joined.size(); i++) {
    const auto elements = static_cast<std::uint64_t>(
        std::count(joined.begin(), joined.end(), joined[i]));
    const auto step = static_cast<std::uint64_t>(accesses_[i % accesses_.size()].step);
    if (elements * static_cast<std::uint64_t>(streams[joined[i]].step) != iterations * step)
      return false;
  }
  return true;
}

namespace {

// The least and the greatest address that A refers to from iteration FIRST on, or that a stream
// which it joined expects then.
std::pair<__int128, __int128> expected(const RangeAccess& a, std::uint64_t first,
                                       std::size_t iterations) {
  const __int128 step = a.step;
  const __int128 from = static_cast<__int128>(a.address) + step * static_cast<__int128>(first);
  const __int128 to = from + step * static_cast<__int128>(a.count - first + iterations);
  return {std::min(from, to), std::max(from, to)};
}

}  // namespace

bool RangePattern::apart(std::uint64_t first, std::size_t iterations) const {
  for (std::size_t i = 0; i < accesses_.size(); i++)
    for (std::size_t j = 0; j < i; j++) {
      const RangeAccess &a = accesses_[i], &b = accesses_[j];
      if (a.store != b.store || a.step == b.step) continue;
      const auto x = expected(a, first, iterations), y = expected(b, first, iterations);
      if (x.first <= y.second && y.first <= x.second) return false;
    }
  return true;
}

}  // namespace memprof::backend
