// reducers_test.cc - reducers, whatever the order and the split.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/base/reducers.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace memprof::backend::testing {
namespace {

using Pair = std::pair<std::string, std::int64_t>;

// Calls check(map) for the pairs in two orders, in 1, 2 and 3 parts.
template <typename Reducer, typename Check>
void every_way(const std::vector<Pair>& pairs, Check&& check) {
  for (const bool turned : {false, true})
    for (std::size_t workers = 1; workers <= 3; workers++) {
      std::vector<std::map<std::string, Reducer>> maps(workers);
      for (std::size_t i = 0; i < pairs.size(); i++) {
        const Pair& p = pairs[turned ? pairs.size() - 1 - i : i];
        maps[i % workers][p.first].insert(p.second);
      }
      for (std::size_t i = 1; i < workers; i++)
        for (const auto& [key, reducer] : maps[i]) maps[0][key].merge(reducer);
      check(maps[0]);
    }
}

TEST(Reducers, ConstantsStayOnlyIfTheyAre) {
  every_way<Constant>({{"1", 5}, {"1", 5}, {"2", 7}, {"2", 8}, {"3", 0}}, [](const auto& map) {
    EXPECT_EQ(map.size(), 3u);
    EXPECT_TRUE(map.at("1").constant());
    EXPECT_EQ(map.at("1").value(), 5u);
    EXPECT_FALSE(map.at("2").constant());
    EXPECT_TRUE(map.at("3").constant());
    EXPECT_EQ(map.at("3").value(), 0u);
  });
}

TEST(Reducers, Counts) {
  every_way<Count>({{"a", 1}, {"b", 1}, {"a", 1}, {"a", 1}, {"c", 1}, {"b", 1}},
                   [](const auto& map) {
                     EXPECT_EQ(map.at("a").n, 3u);
                     EXPECT_EQ(map.at("b").n, 2u);
                     EXPECT_EQ(map.at("c").n, 1u);
                   });
}

TEST(Reducers, SumsAndBounds) {
  const std::vector<Pair> pairs = {{"k", 4}, {"k", -2}, {"k", 9}};
  every_way<Least<std::int64_t>>(pairs, [](const auto& m) { EXPECT_EQ(m.at("k").value, -2); });
  every_way<Greatest<std::int64_t>>(pairs, [](const auto& m) { EXPECT_EQ(m.at("k").value, 9); });
  every_way<Sum>(pairs, [](const auto& m) { EXPECT_EQ(m.at("k").sum, 11u); });
}

TEST(Reducers, SetsHaveALimit) {
  std::vector<Pair> pairs = {{"k", 2}, {"k", 1}, {"k", 2}};
  every_way<SmallSet<2>>(pairs, [](const auto& map) {
    const auto entries = map.at("k").entries();
    ASSERT_EQ(entries.size(), 2u);
    EXPECT_EQ(entries[0].value, 1u);
    EXPECT_EQ(entries[1].count, 2u);
    EXPECT_FALSE(map.at("k").top());
  });
  pairs.push_back({"k", 3});
  pairs.push_back({"k", 1});
  every_way<SmallSet<2>>(pairs, [](const auto& map) {
    EXPECT_TRUE(map.at("k").top());
    EXPECT_TRUE(map.at("k").entries().empty());
  });
}

TEST(Reducers, AffineNeedsTwoValuesAndAllToAgree) {
  const auto of = [](const std::vector<std::uint64_t>& values) {
    Affine a;
    for (const std::uint64_t v : values) a.insert(v);
    return a;
  };
  EXPECT_FALSE(of({}).affine());
  EXPECT_FALSE(of({7}).affine());
  EXPECT_TRUE(of({7, 7, 7}).affine());
  EXPECT_EQ(of({7, 7, 7}).step(), 0);
  EXPECT_TRUE(of({9, 6, 3, 0, ~0ull - 2}).affine());
  EXPECT_EQ(of({9, 6, 3}).step(), -3);
  EXPECT_EQ(of({9, 6, 3}).first(), 9u);
  EXPECT_FALSE(of({9, 6, 3, 1}).affine());
  EXPECT_FALSE(of({9, 6, 4, 2}).affine());
  Affine narrow;  // -5, -2, 1 in 32 bits
  for (const std::uint64_t v : {0xfffffffbu, 0xfffffffeu, 1u}) narrow.insert(v, 32);
  EXPECT_TRUE(narrow.affine());
  EXPECT_EQ(narrow.first(), 0xfffffffbu);
  EXPECT_EQ(narrow.step(), 3);
}

}  // namespace
}  // namespace memprof::backend::testing
