// hot_streams.cc - hot data streams.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "feedback/streams/hot_streams.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <future>
#include <numeric>

#include "feedback/flat_map.h"
#include "feedback/streams/tokeniser.h"

namespace memprof::streams {
namespace {

using Words = std::vector<std::vector<Symbol>>;

// Finds all words of a set wherever they end (Aho and Corasick, 1975).
class WordFinder {
 public:
  explicit WordFinder(const Words& words) : nodes_(1) {
    for (std::uint32_t w = 0; w < words.size(); w++) {
      std::uint32_t at = 0;
      for (const Symbol s : words[w]) {
        const auto next = static_cast<std::uint32_t>(nodes_.size());
        const std::uint32_t child = at == 0 ? add_first(s, next) : children_.add(key(at, s), next);
        if (child == next) {
          nodes_.emplace_back();
          nodes_[at].children.emplace_back(s, child);
        }
        at = child;
      }
      nodes_[at].word = w;
    }
    link();
  }
  // The state after S; calls found(word) for each that ends there.
  template <typename Found>
  std::uint32_t step(std::uint32_t state, Symbol s, Found&& found) const {
    for (; state != 0; state = nodes_[state].fail)
      if (const std::uint32_t* const child = children_.find(key(state, s))) {
        state = *child;
        break;
      }
    if (state == 0) state = s < first_.size() ? first_[s] : 0;
    for (std::uint32_t n = nodes_[state].word != k_none ? state : nodes_[state].output; n != 0;
         n = nodes_[n].output)
      found(nodes_[n].word);
    return state;
  }

 private:
  static constexpr std::uint32_t k_none = ~std::uint32_t{0};
  struct Node {
    std::uint32_t word = k_none, fail = 0;
    std::uint32_t output = 0;  // the longest shorter place at which a word ends
    std::vector<std::pair<Symbol, std::uint32_t>> children;
  };
  static std::uint64_t key(std::uint32_t state, Symbol s) { return std::uint64_t{state} << 32 | s; }
  std::uint32_t add_first(Symbol s, std::uint32_t next) {
    if (s >= first_.size()) first_.resize(s + 1, 0);
    if (first_[s] == 0) first_[s] = next;
    return first_[s];
  }

