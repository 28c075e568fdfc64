// thread_turns_test.cc - stamps to threads, compared with a list of all stamps.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/program/thread_turns.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace memprof::backend {
namespace {

TEST(ThreadTurns, OneThreadHasOneTurn) {
  const ThreadTurns turns;
  EXPECT_FALSE(turns.several());
  EXPECT_EQ(turns.at(5).thread, 0u);
}

TEST(ThreadTurns, AgreeWithAListOfStamps) {
  std::mt19937_64 random(1);
  ThreadTurns turns;
  std::vector<std::uint32_t> threads(1, 0);  // by stamp
  for (int i = 0; i < 2000; i++) {
    const auto thread = static_cast<std::uint32_t>(random() % 5);
    turns.begin(thread, threads.size());
    threads.insert(threads.end(), 1 + random() % 4, thread);
    for (int question = 0; question < 3; question++) {
      const Stamp t = random() % threads.size();
      const ThreadTurns::Turn turn = turns.at(t);
      ASSERT_EQ(turn.thread, threads[t]);
      ASSERT_LE(turn.first, t);
      ASSERT_GE(turn.last, t);
      for (Stamp other = turn.first; other <= turn.last && other < threads.size(); other++)
        ASSERT_EQ(threads[other], turn.thread);
    }
  }
  EXPECT_TRUE(turns.several());
}

// What is long ago is of no thread: no loop carries it.
TEST(ThreadTurns, OldTurnsAreForgotten) {
  ThreadTurns turns;
  for (Stamp t = 1; t < ThreadTurns::k_most + 2; t++) turns.begin(t % 2, t);
  EXPECT_EQ(turns.at(1).thread, ThreadTurns::k_no_thread);
  EXPECT_EQ(turns.at(1).last, ThreadTurns::k_most / 2 - 1);
  EXPECT_EQ(turns.at(ThreadTurns::k_most - 5).thread, 1u);
  EXPECT_EQ(turns.at(ThreadTurns::k_most + 1).thread, 1u);
}

}  // namespace
}  // namespace memprof::backend
