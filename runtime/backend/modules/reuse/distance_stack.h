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
// An access costs the logarithm of the number of lines that were accessed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace memprof::backend {

class DistanceStack {
 public:
  // Distinct lines that were accessed and not dropped.
  std::size_t lines() const { return last_.size(); }

  // Accesses LINE. Its distance; none if it was not accessed before.
  std::optional<std::uint64_t> use(std::uint64_t line) {
    if (next_ == marks_.size()) make_room();
    const auto [it, first] = last_.try_emplace(line, next_);
    std::optional<std::uint64_t> distance;
    if (!first) {
      distance = last_.size() - marks_up_to(it->second);
      mark(it->second, -1);
      it->second = next_;
    }
    mark(next_++, 1);
    return distance;
  }
  // Forgets the lines for which KEEP (line) is false.
  template <typename Keep>
  void drop(Keep&& keep) {
    std::erase_if(last_, [&](const auto& known) { return !keep(known.first); });
    make_room();
  }
  void clear() {
    last_.clear();
    next_ = 0;
    std::ranges::fill(marks_, 0);
  }

 private:
  static constexpr std::size_t k_least = std::size_t{1} << 12;

  // Numbers the last accesses anew, in their order.
  void make_room() {
    std::vector<std::pair<std::uint32_t, std::uint64_t>> order;
    order.reserve(last_.size());
    for (const auto& [line, number] : last_) order.emplace_back(number, line);
    std::ranges::sort(order);
    marks_.assign(std::max(k_least, order.size() * 2), 0);
    next_ = 0;
    for (const auto& [number, line] : order) {
      last_[line] = next_;
      mark(next_++, 1);
    }
  }
  void mark(std::size_t number, std::int32_t by) {
    for (std::size_t i = number + 1; i <= marks_.size(); i += i & (0 - i)) marks_[i - 1] += by;
  }
  std::uint64_t marks_up_to(std::size_t number) const {
    std::int64_t sum = 0;
    for (std::size_t i = number + 1; i != 0; i -= i & (0 - i)) sum += marks_[i - 1];
    return static_cast<std::uint64_t>(sum);
  }

  std::unordered_map<std::uint64_t, std::uint32_t> last_;  // number of the last access
  std::vector<std::int32_t> marks_;                        // a Fenwick tree
  std::uint32_t next_ = 0;
};

}  // namespace memprof::backend
