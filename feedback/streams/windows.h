// windows.h - how often each short sequence occurs in what a grammar generates, found in the grammar.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Each occurrence of a sequence in the text belongs to one node of the grammar: the lowest whose
// expansion has all of it. There it crosses a boundary between two symbols of a body. So it is
// enough to look at each boundary once, at what ends before it and what begins after it, and to
// count that as often as the rule occurs in the text:
//
//     0 -> 1 1 d    1 -> a b c          boundaries  a|b  b|c  in rule 1, which occurs twice
//     text: abcabcd                     1|1: ca, abca, ...   1|d: cd, bcd, abcd
//
// Sequences are found level by level: those of L symbols are extended to the right, and only if
// they occur so often that some sequence of at most `longest' symbols may still be hot. A counter
// says how often a sequence occurs, overlapping itself; heat counts occurrences that do not
// overlap, which are no more, so nothing hot is missed. A sequence that is certainly hot is not
// extended: what begins with it is not minimal.
//
// Cost: boundaries times levels, and memory for the sequences of one level.
//
// Paper: Chilimbi, PLDI 2001, section 3, after Larus, PLDI 1999; by levels instead of in one pass,
// which makes it exact.
#pragma once

#include <cstdint>
#include <vector>

#include "feedback/streams/grammar.h"

namespace memprof::streams {

// Heat is length times occurrences; from here on it is hot. A fraction, so that multiples of a
// mean compare exactly.
struct HeatThreshold {
  std::uint64_t numerator = 0, denominator = 1;
  bool reached(std::uint64_t heat) const {
    return static_cast<unsigned __int128>(heat) * denominator >= numerator;
  }
};

struct Lengths {
  unsigned shortest = 2, longest = 100;
};

struct HotCandidate {
  std::vector<Symbol> names;
  std::uint64_t occurrences;  // that may overlap
  bool certain;               // it is hot
};

// All minimal hot sequences of what GRAMMAR generates are among these.
std::vector<HotCandidate> hot_candidates(const Grammar& grammar, HeatThreshold threshold,
                                         Lengths lengths);

}  // namespace memprof::streams