  void link() {
    std::deque<std::uint32_t> queue{0};
    while (!queue.empty()) {
      const std::uint32_t parent = queue.front();
      queue.pop_front();
      for (const auto& [s, child] : nodes_[parent].children) {
        Node& node = nodes_[child];
        if (parent != 0) node.fail = step(nodes_[parent].fail, s, [](std::uint32_t) {});
        node.output = nodes_[node.fail].word != k_none ? node.fail : nodes_[node.fail].output;
        queue.push_back(child);
      }
    }
  }
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> first_;  // child of the root by name; 0: none
  feedback::FlatMap<std::uint64_t, std::uint32_t> children_;  // of other nodes
};

// Exact occurrences of words FROM to TO, from one pass over the text.
void count_part(const std::vector<Symbol>& text, const Words& words, std::size_t from, std::size_t to,
                std::vector<HotStream>& out) {
  if (from == to) return;
  const auto begin = words.begin();
  const WordFinder finder({begin + static_cast<std::ptrdiff_t>(from), begin + static_cast<std::ptrdiff_t>(to)});
  std::vector<std::uint64_t> ends(to - from, 0);
  std::uint64_t end = 0;
  std::uint32_t state = 0;
  for (const Symbol s : text) {
    end++;
    state = finder.step(state, s, [&](std::uint32_t word) {
      HotStream& stream = out[from + word];
      const std::uint64_t start = end - words[from + word].size();
      if (start < ends[word]) return;
      ends[word] = end;
      if (stream.occurrences++ == 0) stream.first = start;
      stream.last = start;
    });
  }
}

// Of all of them. Two passes at a time, of half of the words each: their tables are smaller, too.
std::vector<HotStream> count_words(const std::vector<Symbol>& text, Words words) {
  std::vector<HotStream> out(words.size());
  const std::size_t half = words.size() / 2;
  auto other = std::async(std::launch::async, [&] { count_part(text, words, 0, half, out); });
  count_part(text, words, half, words.size(), out);
  other.get();
  for (std::size_t i = 0; i < words.size(); i++) out[i].names = std::move(words[i]);
  return out;
}

std::vector<Symbol> names_of(const TextIndex& text, const HotCandidate& c) {
  const auto from = text.text().begin() + c.first;
  return {from, from + c.length};
}

// Of CANDIDATES that OF chooses, exact occurrences; by their number.
template <typename Of>
std::vector<HotStream> count_some(const TextIndex& text, const std::vector<HotCandidate>& candidates,
                                  std::vector<std::size_t>& numbers, Of&& of) {
  Words words;
  for (std::size_t i = 0; i < candidates.size(); i++)
    if (of(candidates[i])) {
      words.push_back(names_of(text, candidates[i]));
      numbers.push_back(i);
    }
  return words.empty() ? std::vector<HotStream>{} : count_words(text.text(), std::move(words));
}

bool begins_with(const TextIndex& text, const HotCandidate& longer, const HotCandidate& shorter) {
  const auto names = text.text().begin();
  return longer.length >= shorter.length &&
         std::equal(names + shorter.first, names + shorter.first + shorter.length, names + longer.first);
}

// The minimal hot sequences, sorted. The text is read only if some may overlap themselves and may
// then not be hot.
std::vector<HotCandidate> minimal_candidates(const TextIndex& text, HeatThreshold threshold,
                                             Lengths lengths) {
  std::vector<HotCandidate> all = hot_candidates(text, threshold, lengths);
  std::vector<std::size_t> doubtful;
  const auto counted = count_some(text, all, doubtful, [](const HotCandidate& c) { return !c.certain; });
  for (std::size_t i = 0; i < doubtful.size(); i++)
    all[doubtful[i]].certain = counted[i].occurrences >= 2 && threshold.reached(counted[i].heat());
  std::vector<HotCandidate> kept;
  for (const HotCandidate& c : all)
    if (c.certain && (kept.empty() || !begins_with(text, c, kept.back()))) kept.push_back(c);
  return kept;
}

std::vector<HotStream> hottest_first(std::vector<HotStream> streams) {
  std::sort(streams.begin(), streams.end(), [](const HotStream& a, const HotStream& b) {
    return a.heat() != b.heat() ? a.heat() > b.heat() : a.names < b.names;
  });
  return streams;
}

// CANDIDATES as streams.
std::vector<HotStream> streams_of(const TextIndex& text, const std::vector<HotCandidate>& candidates) {
  std::vector<HotStream> out;
  out.reserve(candidates.size());
  for (const HotCandidate& c : candidates)
    out.push_back({names_of(text, c), c.occurrences, c.first, c.last});
  std::vector<std::size_t> overlapping;
  auto counted = count_some(text, candidates, overlapping, [](const HotCandidate& c) { return c.overlaps; });
  for (std::size_t i = 0; i < overlapping.size(); i++) out[overlapping[i]] = std::move(counted[i]);
  return hottest_first(std::move(out));
}

Tokeniser tokeniser_of(const TextIndex& text, const std::vector<HotCandidate>& candidates) {
  std::vector<Tokeniser::Word> words;
  words.reserve(candidates.size());
  for (const HotCandidate& c : candidates) words.push_back({c.first, c.length});
  return {text.text(), std::move(words)};
}

// All that RULE generates, which is short.
void append_names(const Grammar& g, std::uint32_t rule, std::vector<Symbol>& names) {
  for (const Symbol* s = g.begin(rule); s != g.end(rule); s++)
    if (rule_p(*s))
      append_names(g, rule_of(*s), names);
    else
      names.push_back(*s);
}

// Looks for the largest multiple whose streams cover enough: among the powers of two as long as there are
// streams, since a higher threshold has longer streams, which may cover more; then between two of them in steps of
// a 16th, from the top down to the largest that covers enough. Above that one only where a power of two is near, or the
// text is so short that it costs nothing.
class MultipleSearch {
 public:
  MultipleSearch(const TextIndex& text, double wanted, Lengths lengths, ExploitableStreams& best)
      : text_(text), wanted_(wanted), lengths_(lengths), best_(best) {}

  std::vector<HotCandidate> look() {
    std::uint64_t low = 0;
    std::vector<double> coverage;  // at 1, 2, 4, ...
    for (std::uint64_t k = 1; any_ && k <= text_.text().size(); k *= 2) {
      if (covers(k, 2 * k)) low = k;
      coverage.push_back(best_.curve.back().coverage);
    }
    coverage.push_back(0);
    for (std::size_t i = coverage.size() - 1; i-- > 0;) {
      const std::uint64_t k = std::uint64_t{1} << i;
      const bool near = text_.text().size() <= k_short || std::max(coverage[i], coverage[i + 1]) >= wanted_ - k_near;
      if (k < low || ((near || k == low) && between(k))) break;
    }
    return std::move(streams_);
  }

 private:
  static constexpr double k_near = 0.1;
  static constexpr std::size_t k_short = 1 << 16;

  // Whether a multiple between K and 2K covers enough: the largest one.
  bool between(std::uint64_t k) {
    const std::uint64_t step = std::max<std::uint64_t>(1, k / 16);
    for (std::uint64_t m = 2 * k - step; m > k; m -= step)
      if (covers(m, m - step > k ? m - step : 0)) return true;
    return false;
  }
  // Whether streams at MULTIPLE cover enough. While that is counted, those at NEXT are looked for, which may be
  // needed next; 0: nothing may.
  bool covers(std::uint64_t multiple, std::uint64_t next) {
    std::vector<HotCandidate> found = multiple == ahead_ ? std::move(found_ahead_) : candidates(multiple);
    auto covered = std::async(std::launch::async, [&] { return covered_names(text_, tokeniser_of(text_, found)); });
    any_ = !found.empty();
    ahead_ = next;
    if (next != 0) found_ahead_ = candidates(next);
    const double coverage = static_cast<double>(covered.get()) / static_cast<double>(best_.references);
    best_.curve.push_back({multiple, found.size(), coverage});
    const bool enough = coverage >= wanted_ && any_;
    if (best_.multiple == 0 || (enough && multiple > best_.multiple)) {
      best_.multiple = multiple;
      best_.coverage = coverage;
      streams_ = std::move(found);
    }
    return enough;
  }
  std::vector<HotCandidate> candidates(std::uint64_t multiple) const {
    return minimal_candidates(text_, {multiple * best_.references, best_.names}, lengths_);
  }

