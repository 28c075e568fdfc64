// stream_analysis.h - hot data streams of a profile, and what is to be said of them.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// One thread is looked at, that with the most accesses unless another one is asked for; threads
// are never mixed. Accesses to stacks are left out.
//
//   1. every access gets a name, and the names a grammar, in which streams are found. (The paper's
//      WPS0 is Sequitur's; that is made only if its size is wanted.)
//   2. the minimal hot streams at the exploitable threshold
//   3. the text of streams, its grammar (WPS1) and the stream flow graph
//   4. hot streams of that text, and so on, if they are asked for (stream_level.h)
//   5. packing of each stream, and by that and its interval what could be done about it
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "consumers/cli/stream_profile.h"
#include "feedback/streams/cache_potential.h"
#include "feedback/streams/flow_graph.h"
#include "feedback/streams/hot_streams.h"
#include "feedback/streams/naming.h"
#include "feedback/streams/stream_level.h"

namespace memprof::cli {

struct StreamQuestion {
  streams::Naming naming = streams::Naming::field;
  std::optional<std::uint32_t> thread;
  double coverage = 0.9;
  bool fast = false;  // whole rules only
  bool addresses = false;  // skew_addresses is wanted
  std::size_t levels = 0;  // of streams of streams
  bool grammars = false;   // wps0 and wps1 are wanted, which take longer than all else
};

// What could be done about a stream that is long, comes back late and is packed badly (section 5.3 of
// the paper).
enum class StreamAdvice : std::uint8_t {
  none,         // short, often repeated, or well packed
  cluster,      // allocate its objects together
  fetch_next,   // fetch the stream that follows it
  fetch_rest    // fetch its rest once its head was seen
};
const char* name(StreamAdvice advice);

struct StreamRow {
  streams::HotStream stream;
  streams::Packing packing, clustered;  // as it is, and with all streams clustered
  StreamAdvice advice = StreamAdvice::none;
};

// Of the names in one kind of memory.
struct MemoryReferences {
  std::uint64_t references = 0, names = 0;
};

struct StreamAnalysis {
  std::uint32_t thread = 0;
  streams::Naming naming{};
  std::shared_ptr<const streams::TextIndex> text;  // of names
  streams::GrammarSizes wps0, wps1;   // 0: not wanted
  streams::ExploitableStreams found;  // without its streams, which are in rows
  std::vector<StreamRow> rows;        // hottest first
  std::vector<streams::NameRow> names;
  MemoryReferences heap, global;
  streams::ReducedText reduced;       // tokens are numbers of rows
  streams::FlowGraph graph;
  std::vector<streams::StreamLevel> levels;  // from level 1 on, as many as were asked for
  streams::InherentLocality locality;
  double packing = 0;                 // mean by heat
  std::uint64_t members = 0;          // names in streams
  // Share that gets 90 % of the references.
  double skew_names = 0, skew_sites = 0, skew_addresses = 0;
};

feedback::Result<StreamAnalysis> analyse_streams(const StreamProfile& profile,
                                                 const StreamQuestion& question);

// One per cache size, in bytes.
feedback::Result<std::vector<streams::Misses>> cache_potential(
    const StreamProfile& profile, const StreamAnalysis& analysis,
    const std::vector<std::uint64_t>& sizes);

// Share of the heat of A's streams whose places in the source, in their order, are those of a
// stream of B as well.
double stability(const StreamProfile& profile_a, const StreamAnalysis& a,
                 const StreamProfile& profile_b, const StreamAnalysis& b);

}  // namespace memprof::cli
