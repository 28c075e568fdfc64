// tokeniser.cc - a text cut up into hot streams and cold names.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "feedback/streams/tokeniser.h"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace memprof::streams {

Tokeniser::Tokeniser(const std::vector<Symbol>& text, std::vector<Word> words)
    : text_(text.data()), words_(std::move(words)) {
  if (words_.size() >= std::size_t{1} << 26) throw std::length_error("too many streams");
  // first[n]: the first word that shares n names with the last one.
  std::array<std::uint32_t, 128> first{};
  const Symbol* before = nullptr;
  std::uint32_t length = 0;
  for (std::uint32_t w = 0; w < words_.size(); w++) {
    const Symbol* const names = text_ + words_[w].at;
    std::uint32_t same = 0;
    const std::uint32_t most = std::min(length, words_[w].length);
    while (same < most && names[same] == before[same]) same++;
    if (same == 0) {
      if (names[0] >= first_.size()) first_.resize(names[0] + 1, k_none);
      first_[names[0]] = w;
    } else {
      branches_.add(key(at(first[same], same), names[same]), w);
    }
    before = names;
    length = words_[w].length;
    std::fill(first.begin() + same + 1, first.begin() + length + 1, w);
  }
}

namespace {

struct CoveredSum {
  using Sum = std::uint64_t;
  static void add(Sum& sum, std::uint32_t token, std::uint32_t names) {
    if (token != Tokeniser::k_cold) sum += names;
  }
  void append(Sum& sum, std::uint32_t number) const { sum += sums[number]; }
  std::uint32_t close(Sum sum) {
    sums.push_back(sum);
    return static_cast<std::uint32_t>(sums.size() - 1);
  }
  std::vector<Sum> sums;
};

}  // namespace

std::uint64_t covered_names(const TextIndex& text, const Tokeniser& tokeniser) {
  CoveredSum fold;
  return RuleReader(text, tokeniser, fold).read();
}

}  // namespace memprof::streams
