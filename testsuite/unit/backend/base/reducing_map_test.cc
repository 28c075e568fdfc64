// reducing_map_test.cc - exact at any number of workers and insertions.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/base/reducing_map.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

namespace memprof::backend {
namespace {

using Shape = std::pair<unsigned, std::size_t>;  // workers, pairs in a buffer
using Pairs = std::vector<std::pair<std::uint64_t, std::int64_t>>;

// One worker, several, more than processors; buffers that are full at once, now
// and then, never.
class ReducingMapTest : public ::testing::TestWithParam<Shape> {
 protected:
  // Key and what READ finds in its reducer.
  template <typename Reducer, typename Read>
  auto reduce(const Pairs& pairs, Read&& read) {
    ReducingMap<std::uint64_t, Reducer> map(GetParam().first, GetParam().second);
    for (const auto& [key, value] : pairs) map.insert(key, value);
    std::vector<std::pair<std::uint64_t, decltype(read(Reducer{}))>> rows;
    for (const auto& [key, reducer] : map.sorted()) rows.emplace_back(key, read(reducer));
    return rows;
  }
};

INSTANTIATE_TEST_SUITE_P(Shapes, ReducingMapTest,
                         ::testing::Values(Shape{1, 8192}, Shape{2, 8192}, Shape{2, 1},
                                           Shape{2, 2}, Shape{3, 5}, Shape{8, 16},
                                           Shape{16, 8192}, Shape{16, 1}, Shape{32, 3}));

TEST_P(ReducingMapTest, CountsEachInsertion) {
  for (const unsigned inserts : {0u, 1u, 7u, 15u, 16u, 17u, 100u, 100'000u}) {
    std::map<std::uint64_t, std::uint64_t> truth;
    ReducingMap<std::uint64_t, Count, NoValue> map(GetParam().first, GetParam().second);
    std::mt19937_64 random(inserts);
    for (unsigned i = 0; i < inserts; i++) {
      const std::uint64_t key = random() % 1000 << random() % 50;
      map.insert(key);
      truth[key]++;
    }
    const auto rows = map.sorted();
    ASSERT_EQ(rows.size(), truth.size()) << inserts;
    auto at = truth.begin();
    for (const auto& [key, count] : rows) {
      EXPECT_EQ(key, at->first);
      EXPECT_EQ(count.n, at->second) << key;
      ++at;
    }
  }
}

TEST_P(ReducingMapTest, MayGoOnAfterItWasRead) {
  ReducingMap<std::uint64_t, Count, NoValue> map(GetParam().first, GetParam().second);
  for (std::uint64_t round = 1; round <= 3; round++) {
    for (std::uint64_t key = 0; key < 50; key++) map.insert(key);
    const auto rows = map.sorted();
    ASSERT_EQ(rows.size(), 50u);
    for (const auto& [key, count] : rows) EXPECT_EQ(count.n, round) << key;
  }
}

// Also the key that marks an empty place, and those beside it.
TEST_P(ReducingMapTest, TakesEveryKey) {
  const std::uint64_t empty = ReducingKey<std::uint64_t>::k_empty;
  using Rows = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
  EXPECT_EQ((reduce<Sum>({{empty, 1}, {0, 2}, {empty, 3}, {empty - 1, 4}},
                         [](const Sum& s) { return s.sum; })),
            (Rows{{0, 2}, {empty - 1, 4}, {empty, 4}}));
}

TEST_P(ReducingMapTest, FindsTheLeastAndTheGreatest) {
  const Pairs pairs{{3, 4}, {3, -2}, {2, 5}, {3, 9}};
  const auto value = [](const auto& r) { return r.value; };
  EXPECT_EQ(reduce<Least<std::int64_t>>(pairs, value), (Pairs{{2, 5}, {3, -2}}));
  EXPECT_EQ(reduce<Greatest<std::int64_t>>(pairs, value), (Pairs{{2, 5}, {3, 9}}));
}

TEST_P(ReducingMapTest, KnowsWhatIsConstant) {
  const auto value = [](const Constant& c) {
    return c.constant() ? static_cast<std::int64_t>(c.value()) : -1;
  };
  EXPECT_EQ(reduce<Constant>({{1, 5}, {1, 5}, {2, 7}, {2, 8}, {3, 0}}, value),
            (Pairs{{1, 5}, {2, -1}, {3, 0}}));
  // What was not constant does not become it again.
  EXPECT_EQ(reduce<Constant>({{2, 7}, {2, 8}, {2, 0}, {2, 7}}, value), (Pairs{{2, -1}}));
}

// Up to the limit; the same for any order.
TEST_P(ReducingMapTest, CollectsSets) {
  Pairs pairs;
  std::map<std::uint64_t, std::map<std::uint64_t, std::uint64_t>> truth;
  std::mt19937_64 random(3);
  for (int i = 0; i < 3000; i++) {
    pairs.emplace_back(random() % 200, random() % 6);
    truth[pairs.back().first][static_cast<std::uint64_t>(pairs.back().second)]++;
  }
  const auto contents = [](const SmallSet<4>& set) {
    std::map<std::uint64_t, std::uint64_t> counts;
    for (const auto& [value, count] : set.entries()) counts[value] = count;
    return counts;
  };
  for (auto& [key, counts] : truth)
    if (counts.size() > 4) counts.clear();
  EXPECT_EQ(reduce<SmallSet<4>>(pairs, contents),
            (std::vector<std::pair<std::uint64_t, std::map<std::uint64_t, std::uint64_t>>>(
                truth.begin(), truth.end())));
  EXPECT_EQ(reduce<SmallSet<2>>({{1, 2}, {1, 1}, {1, 2}, {2, 1}, {2, 2}, {2, 3}, {2, 1}},
                                [](const auto& set) { return set.top(); }),
            (std::vector<std::pair<std::uint64_t, bool>>{{1, false}, {2, true}}));
}

TEST(ReducingMap, EndsWithWorkUndone) {
  for (int i = 0; i < 20; i++) {
    ReducingMap<std::uint64_t, Count, NoValue> map(8, 4);
    for (std::uint64_t key = 0; key < 1000; key++) map.insert(key);
  }
}

}  // namespace
}  // namespace memprof::backend
