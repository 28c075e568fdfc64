// reader_test.cc - what is written can be read, whole and in part.
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "feedback/reader.h"
#include "feedback/writer.h"
#include "testsuite/unit/feedback/feedback_samples.h"

namespace memprof::feedback {
namespace {

using namespace test;

TEST(Reader, RoundTripOfEveryField) {
  const std::string text = to_json(full_profile());
  Result<Profile> back = parse_profile(text, "x.json");
  ASSERT_TRUE(bool(back)) << back.error().text() << '\n' << text;
  EXPECT_EQ(to_json(*back), text);
  EXPECT_EQ(back->object_relative[0].v1.lmads[0].start[0], INT64_MIN);
  EXPECT_EQ(back->object_relative[0].v3.overflow.granularity[2], UINT64_MAX);
  EXPECT_EQ(back->modules[0].functions[0].loops[1].iterations, 1ull << 63);
  EXPECT_EQ(back->program.compiler, full_profile().program.compiler);
  EXPECT_EQ(back->dependences[0].source, k_external);
  EXPECT_EQ(back->mdf[0].est, 1.0 / 3);
}

TEST(Reader, RoundTripOfRandomProfiles) {
  for (unsigned seed = 0; seed < 200; seed++) {
    const std::string text = to_json(random_profile(seed));
    Result<Profile> back = parse_profile(text, "x.json");
    ASSERT_TRUE(bool(back)) << back.error().text() << '\n' << text;
    ASSERT_EQ(to_json(*back), text) << "seed " << seed;
  }
}

TEST(Reader, ModuleByIndexEqualsModuleBySearch) {
  TemporaryFolder folder;
  const std::string indexed = folder.path("a.json"), plain = folder.path("b.json");
  unsigned comdat_of_others = 0;
  for (unsigned seed = 0; seed < 60; seed++) {
    std::string text = to_json(random_profile(seed));
    spill(indexed, text);
    // A blank after the end: the index no longer fits.
    spill(plain, text + " ");
    for (const char* source : {"src/a.c", "src/b.cc", "/home/x/lib/c.cc", "z.c"}) {
      Result<Profile> fast = read_module(indexed, source);
      Result<Profile> slow = read_module(plain, source);
      ASSERT_TRUE(bool(fast)) << fast.error().text();
      ASSERT_TRUE(bool(slow)) << slow.error().text();
      ASSERT_EQ(to_json(*fast), to_json(*slow)) << "seed " << seed << '\n' << text;
      for (const Module& module : fast->modules)
        if (module.file != source) comdat_of_others++;
    }
  }
  EXPECT_GT(comdat_of_others, 20u);
}

}  // namespace
}  // namespace memprof::feedback
