// thread_turns.cc - which thread the stream was about at each time.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/program/thread_turns.h"

#include <algorithm>

namespace memprof::backend {

void ThreadTurns::begin(std::uint32_t thread, Stamp first) {
  if (turns_.size() == k_most) {
    turns_.erase(turns_.begin() + 1, turns_.begin() + k_most / 2);
    turns_[0] = k_no_thread;
    recent_ = 0;
  }
  turns_.push_back(first << k_thread_bits | (thread & k_no_thread));
}

ThreadTurns::Turn ThreadTurns::at(Stamp t) const {
  const auto has = [&](std::size_t i) {
    return first_of(turns_[i]) <= t && (i + 1 == turns_.size() || t < first_of(turns_[i + 1]));
  };
  if (!has(recent_)) {
    const auto after = std::upper_bound(turns_.begin(), turns_.end(), t,
                                        [](Stamp s, std::uint64_t turn) { return s < first_of(turn); });
    recent_ = static_cast<std::size_t>(after - turns_.begin()) - 1;
  }
  const std::size_t i = recent_;
  return {thread_of(turns_[i]), first_of(turns_[i]),
          i + 1 == turns_.size() ? ~Stamp{0} : first_of(turns_[i + 1]) - 1};
}

}  // namespace memprof::backend
