// chunked_array_test.cc - an array that grows without being copied.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/base/chunked_array.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

namespace memprof::backend {
namespace {

TEST(ChunkedArray, ElementsStayWhereTheyAre) {
  ChunkedArray<std::uint64_t> array;
  array.push_back(7);
  const std::uint64_t* const first = &array[0];
  for (std::uint64_t i = 1; i < 100'000; i++) array.push_back(i);
  EXPECT_EQ(&array[0], first);
  EXPECT_EQ(array[0], 7u);
  EXPECT_EQ(array[4095], 4095u);
  EXPECT_EQ(array[4096], 4096u);
  EXPECT_EQ(array.back(), 99'999u);
  EXPECT_EQ(array.size(), 100'000u);
}

TEST(ChunkedArray, IsAsAVector) {
  ChunkedArray<std::uint32_t> array;
  std::vector<std::uint32_t> vector;
  std::mt19937 random(1);
  for (int round = 0; round < 300; round++) {
    const std::size_t kept = random() % (vector.size() + 1);
    array.shrink(kept);
    vector.resize(kept);
    for (unsigned n = random() % 500; n != 0; n--) {
      vector.push_back(random());
      array.push_back(vector.back());
    }
    ASSERT_EQ(array.size(), vector.size());
    for (std::size_t i = 0; i < vector.size(); i++) ASSERT_EQ(array[i], vector[i]);
  }
}

}  // namespace
}  // namespace memprof::backend
