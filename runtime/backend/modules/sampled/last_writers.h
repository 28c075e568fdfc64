// last_writers.h - sample mode: the site that stored to a word last, as far as bursts know.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The problem: a burst has a load whose word was stored to long before. Maybe an earlier burst,
// or an early one, has seen that store; but others may have been there since, unseen.
//
// The idea: what is seen of other words tells how long a store's word lasts.
//
//   1. For each word that bursts have stored to, the last such store is kept: its site, and
//      when; once for all words of 8 aligned bytes that it has stored to, until others
//      store to some of them.
//   2. When a store meets a word that was kept, the word's life is over. Lives are counted for
//      each site and field (or for all elements of arrays), by age in powers of two, as in
//      a life table: one store of N is seen, so each counts as N deaths; and
//      whose store it was is counted, too.
//   3. A load that meets a word that was kept reads what its site left, with the chance
//      that a life lasts so long; otherwise what the next stores there left.
//      A site that must not be read, as far as the language says, has not stored it.
//   4. How many words of each of these sites the load has surely met, by 3 and within
//      bursts, as a share of what the site has stored, is how likely each of them is.
//
//     n = calloc (1, sizeof *n);       burst 1     site 1 stores to n->next of node A
//     n->next = NULL;         // 1     burst 2     site 2 stores to n->next of node B, which
//     ...                                          site 1 had in burst 1: lives of 1 are short
//     last->next = n;         // 2     burst 3     site 3 loads A's n->next: hardly what 1
//     ...                                          left, since then it would be old. It was 2
//     while (n) n = n->next;  // 3
//
// The estimator of 2 is Kaplan's and Meier's (Nonparametric Estimation from Incomplete
// Observations, JASA 1958).
//
// Bounds: k_max_pieces such stores, the first ones.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "feedback/flat_map.h"
#include "runtime/backend/base/reducers.h"
#include "runtime/backend/base/reducing_map.h"
#include "runtime/backend/event/module.h"
#include "runtime/backend/modules/sampled/array_history.h"
#include "runtime/backend/modules/sampled/word_table.h"

namespace memprof::backend {

class LastWriters {
 public:
  static constexpr std::size_t k_max_pieces = std::size_t{1} << 20;
  // At least this number is looked at in the end: they represent all.
  static constexpr std::size_t k_settled = std::size_t{1} << 15;
  static constexpr std::uint32_t k_array = ~std::uint32_t{0};

  static constexpr std::uint64_t k_word = 2;  // bytes

  // Words that lie in 8 aligned bytes.
  static constexpr unsigned k_piece = 4;
  // A field mostly has at most this number of them, unless it has all.
  static constexpr unsigned k_field = 2;
  struct Piece {
    std::uint64_t word;
    unsigned words = 1;

    std::uint32_t mask() const { return ((1u << words) - 1) << word % k_piece; }
  };
  // Bits of a mask of words: the processor's instruction is not there on all machines.
  static unsigned count(std::uint32_t mask) {
    static_assert(k_piece == 4);
    return 0x4332322132212110u >> mask * 4 & 7;
  }
  // Calls fn(Piece) for the words from FIRST to LAST.
  template <typename Fn>
  static void for_pieces(std::uint64_t first, std::uint64_t last, Fn&& fn) {
    for (std::uint64_t w = first, next; w <= last; w = next) {
      next = std::min(last, w | (k_piece - 1)) + 1;
      fn(Piece{w, static_cast<unsigned>(next - w)});
    }
  }
  // Where a piece lies; part: which field its first word is in, or k_array.
  struct Where {
    GroupId group;
    std::uint32_t object, part;
  };
  // Loads of one field, or of arrays, in a group.
  struct Loads {
    SiteId load;
    GroupId group;
    std::uint32_t part;
    auto operator<=>(const Loads&) const = default;
  };
  struct Answer {
    double words = 0;                                // that have met something
    std::vector<std::pair<SiteId, double>> sources;  // sites that stored them
  };

  explicit LastWriters(const ProgramInfo& program) : program_(program) {}

