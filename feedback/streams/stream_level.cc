// stream_level.cc - a text of hot streams, taken as a text again: hot streams of streams.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "feedback/streams/stream_level.h"

#include "feedback/streams/block_grammar.h"
#include "feedback/streams/sequitur.h"

namespace memprof::streams {
namespace {

TextIndex index_of(const std::vector<Symbol>& tokens) {
  BlockGrammar blocks;
  blocks.append(tokens.data(), tokens.size());
  return {blocks.finish(), tokens};
}

GrammarSizes sequitur_sizes(const std::vector<Symbol>& tokens) {
  Sequitur sequitur;
  sequitur.append(tokens.data(), tokens.size());
  return sizes(sequitur.grammar());
}

}  // namespace

StreamLevel stream_level(const std::vector<Symbol>& tokens,
                         const std::vector<std::uint64_t>& references, double coverage) {
  StreamLevel level;
  level.wps = sequitur_sizes(tokens);
  const TextIndex text = index_of(tokens);
  level.found = exploitable_streams(text, coverage);
  for (const HotStream& stream : level.found.streams) {
    std::uint64_t& sum = level.references.emplace_back(0);
    for (const Symbol name : stream.names) sum += references[name];
  }
  const StreamTokens numbers(text, level.found.streams);
  level.reduced = reduce(text, numbers.tokeniser());
  for (Symbol& token : level.reduced.tokens) {
    token = numbers.number(token);
    level.covered += level.references[token];
  }
  level.graph = flow_graph(level.reduced.tokens, level.found.streams.size());
  return level;
}

}  // namespace memprof::streams
