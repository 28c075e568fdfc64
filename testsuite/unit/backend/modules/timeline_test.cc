// timeline_test.cc - what each slice of a run had.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/event/module.h"

#include <numeric>

#include "runtime/backend/program/live_memory.h"
#include "testsuite/unit/backend/random_program.h"

namespace memprof::backend::testing {
namespace {

using feedback::Timeline;

std::uint64_t sum(const Timeline::Slices& slices) {
  return std::accumulate(slices.begin(), slices.end(), std::uint64_t{0});
}

// What derive() is given: the executions of the sites, and MISSES of site 1.
feedback::Profile derived(Module& module, const FakeProgram& program, std::uint64_t misses) {
  feedback::Profile profile;
  feedback::Function& function = profile.modules.emplace_back().functions.emplace_back();
  for (SiteId site = 1; site < program.counts.size(); site++) {
    feedback::Site& row = function.sites.emplace_back();
    row.id = site;
    row.executions = program.counts[site];
  }
  feedback::Cache cache;
  cache.site = 1;
  cache.llc = misses;
  profile.cache.push_back(cache);
  module.derive(profile);
  return profile;
}

// Site 1 in the first half of the run, site 2 in the second; BATCHES of 100 accesses.
TEST(Timeline, SlicesAreOfEqualLengthHoweverLongTheRun) {
  for (const unsigned batches : {1u, 64u, 1000u, 10000u}) {
    FakeProgram program;
    const auto module = make_timeline(program);
    for (unsigned i = 0; i < batches; i++) {
      Script s;
      s.time = std::uint64_t{i} * 100;
      for (int k = 0; k < 100; k++) s.load(i < (batches + 1) / 2 ? 1 : 2, 0x1000, 8);
      program.count(s.batch);
      module->consume(make_batch(s.batch));
    }
    const feedback::Profile profile = derived(*module, program, 1000);
    ASSERT_EQ(profile.timeline.size(), 1u);
    const Timeline& row = profile.timeline[0];
    EXPECT_EQ(row.thread, 0u);
    EXPECT_EQ(sum(row.accesses), batches * 100u);
    EXPECT_EQ(sum(row.misses), 1000u);
    const double each = batches * 100 / 64.0;
    for (const std::uint64_t n : row.accesses) EXPECT_NEAR(double(n), each, each * 0.05 + 1) << batches;
    if (batches == 1) continue;
    for (std::size_t i = 0; i < 64; i++) EXPECT_NEAR(double(row.misses[i]), i < 32 ? 1000 / 32.0 : 0, i == 31 || i == 32 ? 32 : 2) << i;
  }
}

TEST(Timeline, ARangeIsDealtOutOverItsLength) {
  Script s;
  s.range(1, 6400, {{0x1000, 8, 6400, 0x1000, 8, 1, 9, 0, false}});
  FakeProgram program;
  program.count(s.batch);
  const auto module = make_timeline(program);
  module->consume(make_batch(s.batch));
  const Timeline row = derived(*module, program, 0).timeline.at(0);
  for (const std::uint64_t n : row.accesses) EXPECT_EQ(n, 100u);
}

class Sampled final : public FakeProgram {
 public:
  bool sampled() const override { return true; }
};

// What the first entries of a function report is in another unit than what bursts see.
TEST(Timeline, BurstsCountMoreThanFirstEntries) {
  Sampled program;
  const auto module = make_timeline(program);
  for (unsigned burst = 0; burst < 64; burst++) {
    Script s;
    s.store(1, 0x1000, 8);
    Batch batch = make_batch(s.batch);
    batch.clock = burst * 100;
    if (burst == 0)
      for (const SiteId site : {1u, 2u}) batch.early.push_back({{0x1000, 8, 1, 0x1000, 8, site, 9, 0, true}, 500, 0});
    module->consume(batch);
  }
  program.count(1, true, 6400);
  program.count(2, true, 640);
  const Timeline row = derived(*module, program, 0).timeline.at(0);
  EXPECT_EQ(sum(row.accesses), 7040u);
  EXPECT_NEAR(double(row.accesses[0]), 100 + 640, 100);
  EXPECT_NEAR(double(row.accesses[40]), 100, 60);
}

class WithMemory final : public FakeProgram {
 public:
  LiveMemory memory;
  const LiveMemory* live_memory() const override { return &memory; }
};

TEST(Timeline, LiveBytesAreTheMostOfASlice) {
  WithMemory program;
  Script s;
  for (int i = 0; i < 6400; i++) s.load(1, 0x1000, 8);
  program.count(s.batch);
  program.memory.note(50, 100);
  program.memory.note(2010, 5000);
  program.memory.note(2020, 100);
  program.memory.note(6000, 0);
  const auto module = make_timeline(program);
  module->consume(make_batch(s.batch));
  const Timeline row = derived(*module, program, 0).timeline.at(0);
  EXPECT_EQ(row.live[20], 5000u);
  for (const std::size_t i : {1u, 5u, 18u, 22u, 58u}) EXPECT_EQ(row.live[i], 100u) << i;
  EXPECT_EQ(row.live[63], 0u);
}

TEST(LiveMemory, WhatIsAliveLivesOn) {
  LiveMemory memory;
  memory.note(0, 7);
  EXPECT_EQ((memory.parts<4>(100000)), (std::array<std::uint64_t, 4>{7, 7, 7, 7}));
  memory.note(1 << 20, 9);
  EXPECT_EQ((memory.parts<4>(1 << 21)), (std::array<std::uint64_t, 4>{7, 7, 9, 9}));
}

// However the events are cut into batches: when a batch ends depends on the machine.
TEST(Timeline, BatchesMakeNoDifference) {
  std::vector<Timeline> rows;
  for (const std::uint64_t size : {7u, 100u, 640u, 3200u}) {
    FakeProgram program;
    const auto module = make_timeline(program);
    for (std::uint64_t first = 0; first < 6400; first += size) {
      Script s;
      s.time = first;
      for (std::uint64_t k = first; k < std::min<std::uint64_t>(first + size, 6400); k++) s.load(k % 2000 < 500 ? 1 : 2, 0x1000, 8);
      program.count(s.batch);
      module->consume(make_batch(s.batch));
    }
    rows.push_back(derived(*module, program, 77).timeline.at(0));
    EXPECT_EQ(rows.back().accesses, rows.front().accesses) << size;
    EXPECT_EQ(rows.back().misses, rows.front().misses) << size;
  }
}

TEST(Timeline, ThreadsHaveTheirShares) {
  Script s;
  for (int i = 0; i < 640; i++) {
    s.thread = i % 4 == 0 ? 1 : 0;
    s.load(1, 0x1000, 8);
  }
  FakeProgram program;
  program.count(s.batch);
  const auto module = make_timeline(program);
  Batch batch = make_batch(s.batch);
  batch.threads = 2;
  module->consume(batch);
  const feedback::Profile profile = derived(*module, program, 0);
  ASSERT_EQ(profile.timeline.size(), 3u);
  EXPECT_EQ(profile.timeline[1].thread, 1u);
  EXPECT_NEAR(double(sum(profile.timeline[1].accesses)), 480, 64);
  EXPECT_NEAR(double(sum(profile.timeline[2].accesses)), 160, 64);
}

TEST(Timeline, RandomProgramsLoseNoAccess) {
  for (std::uint64_t seed = 0; seed < 200; seed++) {
    const Trace trace = RandomProgram(seed, {}).make();
    FakeProgram program;
    program.count(trace);
    const auto module = make_timeline(program);
    module->consume(make_batch(trace));
    const feedback::Profile profile = derived(*module, program, 0);
    const std::uint64_t all = std::accumulate(program.counts.begin(), program.counts.end(), std::uint64_t{0});
    if (all != 0) ASSERT_EQ(sum(profile.timeline.at(0).accesses), all) << "seed " << seed;
  }
}

}  // namespace
}  // namespace memprof::backend::testing
