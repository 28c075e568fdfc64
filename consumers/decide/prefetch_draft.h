// prefetch_draft.h - a decision of prefetch.cc in the making.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

#include "consumers/decide/decision.h"
#include "consumers/decide/load_index.h"

namespace memprof::decide {

// A decision in the making: the gates fill it in, as far as they come.
struct PrefetchDraft {
  Reason reason = Reason::code_shape;
  Shape shape = Shape::unknown;
  std::uint64_t distance = 0;  // iterations (indirect, strided) or nodes (linked) ahead
  std::int64_t stride = 0;     // linked: bytes from node to node; strided: an iteration's
  bool in_arena = false;       // linked: they are those of the nodes' arena

  std::uint64_t executions = 0;
  double error = 0;            // of these, relative
  std::uint64_t span = 0;      // bytes
  std::uint64_t cache = 0;     // bytes that it was compared with
  std::uint64_t l2 = 0;        // of the machine that is assumed
  double scale = 1;            // of the input, against the profile's
  double trip_count = 0;       // iterations per entry; 0 = in no loop
  double iteration_cycles = 0;
  double latency_cycles = 0;
  double share = 0;            // which one, the reason says
  double misses = 0;           // share of the executions that miss L2 in the model, at least
  double misses_most = 0;      // ... at most
  double overlap = 0;          // iterations that wait at a time, unaided
  double waits = 0;            // see PrefetchCode
  double gain = 0;             // of the loop's time: without / with, at most
  double saved_cycles = 0;     // an iteration's, without - with; then of all of them
  bool entry = false;          // see PrefetchCode
  bool call = false;
  bool second = false;         // of the second node of a list
  std::uint64_t at_least = 0;  // bytes of the block from which on it is performed; 0: always
  std::string watched;         // the variable that has them, see LoadFacts
  bool trial = false;          // the program measures it, and may switch it off
  bool unsure = false;         // ... since it does not pass all gates with the inputs of the profile
  std::string obstacle;        // code_shape: what prevents it
  Gate gate;                   // what was compared last
};

// What is said about it: of one that is taken, one that the code decides, and one that is
// refused.
std::string taken_text(const PrefetchDraft& draft);
std::string open_text(const PrefetchDraft& draft, const LoadFacts& load);
std::string refusal_text(const PrefetchDraft& draft);

}  // namespace memprof::decide
