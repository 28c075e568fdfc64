// decoder_beyond_test.cc - records whose memory is past the last address of a program.
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "testsuite/unit/backend/decoder_fixture.h"

namespace memprof::backend {
namespace {

using testing::DecoderTest;
using testing::TestModule;
using testing::Words;

// With columns and without, one record or many.
TEST_F(DecoderTest, LocalsBeyondUserMemoryAreCorrupt) {
  TestModule m;
  m.function("f");
  m.site(MPRT_OP_STORE, 8);
  const auto b = m.block(3, {{m.local("buffer", 64), 1, 0, 0, MPRT_OP_LOCAL_BIRTH}, {0, 2, 0}});
  load(m);
  const std::uint64_t last = (std::uint64_t{1} << 47) - 64;
  for (int i = 0; i < 2; i++)
    EXPECT_EQ(decode(Words().record(b, last, 0x1000).record(b, 0x2000, 0x1000).record(b, ~last, 0x1008)),
              "store 1 unknown w8 t" + std::to_string(3 * i) + "\nlocal unknown w64 t" + std::to_string(3 * i + 1) +
                  "\nstore 1 unknown w8 t" + std::to_string(3 * i + 1) + "\nstore 1 unknown w8 t" +
                  std::to_string(3 * i + 2) + "\n");
  EXPECT_EQ(decoder_.counts().corrupt, 4u);
  EXPECT_EQ(decoder_.counts().beyond, 0u);
}

// Relative to a segment they may begin below its start; they touch nothing that is known, and the
// value of what a store left there is not said.
TEST_F(DecoderTest, AccessesBeyondUserMemoryAreCounted) {
  TestModule m;
  m.function("f");
  const auto loop = m.loop();
  m.site(MPRT_OP_STORE, 8, loop);
  const auto r = m.range(3, loop, {{0, 2, 0, 8, 0, 0, MPRT_OP_STORE}});
  const auto b = m.block(3, {{0, 1, 0, 0, MPRT_OP_STORE}, {0, 2, 0, 0, MPRT_OP_VALUE, 8}});
  load(m);
  const std::uint64_t below = ~std::uint64_t{0} - 23;
  const std::string moved = decode(Words().record(r, 9, below).record(b, below, 5));
  EXPECT_EQ(std::count(moved.begin(), moved.end(), '\n'), 1 + 9 * 2 + 1 + 1) << moved;
  EXPECT_EQ(decoder_.counts().beyond, 4u);
  EXPECT_EQ(decoder_.counts().corrupt, 0u);
}

}  // namespace
}  // namespace memprof::backend
