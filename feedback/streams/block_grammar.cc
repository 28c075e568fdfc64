// block_grammar.cc - a grammar of a long sequence, made fast.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "feedback/streams/block_grammar.h"

#include <algorithm>
#include <new>

namespace memprof::streams {
namespace {

constexpr std::size_t k_piece = 1 << 14;  // symbols that are cut at a time
constexpr std::size_t k_first_slots = 1 << 10;

std::uint64_t mixed(std::uint64_t x) {
  x *= 0x9e3779b97f4a7c15u;
  x ^= x >> 29;
  x *= 0xd6e8feb86659fd93u;
  return x ^ x >> 32;
}

std::uint32_t hash_of(const Symbol* symbols, std::size_t count) {
  std::uint64_t h = count;
  for (std::size_t i = 0; i < count; i++) h = mixed(h ^ symbols[i]);
  return static_cast<std::uint32_t>(h);
}

// No two symbols have the same, as mixed() can be undone.
std::uint64_t rank(Symbol s) { return mixed(s + 1ull); }

}  // namespace

BlockGrammar::BlockGrammar() : levels_(1), slots_(k_first_slots, Slot{0, 0}) { starts_.push_back(0); }

std::size_t BlockGrammar::home(std::uint32_t hash) const {
  return (hash * 0x9e3779b97f4a7c15u >> 20) & (slots_.size() - 1);
}

void BlockGrammar::grow() {
  std::vector<Slot> old(slots_.size() * 2, Slot{0, 0});
  old.swap(slots_);
  for (const Slot& slot : old) {
    if (slot.rule == 0) continue;
    std::size_t i = home(slot.hash);
    while (slots_[i].rule != 0) i = (i + 1) & (slots_.size() - 1);
    slots_[i] = slot;
  }
}

// The rule whose body these are.
Symbol BlockGrammar::rule(const Symbol* symbols, std::size_t count, std::uint32_t hash) {
  for (std::size_t i = home(hash);; i = (i + 1) & (slots_.size() - 1)) {
    const Slot slot = slots_[i];
    if (slot.rule == 0) {
      if (rules_ + 2 >= k_rule || bodies_.size() + count >= ~std::uint32_t{0}) throw std::bad_alloc();
      for (std::size_t k = 0; k < count; k++) bodies_.push_back(symbols[k]);
      starts_.push_back(static_cast<std::uint32_t>(bodies_.size()));
      const auto fresh = static_cast<std::uint32_t>(++rules_);
      slots_[i] = {hash, fresh};
      if (rules_ * 2 > slots_.size()) grow();
      return k_rule | fresh;
    }
    if (slot.hash != hash) continue;
    const std::uint32_t from = starts_[slot.rule - 1];
    if (starts_[slot.rule] - from == count && std::equal(symbols, symbols + count, &bodies_[from]))
      return k_rule | slot.rule;
  }
}

Symbol BlockGrammar::run_rule(Symbol symbol, std::uint64_t times) {
  if (times == 1) return symbol;
  const Symbol half = run_rule(symbol, times / 2);
  const Symbol body[3] = {half, half, symbol};
  const std::size_t count = 2 + times % 2;
  return rule(body, count, hash_of(body, count));
}

// Moves what waits after what is open, runs as one symbol each; the last one may go on.
void BlockGrammar::take_runs(Level& level, bool end) {
  const auto close = [&] {
    if (level.times != 0) level.open.push_back(run_rule(level.run, level.times));
  };
  for (const Symbol s : level.waiting) {
    if (level.times != 0 && s == level.run) {
      level.times++;
      continue;
    }
    close();
    level.run = s;
    level.times = 1;
  }
  level.waiting.clear();
  if (!end) return;
  close();
  level.times = 0;
}

void BlockGrammar::cut(std::size_t number, bool end) {
  take_runs(levels_[number], end);
  const std::vector<Symbol> sequence = std::exchange(levels_[number].open, {});
  std::vector<Block> blocks;
  std::uint32_t from = 0;
  const auto block = [&](std::size_t to) {
    const auto length = static_cast<std::uint32_t>(to) - from;
    blocks.push_back({from, length, hash_of(&sequence[from], length)});
    from = static_cast<std::uint32_t>(to);
  };
  for (std::size_t i = 1; i + 1 < sequence.size(); i++) {
    const std::uint64_t here = rank(sequence[i]);
    if (here < rank(sequence[i - 1]) && here < rank(sequence[i + 1])) block(i);
  }
  if (end && from < sequence.size()) block(sequence.size());
  levels_[number].open.assign(sequence.begin() + from, sequence.end());
  std::vector<Symbol> rules;
  rules.reserve(blocks.size());
  for (std::size_t i = 0; i < blocks.size(); i++) {
    if (i + 16 < blocks.size()) __builtin_prefetch(&slots_[home(blocks[i + 16].hash)]);
    if (i + 8 < blocks.size()) {
      const Slot& soon = slots_[home(blocks[i + 8].hash)];
      if (soon.rule != 0) __builtin_prefetch(&starts_[soon.rule - 1]);
    }
    if (i + 4 < blocks.size()) {
      const Slot& soon = slots_[home(blocks[i + 4].hash)];
      if (soon.rule != 0) __builtin_prefetch(&bodies_[starts_[soon.rule - 1]]);
    }
    const Block& b = blocks[i];
    rules.push_back(b.length == 1 ? sequence[b.from] : rule(&sequence[b.from], b.length, b.hash));
  }
  levels_[number].blocks += rules.size();
  push(number + 1, rules.data(), rules.size());
}

void BlockGrammar::push(std::size_t number, const Symbol* symbols, std::size_t count) {
  if (number == levels_.size()) levels_.emplace_back();
  while (count > 0) {
    std::vector<Symbol>& waiting = levels_[number].waiting;
    const std::size_t some = std::min(count, k_piece - waiting.size());
    waiting.insert(waiting.end(), symbols, symbols + some);
    symbols += some;
    count -= some;
    if (waiting.size() == k_piece) cut(number, false);
  }
}

void BlockGrammar::count_uses() {
  uses_.assign(rules_ + 1, 0);
  numbers_.assign(rules_ + 1, 0);
  for (std::size_t i = 0; i < bodies_.size(); i++)
    if (rule_p(bodies_[i])) uses_[rule_of(bodies_[i])]++;
  for (const Symbol s : root_)
    if (rule_p(s)) uses_[rule_of(s)]++;
}

// At the end of what OUT has; instead of a rule that is used once, what it generates. Rules nest no
// deeper than levels and runs do: some hundred.
void BlockGrammar::put(Symbol symbol, Grammar& out, std::vector<std::uint32_t>& order) {
  if (!rule_p(symbol)) {
    out.symbols.push_back(symbol);
    return;
  }
  const std::uint32_t number = rule_of(symbol);
  if (uses_[number] == 1) {
    for (std::uint32_t i = starts_[number - 1]; i < starts_[number]; i++) put(bodies_[i], out, order);
    return;
  }
  if (numbers_[number] == 0) {
    order.push_back(number);
    numbers_[number] = static_cast<std::uint32_t>(order.size());
  }
  out.symbols.push_back(k_rule | numbers_[number]);
}

Grammar BlockGrammar::finish() {
  for (std::size_t i = 0; i < levels_.size(); i++) {
    if (i > 0 && levels_[i - 1].blocks <= 1) {
      root_ = levels_[i].waiting;
      break;
    }
    cut(i, true);
  }
  slots_ = {};
  count_uses();
  Grammar out;
  std::vector<std::uint32_t> order;
  out.starts.push_back(0);
  for (const Symbol s : root_) put(s, out, order);
  for (std::size_t i = 0; i < order.size(); i++) {
    out.starts.push_back(static_cast<std::uint32_t>(out.symbols.size()));
    for (std::uint32_t k = starts_[order[i] - 1]; k < starts_[order[i]]; k++) put(bodies_[k], out, order);
  }
  out.starts.push_back(static_cast<std::uint32_t>(out.symbols.size()));
  return out;
}

}  // namespace memprof::streams
