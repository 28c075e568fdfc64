// sequitur.cc - Sequitur in flat arrays.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The operations are those of Nevill-Manning and Witten's description. Not obvious:
//
//   * Runs of equal symbols. Of a a a the table knows one of the two overlapping digrams only, and
//     when its symbols go, the other one must be entered instead: join() does.
//   * Look-ups are what takes time, as each may miss the cache. Where no neighbours are equal,
//     substitute() makes only those whose answer is not known: q a b r becomes q R r, so that q a
//     and b r go, while the table already knows a b in the rule.
//   * What repeats arrives at the end of rule 0, symbol by symbol: there, append() takes one look-up
//     a step. A slot says whether its digram is all of a rule; then the last symbol goes, and the
//     rule arrives instead. The last digram of rule 0 is entered only when it stays.
//   * Open parts (open_parts.cc) represent rules that are not made. Before more changes than the end of rule 0,
//     close_parts() makes them.
#include "feedback/streams/sequitur.h"

#include <new>
#include <utility>

#include "feedback/streams/fault.h"

namespace memprof::streams {
namespace {

constexpr std::size_t k_first_slots = 256;  // of the table of digrams

}  // namespace

Sequitur::Sequitur() {
  nodes_.push_back({});  // number 0: none
  rules_.push_back({0, 0});
  const Node guard = new_node(k_guard);
  nodes_[guard].previous = nodes_[guard].next = guard;
  rules_[0].guard = guard;
  count_ = k_first_slots;
  slots_ = static_cast<Slot*>(large_zeroed(count_ * sizeof(Slot)));
}

Sequitur::~Sequitur() { large_free(slots_, count_ * sizeof(Slot)); }

std::size_t Sequitur::bytes() const {
  return nodes_.bytes() + rules_.bytes() + count_ * sizeof(Slot);
}

Sequitur::Node Sequitur::new_node(Symbol value) {
  if (free_nodes_ != 0) {
    const Node n = free_nodes_;
    free_nodes_ = previous(n);
    nodes_[n] = {value, 0, 0};
    return n;
  }
  const auto n = static_cast<Node>(nodes_.size());
  if (n >= 0xffffffff) throw std::bad_alloc();
  nodes_.push_back({value, 0, 0});
  return n;
}

// `next' stays: see match().
void Sequitur::free_node(Node n) {
  nodes_[n].previous = free_nodes_;
  free_nodes_ = n;
}

std::uint32_t Sequitur::new_rule() {
  std::uint32_t rule = free_rules_;
  if (rule != 0) {
    free_rules_ = rules_[rule].uses;
  } else {
    rule = static_cast<std::uint32_t>(rules_.size());
    if (rule >= k_open - k_rule) throw std::bad_alloc();
    rules_.push_back({0, 0});
  }
  const Node guard = new_node(k_guard | rule);
  nodes_[guard].previous = nodes_[guard].next = guard;
  rules_[rule] = {guard, 0};
  return rule;
}

// The table of digrams.

// The rule of which the digram at N is all, or 0.
std::uint32_t Sequitur::whole_rule(Node n) const {
  const Symbol before = value(previous(n));
  return guard_p(before) && guard_p(value(next(next(n)))) ? before & ~k_guard : 0;
}

// The digram at N is all of RULE, or of none.
void Sequitur::note_whole(Node n, std::uint32_t rule) {
  if (const std::size_t i = find(value(n), value(next(n))); slots_[i].node == n) slots_[i].rule = rule;
}

void Sequitur::fill(std::size_t slot, Node n) {
  slots_[slot] = {value(n), value(next(n)), n, whole_rule(n)};
  if (++digrams_ > count_ / 16 * 11) grow_slots();
}

void Sequitur::enter_digram(Node n) {
  const Symbol a = value(n), b = value(next(n));
  if (guard_p(a) || guard_p(b)) return;
  const std::size_t i = find(a, b);
  if (slots_[i].node == 0) return fill(i, n);
  slots_[i].node = n;
  slots_[i].rule = whole_rule(n);
}

void Sequitur::forget_digram(Node n) {
  const Symbol a = value(n), b = value(next(n));
  if (guard_p(a) || guard_p(b)) return;
  const std::size_t i = find(a, b);
  if (slots_[i].node == n) erase(i);
}

// What was pushed on by others moves back.
void Sequitur::erase(std::size_t slot) {
  const auto distance = [this](std::size_t from, std::size_t to) {
    return to >= from ? to - from : to + count_ - from;
  };
  digrams_--;
  std::size_t hole = slot;
  for (std::size_t i = after(slot); slots_[i].node != 0; i = after(i))
    if (distance(home(slots_[i].a, slots_[i].b), i) >= distance(hole, i)) {
      slots_[hole] = slots_[i];
      hole = i;
    }
  slots_[hole].node = 0;
}

void Sequitur::grow_slots() {
  const std::size_t count = count_, more = count + count / 8;
  Slot* const old = std::exchange(slots_, static_cast<Slot*>(large_zeroed(more * sizeof(Slot))));
  count_ = more;
  for (std::size_t i = 0; i < count; i++) {
    if (old[i].node == 0) continue;
    std::size_t to = home(old[i].a, old[i].b);
    while (slots_[to].node != 0) to = after(to);
    slots_[to] = old[i];
  }
  large_free(old, count * sizeof(Slot));
}

// The grammar.

bool Sequitur::middle_of_three(Node n) const {
  const Node before = previous(n), following = next(n);
  if (before == 0 || following == 0) return false;
  const Symbol v = value(n);
  return !guard_p(v) && value(before) == v && value(following) == v;
}

void Sequitur::join(Node left, Node right) {
  if (next(left) != 0) {
    forget_digram(left);
    if (middle_of_three(right)) enter_digram(right);
    if (middle_of_three(left)) enter_digram(previous(left));
  }
  link(left, right);
}

void Sequitur::insert_after(Node place, Node n) {
  join(n, next(place));
  join(place, n);
  live_++;
}

void Sequitur::remove(Node n) {
  join(previous(n), next(n));
  forget_digram(n);
  if (rule_p(value(n))) rules_[rule_of(value(n))].uses--;
  live_--;
  free_node(n);
}

// SYMBOL at the end of rule 0. Its use is counted already.
void Sequitur::push(Symbol symbol) {
  const Node last = previous(k_end);
  insert_after(last, new_node(symbol));
  end_known_ = false;
}

// Enters the last digram of rule 0, unless it is there.
void Sequitur::enter_end() {
  if (std::exchange(end_known_, true)) return;
  const Node n = previous(previous(k_end));
  if (guard_p(value(n)) || g_fault == Fault::end_digram) return;
  if (open_p(value(n)) || open_p(value(next(n)))) return;
  if (const std::size_t i = find(value(n), value(next(n))); slots_[i].node == 0) fill(i, n);
}

void Sequitur::append(const Symbol* terminals, std::size_t count) {
  constexpr std::size_t k_ahead = 4;  // terminals; their digrams are looked up soon
  for (std::size_t i = 0; i < count; i++) {
    if (i + k_ahead + 1 < count)
      __builtin_prefetch(&slots_[home(terminals[i + k_ahead], terminals[i + k_ahead + 1])]);
    coming_ = i + 1 < count ? terminals[i + 1] : 0;
    append(terminals[i]);
  }
}

void Sequitur::append(Symbol terminal) {
  length_++;
  for (Symbol arrives = terminal;;) {
    const Node last = previous(k_end), before = previous(last);
    const Symbol a = value(last), q = value(before);
    if (guard_p(a)) {
      push(arrives);
      break;
    }
    if (open_p(a)) {
      if (go_on(arrives)) continue;
      break;
    }
    // Perhaps of a run; or a new rule is near symbols like its own.
    const auto with_care = [&] {
      close_parts();
      enter_end();
      push(arrives);
      end_known_ = true;
      check(last);
    };
    if (q == a) {
      with_care();
      break;
    }
    const std::size_t i = find(a, arrives);
    const std::uint32_t rule = slots_[i].rule;
    if (slots_[i].node == 0) {
      enter_end();
      push(arrives);
      break;
    }
    if (rule == 0) {
      if (a == arrives || q == arrives) {
        with_care();
        break;
      }
      if (open_part(slots_[i].node, arrives)) break;
      if (!open_.empty()) {
        close_parts();
        continue;
      }
      if (extend_rule(i, arrives)) break;
      enter_end();
      push(arrives);
      end_known_ = true;
      match(last, find(a, arrives));
      break;
    }
    // A and what arrives are RULE, which arrives instead.
    prefetch_slot(k_rule | rule, coming_);
    if (end_known_ && !open_p(q)) forget_digram(before);
    link(before, k_end);
    free_node(last);
    live_--;
    end_known_ = true;
    rules_[rule].uses++;
    if (rule_p(arrives)) rules_[rule_of(arrives)].uses--;
    if (rule_p(a)) {
      rules_[rule_of(a)].uses--;
      found_.push_back({rule, a});
    }
    arrives = k_rule | rule;
  }
  for (; !found_.empty(); found_.pop_back()) {
    const auto [rule, a] = found_.back();
    if (rules_[rule_of(a)].uses == 1) {
      close_parts();
      expand_first(rule);
    }
  }
}

// The digram in the slot KNOWN_AT is A ARRIVES, and A, a rule that is used twice, is the last symbol
// of rule 0. A new rule would take the digram's place, and A would be expanded in it: that is A with
// one more symbol. So a repeated part grows, as long as it goes on as it did before. False: it is
// not so simple.
bool Sequitur::extend_rule(std::size_t known_at, Symbol arrives) {
  const Node known = slots_[known_at].node, second = next(known), following = next(second);
  const Symbol a = value(known), q = value(previous(known)), r = value(following);
  if (!rule_p(a) || rules_[rule_of(a)].uses != 2) return false;
  if (q == a || a == r || arrives == r || q == arrives || q == r) return false;
  const Node guard = rules_[rule_of(a)].guard, first = next(guard), last = previous(guard);
  prefetch_slot(value(last), arrives);
  prefetch_slot(arrives, r);
  prefetch_slot(a, r);
  prefetch_node(next(following));
  erase(known_at);
  forget_digram(second);
  link(known, following);
  link(last, second);
  link(second, guard);
  if (rule_p(arrives)) rules_[rule_of(arrives)].uses--;
  if (next(first) == last && g_fault != Fault::grown_rule) note_whole(first, 0);
  enter_digram(last);
  enter_digram(known);
  if (const std::uint32_t whole = guard_p(r) ? whole_rule(previous(known)) : 0; whole != 0)
    note_whole(previous(known), whole);
  return true;
}

// If the first symbol of RULE is used there only, its rule is of no use.
void Sequitur::expand_first(std::uint32_t rule) {
  const Node first = next(rules_[rule].guard);
  const Symbol v = value(first);
  if (!rule_p(v) || rules_[rule_of(v)].uses != 1) return;
  enter_end();
  expand(first);
}

// Whether the digram at N is there already; if so, and apart from this one, a rule replaces both.
bool Sequitur::check(Node n) {
  const Symbol a = value(n), b = value(next(n));
  if (guard_p(a) || guard_p(b)) return false;
  const std::size_t i = find(a, b);
  const Node known = slots_[i].node;
  if (known == 0) {
    fill(i, n);
    return false;
  }
  if (known != n && next(known) != n && next(n) != known) match(n, i);
  return true;
}

// The digram at FRESH is that in the slot KNOWN_AT.
void Sequitur::match(Node fresh, std::size_t known_at) {
  const Node known = slots_[known_at].node;
  std::uint32_t rule = slots_[known_at].rule;
  if (rule != 0) {
    substitute(fresh, rule);
  } else {
    const Symbol a = value(fresh), b = value(next(fresh));
    const Node left = previous(known), right = next(next(known));
    prefetch_node(left);
    prefetch_node(right);
    rule = new_rule();
    prefetch_slot(value(left), a);
    prefetch_slot(b, value(right));
    prefetch_slot(value(left), k_rule | rule);
    prefetch_slot(k_rule | rule, value(right));
    prefetch_slot(value(previous(fresh)), k_rule | rule);
    const Node guard = rules_[rule].guard;
    for (const Symbol s : {a, b}) {
      if (rule_p(s)) rules_[rule_of(s)].uses++;
      insert_after(previous(guard), new_node(s));
    }
    slots_[known_at].node = next(guard);
    slots_[known_at].rule = rule;
    substitute(known, rule);
    substitute(fresh, rule);
    // A run may have entered another place. The rule may be gone: a rule that begins with it took
    // its symbols, and they are where they were, after the guard that was freed last.
    if (a == b) enter_digram(next(guard));
  }
  expand_first(rule);
}

// RULE instead of the digram at N, which the table knows elsewhere.
void Sequitur::substitute(Node n, std::uint32_t rule) {
  const Node before = previous(n), second = next(n), following = next(second);
  const Symbol a = value(n), b = value(second);
  rules_[rule].uses++;
  const Symbol q = value(before), r = value(following);
  if (q == a || a == b || b == r || q == b || q == r) {
    remove(n);
    remove(second);
    insert_after(before, new_node(k_rule | rule));
  } else {
    forget_digram(before);
    forget_digram(second);
    if (rule_p(a)) rules_[rule_of(a)].uses--;
    if (rule_p(b)) rules_[rule_of(b)].uses--;
    nodes_[n].value = k_rule | rule;
    link(n, following);
    free_node(second);
    live_--;
  }
  if (!check(before)) check(next(before));
}

// The body of its rule instead of N, the last use of it.
void Sequitur::expand(Node n) {
  const Node left = previous(n), right = next(n);
  const std::uint32_t rule = rule_of(value(n));
  const Node guard = rules_[rule].guard;
  const Node first = next(guard), last = previous(guard);
  if (next(first) == last && g_fault != Fault::gone_rule) note_whole(first, 0);
  forget_digram(n);
  forget_digram(left);
  link(left, first);
  link(last, right);
  enter_digram(last);
  if (const Symbol a = value(left), b = value(first); !guard_p(a)) {
    if (const std::size_t i = find(a, b); slots_[i].node == 0) fill(i, left);
  }
  live_--;
  free_node(n);
  free_node(guard);
  rules_[rule].uses = free_rules_;
  free_rules_ = rule;
}

Grammar Sequitur::grammar() {
  close_parts();
  Grammar out;
  std::vector<std::uint32_t> numbers(rules_.size(), 0), order{0};
  out.symbols.reserve(live_);
  for (std::size_t i = 0; i < order.size(); i++) {
    out.starts.push_back(static_cast<std::uint32_t>(out.symbols.size()));
    const Node guard = rules_[order[i]].guard;
    for (Node n = next(guard); n != guard; n = next(n)) {
      Symbol s = value(n);
      if (rule_p(s)) {
        std::uint32_t& number = numbers[rule_of(s)];
        if (number == 0) {
          number = static_cast<std::uint32_t>(order.size());
          order.push_back(rule_of(s));
        }
        s = k_rule | number;
      }
      out.symbols.push_back(s);
    }
  }
  out.starts.push_back(static_cast<std::uint32_t>(out.symbols.size()));
  return out;
}

}  // namespace memprof::streams
