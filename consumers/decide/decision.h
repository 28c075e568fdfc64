// decision.h - what is decided about one place of a program, why, and on what numbers.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// There is one struct for all transformations.  decide_prefetch, decide_versioning,
// decide_huge_pages, decide_co_allocation and decide_field_order make it; the plugin carries
// it out and prints it as a remark; `memprof advise', `explain' and `verify' print or read
// it.  Refusals are Decisions, too.
//
// Each decide function runs its gates over the facts and ends in conclude (), which is
// where the user's veto is obeyed: a veto is a fact like any other, and the last gate.
//
//   facts of the profile --+
//   facts of the code    --+--> gates --> conclude --> Decision --> remark, advise, ...
//   Candidate (place, veto)+
//
// Without the code (`memprof advise'), only some refusals are certain.  What is left to
// the compiler has the reason needs_code, and its text begins with "needs the code".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "consumers/decide/code_facts.h"

namespace memprof::decide {

enum class Reason : std::uint8_t {
  taken,
  vetoed,      // by the user
  needs_code,  // the profile alone does not decide

  // Refusals by more than one transformation.
  few_executions,  // fewer than it takes to matter
  few_misses,
  short_loop,      // too few iterations per entry
  code_shape,      // the code does not allow it

  // prefetch
  unknown_memory,   // the profile does not say which objects are accessed
  fits_cache,       // the groups' span is within l2_factor * L2
  hits_cache,       // the cache model says that it hardly misses L2
  line_local,       // mostly the same line as the execution before
  regular,          // constant stride: the hardware prefetches it
  covered,          // another prefetch fetches the line
  conditional,      // performed in too few of the iterations
  overlapped,       // independent loads that the processor overlaps itself
  unstable_stride,  // linked, but the nodes are not visited in their order

  // versioning
  conflicts,     // accesses that should never meet do
  may_conflict,  // they may: a sampled profile does not tell
  no_gain,       // possible, but hardly faster; also of co_allocation

  // streaming_stores
  reused,  // the lines are accessed again while a cache has them

  // huge_pages
  not_heap,     // mapped by the program, global, ...
  wrapped,      // by a function that is not known to be malloc's kind
  fits_tlb,     // the span is within the reach of the TLB
  middle_size,  // too large for a slab, too small for pages of its own
  sparse,       // pages are hardly touched; huge ones would be waste
  unrepaid,     // the misses spared are worth less than the first touch

  // field_order
  not_asked,     // safe and worth it, but the user has not asked for moved fields
  no_accesses,   // to the record's fields
  few_accesses,
  good_order,    // no other touches much fewer lines
  unchecked,     // some unit could not tell what it does with the type
  definitions,   // the name means several types
  obstacles      // code depends on the order
};
inline constexpr Reason k_last_reason = Reason::obstacles;

const char* name(Reason reason);  // "few-executions"
const char* name(Shape shape);

struct Place {
  std::string file;
  unsigned line = 0, column = 0;
  std::string function;    // or the name of a type
  std::string expression;  // what is transformed
};

struct Number {
  std::string_view name;  // a literal: lives for ever
  std::variant<std::int64_t, std::uint64_t, double> value;
};

// The comparison that refused: VALUE has to reach LIMIT or, with at_most, may not be above it.
//
//     {"executions", 120, 1000}          120 executions, at least 1000 are needed
//     {"frequency", 0.25, 0.01, true}    a pair meets in 25 %, at most 1 % are allowed
//
// Some gates compare no number: the veto, and what the code or the language does not allow.
struct Gate {
  std::string name;  // empty: no number
  double value = 0, limit = 0;
  bool at_most = false;
};

// Every object of an allocation call; see the number "blocks".
constexpr std::uint64_t k_all_blocks = ~std::uint64_t{0};

struct Decision {
  Transformation transformation = Transformation::prefetch;
  Place place;
  Reason reason = Reason::code_shape;
  double gain = 0;  // time without / with, at most; 0: not estimated
  Shape shape = Shape::unknown;  // prefetch
  // The evidence, and what the transformation has to know to be carried out: "distance"
  // and "stride" of a prefetch; "blocks" of huge_pages (which large objects, bit 0 for the
  // first one; absent: all); "arena" of co_allocation.
  std::vector<Number> numbers;
  Gate gate;  // of refusals
  std::string watched;  // prefetch with a number "at_least": see watched_blocks.h
  std::vector<std::uint64_t> offsets;  // field_order: new ones, in the order of the fields
  std::vector<double> probabilities;   // branch_counts: of the edges of BranchCode; negative: as they are
  std::vector<double> block_counts;    // branch_counts: executions of the blocks of BranchCode
  // For people, one line without place or newline, such as "indirect prefetch 16
  // iterations ahead: 1000000 executions, span 268.4 MB, ...".
  std::string text;

  bool take() const { return reason == Reason::taken; }
  bool open() const { return reason == Reason::needs_code; }
  // By a gate; the user's veto is none.
  bool refused() const { return !take() && !open() && reason != Reason::vetoed; }
  // The number NAME; 0, or OTHERWISE, when there is none.
  double number(std::string_view name) const;
  std::uint64_t count(std::string_view name, std::uint64_t otherwise = 0) const;
};

// The last step of each decision about CANDIDATE: its gates end in REASON, and WHY says
// it in words.  A refusal begins with "no prefetch: " and the like, as WHAT is refused:
// a prefetch for a field that was moved counts as field_order, and is a prefetch.
Decision conclude(const Candidate& candidate, Transformation what, Reason reason,
                  const std::string& why);
inline Decision conclude(const Candidate& candidate, Reason reason, const std::string& why) {
  return conclude(candidate, candidate.transformation, reason, why);
}

// A line of the file of -fprofile-mem-remarks, with its newline:
//   {"file":"bfs.c","line":151,"column":12,"function":"search","kind":"prefetch",
//    "taken":true,"reason":"taken","distance":16,"stride":0,"expression":"v->level",
//    "gain":2.1,"executions":...,"text":"indirect prefetch 16 ..."}
std::string remark_line(const Decision& decision);

// The decisions of such a file, without their numbers but for the gate's, in its order.  Lines that are
// none are left out.
std::vector<Decision> read_remarks(std::string_view text);

}  // namespace memprof::decide
