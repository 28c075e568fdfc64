// windows.h - which short sequences of a text may be hot, found in its grammar.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Each occurrence of a sequence in the text belongs to one rule of the grammar: the lowest whose
// expansion has all of it. So it is enough to look at each symbol of each body once, and to count
// what is found there as often as the rule is in the text:
//
//     0 -> 1 1 d    1 -> a b c          text: abcabcd
//     from b        b c in rule 1, twice; then rule 1 ends
//                   b c a where rule 1 is followed by rule 1, once;  b c d, once
//
// A cursor is a rule and the place after the sequence so far, in the first occurrence of the rule.
// All cursors that have seen the same sequence are a group; how often their rules occur is how
// often the sequence does. From each terminal as a group:
//
//   1. a sequence that is certainly hot is noted, and not extended: what begins with it is not
//      minimal. One that cannot become hot with `longest' symbols is given up.
//   2. else all cursors of the group take their next symbol. One at the end of its rule goes on
//      after each use of the rule. Those with the same symbol are a group.
//   3. a group of one cursor sees no other sequence before its rule ends, so it goes there, or to
//      where it is hot, at once. Most groups are such ones: a repeat is one rule.
//
// A group counts occurrences that may overlap; heat counts those that do not, which are no more, so
// nothing hot is missed. Only sequences that can overlap themselves have to be counted in the text.
//
// Cost: terminals of bodies, times the symbols until they are alone in their group. Both processors
// look, at different first terminals.
//
// Paper: Chilimbi, PLDI 2001, section 3, after Larus, PLDI 1999; by groups, which makes it exact.
#pragma once

#include <cstdint>
#include <vector>

#include "feedback/streams/text_index.h"

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

// A sequence, and where it is.
struct HotCandidate {
  std::uint32_t first, last;   // where its first and its last occurrence begin
  std::uint32_t length;
  std::uint32_t occurrences;   // that may overlap
  bool overlaps;               // they can
  bool certain;                // it is hot, however they overlap
};

// All minimal hot sequences are among these, which are sorted by their symbols.
std::vector<HotCandidate> hot_candidates(const TextIndex& text, HeatThreshold threshold,
                                         Lengths lengths);

}  // namespace memprof::streams
