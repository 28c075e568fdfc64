// windows.cc - how often each short sequence occurs in what a grammar generates.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "feedback/streams/windows.h"

#include <algorithm>

namespace memprof::streams {
namespace {

// Identity of a sequence: two polynomials modulo 2^61 - 1. Among 10^8 sequences two that differ
// are equal here with a probability of 10^-20.
struct Fingerprint {
  std::uint64_t a = 0, b = 0;
  bool operator==(const Fingerprint&) const = default;
};

constexpr std::uint64_t k_prime = (std::uint64_t{1} << 61) - 1;
constexpr Fingerprint k_base{0x1d3f8c5b27a94e61 % k_prime, 0x0b72e9d4f6183ac5 % k_prime};

std::uint64_t modulo(unsigned __int128 v) {
  std::uint64_t r = static_cast<std::uint64_t>(v & k_prime) + static_cast<std::uint64_t>(v >> 61);
  r = (r & k_prime) + (r >> 61);
  return r == k_prime ? 0 : r;
}
std::uint64_t step(std::uint64_t hash, std::uint64_t factor, std::uint64_t more) {
  return modulo(static_cast<unsigned __int128>(hash) * factor + more);
}
// A symbol is not 0, so sequences of different lengths differ.
Fingerprint append(const Fingerprint& h, Symbol s) {
  return {step(h.a, k_base.a, s + 1ull), step(h.b, k_base.b, s + 1ull)};
}
// S in front; POWER is k_base to the length.
Fingerprint prepend(Symbol s, const Fingerprint& power, const Fingerprint& h) {
  return {step(power.a, s + 1ull, h.a), step(power.b, s + 1ull, h.b)};
}

// Sequences of one length, and how often they occur.
class Counts {
 public:
  struct Entry {
    Fingerprint key;
    std::uint64_t count;
    std::uint32_t cursor;  // of one occurrence
    bool alive;
  };
  Counts() : slots_(1024, 0) {}
  Entry& add(const Fingerprint& key, std::uint32_t cursor) {
    if ((entries_.size() + 1) * 2 > slots_.size()) grow();
    std::uint32_t& slot = slots_[place(key)];
    if (slot == 0) {
      entries_.push_back({key, 0, cursor, false});
      slot = static_cast<std::uint32_t>(entries_.size());
    }
    return entries_[slot - 1];
  }
  const Entry* find(const Fingerprint& key) const {
    const std::uint32_t slot = slots_[place(key)];
    return slot == 0 ? nullptr : &entries_[slot - 1];
  }
  std::vector<Entry>& entries() { return entries_; }
  void clear() {
    entries_.clear();
    std::fill(slots_.begin(), slots_.end(), 0);
  }

 private:
  std::size_t place(const Fingerprint& key) const {
    std::size_t i = (key.a ^ key.b * 0x9e3779b97f4a7c15u) & (slots_.size() - 1);
    while (slots_[i] != 0 && !(entries_[slots_[i] - 1].key == key)) i = (i + 1) & (slots_.size() - 1);
    return i;
  }
  void grow() {
    slots_.assign(slots_.size() * 2, 0);
    for (std::size_t i = 0; i < entries_.size(); i++)
      slots_[place(entries_[i].key)] = static_cast<std::uint32_t>(i + 1);
  }
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> slots_;
};

// A sequence at a boundary: it begins `before' symbols before the boundary.
struct Cursor {
  std::uint32_t rule;
  std::uint32_t boundary;  // it is after this symbol
  std::uint32_t at;        // the symbol that generates the last terminal ...
  std::uint16_t place;     // ... and which of its terminals that is
  std::uint16_t before;
  Fingerprint hash;
};

// What each rule begins and ends with.
class Edges {
 public:
  Edges(const Grammar& g, unsigned most) : g_(g), most_(most) {
    std::vector<std::uint32_t> order = g.parents_first();
    std::reverse(order.begin(), order.end());
    heads_.resize(g.rules());
    tails_.resize(g.rules());
    for (const std::uint32_t rule : order) {
      if (rule == 0) continue;  // nothing is around it
      for (const Symbol* s = g.begin(rule); s != g.end(rule) && heads_[rule].size() < most_; s++)
        add(heads_[rule], *s);
      for (const Symbol* s = g.end(rule); s != g.begin(rule) && tails_[rule].size() < most_;)
        add_reversed(tails_[rule], *--s);
    }
  }
  // Terminals that are known of the beginning of what S generates.
  std::size_t head(Symbol s) const { return rule_p(s) ? heads_[rule_of(s)].size() : 1; }
  Symbol from_start(Symbol s, std::size_t i) const { return rule_p(s) ? heads_[rule_of(s)][i] : s; }
  // The Ith terminal from the end, from 0.
  std::size_t tail(Symbol s) const { return rule_p(s) ? tails_[rule_of(s)].size() : 1; }
  Symbol from_end(Symbol s, std::size_t i) const { return rule_p(s) ? tails_[rule_of(s)][i] : s; }

