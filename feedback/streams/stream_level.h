// stream_level.h - a text of hot streams, taken as a text again: hot streams of streams.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// References that come in streams become a text of streams (flow_graph.h), a tenth as long. Streams,
// too, come in the same order again and again, so that text has hot streams as well, which
// say what the program does in larger steps: walk this list, then that one, then look up.
//
//     level 0   text of references      WPS0   hot streams of references   SFG0
//     level 1   text of these streams   WPS1   hot streams of streams      SFG1
//     level 2   text of those           ...
//
//     references  a b c a b c d e a b c a b c d e ...     level 0: X = a b c, Y = d e
//     streams     X X Y X X Y ...                         level 1: X X Y
//
// Each level is found by the same rule, of its own text: the largest multiple of the uniform access
// at which streams cover 90 % of that text. What is cold at a level is missing above it, so
// level i has some 0.9^(i+1) of the references.
//
// What it does not do: what a stream of a level costs in cache blocks. That is asked of its
// references.
//
// Paper: Chilimbi, PLDI 2001, section 3.3: WPS(i), hot data streams(i), SFG(i).
#pragma once

#include <cstdint>
#include <vector>

#include "feedback/streams/flow_graph.h"
#include "feedback/streams/hot_streams.h"

namespace memprof::streams {

struct StreamLevel {
  GrammarSizes wps;  // Sequitur's grammar of the text
  // Names are numbers of streams of the level below; hottest first.
  ExploitableStreams found;
  std::vector<std::uint64_t> references;  // of level 0 that are in each of these streams
  // The text of the next level: numbers of these streams. `covered' counts in streams of the level below.
  ReducedText reduced;
  std::uint64_t covered = 0;  // references of level 0
  FlowGraph graph;
};

// Of TOKENS, the text of streams of the level below, whose REFERENCES are those of level 0.
StreamLevel stream_level(const std::vector<Symbol>& tokens,
                         const std::vector<std::uint64_t>& references, double coverage = 0.9);

}  // namespace memprof::streams
