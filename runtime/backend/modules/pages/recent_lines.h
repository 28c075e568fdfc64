// recent_lines.h - the lines that a cache holds, changed or not, and which object changed them.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A cache that writes back: a line that is not there is read from memory, and takes the
// place of the one of its set that was used longest ago. If that was changed, it is
// written to memory, on account of whoever changed it last:
//
//     RecentLines cache({2, 2});     use(7, a, store)   miss
//                                    use(8, b, load)    miss
//                                    use(9, b, load)    miss; evicts 7, which A had changed
//
// Also for TLBs, where nothing changes. Sets of up to k_searched ways are arrays, searched from
// the line that was used last; a level of one set with more ways has a table.
#pragma once

#include <algorithm>
#include <cstdint>
#include <list>
#include <unordered_map>
#include <vector>

#include "runtime/backend/modules/geometry_fields.h"

namespace memprof::backend {

class RecentLines {
 public:
  struct Line {
    std::uint32_t number = 0;  // 0: none
    std::uint32_t owner : 31 = 0;
    std::uint32_t changed : 1 = 0;
  };
  struct Use {
    bool hit;
    Line evicted;
  };

  // SIZE entries of one line in SAMPLE: as many times fewer sets, then fewer ways.
  explicit RecentLines(CacheLevel size, std::uint32_t sample = 1) {
    if (size.size == 0) return;
    const std::uint64_t entries = std::max<std::uint64_t>(size.size / sample, 1);
    ways_ = static_cast<std::uint32_t>(std::min<std::uint64_t>(std::max(size.ways, 1u), entries));
    sets_ = static_cast<std::uint32_t>(std::max<std::uint64_t>(entries / ways_, 1));
    if (!table_p()) lines_.resize(std::size_t{sets_} * ways_);
  }
  // A copy has places in its own list.
  RecentLines(const RecentLines& other)
      : ways_(other.ways_), sets_(other.sets_), lines_(other.lines_), recent_(other.recent_) {
    for (auto at = recent_.begin(); at != recent_.end(); ++at) places_[at->number] = at;
  }
  RecentLines(RecentLines&&) = default;
  RecentLines& operator=(const RecentLines& other) { return *this = RecentLines(other); }
  RecentLines& operator=(RecentLines&&) = default;

  // NUMBER is not 0; OWNER uses it, and changes it if STORE.
  Use use(std::uint32_t number, std::uint32_t owner = 0, bool store = false) {
    if (ways_ == 0) return {false, {}};
    if (table_p()) return use_table(number, owner, store);
    Line* const set = &lines_[set_of(number)];
    std::uint32_t at = 0;
    while (at < ways_ && set[at].number != number) at++;
    const bool hit = at < ways_;
    const Line evicted = hit ? Line{} : set[ways_ - 1];
    Line line = hit ? set[at] : Line{number, owner, false};
    touch(line, owner, store);
    std::move_backward(set, set + std::min(at, ways_ - 1), set + std::min(at, ways_ - 1) + 1);
    set[0] = line;
    return {hit, evicted};
  }

  // Calls fn(const Line&) for what is there.
  template <typename Fn>
  void for_each(Fn&& fn) const {
    for (const Line& line : lines_)
      if (line.number != 0) fn(line);
    for (const Line& line : recent_) fn(line);
  }

 private:
  static constexpr std::uint32_t k_searched = 64;

  bool table_p() const { return sets_ == 1 && ways_ > k_searched; }
  static void touch(Line& line, std::uint32_t owner, bool store) {
    if (!store) return;
    line.owner = owner;
    line.changed = true;
  }
  // Fibonacci hashing: neighbours go to sets far apart.
  std::size_t set_of(std::uint32_t number) const {
    const std::uint32_t hash = number * 0x9e3779b1u;
    return static_cast<std::size_t>(std::uint64_t{hash} * sets_ >> 32) * ways_;
  }
  Use use_table(std::uint32_t number, std::uint32_t owner, bool store) {
    if (const auto found = places_.find(number); found != places_.end()) {
      recent_.splice(recent_.begin(), recent_, found->second);
      touch(recent_.front(), owner, store);
      return {true, {}};
    }
    recent_.push_front({number, owner, false});
    touch(recent_.front(), owner, store);
    places_[number] = recent_.begin();
    if (recent_.size() <= ways_) return {false, {}};
    const Line evicted = recent_.back();
    places_.erase(evicted.number);
    recent_.pop_back();
    return {false, evicted};
  }

  std::uint32_t ways_ = 0, sets_ = 0;
  std::vector<Line> lines_;  // set by set, the line that was used last first
  std::list<Line> recent_;   // or these, likewise
  std::unordered_map<std::uint32_t, std::list<Line>::iterator> places_;
};

}  // namespace memprof::backend
