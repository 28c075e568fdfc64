// decoder_sums_test.cc - words of a block that follow from others.
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "testsuite/unit/backend/decoder_fixture.h"

namespace memprof::backend {
namespace {

using testing::TestModule;
using testing::Words;

class DecoderSumsTest : public testing::DecoderTest {
 protected:
  // x[i], x[i + 1] and x[i - 2], of 4 bytes each, for an index of 8 bits.
  DecoderSumsTest() {
    m_.function("f");
    for (int i = 0; i < 3; i++) m_.site(MPRT_OP_LOAD, 4);
    alloc_ = m_.alloc(1);
  }
  std::uint64_t block(std::vector<std::uint64_t> sums) {
    return m_.block(3, {{0, 1, 0}, {1, 3, 0}, {2, 4, 0}}, MPRT_NO_LOOP, false, sums);
  }

  TestModule m_;
  std::uint64_t alloc_;
};

TEST_F(DecoderSumsTest, SumsAreWordsOfTheirOwn) {
  const auto r = block({MPRT_SUM(1, 2, 8, 4, 1), MPRT_SUM(1, 2, 8, 4, -2)});
  load(m_);
  decode(Words().birth(0x1000, 1024, alloc_));
  EXPECT_EQ(decode(Words().record(r, 0x1000 + 4 * 5, 5)),
            "load 1 1#0+20 w4 t0\nload 2 1#0+24 w4 t1\nload 3 1#0+12 w4 t2\n");
}

TEST_F(DecoderSumsTest, IndicesWrapAround) {
  const auto r = block({MPRT_SUM(1, 2, 8, 4, 1), MPRT_SUM(1, 2, 8, 4, -2)});
  load(m_);
  decode(Words().birth(0x1000, 1024, alloc_));
  EXPECT_EQ(decode(Words().record(r, 0x1000 + 4 * 255, 255).record(r, 0x1000, 0)),
            "load 1 1#0+1020 w4 t0\nload 2 1#0+0 w4 t1\nload 3 1#0+1012 w4 t2\n"
            "load 1 1#0+0 w4 t3\nload 2 1#0+4 w4 t4\nload 3 1#0+1016 w4 t5\n");
}

TEST_F(DecoderSumsTest, RecordsOfAnotherLengthAreCorrupt) {
  const auto r = block({MPRT_SUM(1, 2, 8, 4, 1), MPRT_SUM(1, 2, 8, 4, -2)});
  load(m_);
  EXPECT_EQ(decode(Words().record(r, 1, 2, 3, 4).record(r, 1)), "");
  EXPECT_EQ(decoder_.counts().corrupt, 2u);
}

TEST_F(DecoderSumsTest, SumsOfWordsThatAreNotThereAreRefused) {
  block({MPRT_SUM(1, 2, 8, 4, 1), MPRT_SUM(1, 3, 8, 4, 1)});
  load(m_);
  EXPECT_EQ(decoder_.units().all().size(), 0u);
}

}  // namespace
}  // namespace memprof::backend
