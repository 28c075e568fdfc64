// windows.cc - which short sequences of a text may be hot.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "feedback/streams/windows.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <future>

#include "feedback/streams/fault.h"

namespace memprof::streams {
namespace {

// The place after a sequence, in the first occurrence of RULE.
struct Cursor {
  std::uint32_t rule;
  std::uint32_t at;
  std::uint32_t times;  // of the rule
  Symbol seen;          // the last symbol of the sequence
};

// Beginnings, by terminal.
struct Beginnings {
  std::vector<Cursor> cursors;
  std::vector<std::uint32_t> from;  // of each terminal, and the end
};

Beginnings beginnings(const TextIndex& text) {
  const Grammar& g = text.grammar();
  Beginnings out;
  Symbol most = 0;
  for (const Symbol s : g.symbols)
    if (!rule_p(s)) most = std::max(most, s);
  out.from.assign(std::size_t{most} + 2, 0);
  for (const Symbol s : g.symbols)
    if (!rule_p(s)) out.from[s + 1]++;
  for (std::size_t i = 1; i < out.from.size(); i++) out.from[i] += out.from[i - 1];
  out.cursors.resize(out.from.back());
  std::vector<std::uint32_t> next(out.from);
  for (std::uint32_t rule = 0; rule < g.rules(); rule++) {
    std::uint32_t at = text.rule(rule).first;
    for (const Symbol* s = g.begin(rule); s != g.end(rule); s++) {
      at += rule_p(*s) ? text.rule(rule_of(*s)).length : 1;
      if (!rule_p(*s)) out.cursors[next[*s]++] = {rule, at, text.rule(rule).times, *s};
    }
  }
  return out;
}

// The smallest number of symbols after which a sequence overlaps itself.
std::size_t period(const Symbol* names, std::size_t length) {
  std::array<std::uint8_t, 256> border{};
  for (std::size_t i = 1, k = 0; i < length; i++) {
    while (k > 0 && names[i] != names[k]) k = border[k];
    if (names[i] == names[k]) k++;
    border[i + 1] = static_cast<std::uint8_t>(k);
  }
  return length - border[length];
}

class Search {
 public:
  Search(const TextIndex& text, HeatThreshold threshold, Lengths lengths)
      : text_(text), threshold_(threshold), lengths_(lengths) {}

  // What begins with one terminal.
  void look(const Cursor* from, const Cursor* to) {
    cursors_.assign(from, to);
    group(0, cursors_.size(), 1);
  }
  std::vector<HotCandidate>& found() { return found_; }

 private:
  void group(std::size_t from, std::size_t to, unsigned length) {
    std::uint64_t times = 0;
    for (std::size_t i = from; i < to; i++) times += cursors_[i].times;
    if (times < 2 || !threshold_.reached(times * lengths_.longest)) return;
    for (;;) {
      const bool hot = length >= lengths_.shortest && threshold_.reached(times * length);
      if ((hot && note(from, to, times, length)) || length >= lengths_.longest) return;
      if (to - from != 1) break;
      Cursor& only = cursors_[from];
      const std::uint32_t left = text_.rule(only.rule).end() - only.at;
      const std::uint32_t step = std::min(left, wanted(times, length) - length);
      if (step == 0) break;
      only.at += step;
      length += step;
    }
    extend(from, to, length);
  }

  // The next length at which a sequence that is TIMES in the text is hot.
  unsigned wanted(std::uint64_t times, unsigned length) const {
    do length++;
    while (length < lengths_.longest &&
           (length < lengths_.shortest || !threshold_.reached(times * length)));
    return length;
  }

  void extend(std::size_t from, std::size_t to, unsigned length) {
    const std::size_t base = cursors_.size();
    for (std::size_t i = from; i < to; i++) take_next(cursors_[i]);
    const std::size_t end = cursors_.size();
    std::sort(cursors_.begin() + static_cast<std::ptrdiff_t>(base), cursors_.end(),
              [](const Cursor& a, const Cursor& b) { return a.seen < b.seen; });
    for (std::size_t i = base; i < end;) {
      std::size_t same = i + 1;
      while (same < end && cursors_[same].seen == cursors_[i].seen) same++;
      group(i, same, length + 1);
      i = same;
    }
    cursors_.resize(base);
  }

  void take_next(const Cursor c) {
    if (c.at != text_.rule(c.rule).end()) {
      cursors_.push_back({c.rule, c.at + 1, c.times, text_.text()[c.at]});
      return;
    }
    for (const TextIndex::Use* use = text_.begin_uses(c.rule); use != text_.end_uses(c.rule); use++) {
      take_next({use->rule, use->end, text_.rule(use->rule).times, 0});
      if (g_fault == Fault::one_use) break;
    }
  }

  // Whether it is certainly hot.
  bool note(std::size_t from, std::size_t to, std::uint64_t times, unsigned length) {
    HotCandidate out{};
    out.first = ~std::uint32_t{0};
    for (std::size_t i = from; i < to; i++) {
      const Cursor& c = cursors_[i];
      const TextIndex::Rule& rule = text_.rule(c.rule);
      out.first = std::min(out.first, c.at - length);
      out.last = std::max(out.last, rule.last + (c.at - rule.first) - length);
    }
    out.length = length;
    out.occurrences = static_cast<std::uint32_t>(times);
    const std::size_t p = period(&text_.text()[out.first], length);
    // Of occurrences that overlap, at least one in that number is left.
    const std::uint64_t one_in = (length + p - 1) / p, least = (times + one_in - 1) / one_in;
    out.overlaps = one_in > 1;
    out.certain = least >= 2 && threshold_.reached(least * length);
    found_.push_back(out);
    return out.certain;
  }

  const TextIndex& text_;
  const HeatThreshold threshold_;
  const Lengths lengths_;
  std::vector<Cursor> cursors_;  // of groups that are looked at, the smaller ones after
  std::vector<HotCandidate> found_;
};

}  // namespace

std::vector<HotCandidate> hot_candidates(const TextIndex& text, HeatThreshold threshold,
                                         Lengths lengths) {
  constexpr std::size_t k_part = 1 << 10;  // terminals that are looked at together
  const Beginnings all = beginnings(text);
  const std::size_t terminals = all.from.size() - 1, parts = (terminals + k_part - 1) / k_part;
  std::vector<std::vector<HotCandidate>> found(parts);
  std::atomic<std::size_t> next{0};
  const auto look = [&] {
    for (std::size_t part; (part = next++) < parts;) {
      Search search(text, threshold, lengths);
      for (std::size_t s = part * k_part; s < std::min(terminals, (part + 1) * k_part); s++)
        search.look(all.cursors.data() + all.from[s], all.cursors.data() + all.from[s + 1]);
      found[part] = std::move(search.found());
    }
  };
  auto other = std::async(std::launch::async, look);
  look();
  other.get();
  std::vector<HotCandidate> out;
  for (const auto& part : found) out.insert(out.end(), part.begin(), part.end());
  return out;
}

}  // namespace memprof::streams
