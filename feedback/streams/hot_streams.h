// hot_streams.h - hot data streams: short sequences of references that come again and again.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Vocabulary (Chilimbi, PLDI 2001):
//
//   text          the sequence of references, each a name (a terminal of its grammar, WPS0)
//   occurrences   of a sequence in the text: from left to right, without overlap
//   regular       with two occurrences at least
//   heat          length times occurrences
//   hot stream    a regular sequence of 2 to 100 names whose heat reaches a threshold
//   minimal       no shorter sequence that it begins with is hot
//   coverage      share of the text that is in hot streams when it is cut up from left to right,
//                 each time as a stream that fits there, or else as one cold name
//   uniform       references per name: the threshold is a multiple of it
//
//     text       a b c a b c d e f a b c g a b c f a b c d a b c
//     threshold  15:  abc, six times, heat 18; coverage 18 / 24
//
// Of all multiples the largest is taken whose minimal streams still cover 90 % of the text
// (exploitable_streams). The paper calls it the smallest; but the larger, the more regular.
#pragma once

#include <cstdint>
#include <vector>

#include "feedback/streams/text_index.h"
#include "feedback/streams/tokeniser.h"
#include "feedback/streams/windows.h"

namespace memprof::streams {

struct HotStream {
  std::vector<Symbol> names;
  std::uint64_t occurrences = 0;
  std::uint64_t first = 0, last = 0;  // where the first and the last occurrence begin
  std::uint64_t heat() const { return names.size() * occurrences; }
  // References between an occurrence and the next, on average.
  double interval() const {
    if (occurrences < 2) return 0;
    return static_cast<double>(last - first - (occurrences - 1) * names.size()) /
           static_cast<double>(occurrences - 1);
  }
};

// The minimal hot streams, hottest first (ties: by names).
std::vector<HotStream> minimal_hot_streams(const TextIndex& text, HeatThreshold threshold,
                                           Lengths lengths = {});

// The same of given ones, whatever their heat; what begins with another one is left out.
std::vector<HotStream> count_streams(const TextIndex& text,
                                     std::vector<std::vector<Symbol>> streams);

struct CoveragePoint {
  std::uint64_t multiple;
  std::size_t streams;
  double coverage;
};

struct ExploitableStreams {
  std::uint64_t references = 0, names = 0;  // of the text
  std::uint64_t multiple = 0;               // of the uniform access
  double coverage = 0;
  std::vector<HotStream> streams;
  std::vector<CoveragePoint> curve;  // all multiples that were tried, rising
};
// The largest multiple is searched for by doubling, then downwards in steps of a 16th; where coverage is not
// monotone, also above the largest power of two that covers enough, if one comes near (0.1) or the text has at most
// 65,536 names.
// Throws std::length_error if there are too many streams.
ExploitableStreams exploitable_streams(const TextIndex& text, double coverage = 0.9,
                                       Lengths lengths = {});

// Cuts a text up into STREAMS, whose numbers are tokens. They must have been found in that text.
class StreamTokens {
 public:
  StreamTokens(const TextIndex& text, const std::vector<HotStream>& streams);
  const Tokeniser& tokeniser() const { return tokeniser_; }
  // Of a token of the tokeniser.
  std::uint32_t number(std::uint32_t token) const { return order_[token]; }

 private:
  std::vector<std::uint32_t> order_;
  Tokeniser tokeniser_;
};

// Whole rules as hot streams (Chilimbi and Hirzel, PLDI 2002): fast, and only those that Sequitur
// happens to have made rules of.
struct HotRule {
  std::uint64_t heat;
  std::vector<Symbol> names;
};
std::vector<HotRule> hot_rules(const Grammar& grammar, HeatThreshold threshold, Lengths lengths);

// Means weighted by heat: of the length (inherent spatial locality), of the interval (inherent
// temporal locality).
struct InherentLocality {
  double spatial = 0, temporal = 0;
};
InherentLocality inherent_locality(const std::vector<HotStream>& streams);

// Share of names, the most frequent ones, to which SHARE of all references go.
double reference_skew(std::vector<std::uint64_t> counts, double share = 0.9);

}  // namespace memprof::streams
