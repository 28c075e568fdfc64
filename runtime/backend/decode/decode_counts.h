// decode_counts.h - what the decoder has seen of a stream as a whole.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// In sample mode a program passes places where a burst of recording may begin. Most of
// them lie between bursts:
//
//     places      . . . . B B B . . . . . . B B . . .      B: in a burst
//     counts      in_bursts 5, between_bursts 13           each event represents 18 / 5 = 4
#pragma once

#include <algorithm>
#include <cstdint>

namespace memprof::backend {

struct StreamCounts {
  std::uint64_t lost = 0;        // LOST records and records of no unit
  // Executions of accesses beyond user memory: relative to a segment, or of the kernel's pages.
  // They are counted, and touch nothing that modules know.
  std::uint64_t beyond = 0;
  std::uint64_t corrupt = 0;     // records, or stretches, that made no sense
  std::uint64_t threads = 0;
  bool ended = false;            // PROGRAM_END was seen
  // Sample mode; the last two count places where a burst may begin.
  std::uint64_t bursts = 0, in_bursts = 0, between_bursts = 0;
  std::uint64_t burst_began = 0;  // places that had been passed when the last burst began
  bool ended_early = false;      // ... because the runtime went off
  bool unwanted = false;         // ... and the program wants no profile

  // A program that was killed has not said how long its last burst was.
  std::uint64_t seen() const { return std::max<std::uint64_t>(in_bursts, 1); }
  std::uint64_t places() const { return in_bursts + between_bursts; }
  // How often what bursts saw has happened.
  std::uint64_t times() const {
    return bursts == 0 ? 1 : (seen() + between_bursts + seen() / 2) / seen();
  }
};

}  // namespace memprof::backend
