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
//   slots_   the digrams: an open table in the order of the hash, 16 bytes a slot, of which at most
//            eleven sixteenths are taken. A slot has the digram, so other ones are passed over
//            without a look at nodes, and the rule of which it is all, if there is one: what
//            repeats costs one look, at a slot, and none at nodes.
//   rules_   8 bytes a rule: its guard and how often it is used.
//
// At most 40 bytes a symbol altogether (bytes() / symbols()).
//
// What is a rule already, R -> a b c d, comes again symbol by symbol. By the book a b becomes a rule A of its
// own, R -> A c d; A grows to a b c; then A d is all of R, A is used once, and R is a b c d again. So an open
// part represents A instead: a place in the body of R, which nothing is changed for. It moves on with each
// symbol that comes as it should; if others do, A is made (close_parts) before the grammar changes elsewhere, as
// if it had been there. Parts nest, as c may be a rule whose beginning comes. Nine parts of ten come to their end;
// of the objects of health two rules of three by the book are spared.
//
// The table is larger than any cache, so slots that will be wanted are prefetched as soon as their digrams are
// known.
//
// What it does not do: look ahead before it makes a rule (SEQUITUR(1), Larus 1999), which hardly
// makes grammars smaller.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "feedback/streams/grammar.h"
#include "feedback/streams/growing_array.h"

namespace memprof::streams {

class Sequitur {
 public:
  Sequitur();
  ~Sequitur();
  Sequitur(const Sequitur&) = delete;
  Sequitur& operator=(const Sequitur&) = delete;

  // TERMINAL < k_rule. Throws std::bad_alloc, also when the grammar has 2^30 - 256 rules.
  void append(Symbol terminal);
  void append(const Symbol* terminals, std::size_t count);  // faster
  std::uint64_t length() const { return length_; }  // terminals so far
  std::size_t symbols() const { return live_; }     // of all bodies
  std::size_t bytes() const;                        // of memory
  // What there is so far; its alphabet is empty. symbols() is that of the last call, or a few less.
  Grammar grammar();

 private:
  using Node = std::uint32_t;  // index in nodes_; 0: none
  struct Links {
    Symbol value;  // guards: k_guard | rule
    Node previous, next;
  };
  struct Slot {
    Symbol a, b;         // the digram
    Node node;           // where it begins; 0: the slot is free
    std::uint32_t rule;  // of which it is all; 0: none
  };
  // A rule that arrived at the end of rule 0, and its first symbol.
  struct Found {
    std::uint32_t rule;
    Symbol first;
  };
  // What arrived as the beginning of RULE, two symbols at least and not all; rule 0 has one symbol for it.
  struct OpenPart {
    std::uint32_t rule;
    Node next;  // of the rule's body, that has not arrived
    Node node;  // of rule 0, that represents the part
  };
  static constexpr Node k_end = 1;  // the guard of rule 0
  struct Rule {
    Node guard;
    std::uint32_t uses;  // while it is free: the next free one
  };
  // Beside k_rule; so rules have 30 bits, and the last 256 are open parts.
  static constexpr Symbol k_guard = 0xc0000000;

  // Of an open part: k_open + its place in open_. In no digram of the table.
  static constexpr Symbol k_open = 0xbfffff00;
  static bool open_p(Symbol value) { return value >= k_open && value < k_guard; }

  static bool guard_p(Symbol value) { return value >= k_guard; }
  Symbol value(Node n) const { return nodes_[n].value; }
  Node next(Node n) const { return nodes_[n].next; }
  Node previous(Node n) const { return nodes_[n].previous; }

  Node new_node(Symbol value);
  void free_node(Node n);
  std::uint32_t new_rule();

  std::size_t home(Symbol a, Symbol b) const {
    const std::uint64_t key = std::uint64_t{a} << 32 | b;
    const std::uint64_t mixed = (key ^ key >> 29) * 0x9e3779b97f4a7c15u;
    const std::uint64_t hash = (mixed ^ mixed >> 31) * 0xd6e8feb86659fd93u >> 32;
    return hash * count_ >> 32;
  }
  // They will be wanted soon.
  void prefetch_slot(Symbol a, Symbol b) const { __builtin_prefetch(&slots_[home(a, b)], 1); }
  void prefetch_node(Node n) const { __builtin_prefetch(&nodes_[n], 1); }
  std::size_t after(std::size_t slot) const { return slot + 1 == count_ ? 0 : slot + 1; }
  // The slot of digram A B, or the free one where it belongs.
  [[gnu::always_inline]] std::size_t find(Symbol a, Symbol b) const {
    std::size_t i = home(a, b);
    for (;; i = after(i)) {
      const Slot& slot = slots_[i];
      if (slot.node == 0 || (slot.a == a && slot.b == b)) return i;
    }
  }
  std::uint32_t whole_rule(Node n) const;
  void note_whole(Node n, std::uint32_t rule);
  void enter_digram(Node n);      // replaces another occurrence
  void forget_digram(Node n);     // if the table knows this occurrence
  void erase(std::size_t slot);
  void grow_slots();
  void fill(std::size_t slot, Node n);
  bool middle_of_three(Node n) const;

  void link(Node left, Node right) {
    nodes_[left].next = right;
    nodes_[right].previous = left;
  }
  void join(Node left, Node right);
  void insert_after(Node place, Node n);
  void remove(Node n);
  void push(Symbol symbol);
  void enter_end();
  bool open_part(Node known, Symbol arrives);
  bool go_on(Symbol& arrives);
  void close_parts();
  bool extend_rule(std::size_t known_at, Symbol arrives);
  void expand_first(std::uint32_t rule);
  bool check(Node n);
  void match(Node fresh, std::size_t known_at);
  void substitute(Node n, std::uint32_t rule);
  void expand(Node n);

  GrowingArray<Links> nodes_;
  GrowingArray<Rule> rules_;
  Slot* slots_ = nullptr;
  std::size_t count_ = 0, digrams_ = 0;  // slots, and those that are taken
  std::vector<Found> found_;             // by one append()
  std::vector<OpenPart> open_;           // the outer ones first; the last one may be the end of rule 0
  Symbol coming_ = 0;                    // the terminal after this one, if it is known
  bool end_known_ = true;                // the table has the last digram of rule 0
  Node free_nodes_ = 0;             // linked by `previous'
  std::uint32_t free_rules_ = 0;    // 0: none, as rule 0 is never free
  std::size_t live_ = 0;
  std::uint64_t length_ = 0;
};

}  // namespace memprof::streams
