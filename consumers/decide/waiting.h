// waiting.h - how long a program waits for memory, and where: an estimate from the profile alone.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The misses of a site become cycles by what the processor can do meanwhile:
//
//   regular     the address advances by a constant: the hardware prefetches the lines, and what is
//               left is the time in which lines are moved beyond that in which the loop is busy
//   irregular   the latency of each level, divided by the misses that the window of the processor
//               keeps under way: as many as there are between one miss and the next instructions
//   chase       irregular, in a loop that loads a pointer to the next record of the same type: one
//               after the other, nothing is divided
//
//     n->next of 8 MB, 1 M executions, all miss L2, none the last level:   45 M cycles
//     a[i[k]] of the same memory, two accesses an iteration:               45 M / 8
//
// The program is busy for a cycle for each access.  Stores do not wait: what they cost is the line
// that is read for them, and walks.  Not counted: page faults, locks, files.  The model is that of
// cost_model.h, and its latencies are those of present servers: a share is good to a tenth or two,
// an order of places to more.
#pragma once

#include <vector>

#include "consumers/decide/cost_model.h"
#include "feedback/model.h"

namespace memprof::decide {

enum class AccessPattern : std::uint8_t { regular, irregular, chase };

struct SiteWaiting {
  feedback::Id site = feedback::k_none;
  feedback::Id group = feedback::k_none;  // of which most cycles are
  AccessPattern pattern = AccessPattern::regular;
  double cycles = 0;
  double error = 0;  // half of the 95 % interval
  double walks = 0;  // of the cycles, those of page walks
};

struct Waiting {
  std::vector<SiteWaiting> sites;  // those that wait, longest first
  double cycles = 0, error = 0;    // of all of them
  double busy = 0;                 // cycles of the rest of the program

  // Of the time: of the cycles OF, of all of them, and the ends of the interval for all.
  double share(double of) const { return busy + cycles > 0 ? of / (busy + cycles) : 0; }
  double share() const { return share(cycles); }
  double low() const;
  double high() const;
};

Waiting waiting(const feedback::Profile& profile, const CostModel& model);

}  // namespace memprof::decide
