// id_map_test.cc - IdMap against a plain map, with ids that are dense and that are not.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "feedback/id_map.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace memprof::feedback {
namespace {

TEST(IdMap, IsAMapWhateverTheIds) {
  std::mt19937 random(1);
  for (const Id range : {Id{50}, Id{5000}, Id{1000000}, k_external}) {
    IdNames map;
    std::map<Id, Id> plain;
    for (unsigned n = 0; n < 3000; n++) {
      const Id id = random() % range, value = random() % 1000;
      if (n % 2) {
        map.set(id, value);
        plain[id] = value;
      } else {
        map.set_first(id, value);
        plain.try_emplace(id, value);
      }
      ASSERT_EQ(map[id], plain[id]);
    }
    for (const auto& [id, value] : plain) EXPECT_EQ(map[id], value);
    for (unsigned n = 0; n < 3000; n++) {
      const Id id = random() % range;
      EXPECT_EQ(map.contains(id), plain.contains(id));
    }
    EXPECT_FALSE(map.contains(k_none));
    map.clear();
    for (const auto& [id, value] : plain) ASSERT_FALSE(map.contains(id));
  }
}

}  // namespace
}  // namespace memprof::feedback
