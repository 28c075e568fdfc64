// grammar.cc - a finished grammar: sizes, its bytes, its text.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "feedback/streams/grammar.h"

#include <algorithm>

#include "feedback/streams/uleb.h"

namespace memprof::streams {
namespace {

constexpr std::uint64_t k_longest = std::uint64_t{1} << 60;

std::size_t digits(std::uint64_t v) {
  std::size_t n = 1;
  for (; v >= 10; v /= 10) n++;
  return n;
}

feedback::Error corrupt(const std::string& file, const char* what) {
  return {feedback::Error::Kind::corrupt, file, "", what};
}

// PARENTS: rules so that each one comes after those in its body, or nothing if some generate
// themselves.
std::vector<std::uint32_t> children_first(const Grammar& g) {
  enum : char { k_new, k_open, k_done };
  std::vector<char> state(g.rules(), k_new);
  std::vector<std::uint32_t> order;
  struct Place {
    std::uint32_t rule;
    const Symbol* at;
  };
  std::vector<Place> stack;
  const auto open = [&](std::uint32_t rule) {
    state[rule] = k_open;
    stack.push_back({rule, g.begin(rule)});
  };
  for (std::uint32_t root = 0; root < g.rules(); root++) {
    if (state[root] != k_new) continue;
    open(root);
    while (!stack.empty()) {
      Place& place = stack.back();
      if (place.at == g.end(place.rule)) {
        state[place.rule] = k_done;
        order.push_back(place.rule);
        stack.pop_back();
        continue;
      }
      const Symbol s = *place.at++;
      if (!rule_p(s)) continue;
      if (state[rule_of(s)] == k_open) return {};
      if (state[rule_of(s)] == k_new) open(rule_of(s));
    }
  }
  return order;
}

}  // namespace

Symbol Alphabet::large(std::uint64_t value) {
  if (value == last_value_ && last_ != 0) return last_;
  const auto [at, fresh] =
      numbers_.try_emplace(value, k_large + static_cast<Symbol>(values_.size()));
  if (fresh) values_.push_back(value);
  last_value_ = value;
  return last_ = at->second;
}

std::vector<std::uint64_t> Grammar::expanded_lengths() const {
  std::vector<std::uint64_t> lengths(rules());
  for (const std::uint32_t rule : children_first(*this))
    for (const Symbol* s = begin(rule); s != end(rule); s++)
      lengths[rule] = std::min(lengths[rule] + (rule_p(*s) ? lengths[rule_of(*s)] : 1),
                               k_longest + 1);
  return lengths;
}

std::vector<std::uint32_t> Grammar::parents_first() const {
  std::vector<std::uint32_t> order = children_first(*this);
  std::reverse(order.begin(), order.end());
  return order;
}

GrammarSizes sizes(const Grammar& g) {
  GrammarSizes s;
  s.symbols = g.symbols.size();
  s.rules = g.rules();
  s.bytes = uleb_bytes(s.rules);
  for (std::uint32_t rule = 0; rule < s.rules; rule++) s.bytes += uleb_bytes(g.length(rule));
  for (const Symbol symbol : g.symbols) {
    const std::uint64_t v = rule_p(symbol) ? rule_of(symbol) : g.alphabet.value(symbol);
    s.bytes += flagged_bytes(v);
    s.ascii += digits(v) + 1 + rule_p(symbol);
  }
  return s;
}

void encode(const Grammar& g, std::string& out) {
  put_uleb(out, g.rules());
  for (std::uint32_t rule = 0; rule < g.rules(); rule++) {
    put_uleb(out, g.length(rule));
    for (const Symbol* s = g.begin(rule); s != g.end(rule); s++)
      put_flagged(out, rule_p(*s) ? rule_of(*s) : g.alphabet.value(*s), rule_p(*s));
  }
}

feedback::Result<Grammar> decode(std::string_view bytes, const std::string& file) {
  UlebReader in(bytes);
  Grammar g;
  const std::uint64_t rules = in.number();
  // Each rule takes a byte at least, and each symbol one.
  if (!in.good() || rules == 0 || rules > in.left()) return corrupt(file, "no grammar");
  g.starts.reserve(rules + 1);
  for (std::uint64_t rule = 0; rule < rules; rule++) {
    g.starts.push_back(static_cast<std::uint32_t>(g.symbols.size()));
    const std::uint64_t length = in.number();
    if (!in.good() || length > in.left() || g.symbols.size() + length >= k_rule)
      return corrupt(file, "a rule of the grammar is cut off");
    for (std::uint64_t i = 0; i < length; i++) {
      bool is_rule;
      const std::uint64_t v = in.flagged(is_rule);
      if (is_rule && v >= rules) return corrupt(file, "a rule of the grammar is missing");
      g.symbols.push_back(is_rule ? k_rule | static_cast<Symbol>(v) : g.alphabet.terminal(v));
    }
  }
  g.starts.push_back(static_cast<std::uint32_t>(g.symbols.size()));
  if (!in.good() || !in.at_end()) return corrupt(file, "bytes that are no grammar");
  if (children_first(g).empty()) return corrupt(file, "the grammar generates itself");
  for (const std::uint64_t length : g.expanded_lengths())
    if (length > k_longest) return corrupt(file, "the grammar generates too much");
  return g;
}

std::string text(const Grammar& g, std::string_view names) {
  std::string out;
  for (std::uint32_t rule = 0; rule < g.rules(); rule++) {
    out += rule == 0 ? "S ->" : " ; R" + std::to_string(rule) + " ->";
    for (const Symbol* s = g.begin(rule); s != g.end(rule); s++) {
      out += ' ';
      if (rule_p(*s))
        out += 'R' + std::to_string(rule_of(*s));
      else if (*s < names.size())
        out += names[*s];
      else
        out += std::to_string(g.alphabet.value(*s));
    }
  }
  return out;
}

Expander::Expander(const Grammar& grammar) : grammar_(&grammar) {
  if (grammar.rules() == 0) return;
  at_ = grammar.begin(0);
  end_ = grammar.end(0);
  write_out();
}

void Expander::write_out() {
  constexpr std::size_t k_short = 64;  // terminals
  const Grammar& g = *grammar_;
  const std::size_t most = std::min<std::size_t>(g.symbols.size() * 8, ~std::uint32_t{0} - k_short);
  rules_.assign(g.rules(), {0, 0});
  for (const std::uint32_t rule : children_first(g)) {
    const std::size_t from = written_.size();
    if (from > most) return;
    for (const Symbol* s = g.begin(rule); s != g.end(rule); s++) {
      const Written child = rule_p(*s) ? rules_[rule_of(*s)] : Written{0, 1};
      if (child.length == 0 || written_.size() - from + child.length > k_short) {
        written_.resize(from);
        break;
      }
      if (!rule_p(*s)) {
        written_.push_back(*s);
        continue;
      }
      written_.resize(written_.size() + child.length);
      std::copy_n(&written_[child.from], child.length, written_.end() - child.length);
    }
    rules_[rule] = {static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(written_.size() - from)};
  }
}

inline void Expander::prefetch(const Symbol* at, const Symbol* end) const {
  constexpr std::ptrdiff_t k_far = 8, k_near = 4;  // symbols ahead
  if (end - at <= k_near) return;
  if (end - at > k_far && rule_p(at[k_far])) __builtin_prefetch(&rules_[rule_of(at[k_far])]);
  if (rule_p(at[k_near])) __builtin_prefetch(written_.data() + rules_[rule_of(at[k_near])].from);
}

std::size_t Expander::take(Symbol* to, std::size_t most) {
  const Symbol *at = at_, *end = end_;
  std::size_t n = 0;
  while (n < most) {
    if (at == end) {
      if (stack_.empty()) break;
      at = stack_.back().at;
      end = stack_.back().end;
      stack_.pop_back();
      continue;
    }
    prefetch(at, end);
    const Symbol s = *at++;
    if (!rule_p(s)) {
      to[n++] = s;
      continue;
    }
    const Written written = rules_[rule_of(s)];
    if (written.length != 0 && written.length <= most - n) {
      std::copy_n(&written_[written.from], written.length, to + n);
      n += written.length;
      continue;
    }
    if (at != end) stack_.push_back({at, end});
    at = grammar_->begin(rule_of(s));
    end = grammar_->end(rule_of(s));
  }
  at_ = at;
  end_ = end;
  return n;
}

}  // namespace memprof::streams