  const TextIndex& text_;
  const double wanted_;
  const Lengths lengths_;
  ExploitableStreams& best_;
  std::vector<HotCandidate> streams_;  // of best_
  bool any_ = true;                    // there were some at the last multiple
  std::uint64_t ahead_ = 0;            // the multiple of:
  std::vector<HotCandidate> found_ahead_;
};

}  // namespace

std::vector<HotStream> minimal_hot_streams(const TextIndex& text, HeatThreshold threshold,
                                           Lengths lengths) {
  return streams_of(text, minimal_candidates(text, threshold, lengths));
}

std::vector<HotStream> count_streams(const TextIndex& text, Words words) {
  std::sort(words.begin(), words.end());
  Words kept;
  for (auto& word : words)
    if (kept.empty() || kept.back().size() > word.size() ||
        !std::equal(kept.back().begin(), kept.back().end(), word.begin()))
      kept.push_back(std::move(word));
  return hottest_first(count_words(text.text(), std::move(kept)));
}

StreamTokens::StreamTokens(const TextIndex& text, const std::vector<HotStream>& streams)
    : order_(streams.size()), tokeniser_(text.text(), [&] {
        std::iota(order_.begin(), order_.end(), 0);
        std::sort(order_.begin(), order_.end(), [&streams](std::uint32_t a, std::uint32_t b) {
          return streams[a].names < streams[b].names;
        });
        std::vector<Tokeniser::Word> words;
        for (const std::uint32_t i : order_)
          words.push_back({static_cast<std::uint32_t>(streams[i].first),
                           static_cast<std::uint32_t>(streams[i].names.size())});
        return words;
      }()) {}

ExploitableStreams exploitable_streams(const TextIndex& text, double wanted, Lengths lengths) {
  ExploitableStreams best;
  best.references = text.text().size();
  if (best.references == 0) return best;
  std::vector<bool> names;
  for (const Symbol s : text.grammar().symbols) {
    if (rule_p(s)) continue;
    if (s >= names.size()) names.resize(s + 1);
    best.names += !names[s];
    names[s] = true;
  }
  const std::vector<HotCandidate> streams = MultipleSearch(text, wanted, lengths, best).look();
  std::sort(best.curve.begin(), best.curve.end(),
            [](const auto& a, const auto& b) { return a.multiple < b.multiple; });
  best.streams = streams_of(text, streams);
  return best;
}

std::vector<HotRule> hot_rules(const Grammar& g, HeatThreshold threshold, Lengths lengths) {
  std::vector<HotRule> out;
  if (g.rules() == 0) return out;
  const std::vector<std::uint64_t> length = g.expanded_lengths();
  const std::vector<std::uint32_t> order = g.parents_first();
  std::vector<std::uint64_t> uses(g.rules(), 0);
  uses[0] = 1;
  const auto for_children = [&g](std::uint32_t rule, const auto& fn) {
    for (const Symbol* s = g.begin(rule); s != g.end(rule); s++)
      if (rule_p(*s)) fn(rule_of(*s));
  };
  for (const std::uint32_t rule : order)
    for_children(rule, [&](std::uint32_t child) { uses[child] += uses[rule]; });
  std::vector<std::uint64_t> cold = uses;  // uses that are in no hot rule
  for (const std::uint32_t rule : order) {
    const std::uint64_t heat = length[rule] * cold[rule];
    const bool hot = length[rule] >= lengths.shortest && length[rule] <= lengths.longest &&
                     threshold.reached(heat);
    if (hot) append_names(g, rule, out.emplace_back(HotRule{heat, {}}).names);
    const std::uint64_t less = hot ? uses[rule] : uses[rule] - cold[rule];
    for_children(rule, [&](std::uint32_t child) { cold[child] -= std::min(less, cold[child]); });
  }
  return out;
}

InherentLocality inherent_locality(const std::vector<HotStream>& streams) {
  double heat = 0, spatial = 0, temporal = 0;
  for (const HotStream& s : streams) {
    const auto h = static_cast<double>(s.heat());
    heat += h;
    spatial += h * static_cast<double>(s.names.size());
    temporal += h * s.interval();
  }
  if (heat == 0) return {};
  return {spatial / heat, temporal / heat};
}

double reference_skew(std::vector<std::uint64_t> counts, double share) {
  std::sort(counts.begin(), counts.end(), std::greater<>());
  double all = 0, sum = 0;
  for (const std::uint64_t c : counts) all += static_cast<double>(c);
  for (std::size_t i = 0; i < counts.size(); i++) {
    sum += static_cast<double>(counts[i]);
    if (sum >= share * all) return static_cast<double>(i + 1) / static_cast<double>(counts.size());
  }
  return 0;
}

}  // namespace memprof::streams
