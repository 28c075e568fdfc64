// cache_potential_test.cc - packing of streams, and what they could save in a cache.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "feedback/streams/cache_potential.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "feedback/streams/naming.h"

namespace memprof::streams {
namespace {

TEST(Packing, C7BlocksNeededAndTaken) {
  const Packing spread = packing({{0, 8}, {8, 8}, {200, 8}, {512, 8}});
  EXPECT_EQ(spread.least, 1u);
  EXPECT_EQ(spread.actual, 3u);
  EXPECT_NEAR(spread.efficiency(), 1.0 / 3, 1e-9);
  EXPECT_EQ(packing({{60, 8}}).actual, 2u);
  EXPECT_EQ(packing({{60, 8}}).efficiency(), 0.5);
  std::vector<Extent> eight;
  for (std::uint64_t i = 0; i < 8; i++) eight.push_back({64 * i, 16});
  EXPECT_EQ(packing(eight).efficiency(), 0.25);
}

// Two lines; each round a stream of four objects in four blocks, and one other reference.
TEST(CachePotential, C8FourConfigurations) {
  const std::vector<Extent> extents = {{0, 8}, {100, 8}, {200, 8}, {300, 8}};
  HotStream stream;
  stream.names = {0, 1, 2, 3};
  stream.occurrences = 50;
  const std::vector<std::uint64_t> places = clustered_addresses({stream}, extents);
  EXPECT_EQ(places[0] / k_block, places[3] / k_block);
  CachePotential cache(128);
  for (std::uint64_t round = 0; round < 50; round++) {
    for (std::size_t i = 0; i < 4; i++) cache.reference(extents[i].address, places[i], true);
    const std::uint64_t other = 1000 + 64 * (round % 5);
    cache.reference(other, other, false);
  }
  const Misses& m = cache.misses();
  EXPECT_EQ(m.references, 250u);
  EXPECT_EQ(m.base, 250u);
  EXPECT_EQ(m.base_hot, 200u);
  EXPECT_EQ(m.prefetch, 50u);
  EXPECT_EQ(m.cluster, 51u);
  EXPECT_EQ(m.both, 50u);
}

TEST(CachePotential, MembersHaveOnePlaceEach) {
  HotStream first, second;
  first.names = {0, 1};
  second.names = {1, 2, 3};
  const auto places =
      clustered_addresses({first, second}, {{0, 40}, {500, 40}, {900, 8}, {1000, 8}, {2000, 8}});
  EXPECT_EQ(places[1], places[0] + 40);
  EXPECT_EQ(places[2] % k_block, 0u);
  EXPECT_GT(places[2], places[1]);
  EXPECT_EQ(places[3], places[2] + 8);
  EXPECT_EQ(places[4], 0u);
}

// The same hits as a list that is searched.
TEST(LruCache, IsAListOfTheLastBlocks) {
  std::mt19937 random(2);
  LruCache cache(8);
  std::vector<std::uint64_t> list;
  for (int i = 0; i < 20000; i++) {
    const std::uint64_t block = random() % (random() % 4 == 0 ? 40 : 10);
    const auto at = std::find(list.begin(), list.end(), block);
    ASSERT_EQ(cache.touch(block), at != list.end());
    if (at != list.end()) list.erase(at);
    list.insert(list.begin(), block);
    if (list.size() > 8) list.pop_back();
  }
}

TEST(Naming, TextsAreThoseOfTheOption) {
  for (const Naming n : {Naming::field, Naming::object, Naming::group, Naming::address})
    EXPECT_EQ(naming_of(name(n)), n);
  EXPECT_FALSE(naming_of("fields"));
}

}  // namespace
}  // namespace memprof::streams
