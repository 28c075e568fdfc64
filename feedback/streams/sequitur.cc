// sequitur.cc - Sequitur in flat arrays.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The operations are those of Nevill-Manning and Witten's description. Two things are not obvious:
//
//   * Runs of equal symbols. Of a a a the table knows one of the two overlapping digrams only, and
//     when its symbols go, the other one must be entered instead: join() does.
//   * Look-ups are what takes time, as each may miss the cache. Where no neighbours are equal,
//     substitute() makes only those whose answer is not known: q a b r becomes q R r, so that q a
//     and b r go, while the table already knows a b in the rule.
#include "feedback/streams/sequitur.h"

#include <cstdlib>
#include <new>

namespace memprof::streams {
namespace {

constexpr unsigned k_first_bits = 8;  // of the table of digrams

}  // namespace

Sequitur::Sequitur() {
  nodes_.push_back({});  // number 0: none
  rules_.push_back({0, 0});
  const Node guard = new_node(k_guard);
  nodes_[guard].previous = nodes_[guard].next = guard;
  rules_[0].guard = guard;
  slots_ = static_cast<Slot*>(std::calloc(std::size_t{1} << k_first_bits, sizeof(Slot)));
  if (slots_ == nullptr) throw std::bad_alloc();
  mask_ = (std::size_t{1} << k_first_bits) - 1;
  shift_ = 32 - k_first_bits;
}

Sequitur::~Sequitur() { std::free(slots_); }

std::size_t Sequitur::bytes() const {
  return nodes_.bytes() + rules_.bytes() + (mask_ + 1) * sizeof(Slot);
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
    if (rule >= k_guard - k_rule) throw std::bad_alloc();
    rules_.push_back({0, 0});
  }
  const Node guard = new_node(k_guard | rule);
  nodes_[guard].previous = nodes_[guard].next = guard;
  rules_[rule] = {guard, 0};
  return rule;
}

// The table of digrams.

std::uint32_t Sequitur::hash(Symbol a, Symbol b) {
  const std::uint64_t key = std::uint64_t{a} << 32 | b;
  const std::uint64_t mixed = (key ^ key >> 29) * 0x9e3779b97f4a7c15u;
  return static_cast<std::uint32_t>((mixed ^ mixed >> 31) * 0xd6e8feb86659fd93u >> 32);
}

std::size_t Sequitur::find(std::uint32_t hash, Symbol a, Symbol b) const {
  std::size_t i = home(hash);
  for (;; i = after(i)) {
    const Slot& slot = slots_[i];
    if (slot.node == 0) return i;
    if (slot.hash == hash && value(slot.node) == a && value(next(slot.node)) == b) return i;
  }
}

void Sequitur::fill(std::size_t slot, std::uint32_t hash, Node n) {
  slots_[slot] = {hash, n};
  digrams_++;
  if (digrams_ > mask_ / 8 * 5) grow_slots();
}

void Sequitur::enter_digram(Node n) {
  const Symbol a = value(n), b = value(next(n));
  if (guard_p(a) || guard_p(b)) return;
  const std::uint32_t h = hash(a, b);
  const std::size_t i = find(h, a, b);
  if (slots_[i].node != 0)
    slots_[i].node = n;
  else
    fill(i, h, n);
}

void Sequitur::forget_digram(Node n) {
  const Symbol a = value(n), b = value(next(n));
  if (guard_p(a) || guard_p(b)) return;
  const std::uint32_t h = hash(a, b);
  for (std::size_t i = home(h); slots_[i].node != 0; i = after(i))
    if (slots_[i].node == n) {
      erase(i);
      return;
    }
}

// What was pushed on by others moves back.
void Sequitur::erase(std::size_t slot) {
  digrams_--;
  std::size_t hole = slot;
  for (std::size_t i = after(slot); slots_[i].node != 0; i = after(i))
    if (((i - home(slots_[i].hash)) & mask_) >= ((i - hole) & mask_)) {
      slots_[hole] = slots_[i];
      hole = i;
    }
  slots_[hole].node = 0;
}

