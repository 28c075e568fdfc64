// inferred_dependences_test.cc - what bursts do not show.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/modules/sampled/inferred_dependences.h"

#include <utility>

#include "testsuite/unit/backend/modules/sampled/inferred_dependences_testutil.h"

namespace memprof::backend::testing {
namespace {

// The example of the header.
TEST(InferredDependences, AreSharedOutOverTheStoresToThePlace) {
  Stream s;
  for (std::uint32_t node = 0; node < 100; node++) {
    s.at(EventKind::store, node < 90 ? 1 : 5, 7, node, 0, 8);
    s.at(EventKind::store, 2, 7, node, 8, 8);
  }
  for (int i = 0; i < 200; i++) s.at(EventKind::load, 3, 7, 95, 0, 8);
  s.burst();
  for (std::uint32_t i = 0; i < 800; i++) s.at(EventKind::load, 3, 7, 100 + i % 100, 0, 8);
  const feedback::Profile p = s.profile();
  EXPECT_EQ(rows_of(p), (Rows{{{1, 3}, 720}, {{5, 3}, 80}}));
  EXPECT_DOUBLE_EQ(p.inferred_dependences[0].frequency, 0.72);
  EXPECT_EQ(p.sections, (std::vector<std::string>{"inferred_dependences"}));
}

// 3 must not read what 1 stores. Where it may read little of what is there, no site has stored
// what it reads: 1 word of 5 and 0.01 of 99 have no writer.
TEST(InferredDependences, AreOfStoresThatMayBeRead) {
  for (const SiteId most : {SiteId{1}, SiteId{5}}) {
    Stream s;
    for (std::uint32_t node = 0; node < 100; node++)
      s.at(EventKind::store, node < 99 ? most : 6 - most, 7, node, 0, 8);
    s.burst();
    for (std::uint32_t i = 0; i < 1000; i++) s.at(EventKind::load, 3, 7, 100 + i % 100, 0, 8);
    SampledProgram program;
    program.apart = {{1, 3}};
    program.count(s.script.batch);
    const std::uint64_t wanted = most == 1 ? 502 : 999;
    EXPECT_EQ(rows_of(s.profile(program)), (Rows{{{5, 3}, wanted}})) << most;
  }
}

// Words that bursts have stored to speak for themselves, and for others like them.
TEST(InferredDependences, ComeFromWhoStoredToTheWord) {
  Stream s;
  for (std::uint32_t node = 0; node < 100; node++)
    s.at(EventKind::store, node < 90 ? 1 : 5, 7, node, 0, 8);
  s.burst();
  for (std::uint32_t i = 0; i < 16; i++) s.at(EventKind::load, 3, 7, 95, 0, 2);
  s.burst();
  for (std::uint32_t i = 0; i < 16; i++) s.at(EventKind::load, 3, 7, 100, 0, 2);
  // 16 have met 5's. Of the others, places say 9 to 1, which counts as 3 of 3 + 16 words.
  EXPECT_EQ(rows_of(s.profile()), (Rows{{{1, 3}, 2}, {{5, 3}, 29}}));
}

TEST(InferredDependences, HaveNoRowsBelowOnePercentAndNoneForWhatWasMeasured) {
  Stream s;
  for (std::uint32_t node = 0; node < 1000; node++)
    s.at(EventKind::store, node < 995 ? 1 : 2, 7, node, 0, 8);
  s.store(4, 9, 0).burst();
  for (int i = 0; i < 1000; i++) s.at(EventKind::load, 3, 7, 1000, 0, 8);
  for (int i = 0; i < 10; i++) s.store(4, 9, 0).load(5, 9, 0);
  EXPECT_EQ(rows_of(s.profile()), (Rows{{{1, 3}, 995}}));
}

TEST(InferredDependences, BelongToSampleMode) {
  Stream s;
  s.store(1, 7, 0).burst().load(2, 7, 0);
  EXPECT_EQ(rows_of(s.profile()), (Rows{{{1, 2}, 1}}));
  const feedback::Profile full = run(make_dependence, s.script.batch);
  EXPECT_TRUE(full.inferred_dependences.empty());
  EXPECT_TRUE(full.sections.empty());
}

// What a burst writes over is not there for others.
TEST(InferredDependences, ComeFromTheLastStoreOfABurst) {
  Stream s;
  for (int i = 0; i < 50; i++) s.store(1, 7, 0).store(2, 7, 0);
  s.burst().load(3, 7, 0);
  EXPECT_EQ(rows_of(s.profile()), (Rows{{{2, 3}, 1}}));
}

TEST(InferredDependences, FadeFromBurstToBurst) {
  Stream s;
  for (std::uint32_t node = 0; node < 1000; node++) s.at(EventKind::store, 1, 7, node, 0, 4);
  for (int burst = 0; burst < 16; burst++) s.burst().store(2, 7, 0, 4);
  s.burst();
  for (int i = 0; i < 100; i++) s.at(EventKind::load, 3, 7, 1000, 0, 4);
  // 1000 * 0.6^16 of 2.5 and that.
  EXPECT_EQ(rows_of(s.profile()), (Rows{{{1, 3}, 10}, {{2, 3}, 89}}));
}

TEST(InferredDependences, KnowWhatLiesInOneBlockApart) {
  Stream s;
  s.range(true, 1, 7, 0, 0, 4, 20000, 4).range(true, 2, 7, 0, 80000, 4, 20000, 4).burst();
  for (std::uint64_t i = 0; i < 100; i++) s.load(3, 7, 60000 + i * 4, 4);
  for (std::uint64_t i = 0; i < 100; i++) s.load(4, 7, 100000 + i * 4, 4);
  EXPECT_EQ(rows_of(s.profile()), (Rows{{{1, 3}, 100}, {{2, 4}, 100}}));
}

// Long ranges would have come here, too.
TEST(InferredDependences, AreNotOfLongRangesElsewhere) {
  Stream s;
  s.range(true, 1, 7, 0, 0, 4, 20000, 4).burst();
  for (std::uint64_t i = 0; i < 100; i++) s.load(5, 7, 1000000 + i * 4, 4);
  EXPECT_EQ(rows_of(s.profile()), (Rows{}));
}

// Of a region that no site has stored to, what is true of the whole.
TEST(InferredDependences, AreTheSameInAllOfAnArray) {
  Stream s;
  for (std::uint64_t i = 0; i < 100; i++) s.store(1, 7, 60000 + i * 4, 4);
  s.burst();
  for (std::uint64_t i = 0; i < 100; i++) s.load(5, 7, 1000000 + i * 4, 4);
  EXPECT_EQ(rows_of(s.profile()), (Rows{{{1, 5}, 100}}));
}

// Every other line of a table has been stored to, and others are read.
TEST(InferredDependences, AreNotOfWhatNoSiteHasStored) {
  const auto at = [](std::uint64_t line, std::uint64_t word) { return 4096 + line * 64 + word * 4; };
  Stream s;
  for (std::uint64_t burst = 0; burst < 16; burst++, s.burst())
    for (std::uint64_t i = 0; i < 32; i++) s.store(1, 7, at(burst * 4 + i / 16 * 2, i % 16), 4);
  for (std::uint64_t i = 0; i < 16; i++) s.load(3, 7, at(63 - i * 4, 15 - i), 4);
  // At most 512 and a quarter of 1024 + 1024 words: 5 of 16.
  EXPECT_EQ(rows_of(s.profile()), (Rows{{{1, 3}, 5}}));
}

// The first burst sees all that there was until then, the second one a tenth.
TEST(InferredDependences, WeighBurstsByWhatTheyStandFor) {
  Stream first, second, third;
  first.range(true, 2, 7, 0, 4096, 64, 100, 4).burst();
  second.range(true, 4, 7, 0, 4096, 64, 100, 4).burst();
  third.range(false, 3, 7, 0, 4096, 64, 100, 4).burst();
  SampledProgram program;
  std::vector<Batch> bursts;
  std::uint64_t times = 1;
  for (const Stream* s : {&first, &second, &third}) {
    program.count(s->script.batch);
    Batch& burst = bursts.emplace_back(make_batch(s->script.batch));
    burst.times = std::exchange(times, 10);
    burst.clock += 100;
  }
  // 100 words, which fade to 60, and 1000.
  EXPECT_EQ(rows_of(program, bursts), (Rows{{{2, 3}, 5}, {{4, 3}, 94}}));
}

// What loop samples report before the burst S, which has site 2 elsewhere.
Rows rows_behind(const std::vector<Batch::LoopSample>& loop_samples, Stream& s) {
  s.store(2, 8, 0);
  SampledProgram program;
  program.count(s.script.batch);
  std::vector<Batch> batches;
  batches.emplace_back(make_batch(Trace{})).loop_samples = loop_samples;
  batches.emplace_back(make_batch(s.script.batch)).clock = 100;
  return rows_of(program, batches);
}

// Half of what is read is there since a memcpy, half since read(), which has no row.
TEST(InferredDependences, KnowWhatLongCallsHaveDone) {
  const std::uint64_t n = 8192, base = Stream::base_of(7, 0);
  Stream s;
  for (std::uint64_t i = 0; i < 200; i++) s.load(3, 7, n + i * 80, 4);
  const Rows rows =
      rows_behind({{{base + n, 0, 1, base, n, 2, 7, 0, true}, 1, 10},
                   {{base + 2 * n, 0, 1, base, n, k_no_site, 7, 0, true}, 1, 20}},
                  s);
  ASSERT_EQ(rows.size(), 1u);
  // As only some loads of a burst are looked at.
  EXPECT_NEAR(static_cast<double>(rows.at({2, 3})), 100, 8);
}

// A loop that stores 300 bytes in each iteration.
TEST(InferredDependences, KnowWhatLoopsOfWideStoresHaveDone) {
  const std::uint64_t base = Stream::base_of(7, 0);
  Stream s;
  for (std::uint64_t i = 0; i < 10; i++) s.load(3, 7, 300 * 400 + i * 4, 4);
  EXPECT_EQ(rows_behind({{{base, 400, 600, base, 300, 2, 7, 0, true}, 1, 10}}, s),
            (Rows{{{2, 3}, 10}}));
}

// Of two sites that take turns in all of an array, the later one; in the first 512
// bytes of a large object, too, which are no fields.
TEST(InferredDependences, KnowWhoWasInAnArrayLast) {
  for (const std::uint32_t bytes : {512u, 40000u}) {
    Stream loads;
    SampledProgram program;
    std::vector<Batch> bursts;
    std::uint64_t clock = 0;
    for (const SiteId site : {1u, 2u, 1u, 2u}) {
      Stream s;
      for (std::uint32_t object = 0; object < 2; object++)
        for (std::uint64_t i = 0; i < 100; i++)
          s.at(EventKind::store, site + 10 * object, 7, object, i * 400, 4);
      s.burst();
      program.count(s.script.batch);
      bursts.emplace_back(make_batch(s.script.batch)).clock = clock += 100;
      bursts.back().times = 400;
    }
    for (std::uint64_t i = 0; i < 10; i++) loads.load(3, 7, 64 + i * 16, 4);
    program.count(loads.script.batch);
    bursts.emplace_back(make_batch(loads.script.batch)).clock = clock + 100;
    for (Batch& burst : bursts)
      for (Target& target : burst.targets) target.object_bytes = bytes;
    const Rows rows = rows_of(program, bursts);
    if (bytes > 512)
      EXPECT_EQ(rows, (Rows{{{2, 3}, 10}}));
    else
      EXPECT_TRUE(rows.empty()) << "fields that no site has stored to";
  }
}

// Of many arrays the first ones are told apart.
TEST(InferredDependences, TellSomeArraysOfAGroupApart) {
  Stream s;
  for (std::uint32_t array = 0; array < InferredDependences::k_max_objects + 2; array++)
    s.range(true, 1 + array, 7, array, 4096, 8, 100, 8);
  s.burst();
  s.range(false, 30, 7, 3, 4096, 8, 100, 8).range(false, 31, 7, 17, 4096, 8, 100, 8);
  EXPECT_EQ(rows_of(s.profile()),
            (Rows{{{4, 30}, 100}, {{17, 31}, 50}, {{18, 31}, 50}}));
}

TEST(InferredDependences, HaveRoomForSoManyPlacesOfASite) {
  constexpr auto k_groups = static_cast<GroupId>(InferredDependences::k_max_places / 256);
  Stream s;
  for (GroupId group = 1; group <= 2 * k_groups; group++)
    for (std::uint64_t field = 0; field < 256; field++) s.store(100, group, field * 2, 2);
  s.burst();
  for (GroupId group = 1; group <= 2 * k_groups; group++)
    for (std::uint64_t field = 0; field < 256; field++)
      s.at(EventKind::load, 3, group, 1, field * 2, 2);
  EXPECT_EQ(rows_of(s.profile()), (Rows{{{100, 3}, InferredDependences::k_max_places}}));
}

}  // namespace
}  // namespace memprof::backend::testing
