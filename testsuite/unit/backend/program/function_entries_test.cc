// function_entries_test.cc - how often functions were entered, as the runtime reports it.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/program/function_entries.h"

#include <gtest/gtest.h>

namespace memprof::backend {
namespace {

TEST(FunctionEntries, AreKnownOnceAStreamHasEnded) {
  FunctionEntries entries;
  entries.note(1, 3, MPRT_ENTRIES_BEFORE, 0x001);
  EXPECT_EQ(entries.of(1), std::nullopt);
  entries.note(1, 3, MPRT_ENTRIES_END, 0xf33);
  EXPECT_EQ(entries.of(1), 2u);
  EXPECT_EQ(entries.of(2), 3u);
  EXPECT_EQ(entries.of(3), std::nullopt);  // it does not count
  EXPECT_EQ(entries.of(4), std::nullopt);
}

TEST(FunctionEntries, ManyAreNotKnown) {
  FunctionEntries entries;
  entries.note(1, 2, MPRT_ENTRIES_END, 0x28);
  entries.note(1, 2, MPRT_ENTRIES_END, 0x19);
  EXPECT_EQ(entries.of(1), std::nullopt);
  EXPECT_EQ(entries.of(2), std::nullopt);  // fewer than before: not of this runtime
}

TEST(FunctionEntries, OfALibraryThatIsOpenedTwiceAddUp) {
  FunctionEntries entries;
  for (int i = 0; i < 2; i++) {
    entries.loaded(5, 1);
    EXPECT_EQ(entries.of(5), std::nullopt);
    entries.note(5, 1, MPRT_ENTRIES_END, 4);
  }
  EXPECT_EQ(entries.of(5), 8u);
}

TEST(FunctionEntries, OfRowsThatThereAreNot) {
  FunctionEntries entries;
  entries.note(7, 1, MPRT_ENTRIES_END, 0x21);
  EXPECT_EQ(entries.of(7), 1u);
  EXPECT_EQ(entries.of(8), std::nullopt);
}

}  // namespace
}  // namespace memprof::backend
