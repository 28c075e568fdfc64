// flow_graph.h - which hot stream follows which: the stream flow graph (SFG).
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A text of references becomes a text of streams: each stream one token, cold references left
// out. Again a grammar of that is WPS1. The graph has a node for each stream and an edge for each
// pair that follows each other, with how often.
//
//     ab ab xy cab     ->  tokens 0 0 1     edges 0 -> 0 (1), 0 -> 1 (1)
//
// Paper: Chilimbi, PLDI 2001, section 3.3.
#pragma once

#include <cstdint>
#include <vector>

#include "feedback/streams/grammar.h"
#include "feedback/streams/tokeniser.h"

namespace memprof::streams {

struct ReducedText {
  std::vector<Symbol> tokens;
  std::uint64_t covered = 0;  // references in them
};
ReducedText reduce(const TextIndex& text, const Tokeniser& tokeniser);

struct FlowGraph {
  struct Edge {
    std::uint32_t from, to;
    std::uint64_t weight;
  };
  std::vector<Edge> edges;  // by both ends
  // Of each stream, the last stream that every path from the first token to it passes: there a fetch
  // of it could begin. Its own number for the first token, and for what is not reached.
  std::vector<std::uint32_t> dominators;
};
// TOKENS are below STREAMS.
FlowGraph flow_graph(const std::vector<Symbol>& tokens, std::size_t streams);

}  // namespace memprof::streams