  // The site that was seen to be the last to store to a word.
  ArrayHistory::Seen seen(std::uint64_t word, const Where& where) {
    ArrayHistory::Seen seen;
    const std::uint32_t bit = Piece{word}.mask();
    kept_.for_each_of(key_of_word(word), [&](const Kept& kept) {
      if ((kept.mask & bit) != 0 && in_object_p(kept, where))
        seen = {lives_[kept.life].site, kept.clock, kept.times};
    });
    return seen;
  }
  // Asks for what is known of a word.
  void prefetch(std::uint64_t word) const { kept_.prefetch(key_of_word(word)); }
  // Site SITE stores to a piece at place number CLOCK; one in ONE_IN such stores is seen.
  void store(const Piece& piece, SiteId site, const Where& where, std::uint64_t clock,
             double one_in);
  // A load, with the number that it represents: which words of a piece meet something, a bit
  // each from the first one on.
  std::uint32_t load(SiteId site, const Piece& piece, const Where& where, std::uint64_t clock,
                     std::uint64_t weight);
  // A load that reads what SOURCE has stored in the same burst: it counts for 4 only.
  void near(SiteId site, SiteId source, const Where& where, std::uint64_t weight);
  // After all others. Bursts saw one store of ONE_IN.
  void settle(std::uint64_t clock, std::uint64_t one_in);
  const std::map<Loads, Answer>& answers() const { return answers_; }
  // The one for LOADS; a load that is wider than a field has it under its first field.
  const Answer* answer_for(Loads loads) const;

 private:
  static constexpr unsigned k_ages = 48;  // powers of two
  // What is not known of a load and a site counts as this number of words that it has met.
  static constexpr double k_unknown = 0.03;
  // This number of lives of fields differ from the others.
  static constexpr double k_odd = 0.2;

  // Some words of 8 aligned bytes; no other has them.
  struct Kept {
    std::uint64_t word, clock;  // the former: which 8 bytes, see key_of_word()
    std::uint32_t object, life;
    std::uint32_t times : 28;  // when some store was seen
    std::uint32_t mask : k_piece;

    unsigned words() const { return count(mask); }
  };
  // Of what a site has stored to a field of a group, or to arrays.
  struct Life {
    SiteId site;
    GroupId group;
    std::uint32_t part;
    std::uint32_t field = 0;            // number of group and part; at the end
    double stores = 0;                  // that were seen; at the end, how many they represent
    std::array<float, k_ages> ended{};  // by age: those that were seen for so long
    // Of those, as far as bursts tell; at the end the chance to be alive.
    std::array<float, k_ages> died{};
    std::vector<std::pair<std::uint32_t, float>> next;  // whose life began then; at the end: shares

    double alive(unsigned years) const { return double{died[years]}; }
  };

  static std::uint64_t key_of_word(std::uint64_t word) { return word / k_piece + 1; }
  static unsigned age(std::uint64_t from, std::uint64_t to) {
    const unsigned bits = to > from ? static_cast<unsigned>(std::bit_width(to - from)) : 0;
    return bits < k_ages ? bits : k_ages - 1;
  }
  bool in_object_p(const Kept& kept, const Where& where) const {
    return kept.object == where.object && lives_[kept.life].group == where.group;
  }
  std::uint32_t life_of(SiteId site, GroupId group, std::uint32_t part);
  void end_life(Kept& kept, std::uint32_t next, std::uint64_t clock, double one_in,
                double words);
  void store_to(Kept& kept, std::uint32_t life, const Where& where, std::uint64_t clock,
                double one_in);
  // By load, life and age: words that a load has met.
  using MetMap = ReducingMap<std::uint64_t, Sum>;
  using Met = std::pair<std::uint64_t, Sum>;
  // Whose a word is, by number of a life.
  using Chances = std::vector<std::pair<std::uint32_t, double>>;
  // Of all lives of a field of a group, or of its arrays.
  struct Field {
    double stores = 0;
    // Of one load.
    double sure = 0, met = 0;
    Answer* answer = nullptr;
  };
  struct LifeKey {
    SiteId site;
    GroupId group;
    std::uint32_t part;
    bool operator==(const LifeKey&) const = default;
  };
  struct HashOfLife {
    std::size_t operator()(const LifeKey& key) const;
  };
  void note_next(Life& life, std::uint32_t next, double words);
  void count_chances(double one_in);
  const Chances& chances_at(std::uint32_t number, unsigned years);
  void add_chance(Chances& chances, std::uint32_t number, double chance);
  void add_sure(std::uint32_t life, double words);
  Answer& answer_of(SiteId load, const Life& life);
  void count_answers(SiteId load, std::span<const Met> near, std::span<const Met> met,
                     double one_in);

  const ProgramInfo& program_;
  WordTable<Kept> kept_;
  std::vector<Kept> rest_;  // what a store leaves of others
  std::deque<Life> lives_;
  feedback::FlatMap<LifeKey, std::uint32_t, HashOfLife> life_numbers_;
  MetMap met_, near_;
  // At the end.
  std::vector<Field> fields_;
  feedback::FlatMap<std::uint64_t, Chances> chances_;  // by life and age
  // Of one load, by number of a life: words that it has surely met, or probably.
  std::vector<double> sure_, sources_;
  std::vector<std::uint32_t> places_;  // in the chances that are added up, from 1
  std::map<Loads, Answer> answers_;
};

}  // namespace memprof::backend
