// thread_turns.h - which thread the stream was about at each time.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A cell of the shadow memory has a site and a stamp, but no room for a thread. Whether a
// store was one of the own thread decides what a loop carries (loop_context.h). The events
// of the stream are of one thread for a while, then of another, and the clock ticks at each
// change. So the stamp tells the thread:
//
//     stamps    1 ..... 17   18 .... 40   41 ... 43        at (20) = {2, 18, 40}
//     thread        1            2            1
//
// A turn takes 8 bytes. Only the latest k_most are known: before them everything is
// one turn of k_no_thread, so that what was stored there is of another thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace memprof::backend {

using Stamp = std::uint64_t;  // of the clock, below 2^40

class ThreadTurns {
 public:
  struct Turn {
    std::uint32_t thread;
    Stamp first, last;
  };
  static constexpr std::uint32_t k_no_thread = (1u << 24) - 1;
  static constexpr std::size_t k_most = std::size_t{1} << 24;

  // The turn of THREAD begins at FIRST.
  void begin(std::uint32_t thread, Stamp first);
  bool several() const { return turns_.size() != 1; }
  // The turn to which stamp T belongs.
  Turn at(Stamp t) const;

 private:
  static constexpr unsigned k_thread_bits = 24;
  static std::uint32_t thread_of(std::uint64_t turn) {
    return static_cast<std::uint32_t>(turn) & ((1u << k_thread_bits) - 1);
  }
  static Stamp first_of(std::uint64_t turn) { return turn >> k_thread_bits; }

  std::vector<std::uint64_t> turns_{0};  // first << 24 | thread; rising
  mutable std::size_t recent_ = 0;       // where the last question was answered
};

}  // namespace memprof::backend
