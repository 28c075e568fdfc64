// whole_stream_test.cc - accesses of batches as streams: names, objects, ranges.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "testsuite/unit/backend/random_program.h"

namespace memprof::backend::testing {
namespace {

std::string streams_of(const feedback::Profile& profile) {
  const feedback::WholeStream& row = profile.whole_stream.at(0);
  std::string out = std::to_string(row.accesses) + " accesses, hash " + std::to_string(row.hash);
  for (const feedback::StreamName& name : profile.stream_names)
    out += "; " + std::to_string(name.number) + " is " + std::to_string(name.site) + '/' +
           std::to_string(name.group);
  return out;
}

TEST(WholeStream, HasAGrammarForEachSequence) {
  Script s;
  for (std::uint64_t i = 0; i < 8; i++) s.load(1, 0x100 + 8 * i, 8).store(2, 0x900, 8);
  const feedback::Profile profile = run(make_whole_stream, s.batch);
  ASSERT_EQ(profile.whole_stream.size(), 1u);
  const feedback::WholeStream& row = profile.whole_stream[0];
  EXPECT_EQ(row.accesses, 16u);
  ASSERT_EQ(row.grammars.size(), 4u);
  // S -> R1 R1, R1 -> R2 R2, R2 -> R3 R3, R3 -> 1 2
  EXPECT_EQ(row.grammars[0].of, "site");
  EXPECT_EQ(row.grammars[0].symbols, 8u);
  EXPECT_EQ(row.grammars[0].rules, 4u);
  EXPECT_EQ(row.rasg_a_bytes, 0u);
  EXPECT_EQ(profile.stream_names.at(0).number, 1u);
  EXPECT_EQ(profile.stream_names.at(0).site, 1u);
}

// The hash is over all that is written.
TEST(WholeStream, RangesAreTheirAccesses) {
  for (std::uint64_t seed = 0; seed < 300; seed++) {
    RandomProgram::Options options;
    options.area = seed % 2 ? 300 : 2000;
    options.threads = 1 + seed % 3;
    options.max_count = 60;
    const Trace trace = RandomProgram(seed, options).make();
    ASSERT_EQ(streams_of(run(make_whole_stream, trace)),
              streams_of(run(make_whole_stream, expand(trace))))
        << "seed " << seed;
  }
}

}  // namespace
}  // namespace memprof::backend::testing
