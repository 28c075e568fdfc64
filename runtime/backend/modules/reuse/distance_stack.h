// distance_stack.h - how many other lines were accessed since a line was accessed last.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Each line has the number of its last access. Of these numbers, those that are the last of
// their line are marked; the distance of an access is how many marks lie after the one before
// (Bennett and Kruskal 1975, Almasi et al. 2002), which a Fenwick tree counts:
//
//     accesses    A  B  C  B  A
//     marks       .  .  x  x  x        after the last one
//     distance    -  -  -  1  2        B: {C};  A: {B, C}
//
// An access costs the logarithm of the number of lines that were accessed; to one of the last few
// lines it costs less, since these are kept in a list.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "feedback/flat_map.h"

namespace memprof::backend {

class DistanceStack {
 public:
  // Distinct lines that were accessed and not dropped.
  std::size_t lines() const { return recent_ + marked_; }

  // Accesses LINE. Its distance; none if it was not accessed before.
  std::optional<std::uint64_t> use(std::uint64_t line) {
    const auto begin = recent_lines_.begin(), end = begin + static_cast<std::ptrdiff_t>(recent_);
    if (const auto it = std::find(begin, end, line); it != end) {
      std::rotate(begin, it, it + 1);
      return static_cast<std::uint64_t>(it - begin);
    }
    std::optional<std::uint64_t> distance;
    if (std::uint32_t* const number = last_.find(line); number && *number != k_none) {
      distance = recent_ + marked_ - marks_up_to(*number);
      mark(*number, -1);
      marked_--;
      *number = k_none;
    }
    if (recent_ == k_recent)
      put(recent_lines_[k_recent - 1]);
    else
      recent_++;
    std::copy_backward(begin, begin + static_cast<std::ptrdiff_t>(recent_) - 1,
                       begin + static_cast<std::ptrdiff_t>(recent_));
    recent_lines_[0] = line;
    return distance;
  }
  // Forgets the lines for which KEEP (line) is false.
  template <typename Keep>
  void drop(Keep&& keep) {
    const auto begin = recent_lines_.begin();
    const auto end = std::stable_partition(begin, begin + static_cast<std::ptrdiff_t>(recent_), keep);
    recent_ = static_cast<std::size_t>(end - begin);
    number_anew(keep);
  }
  void clear() {
    recent_ = marked_ = 0;
    next_ = 0;
    last_.clear();
    marks_.assign(k_least, 0);
  }

 private:
  static constexpr std::size_t k_least = std::size_t{1} << 10, k_recent = 8;
  static constexpr std::uint32_t k_none = ~std::uint32_t{0};

  // LINE was accessed before the recent ones, and after all others.
  void put(std::uint64_t line) {
    if (next_ == marks_.size()) number_anew([](std::uint64_t) { return true; });
    last_.add(line) = next_;
    mark(next_++, 1);
    marked_++;
  }
  // Of the lines for which KEEP is true, in the order of their last accesses.
  template <typename Keep>
  void number_anew(Keep&& keep) {
    std::vector<std::pair<std::uint32_t, std::uint64_t>> order;
    for (const auto& [line, number] : last_.rows())
      if (number != k_none && keep(line)) order.emplace_back(number, line);
    std::ranges::sort(order);
    last_.clear();
    marks_.assign(std::max(k_least, order.size() * 2), 0);
    next_ = 0;
    marked_ = order.size();
    for (const auto& [number, line] : order) {
      last_.add(line) = next_;
      mark(next_++, 1);
    }
  }
  void mark(std::size_t number, std::int32_t by) {
    for (std::size_t i = number + 1; i <= marks_.size(); i += i & (0 - i)) marks_[i - 1] += by;
  }
  std::uint64_t marks_up_to(std::size_t number) const {
    std::int32_t sum = 0;
    for (std::size_t i = number + 1; i != 0; i -= i & (0 - i)) sum += marks_[i - 1];
    return static_cast<std::uint64_t>(sum);
  }

  std::array<std::uint64_t, k_recent> recent_lines_;  // the last one first
  std::size_t recent_ = 0, marked_ = 0;
  feedback::FlatMap<std::uint64_t, std::uint32_t> last_;  // number of the last access; of recent lines none
  std::vector<std::int32_t> marks_ = std::vector<std::int32_t>(k_least);  // a Fenwick tree
  std::uint32_t next_ = 0;
};

}  // namespace memprof::backend
