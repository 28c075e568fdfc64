// block_grammar.h - a grammar of a long sequence, made fast: cut where the sequence itself says.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Sequitur makes small grammars, but each of its look-ups waits for the one before. Where a grammar
// only has to be there, so that repeats are looked at once, this one is three times as fast and has
// twice the symbols:
//
//   1. a run of equal symbols becomes one symbol: a rule of halves, so a a a a a is (2 2 a), 2 -> a a
//   2. each symbol has a rank, a hash of it; before each that ranks lower than both neighbours the
//      sequence is cut
//   3. each different block is a rule; the sequence of rules is cut again, until one is left
//
//     sequence   a b c d a b c d a b c        ranks  a 3  b 9  c 1  d 7
//     blocks     ab cd ab cd ab c             (c is lower than b and d; so is a)
//     rules      1 -> a b   2 -> c d          next   1 2 1 2 1 c
//
// Where to cut depends on neighbours only. So two equal parts are cut alike, but for a block or
// two at their ends, and share their rules at every level. That is all that is needed of a grammar
// here; neither of Sequitur's two properties holds. Rules that are used once are put back in the end.
//
// A block of symbols costs one look-up, and which ones come next is known, so they are prefetched.
//
// After: locally consistent parsing (Sahinalp and Vishkin, 1994; Mehlhorn, Sundar and Uhrig, 1997).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "feedback/streams/grammar.h"
#include "feedback/streams/growing_array.h"

namespace memprof::streams {

class BlockGrammar {
 public:
  BlockGrammar();
  // Of terminals. Throws std::bad_alloc.
  void append(const Symbol* terminals, std::size_t count) { push(0, terminals, count); }
  // Nothing may come after.
  Grammar finish();

 private:
  struct Slot {
    std::uint32_t hash, rule;  // rule 0: free
  };
  // Sequences of rules of the level below, on their way into blocks.
  struct Level {
    std::vector<Symbol> waiting;
    std::vector<Symbol> open;  // the end of what was cut; more may belong to its last block
    Symbol run = 0;            // the last symbol and how often it came, not yet in `open'
    std::uint64_t times = 0;
    std::uint64_t blocks = 0;  // that went to the level above
  };
  struct Block {
    std::uint32_t from, length, hash;
  };

  void push(std::size_t level, const Symbol* symbols, std::size_t count);
  void cut(std::size_t level, bool end);
  void take_runs(Level& level, bool end);
  Symbol run_rule(Symbol symbol, std::uint64_t times);
  Symbol rule(const Symbol* symbols, std::size_t count, std::uint32_t hash);
  std::size_t home(std::uint32_t hash) const;
  void grow();
  void count_uses();
  void put(Symbol symbol, Grammar& out, std::vector<std::uint32_t>& order);

  std::vector<Level> levels_;
  GrowingArray<Symbol> bodies_;
  GrowingArray<std::uint32_t> starts_;  // of rule 1 and on; and the end
  std::vector<Slot> slots_;
  std::size_t rules_ = 0;
  std::vector<Symbol> root_;
  std::vector<std::uint32_t> uses_, numbers_;  // in finish()
};

}  // namespace memprof::streams
