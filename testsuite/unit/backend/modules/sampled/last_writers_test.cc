// last_writers_test.cc - which site was the last to store to a word, against lists of all events.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/modules/sampled/last_writers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <random>
#include <set>
#include <tuple>
#include <vector>

#include "feedback/flat_map.h"
#include "runtime/backend/modules/sampled/word_table.h"
#include "testsuite/unit/backend/backend_testutil.h"

namespace memprof::backend {
namespace {

// Words that a load counts as having met of each site: what is not known.
constexpr double k_unknown = 0.03;

constexpr std::uint32_t k_next = 2;  // a field
using Shares = std::map<SiteId, double>;

Shares shares(const LastWriters& writers, SiteId load, GroupId group = 7,
              std::uint32_t part = k_next) {
  const auto it = writers.answers().find({load, group, part});
  if (it == writers.answers().end()) return {};
  const auto& sources = it->second.sources;
  Shares result(sources.begin(), sources.end());
  for (auto& [site, n] : result) n /= it->second.words;
  return result;
}

// The example of the header, of many nodes: the field of each is stored to by 1 and soon by 2,
// and a tenth of the second stores is seen.
TEST(LastWriters, LivesSayWhatWasNotSeen) {
  testing::FakeProgram program;
  LastWriters writers(program);
  for (std::uint32_t node = 0; node < 1000; node++)
    writers.store({1 + node * 16}, 1, {7, node, k_next}, 100, 1);
  for (std::uint32_t node = 0; node < 1000; node += 10)
    writers.store({1 + node * 16}, 2, {7, node, k_next}, 200, 10);
  for (std::uint32_t node = 0; node < 1000; node++)
    EXPECT_TRUE(writers.load(3, {1 + node * 16}, {7, node, k_next}, 10'000, 1));
  EXPECT_FALSE(writers.load(3, {2}, {7, 0, k_next}, 10'000, 1));
  EXPECT_FALSE(writers.load(3, {1}, {7, 1, k_next}, 10'000, 1)) << "another object";
  writers.settle(20'000, 1);
  EXPECT_GT(shares(writers, 3)[2], 0.9);
}

TEST(LastWriters, WhatNoSiteStoresToAgainStays) {
  testing::FakeProgram program;
  LastWriters writers(program);
  for (std::uint32_t node = 0; node < 10; node++)
    writers.store({1 + node}, node < 9 ? 1 : 2, {7, node, k_next}, 100, 800);
  for (std::uint32_t node = 0; node < 10; node++)
    writers.load(3, {1 + node}, {7, node, k_next}, 1'000'000, 1);
  writers.settle(2'000'000, 1);
  EXPECT_EQ(shares(writers, 3), (Shares{{1, 0.9}, {2, 0.1}}));
}

// 2 has stored there since: 1 stores what 3 does not load.
TEST(LastWriters, WhatMustNotBeReadHasBeenOverwritten) {
  testing::FakeProgram program;
  program.apart = {{1, 3}};
  LastWriters writers(program);
  writers.store({1}, 1, {7, 0, k_next}, 100, 1);
  writers.store({1}, 2, {7, 0, k_next}, 200, 1);
  writers.store({2}, 1, {7, 0, k_next}, 200, 1);
  EXPECT_TRUE(writers.load(3, {2}, {7, 0, k_next}, 100'000, 1));
  EXPECT_TRUE(writers.load(4, {2}, {7, 0, k_next}, 100'000, 1));
  writers.settle(200'000, 1);
  EXPECT_EQ(shares(writers, 3), (Shares{{2, 1}}));
  EXPECT_GT(shares(writers, 4)[1], 0);
}

TEST(LastWriters, FlatMapsAgreeWithMaps) {
  struct Hash {
    std::size_t operator()(std::uint64_t key) const { return key % 16; }
  };
  feedback::FlatMap<std::uint64_t, int, Hash> flat;
  std::map<std::uint64_t, int> map;
  std::mt19937_64 random(7);
  for (int i = 0; i < 10'000; i++) {
    const std::uint64_t key = random() % 300;
    EXPECT_EQ(flat.find(key) != nullptr, map.contains(key));
    EXPECT_EQ(flat.add(key, i), map.emplace(key, i).first->second);
    flat.add(key)++;
    map[key]++;
  }
}

TEST(LastWriters, WordTablesGrowAndBeginSmallAgain) {
  struct Entry {
    std::uint64_t word, value;
  };
  WordTable<Entry> table;
  for (int round = 0; round < 2; round++) {
    for (std::uint64_t i = 1; i <= 5000; i++) EXPECT_TRUE(table.add({i * 16, i}).second);
    EXPECT_FALSE(table.add({16, 9}).second);
    std::uint64_t ahead = 0, sum = 0, all = 0, some = 0;
    table.for_each([&](const Entry&) { ahead++; }, [&](const Entry& e) { sum += e.value; });
    EXPECT_EQ(sum, 5000u * 5001 / 2);
    EXPECT_NEAR(ahead, 5000, 16);
    table.for_some(1, [&](const Entry& e) { all += e.value; });
    EXPECT_EQ(all, sum);
    table.for_some(10, [&](const Entry&) { some++; });
    EXPECT_NEAR(some, 500, 100);
    EXPECT_EQ(table.find(32)->value, 2u);
    EXPECT_EQ(table.find(33), nullptr);
    table.clear();
    EXPECT_EQ(table.find(32), nullptr);
  }
}

// From small pages to huge ones and back.
TEST(LastWriters, WordTablesMayHaveSeveralOfAWord) {
  struct Entry {
    std::uint64_t word, value;
  };
  WordTable<Entry> table;
  std::multimap<std::uint64_t, std::uint64_t> map;
  std::mt19937_64 random(7);
  for (std::uint64_t i = 0; i < 5000; i++) {
    const std::uint64_t word = 1 + random() % 2000;
    table.append({word, i});
    map.emplace(word, i);
  }
  EXPECT_EQ(table.size(), map.size());
  for (std::uint64_t word = 1; word <= 2001; word++) {
    std::multiset<std::uint64_t> found, wanted;
    table.for_each_of(word, [&](const Entry& e) { found.insert(e.value); });
    for (auto [it, end] = map.equal_range(word); it != end; ++it) wanted.insert(it->second);
    ASSERT_EQ(found, wanted) << word;
  }
  table.release();
  EXPECT_EQ(table.size(), 0u);
  EXPECT_EQ(table.find(1), nullptr);
}

TEST(LastWriters, WordTablesOfSeveralMegabytesKeepTheirWords) {
  struct Entry {
    std::uint64_t word, value;
  };
  constexpr std::uint64_t k_words = 300'000;
  WordTable<Entry> table;
  for (int round = 0; round < 2; round++) {
    for (std::uint64_t i = 1; i <= k_words; i++) ASSERT_TRUE(table.add({i * 3, i}).second);
    EXPECT_EQ(table.size(), k_words);
    for (std::uint64_t i = 1; i <= k_words; i++) ASSERT_EQ(table.find(i * 3)->value, i);
    EXPECT_EQ(table.find(3 * k_words + 3), nullptr);
    table.clear();
  }
}

// What the header says, from lists of all that has happened.
class Oracle {
 public:
  using Kind = std::tuple<SiteId, GroupId, std::uint32_t>;  // of a life
  struct Life {
    Kind kind;
    std::uint64_t from, to = 0;
    bool died = false;
    SiteId next = 0;
    double weight = 0;
  };

  explicit Oracle(const ProgramInfo& program) : program_(program) {}

  void store(std::uint64_t word, SiteId site, const LastWriters::Where& at, std::uint64_t clock,
             double one_in) {
    if (const auto it = now_.find(word); it != now_.end()) {
      Life& life = lives_[it->second];
      const bool same = objects_[word] == at.object && std::get<1>(life.kind) == at.group;
      life.to = clock;
      life.died = same && std::get<0>(life.kind) != site;
      life.next = site;
      life.weight = life.from == clock ? 1 : one_in;
    }
    now_[word] = lives_.size();
    objects_[word] = at.object;
    lives_.push_back({{site, at.group, at.part}, clock});
  }
  bool load(SiteId site, std::uint64_t word, const LastWriters::Where& at, std::uint64_t clock) {
    const auto it = now_.find(word);
    if (it == now_.end() || objects_[word] != at.object ||
        std::get<1>(lives_[it->second].kind) != at.group)
      return false;
    met_.emplace_back(site, lives_[it->second].kind,
                      bits(clock - lives_[it->second].from));
    return true;
  }
  std::map<std::tuple<SiteId, GroupId, std::uint32_t>, Shares> answers(std::uint64_t clock) {
    for (const auto& [word, number] : now_) lives_[number].to = clock;
    std::map<Kind, double> stores, all_sure;
    std::map<std::pair<GroupId, std::uint32_t>, double> all_stores;
    for (const Life& l : lives_) {
      stores[l.kind]++;
      all_stores[{std::get<1>(l.kind), std::get<2>(l.kind)}]++;
    }
    std::map<std::pair<SiteId, Kind>, double> sure;
    for (const auto& [load, kind, age] : met_) {
      sure[{load, kind}] += alive(kind, age);
      all_sure[{load, std::get<1>(kind), std::get<2>(kind)}] += alive(kind, age);
    }
    std::map<std::tuple<SiteId, GroupId, std::uint32_t>, Shares> result;
    for (const auto& [load, kind, age] : met_) {
      const auto [site, group, part] = kind;
      const double still = std::max(alive(kind, age), part == LastWriters::k_array ? 0 : 0.2);
      std::vector<std::pair<Kind, double>> chances{{kind, still}};
      if (still != 1)
        for (const auto& [next, share] : next_of(kind)) {
          const double lasts = alive(next, age == 0 ? 0 : age - 1);
          chances.emplace_back(next, (1 - still) * share * lasts);
          if (lasts != 1)
            for (const auto& [second, part2] : next_of(next))
              chances.emplace_back(second, (1 - still) * share * (1 - lasts) * part2);
        }
      const double unknown = k_unknown * (all_stores[{group, part}] + 1) /
                             std::max(all_sure[{load, group, part}], 1e-6);
      double sum = 0;
      for (auto& [k, chance] : chances) {
        chance *= (sure[{load, k}] + k_unknown) / (stores[k] + unknown);
        if (!program_.may_alias(load, std::get<0>(k))) chance = 0;
        sum += chance;
      }
      for (const auto& [k, chance] : chances)
        if (chance != 0) result[{load, group, part}][std::get<0>(k)] += chance / sum;
    }
    return result;
  }

 private:
  static unsigned bits(std::uint64_t age) { return static_cast<unsigned>(std::bit_width(age)); }

  double alive(const Kind& kind, unsigned age) const {
    double result = 1;
    bool any = false;
    for (unsigned a = 0; a <= age; a++) {
      double dying = 0, there = 0;
      for (const Life& l : lives_) {
        if (l.kind != kind) continue;
        any |= l.died;
        there += bits(l.to - l.from) >= a;
        if (l.died && bits(l.to - l.from) == a) dying += l.weight;
      }
      const double share = there > 0 ? std::min(dying / there, 1.0) : 0;
      result *= a == age ? 1 - share / 2 : 1 - share;
    }
    return any ? result : 1;
  }
  std::map<Kind, double> next_of(const Kind& kind) const {
    std::map<Kind, double> result;
    double all = 0;
    for (const Life& l : lives_)
      if (l.kind == kind && l.died) {
        result[{l.next, std::get<1>(kind), std::get<2>(kind)}] += l.weight;
        all += l.weight;
      }
    for (auto& [next, n] : result) n /= all;
    return result;
  }

  const ProgramInfo& program_;
  std::vector<Life> lives_;
  std::map<std::uint64_t, std::size_t> now_;
  std::map<std::uint64_t, std::uint32_t> objects_;
  std::vector<std::tuple<SiteId, Kind, unsigned>> met_;
};

TEST(LastWriters, AgreeWithBruteForce) {
  std::mt19937_64 random(7);
  const auto below = [&random](std::uint64_t n) { return random() % n; };
  std::size_t answers = 0;
  for (int round = 0; round < 100; round++) {
    testing::FakeProgram program;
    for (SiteId site = 1; site <= 4; site++)
      if (below(4) == 0) program.apart.insert({site, 10 + 1 + below(4)});
    LastWriters writers(program);
    Oracle oracle(program);
    std::uint64_t clock = 0;
    for (std::uint64_t i = 0, n = 20 + below(200); i < n; i++) {
      const std::uint64_t word = 1 + below(12);
      // A word is of one group, and mostly of one object.
      const LastWriters::Where at{static_cast<GroupId>(1 + word % 2),
                                  static_cast<std::uint32_t>(below(20) == 0),
                                  word % 3 == 0 ? LastWriters::k_array : k_next};
      const auto site = static_cast<SiteId>(1 + below(4));
      if (below(2)) {
        const auto one_in = static_cast<double>(1 + below(4));
        writers.store({word}, site, at, clock, one_in);
        oracle.store(word, site, at, clock, one_in);
      } else {
        EXPECT_EQ(writers.load(10 + site, {word}, at, clock, 1) != 0,
                  oracle.load(10 + site, word, at, clock));
      }
      if (below(3) == 0) clock += below(2) ? below(10) : below(1000);
    }
    writers.settle(clock, 1);
    const auto expected = oracle.answers(clock);
    ASSERT_EQ(writers.answers().size(), expected.size());
    for (const auto& [loads, answer] : writers.answers())
      for (const auto& [site, n] : answer.sources) {
        const Shares& wanted = expected.at({loads.load, loads.group, loads.part});
        ASSERT_NEAR(n, wanted.at(site), 1e-3) << "round " << round;
        answers++;
      }
  }
  EXPECT_GT(answers, 1000u);
}

// Of arrays, whose words are alike.
TEST(LastWriters, PiecesAreAsTheirWords) {
  std::mt19937_64 random(7);
  const auto below = [&random](std::uint64_t n) { return random() % n; };
  std::size_t answers = 0;
  for (int round = 0; round < 200; round++) {
    testing::FakeProgram program;
    LastWriters pieces(program), words(program);
    std::uint64_t clock = 0;
    for (std::uint64_t i = 0, n = 20 + below(200); i < n; i++) {
      const bool again = round % 2 == 0 && below(30) == 0;
      const LastWriters::Where at{1, static_cast<std::uint32_t>(again), LastWriters::k_array};
      const auto site = static_cast<SiteId>(1 + below(4));
      const std::uint64_t first = 1 + below(40), last = first + below(12);
      const auto one_in = static_cast<double>(1 + below(4));
      std::vector<LastWriters::Piece> parts;
      LastWriters::for_pieces(first, last, [&](const auto& piece) { parts.push_back(piece); });
      const std::uint64_t action = 1 + below(7);
      for (const LastWriters::Piece& piece : parts) {
        std::uint32_t met = 0;
        for (unsigned k = 0; k < piece.words; k++)
          if (action < 4)
            words.store({piece.word + k}, site, at, clock, one_in);
          else
            met |= words.load(10 + site, {piece.word + k}, at, clock, 3) << k;
        if (action < 4) pieces.store(piece, site, at, clock, one_in);
        if (action < 4) continue;
        EXPECT_EQ(pieces.load(10 + site, piece, at, clock, 3), met);
      }
      if (below(3) == 0) clock += below(2) ? below(10) : below(1000);
    }
    pieces.settle(clock, 1);
    words.settle(clock, 1);
    ASSERT_EQ(pieces.answers().size(), words.answers().size());
    for (const auto& [loads, answer] : words.answers())
      for (const auto& [site, share] : shares(words, loads.load, loads.group, loads.part)) {
        ASSERT_NEAR(shares(pieces, loads.load, loads.group, loads.part)[site], share, 1e-3)
            << "round " << round;
        answers++;
      }
  }
  EXPECT_GT(answers, 1000u);
}

// A load of 8 bytes reads what has been stored as one field there, and as two.
TEST(LastWriters, FieldsOfAPieceAreToldApart) {
  testing::FakeProgram program;
  LastWriters writers(program);
  const LastWriters::Where low{7, 0, 4}, high{7, 0, 6};
  writers.store({4, 4}, 1, low, 100, 1);
  writers.store({6, 2}, 2, high, 200, 1);
  EXPECT_EQ(writers.seen(5, low).site, 1u);
  EXPECT_EQ(writers.seen(6, low).site, 2u);
  EXPECT_EQ(writers.load(3, {4, 4}, low, 300, 1), 15u);
  EXPECT_EQ(writers.load(3, {6, 1}, high, 300, 1), 1u);
  EXPECT_EQ(writers.load(3, {7, 2}, high, 300, 1), 1u) << "the piece ends after its first word";
  writers.settle(400, 1);
  const LastWriters::Answer* answer = writers.answer_for({3, 7, 6});
  ASSERT_NE(answer, nullptr);
  EXPECT_EQ(answer, writers.answer_for({3, 7, 4}));
  EXPECT_EQ(writers.answer_for({3, 7, LastWriters::k_array}), nullptr);
}

}  // namespace
}  // namespace memprof::backend
