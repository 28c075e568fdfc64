// distance_stack_test.cc - how many other lines were accessed since a line was accessed last.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/modules/reuse/distance_stack.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace memprof::backend {
namespace {

// A list, the line that was accessed last in front.
class PlainStack {
 public:
  std::optional<std::uint64_t> use(std::uint64_t line) {
    const auto it = std::find(lines_.begin(), lines_.end(), line);
    std::optional<std::uint64_t> distance;
    if (it != lines_.end()) {
      distance = static_cast<std::uint64_t>(it - lines_.begin());
      lines_.erase(it);
    }
    lines_.insert(lines_.begin(), line);
    return distance;
  }
  void keep_even() {
    std::erase_if(lines_, [](std::uint64_t line) { return line % 2 != 0; });
  }
  std::size_t lines() const { return lines_.size(); }

 private:
  std::vector<std::uint64_t> lines_;
};

TEST(DistanceStack, TheExampleOfItsHeader) {
  DistanceStack stack;
  EXPECT_FALSE(stack.use('A'));
  EXPECT_FALSE(stack.use('B'));
  EXPECT_FALSE(stack.use('C'));
  EXPECT_EQ(stack.use('B'), 1u);
  EXPECT_EQ(stack.use('A'), 2u);
  EXPECT_EQ(stack.use('A'), 0u);
  EXPECT_EQ(stack.lines(), 3u);
}

TEST(DistanceStack, AgreesWithAListAndWithItsParts) {
  std::mt19937_64 random(1);
  for (const std::uint64_t lines : {4u, 12u, 700u}) {
    DistanceStack stack;
    PlainStack plain;
    for (unsigned i = 0; i < 20'000; i++) {
      const std::uint64_t line = std::min(random() % lines, random() % lines);
      ASSERT_EQ(stack.use(line), plain.use(line)) << lines << " lines, access " << i;
      ASSERT_EQ(stack.lines(), plain.lines());
      if (i % 5000 != 4999) continue;
      stack.drop([](std::uint64_t l) { return l % 2 == 0; });
      plain.keep_even();
    }
    stack.clear();
    EXPECT_EQ(stack.lines(), 0u);
    EXPECT_FALSE(stack.use(0));
  }
}

}  // namespace
}  // namespace memprof::backend
