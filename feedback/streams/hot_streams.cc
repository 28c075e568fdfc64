// hot_streams.cc - hot data streams.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "feedback/streams/hot_streams.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <unordered_set>

#include "feedback/streams/number_map.h"
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
        const std::uint32_t child = children_.add(key(at, s), next);
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
    for (;; state = nodes_[state].fail) {
      if (const std::uint32_t child = children_.find(key(state, s)); child != NumberMap::k_none) {
        state = child;
        break;
      }
      if (state == 0) break;
    }
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
  NumberMap children_;
};

// Exact occurrences of WORDS, from one pass over the text.
std::vector<HotStream> count_words(const Grammar& g, Words words) {
  const WordFinder finder(words);
  std::vector<HotStream> out(words.size());
  std::vector<std::uint64_t> ends(words.size(), 0);
  for (std::size_t i = 0; i < words.size(); i++) out[i].names = std::move(words[i]);
  Expander text(g);
  std::uint64_t end = 0;
  std::uint32_t state = 0;
  for (Symbol s; text.next(s);) {
    end++;
    state = finder.step(state, s, [&](std::uint32_t word) {
      HotStream& stream = out[word];
      const std::uint64_t start = end - stream.names.size();
      if (start < ends[word]) return;
      ends[word] = end;
      if (stream.occurrences++ == 0) stream.first = start;
      stream.last = start;
    });
  }
  return out;
}

// Those of WORDS that begin with no other one.
Words minimal(Words words) {
  std::sort(words.begin(), words.end());
  Words kept;
  for (auto& word : words)
    if (kept.empty() || kept.back().size() > word.size() ||
        !std::equal(kept.back().begin(), kept.back().end(), word.begin()))
      kept.push_back(std::move(word));
  return kept;
}

// The names of the minimal hot streams; the text is read only if some may overlap themselves.
Words minimal_words(const Grammar& g, HeatThreshold threshold, Lengths lengths) {
  Words words, doubtful;
  for (HotCandidate& c : hot_candidates(g, threshold, lengths))
    (c.certain ? words : doubtful).push_back(std::move(c.names));
  if (!doubtful.empty())
    for (HotStream& s : count_words(g, std::move(doubtful)))
      if (s.occurrences >= 2 && threshold.reached(s.heat())) words.push_back(std::move(s.names));
  return minimal(std::move(words));
}

// All that RULE generates, which is short.
void append_names(const Grammar& g, std::uint32_t rule, std::vector<Symbol>& names) {
  for (const Symbol* s = g.begin(rule); s != g.end(rule); s++)
    if (rule_p(*s))
      append_names(g, rule_of(*s), names);
    else
      names.push_back(*s);
}

std::vector<HotStream> counted(const Grammar& g, Words words) {
  std::vector<HotStream> streams = count_words(g, std::move(words));
  std::sort(streams.begin(), streams.end(), [](const HotStream& a, const HotStream& b) {
    return a.heat() != b.heat() ? a.heat() > b.heat() : a.names < b.names;
  });
  return streams;
}

}  // namespace

std::vector<HotStream> minimal_hot_streams(const Grammar& grammar, HeatThreshold threshold,
                                           Lengths lengths) {
  return counted(grammar, minimal_words(grammar, threshold, lengths));
}

std::vector<HotStream> count_streams(const Grammar& grammar, Words streams) {
  return counted(grammar, minimal(std::move(streams)));
}

ExploitableStreams exploitable_streams(const Grammar& g, double wanted, Lengths lengths) {
  ExploitableStreams best;
  if (g.rules() == 0) return best;
  best.references = g.expanded_lengths()[0];
  std::unordered_set<Symbol> names;
  for (const Symbol s : g.symbols)
    if (!rule_p(s)) names.insert(s);
  best.names = names.size();
  Words streams;
  // Whether there are any at this multiple, and whether they cover enough.
  const auto try_multiple = [&](std::uint64_t multiple) {
    Words words = minimal_words(g, {multiple * best.references, best.names}, lengths);
    const double coverage = static_cast<double>(covered_names(g, Tokeniser(words))) /
                            static_cast<double>(best.references);
    best.curve.push_back({multiple, words.size(), coverage});
    const bool enough = coverage >= wanted;
    if (best.multiple == 0 || (enough && multiple > best.multiple)) {
      best.multiple = multiple;
      best.coverage = coverage;
      streams = std::move(words);
    }
    return enough;
  };
  if (best.references == 0) return best;
  std::uint64_t low = 1;
  if (try_multiple(1)) {
    while (try_multiple(low * 2)) low *= 2;
    const std::uint64_t step = std::max<std::uint64_t>(1, low / 16);
    for (std::uint64_t k = 2 * low - step; k > low && !try_multiple(k);) k -= step;
  }
  std::sort(best.curve.begin(), best.curve.end(),
            [](const auto& a, const auto& b) { return a.multiple < b.multiple; });
  best.streams = counted(g, std::move(streams));
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