 private:
  void add(std::vector<Symbol>& to, Symbol s) const {
    if (!rule_p(s)) {
      to.push_back(s);
      return;
    }
    for (const Symbol t : heads_[rule_of(s)])
      if (to.size() < most_) to.push_back(t);
  }
  void add_reversed(std::vector<Symbol>& to, Symbol s) const {
    if (!rule_p(s)) {
      to.push_back(s);
      return;
    }
    for (const Symbol t : tails_[rule_of(s)])
      if (to.size() < most_) to.push_back(t);
  }
  const Grammar& g_;
  const unsigned most_;
  std::vector<std::vector<Symbol>> heads_, tails_;  // tails backwards
};

// The smallest number of symbols after which NAMES overlaps itself.
std::size_t period(const std::vector<Symbol>& names) {
  std::vector<std::size_t> border(names.size() + 1, 0);
  for (std::size_t i = 1, k = 0; i < names.size(); i++) {
    while (k > 0 && names[i] != names[k]) k = border[k];
    if (names[i] == names[k]) k++;
    border[i + 1] = k;
  }
  return names.size() - border[names.size()];
}

class Search {
 public:
  Search(const Grammar& g, HeatThreshold threshold, Lengths lengths)
      : g_(g), threshold_(threshold), lengths_(lengths), edges_(g, lengths.longest - 1),
        uses_(g.rules(), 0), tails_(g.rules()), tail_alive_(g.rules(), true) {
    if (g.rules() == 0) return;
    uses_[0] = 1;
    for (const std::uint32_t rule : g.parents_first())
      for (const Symbol* s = g.begin(rule); s != g.end(rule); s++)
        if (rule_p(*s)) uses_[rule_of(*s)] += uses_[rule];
  }

  std::vector<HotCandidate> run() {
    for (unsigned length = 2; length <= lengths_.longest; length++) {
      extend();
      enter(length - 1);
      count();
      if (!judge(length)) break;
    }
    return std::move(candidates_);
  }

 private:
  // Cursors whose sequences are alive, by one symbol.
  void extend() {
    std::size_t kept = 0;
    for (Cursor& c : cursors_) {
      if (++c.place == edges_.head(g_.symbols[c.at])) {
        c.place = 0;
        if (++c.at == g_.starts[c.rule + 1]) continue;
      }
      c.hash = append(c.hash, edges_.from_start(g_.symbols[c.at], c.place));
      cursors_[kept++] = c;
    }
    cursors_.resize(kept);
  }

  // Boundaries where the last BEFORE terminals on the left are alive, or a single one.
  void enter(unsigned before) {
    for (std::uint32_t rule = 1; rule < g_.rules(); rule++) {
      const Symbol s = k_rule | rule;
      if (edges_.tail(s) < before) {
        tail_alive_[rule] = false;
        continue;
      }
      tails_[rule] = prepend(edges_.from_end(s, before - 1), power_, tails_[rule]);
      const Counts::Entry* entry = before == 1 ? nullptr : counts_.find(tails_[rule]);
      tail_alive_[rule] = before == 1 || (entry != nullptr && entry->alive);
    }
    power_ = {step(power_.a, k_base.a, 0), step(power_.b, k_base.b, 0)};
    for (std::uint32_t rule = 0; rule < g_.rules(); rule++)
      for (std::uint32_t i = g_.starts[rule]; i + 1 < g_.starts[rule + 1]; i++) {
        const Symbol left = g_.symbols[i];
        if (rule_p(left) ? !tail_alive_[rule_of(left)] : before != 1) continue;
        const Fingerprint h = rule_p(left) ? tails_[rule_of(left)] : append({}, left);
        cursors_.push_back({rule, i, i + 1, 0, static_cast<std::uint16_t>(before),
                            append(h, edges_.from_start(g_.symbols[i + 1], 0))});
      }
  }

  void count() {
    counts_.clear();
    for (std::size_t i = 0; i < cursors_.size(); i++)
      counts_.add(cursors_[i].hash, static_cast<std::uint32_t>(i)).count += uses_[cursors_[i].rule];
  }

  // Notes candidates, and keeps what may become one. False: nothing.
  bool judge(unsigned length) {
    for (Counts::Entry& e : counts_.entries()) {
      e.alive = e.count >= 2 && threshold_.reached(e.count * lengths_.longest);
      if (!e.alive || length < lengths_.shortest || !threshold_.reached(e.count * length)) continue;
      HotCandidate candidate{names(cursors_[e.cursor], length), e.count, false};
      const std::size_t p = period(candidate.names);
      // Of occurrences that overlap, at least one in that number is left.
      const std::uint64_t one_in = (length + p - 1) / p, least = (e.count + one_in - 1) / one_in;
      candidate.certain = least >= 2 && threshold_.reached(least * length);
      e.alive = !candidate.certain;
      candidates_.push_back(std::move(candidate));
    }
    std::erase_if(cursors_, [this](const Cursor& c) { return !counts_.find(c.hash)->alive; });
    return std::any_of(counts_.entries().begin(), counts_.entries().end(),
                       [](const auto& e) { return e.alive; });
  }

  std::vector<Symbol> names(const Cursor& c, unsigned length) const {
    std::vector<Symbol> out;
    for (unsigned i = c.before; i > 0; i--)
      out.push_back(edges_.from_end(g_.symbols[c.boundary], i - 1));
    for (std::uint32_t at = c.boundary + 1; out.size() < length; at++)
      for (std::size_t i = 0; i < edges_.head(g_.symbols[at]) && out.size() < length; i++)
        out.push_back(edges_.from_start(g_.symbols[at], i));
    return out;
  }

  const Grammar& g_;
  const HeatThreshold threshold_;
  const Lengths lengths_;
  const Edges edges_;
  std::vector<std::uint64_t> uses_;   // of each rule in the text
  std::vector<Fingerprint> tails_;    // of the last terminals of each rule
  std::vector<bool> tail_alive_;
  Fingerprint power_{1, 1};
  std::vector<Cursor> cursors_;
  Counts counts_;
  std::vector<HotCandidate> candidates_;
};

}  // namespace

std::vector<HotCandidate> hot_candidates(const Grammar& grammar, HeatThreshold threshold,
                                         Lengths lengths) {
  return Search(grammar, threshold, lengths).run();
}

}  // namespace memprof::streams
