// stream_analysis.cc - hot data streams of a profile.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/cli/stream_analysis.h"

#include <algorithm>
#include <deque>
#include <future>
#include <map>
#include <set>

#include "consumers/cli/stream_references.h"
#include "feedback/streams/block_grammar.h"
#include "feedback/streams/sequitur.h"
#include "feedback/streams/tokeniser.h"

namespace memprof::cli {
namespace {

using streams::Extent;
using streams::HotStream;
using streams::Symbol;

// Members of streams are places, but for the naming by group.
bool placed(const StreamAnalysis& a) { return a.naming != streams::Naming::group; }

// Streams whose members lie in more than twice the blocks that they need are packed badly.
constexpr double k_bad_packing = 0.5;
// Places in a text have 32 bits.
constexpr std::uint64_t k_most_accesses = ~std::uint32_t{0};
// A successor after at least half of the occurrences is worth a fetch.
constexpr double k_heavy_edge = 0.5;

double skew_of(const std::vector<streams::NameRow>& names) {
  std::vector<std::uint64_t> counts;
  for (const streams::NameRow& name : names) counts.push_back(name.references);
  return streams::reference_skew(std::move(counts));
}

std::vector<Extent> extents_of(const std::vector<streams::NameRow>& names) {
  std::vector<Extent> out;
  for (const streams::NameRow& name : names) out.push_back(name.extent);
  return out;
}

std::vector<Extent> members_of(const HotStream& stream, const std::vector<Extent>& extents) {
  std::vector<Symbol> members = stream.names;
  std::sort(members.begin(), members.end());
  members.erase(std::unique(members.begin(), members.end()), members.end());
  std::vector<Extent> out;
  for (const Symbol name : members) out.push_back(extents[name]);
  return out;
}

streams::Grammar sequitur_of(const std::vector<Symbol>& text) {
  streams::Sequitur sequitur;
  sequitur.append(text.data(), text.size());
  return sequitur.grammar();
}

std::vector<HotStream> whole_rules(const streams::TextIndex& text, streams::HeatThreshold threshold) {
  std::vector<std::vector<Symbol>> words;
  for (streams::HotRule& rule : streams::hot_rules(sequitur_of(text.text()), threshold, {}))
    words.push_back(std::move(rule.names));
  return streams::count_streams(text, std::move(words));
}

// A text that grows, and its grammar, which another thread makes of what is there already.
class GrowingText {
 public:
  explicit GrowingText(std::uint64_t most) { text_.reserve(most); }
  void push_back(Symbol name) {
    text_.push_back(name);
    if (text_.size() - given_ == k_piece) give();
  }
  streams::TextIndex index() {
    give();
    if (work_.valid()) work_.get();
    return {grammar_.finish(), std::move(text_)};
  }

