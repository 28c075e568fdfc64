// advice.h - a decision, its reason and the numbers behind it.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Every decision maker returns one Advice per candidate, also when it refuses:
// the plugin prints it as a remark, `memprof advise' as a row, the tests look
// at the reason.  The text never needs more than what is in the struct.
#pragma once

#include <cstdint>
#include <string>

namespace memprof::decide {

enum class Shape : std::uint8_t {
  unknown,
  affine,    // address advances by a constant: arrays in order
  strided,   // the same, but most of the lines between are left out
  indirect,  // a[b[i]], also through arithmetic such as a hash
  linked     // p->field with p loaded from a node of the same kind
};

enum class Reason : std::uint8_t {
  taken,
  few_executions,   // fewer than min_executions
  unknown_memory,   // the profile does not say which objects are accessed
  fits_cache,       // the groups' span is within l2_factor * L2
  hits_cache,       // the cache model says that it hardly misses L2
  line_local,       // mostly the same line as the execution before
  regular,          // constant stride: the hardware prefetches it
  short_loop,       // too few iterations per entry to look ahead
  conditional,      // performed in too few of the iterations
  overlapped,       // independent loads that the processor overlaps itself
  unstable_stride,  // linked, but the nodes are not visited in their order
  conflicts,        // accesses that should never meet do
  may_conflict,     // they may: a sampled profile does not tell
  no_gain,          // possible, but hardly faster
  code_shape        // the code around the access allows no look-ahead
};

const char* name(Shape shape);
const char* name(Reason reason);

struct Advice {
  Reason reason = Reason::code_shape;
  Shape shape = Shape::unknown;
  unsigned distance = 0;      // iterations (indirect, strided) or nodes (linked) ahead
  std::int64_t stride = 0;    // linked: bytes from node to node; strided: an iteration's
  bool in_arena = false;      // linked: they are those of the nodes' arena

  // The evidence, as far as the decision came to look at it.
  std::uint64_t executions = 0;
  std::uint64_t span = 0;         // bytes
  std::uint64_t cache = 0;        // bytes that it was compared with
  double trip_count = 0;          // iterations per entry; 0 = in no loop
  double iteration_cycles = 0;
  double latency_cycles = 0;
  double share = 0;               // which one, the reason says
  double overlap = 0;             // iterations that wait at a time, unaided
  double waits = 0;               // see CodeFacts
  double gain = 0;                // of the loop's time: without / with, at most
  bool code_seen = false;         // false: from the profile alone
  bool undecided = false;         // regular: strided, for all that the profile says
  std::string obstacle;           // code_shape: what stands in the way

  bool take() const { return reason == Reason::taken; }
  // One line, without place or newline, such as "indirect prefetch 16
  // iterations ahead: 1000000 executions, span 268.4 MB, ...".
  std::string text() const;
};

}  // namespace memprof::decide