void Sequitur::grow_slots() {
  Slot* const old = slots_;
  const std::size_t count = mask_ + 1;
  slots_ = static_cast<Slot*>(std::calloc(2 * count, sizeof(Slot)));
  if (slots_ == nullptr) {
    slots_ = old;
    throw std::bad_alloc();
  }
  mask_ = 2 * count - 1;
  shift_--;
  for (std::size_t i = 0; i < count; i++) {
    if (old[i].node == 0) continue;
    std::size_t to = home(old[i].hash);
    while (slots_[to].node != 0) to = after(to);
    slots_[to] = old[i];
  }
  std::free(old);
}

// The grammar.

bool Sequitur::middle_of_three(Node n) const {
  const Node before = previous(n), behind = next(n);
  if (before == 0 || behind == 0) return false;
  const Symbol v = value(n);
  return !guard_p(v) && value(before) == v && value(behind) == v;
}

void Sequitur::join(Node left, Node right) {
  if (next(left) != 0) {
    forget_digram(left);
    if (middle_of_three(right)) enter_digram(right);
    if (middle_of_three(left)) enter_digram(previous(left));
  }
  nodes_[left].next = right;
  nodes_[right].previous = left;
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

void Sequitur::append(Symbol terminal) {
  const Node last = previous(rules_[0].guard);
  insert_after(last, new_node(terminal));
  length_++;
  check(last);
}

// Whether the digram at N is there already; if so, and apart from this one, a rule replaces both.
bool Sequitur::check(Node n) {
  const Symbol a = value(n), b = value(next(n));
  if (guard_p(a) || guard_p(b)) return false;
  const std::uint32_t h = hash(a, b);
  const std::size_t i = find(h, a, b);
  const Node known = slots_[i].node;
  if (known == 0) {
    fill(i, h, n);
    return false;
  }
  if (known != n && next(known) != n && next(n) != known) match(n, i);
  return true;
}

// The digram at FRESH is that in the slot KNOWN_AT.
void Sequitur::match(Node fresh, std::size_t known_at) {
  const Node known = slots_[known_at].node;
  std::uint32_t rule;
  const Symbol before = value(previous(known)), behind = value(next(next(known)));
  if (guard_p(before) && guard_p(behind)) {
    rule = before & ~k_guard;  // KNOWN is all of it
    substitute(fresh, rule);
  } else {
    const Symbol a = value(fresh), b = value(next(fresh));
    rule = new_rule();
    const Node guard = rules_[rule].guard;
    for (const Symbol s : {a, b}) {
      if (rule_p(s)) rules_[rule_of(s)].uses++;
      insert_after(previous(guard), new_node(s));
    }
    slots_[known_at].node = next(guard);
    substitute(known, rule);
    substitute(fresh, rule);
    // A run may have entered another place. The rule may be gone: a rule that begins with it took
    // its symbols, and they are where they were, after the guard that was freed last.
    if (a == b) enter_digram(next(guard));
  }
  // If its first symbol is used here only, its rule is of no use.
  const Node first = next(rules_[rule].guard);
  const Symbol v = value(first);
  if (rule_p(v) && rules_[rule_of(v)].uses == 1) expand(first);
}

// RULE instead of the digram at N, which the table knows elsewhere.
void Sequitur::substitute(Node n, std::uint32_t rule) {
  const Node before = previous(n), second = next(n), behind = next(second);
  const Symbol a = value(n), b = value(second);
  rules_[rule].uses++;
  const Symbol q = value(before), r = value(behind);
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
    nodes_[n].next = behind;
    nodes_[behind].previous = n;
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
  forget_digram(n);
  forget_digram(left);
  nodes_[left].next = first;
  nodes_[first].previous = left;
  nodes_[last].next = right;
  nodes_[right].previous = last;
  enter_digram(last);
  if (const Symbol a = value(left), b = value(first); !guard_p(a)) {
    const std::uint32_t h = hash(a, b);
    if (const std::size_t i = find(h, a, b); slots_[i].node == 0) fill(i, h, left);
  }
  live_--;
  free_node(n);
  free_node(guard);
  rules_[rule].uses = free_rules_;
  free_rules_ = rule;
}

Grammar Sequitur::grammar() const {
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
