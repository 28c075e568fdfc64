// sequitur.h - Sequitur: a grammar of a sequence, made while the sequence arrives.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Two rules hold after each terminal (Nevill-Manning and Witten, 1997):
//
//   digram uniqueness   no two symbols stand beside each other twice, unless they overlap;
//   rule utility        each rule but the first is used at least twice.
//
//     arrives   grammar                                 why
//     a b c     0 -> a b c
//     b         0 -> a b c b
//     c         0 -> a 1 1            1 -> b c          b c would be there twice
//     a 1       0 -> a 1 1 a 1
//     ...       0 -> 2 2   2 -> a 1 1   1 -> b c
//
// Each terminal costs constant time on average, and memory grows with the grammar only. Equal
// sequences give equal grammars.
//
// Everything is a number in a flat array; there are no pointers:
//
//   nodes_   12 bytes a symbol: its value and its neighbours. The body of a rule is a ring that
//            begins and ends at a guard.
//   slots_   the digrams: an open table in the order of the hash, 8 bytes a slot, of which at most
//            five eighths are taken. A slot has the hash, so other digrams are passed over
//            without a look at their nodes, and the table grows without one.
//   rules_   8 bytes a rule: its guard and how often it is used.
//
// At most 40 bytes a symbol altogether (bytes() / symbols()).
//
// What it does not do: look ahead before it makes a rule (SEQUITUR(1), Larus 1999), which hardly
// makes grammars smaller.
#pragma once

#include <cstddef>
#include <cstdint>

#include "feedback/streams/grammar.h"
#include "feedback/streams/growing_array.h"

namespace memprof::streams {

class Sequitur {
 public:
  Sequitur();
  ~Sequitur();
  Sequitur(const Sequitur&) = delete;
  Sequitur& operator=(const Sequitur&) = delete;

  // TERMINAL < k_rule. Throws std::bad_alloc, also when the grammar has 2^30 rules.
  void append(Symbol terminal);
  std::uint64_t length() const { return length_; }  // terminals so far
  std::size_t symbols() const { return live_; }     // of all bodies
  std::size_t bytes() const;                        // of memory
  // What there is so far; its alphabet is empty.
  Grammar grammar() const;

 private:
  using Node = std::uint32_t;  // index in nodes_; 0: none
  struct Links {
    Symbol value;  // guards: k_guard | rule
    Node previous, next;
  };
  struct Slot {
    std::uint32_t hash;
    Node node;  // where the digram begins; 0: the slot is free
  };
  struct Rule {
    Node guard;
    std::uint32_t uses;  // while it is free: the next free one
  };
  // Beside k_rule; so rules have 30 bits.
  static constexpr Symbol k_guard = 0xc0000000;

  static bool guard_p(Symbol value) { return value >= k_guard; }
  Symbol value(Node n) const { return nodes_[n].value; }
  Node next(Node n) const { return nodes_[n].next; }
  Node previous(Node n) const { return nodes_[n].previous; }

  Node new_node(Symbol value);
  void free_node(Node n);
  std::uint32_t new_rule();

  static std::uint32_t hash(Symbol a, Symbol b);
  std::size_t home(std::uint32_t hash) const { return hash >> shift_; }
  std::size_t after(std::size_t slot) const { return (slot + 1) & mask_; }
  // The slot of digram A B, or the free one where it belongs.
  std::size_t find(std::uint32_t hash, Symbol a, Symbol b) const;
  void enter_digram(Node n);      // replaces another occurrence
  void forget_digram(Node n);     // if the table knows this occurrence
  void erase(std::size_t slot);
  void grow_slots();
  void fill(std::size_t slot, std::uint32_t hash, Node n);
  bool middle_of_three(Node n) const;

  void join(Node left, Node right);
  void insert_after(Node place, Node n);
  void remove(Node n);
  bool check(Node n);
  void match(Node fresh, std::size_t known_at);
  void substitute(Node n, std::uint32_t rule);
  void expand(Node n);

  GrowingArray<Links> nodes_;
  GrowingArray<Rule> rules_;
  Slot* slots_ = nullptr;
  std::size_t mask_ = 0, digrams_ = 0;
  unsigned shift_ = 0;
  Node free_nodes_ = 0;             // linked by `previous'
  std::uint32_t free_rules_ = 0;    // 0: none, as rule 0 is never free
  std::size_t live_ = 0;
  std::uint64_t length_ = 0;
};

}  // namespace memprof::streams