 private:
  static constexpr std::size_t k_piece = 1 << 20;
  void give() {
    if (work_.valid()) work_.get();
    work_ = std::async(std::launch::async, [this, from = text_.data() + given_, count = text_.size() - given_] {
      grammar_.append(from, count);
    });
    given_ = text_.size();
  }
  std::vector<Symbol> text_;  // never moved
  std::size_t given_ = 0;
  streams::BlockGrammar grammar_;
  std::future<void> work_;
};

// The median by heat.
double weighted_median(std::vector<std::pair<double, std::uint64_t>> values) {
  std::sort(values.begin(), values.end());
  std::uint64_t all = 0, sum = 0;
  for (const auto& [value, heat] : values) all += heat;
  for (const auto& [value, heat] : values)
    if ((sum += heat) * 2 >= all) return value;
  return 0;
}

void advise(StreamAnalysis& a) {
  if (!placed(a)) return;
  std::vector<std::pair<double, std::uint64_t>> intervals;
  for (const StreamRow& row : a.rows) intervals.emplace_back(row.stream.interval(), row.stream.heat());
  const double median = weighted_median(std::move(intervals));
  std::vector<std::uint64_t> heaviest(a.rows.size(), 0);
  for (const auto& e : a.graph.edges)
    if (e.from != e.to) heaviest[e.from] = std::max(heaviest[e.from], e.weight);
  for (std::size_t i = 0; i < a.rows.size(); i++) {
    StreamRow& row = a.rows[i];
    const bool target = static_cast<double>(row.stream.names.size()) >= a.locality.spatial &&
                        row.stream.interval() >= median &&
                        row.packing.efficiency() < k_bad_packing;
    if (!target) continue;
    if (row.clustered.efficiency() >= k_bad_packing)
      row.advice = StreamAdvice::cluster;
    else if (static_cast<double>(heaviest[i]) >=
             k_heavy_edge * static_cast<double>(row.stream.occurrences))
      row.advice = StreamAdvice::fetch_next;
    else
      row.advice = StreamAdvice::fetch_rest;
  }
}

void add_rows(StreamAnalysis& a, std::vector<HotStream> found) {
  const std::vector<Extent> extents = extents_of(a.names);
  std::vector<Extent> moved = extents;
  const auto places = streams::clustered_addresses(found, extents);
  for (std::size_t i = 0; i < moved.size(); i++)
    if (places[i] != 0) moved[i].address = places[i];
  std::vector<bool> members(extents.size());
  double heat = 0;
  for (HotStream& stream : found) {
    for (const Symbol name : stream.names) members[name] = true;
    StreamRow& row = a.rows.emplace_back();
    if (placed(a)) {
      row.packing = streams::packing(members_of(stream, extents));
      row.clustered = streams::packing(members_of(stream, moved));
    }
    heat += static_cast<double>(stream.heat());
    a.packing += static_cast<double>(stream.heat()) * row.packing.efficiency();
    row.stream = std::move(stream);
  }
  if (heat != 0) a.packing /= heat;
  a.members = static_cast<std::uint64_t>(std::count(members.begin(), members.end(), true));
}

std::vector<HotStream> streams_of(const StreamAnalysis& a) {
  std::vector<HotStream> out;
  for (const StreamRow& row : a.rows) out.push_back(row.stream);
  return out;
}

// Accesses by thread. What a block claims is compared with its grammar: memory is taken for it.
feedback::Result<std::map<std::uint32_t, std::uint64_t>> threads_of(const StreamProfile& profile) {
  std::map<std::uint32_t, std::uint64_t> accesses;
  for (const streams::Block& block : profile.file().blocks()) {
    if (block.kind != streams::BlockKind::grammar || block.dimension != streams::Dimension::site)
      continue;
    const auto grammar = streams::decode(block.payload, profile.file().path());
    if (!grammar) return grammar.error();
    if (grammar->expanded_lengths()[0] != block.count)
      return feedback::Error{feedback::Error::Kind::corrupt, profile.file().path(), "",
                             "a grammar is of another length"};
    accesses[block.thread] += block.count;
  }
  return accesses;
}

std::uint32_t busiest_thread(const std::map<std::uint32_t, std::uint64_t>& accesses) {
  std::uint32_t busiest = 0;
  std::uint64_t most = 0;
  for (const auto& [thread, count] : accesses)
    if (count > most) most = count, busiest = thread;
  return busiest;
}

// Calls fn(const Reference&, name) for those that have a name.
template <typename Fn>
feedback::Status for_each_name(const StreamProfile& profile, std::uint32_t thread, streams::NameTable& names,
                               Fn&& fn) {
  constexpr std::size_t k_far = 16, k_near = 8;  // references ahead
  return for_each_reference_piece(profile, thread, [&](const std::vector<Reference>& piece) {
    for (std::size_t i = 0; i < piece.size(); i++) {
      if (i + k_far < piece.size()) names.prefetch(piece[i + k_far].access);
      if (i + k_near < piece.size()) names.prefetch_row(piece[i + k_near].access);
      const Symbol name = names.name(piece[i].access, piece[i].bytes);
      if (name != streams::NameTable::k_none) fn(piece[i], name);
    }
  });
}

// The text, its names, and the skew of both.
feedback::Status read_text(const StreamProfile& profile, const StreamQuestion& question,
                           std::uint64_t accesses, StreamAnalysis& a) {
  streams::NameTable names(question.naming, profile.objects());
  streams::NameTable addresses(streams::Naming::address, profile.objects());
  std::vector<std::uint64_t> sites;
  GrowingText growing(accesses);
  const auto status = for_each_name(profile, a.thread, names, [&](const Reference& reference, Symbol name) {
    growing.push_back(name);
    if (question.addresses) addresses.name(reference.access, reference.bytes);
    const std::uint32_t site = reference.access.site;
    if (site >= sites.size()) sites.resize(site + 1, 0);
    sites[site]++;
  });
  if (!status) return status;
  a.text = std::make_shared<const streams::TextIndex>(growing.index());
  a.names = names.rows();
  a.skew_names = skew_of(a.names);
  a.skew_addresses = skew_of(addresses.rows());
  std::erase(sites, 0u);
  a.skew_sites = streams::reference_skew(std::move(sites));
  return status;
}

// References to the heap and to global variables apart, as in the paper's first table.
void add_memory(const StreamProfile& profile, StreamAnalysis& a) {
  for (const streams::NameRow& row : a.names) {
    const feedback::Group* group = profile.group(row.group);
    if (group == nullptr) continue;
    MemoryReferences* const sum = group->kind == feedback::GroupKind::heap     ? &a.heap
                                  : group->kind == feedback::GroupKind::global ? &a.global
                                                                               : nullptr;
    if (sum == nullptr) continue;
    sum->references += row.references;
    sum->names++;
  }
}

void add_levels(const StreamQuestion& question, StreamAnalysis& a) {
  std::vector<std::uint64_t> references;  // of the streams of the level below
  for (const StreamRow& row : a.rows) references.push_back(row.stream.names.size());
  const std::vector<Symbol>* text = &a.reduced.tokens;
  a.levels.reserve(question.levels);
  while (a.levels.size() < question.levels) {
    a.levels.push_back(streams::stream_level(*text, references, question.coverage));
    text = &a.levels.back().reduced.tokens;
    references = a.levels.back().references;
  }
}

// Everything that is said of streams that were found.
void add_streams(const StreamQuestion& question, std::vector<HotStream> found, StreamAnalysis& a) {
  const streams::TextIndex& text = *a.text;
  a.locality = streams::inherent_locality(found);
  const streams::StreamTokens tokens(text, found);
  auto reduced = std::async(std::launch::async, [&] { return streams::reduce(text, tokens.tokeniser()); });
  add_rows(a, std::move(found));
  a.reduced = reduced.get();
  for (Symbol& token : a.reduced.tokens) token = tokens.number(token);
  std::future<void> sizes;
  if (question.grammars)
    sizes = std::async(std::launch::async, [&] {
      a.wps0 = streams::sizes(sequitur_of(text.text()));
      a.wps1 = streams::sizes(sequitur_of(a.reduced.tokens));
    });
  a.graph = streams::flow_graph(a.reduced.tokens, a.rows.size());
  if (sizes.valid()) sizes.get();
  advise(a);
}

}  // namespace

const char* name(StreamAdvice advice) {
  static constexpr const char* names[] = {"-", "cluster", "fetch-next", "fetch-rest"};
  return names[static_cast<unsigned>(advice)];
}

feedback::Result<StreamAnalysis> analyse_streams(const StreamProfile& profile,
                                                 const StreamQuestion& question) {
  StreamAnalysis a;
  a.naming = question.naming;
  const auto counted = threads_of(profile);
  if (!counted) return counted.error();
  const std::map<std::uint32_t, std::uint64_t>& threads = *counted;
  a.thread = question.thread ? *question.thread : busiest_thread(threads);
  const auto accesses = threads.find(a.thread);
  if (accesses != threads.end() && accesses->second >= k_most_accesses)
    return feedback::Error{feedback::Error::Kind::usage, profile.row().file, "",
                           "more than 2^32 - 2 accesses of a thread: record less (streams=stop=N)"};
  if (const auto status = read_text(profile, question, accesses == threads.end() ? 0 : accesses->second, a); !status)
    return status.error();
  a.found = streams::exploitable_streams(*a.text, question.coverage);
  std::vector<HotStream> found = std::move(a.found.streams);
  if (question.fast)
    found = whole_rules(*a.text, {a.found.multiple * a.found.references, a.found.names});
  add_memory(profile, a);
  add_streams(question, std::move(found), a);
  add_levels(question, a);
  return a;
}

feedback::Result<std::vector<streams::Misses>> cache_potential(
    const StreamProfile& profile, const StreamAnalysis& a,
    const std::vector<std::uint64_t>& sizes) {
  std::vector<streams::CachePotential> caches;
  for (const std::uint64_t size : sizes) caches.emplace_back(size);
  const std::vector<HotStream> found = streams_of(a);
  const auto places = streams::clustered_addresses(found, extents_of(a.names));
  const streams::StreamTokens tokens(*a.text, found);
  const streams::Tokeniser& tokeniser = tokens.tokeniser();
  streams::NameTable names(a.naming, profile.objects());
  struct Waiting {
    Symbol name;
    std::uint64_t address;
  };
  std::deque<Waiting> waiting;  // whether they are in a stream is not known yet
  const auto emit = [&](std::uint32_t token, std::uint32_t count) {
    for (; count > 0; count--) {
      const Waiting w = waiting.front();
      waiting.pop_front();
      const std::uint64_t place = places[w.name];
      const std::uint64_t moved =
          place == 0 ? w.address : place + (w.address - a.names[w.name].extent.address);
      for (streams::CachePotential& cache : caches)
        cache.reference(w.address, moved, token != streams::Tokeniser::k_cold);
    }
  };
  streams::Tokeniser::State state = streams::Tokeniser::k_start;
  const auto status = for_each_name(profile, a.thread, names, [&](const Reference& reference, Symbol name) {
    waiting.push_back({name, reference.access.address});
    state = tokeniser.step(state, name, emit);
  });
  if (!status) return status.error();
  tokeniser.end(state, emit);
  std::vector<streams::Misses> out;
  for (const streams::CachePotential& cache : caches) out.push_back(cache.misses());
  return out;
}

double stability(const StreamProfile& profile_a, const StreamAnalysis& a,
                 const StreamProfile& profile_b, const StreamAnalysis& b) {
  const auto places = [](const StreamProfile& profile, const StreamAnalysis& analysis,
                         const StreamRow& row) {
    std::string out;
    for (const Symbol name : row.stream.names) {
      const ProfileView::SiteRef* site = profile.site(analysis.names[name].site);
      out += (site == nullptr ? "?" : ProfileView::where(*site)) + '\n';
    }
    return out;
  };
  std::set<std::string> known;
  for (const StreamRow& row : b.rows) known.insert(places(profile_b, b, row));
  double all = 0, same = 0;
  for (const StreamRow& row : a.rows) {
    const auto heat = static_cast<double>(row.stream.heat());
    all += heat;
    if (known.contains(places(profile_a, a, row))) same += heat;
  }
  return all == 0 ? 0 : same / all;
}

}  // namespace memprof::cli
