// open_parts.cc - Sequitur: what is a rule already, and comes again symbol by symbol.
// SPDX-License-Identifier: GPL-3.0-or-later
//
//     R -> a b c d; rule 0 ends in q                                by the book            here
//     a, b     a b is the beginning of R                            A -> a b  R -> A c d   q P    P: R from c on
//     c        A c is in R, and all of A comes before it            A -> a b c  R -> A d   q P    P: R from d on
//     d        A d is all of R, and A is used once                  R -> a b c d           q R
//     or x     rule 0 ends in q A x                                 nothing                q P x
//
// By the book there are six changes of the table for each step, here none. A digram that has P in it is in rule 0
// only, as its A would be, so it need not be in the table. Of the others, the table has one that it should not
// (b c, that is A c by the book) and lacks one that it should have. A step that finds the former, or what begins R a
// second time, closes the parts and looks again; the latter, as it has an A in it, is never looked up.
//
// A part is opened, and goes on, only where no neighbours are equal: with runs it matters in which order digrams
// are entered. So what there is after close_parts() is what there would be by the book, bit for bit.
#include "feedback/streams/fault.h"
#include "feedback/streams/sequitur.h"

namespace memprof::streams {

// The digram at KNOWN is the last symbol of rule 0 and what arrives. If a longer rule begins with it, that is an
// open part from now on. False: none does, or a rule for it would be made with care.
bool Sequitur::open_part(Node known, Symbol arrives) {
  const Symbol guard = value(previous(known));
  if (!guard_p(guard) || guard == k_guard || open_.size() == k_guard - k_open) return false;
  const std::uint32_t rule = guard & ~k_guard;
  const Node last = previous(k_end), before = previous(last);
  const Symbol a = value(last), q = value(before);
  if (guard_p(q) || (rule_p(a) && rules_[rule_of(a)].uses == 2)) return false;
  const Node following = next(next(known));
  if (value(following) == a || value(following) == arrives) return false;
  for (const OpenPart& o : open_)
    if (o.rule == rule) return false;
  if (end_known_ && !open_p(q)) forget_digram(before);
  end_known_ = true;
  if (rule_p(a)) rules_[rule_of(a)].uses--;
  if (rule_p(arrives)) rules_[rule_of(arrives)].uses--;
  nodes_[last].value = k_open + static_cast<Symbol>(open_.size());
  prefetch_node(following);
  open_.push_back({rule, following, last});
  return true;
}

// The open part is the last symbol of rule 0. True: what arrives now has still to be looked at, as it is the
// whole rule, or parts are closed.
bool Sequitur::go_on(Symbol& arrives) {
  OpenPart& open = open_.back();
  const Node at = open.next, following = next(at), last = open.node, before = previous(last);
  if (value(at) != arrives) {
    enter_end();
    push(arrives);
    return false;
  }
  if (!guard_p(value(following))) {
    if (value(before) == arrives || value(following) == arrives) {
      close_parts();
      return true;
    }
    if (rule_p(arrives)) rules_[rule_of(arrives)].uses--;
    open.next = following;
    prefetch_node(next(following));
    return false;
  }
  prefetch_slot(k_rule | open.rule, coming_);
  prefetch_slot(value(before), k_rule | open.rule);
  link(before, k_end);
  free_node(last);
  live_--;
  end_known_ = true;
  if (rule_p(arrives)) rules_[rule_of(arrives)].uses--;
  rules_[open.rule].uses++;
  arrives = k_rule | open.rule;
  open_.pop_back();
  return true;
}

// Makes the rules that open parts represent. The digrams of each in rule 0, which only it has, enter the table.
void Sequitur::close_parts() {
  for (const OpenPart& open : open_) {
    const std::uint32_t rule = new_rule();
    const Node own = rules_[rule].guard, guard = rules_[open.rule].guard;
    const Node first = next(guard), last = previous(open.next);
    const Node use = new_node(k_rule | rule);
    if (g_fault != Fault::part_digram) forget_digram(last);
    link(own, first);
    link(last, own);
    link(guard, use);
    link(use, open.next);
    rules_[rule].uses = 2;
    live_++;
    if (next(first) == last) note_whole(first, rule);
    enter_digram(use);
    nodes_[open.node].value = k_rule | rule;
    enter_digram(previous(open.node));
    const Node following = next(open.node);
    if (!open_p(value(following))) enter_digram(open.node);
    if (following == k_end || next(following) == k_end) end_known_ = true;
  }
  open_.clear();
}

}  // namespace memprof::streams
