// regularity_test.cc - streams of sites, and ranges in closed form.
// SPDX-License-Identifier: GPL-3.0-or-later
#include <random>

#include "feedback/regularity.h"
#include "runtime/backend/modules/regularity/collection.h"
#include "testsuite/unit/backend/random_program.h"

namespace memprof::backend::testing {
namespace {

TEST(Regularity, CountsReferencesThatAreInStreams) {
  Script s;
  for (std::uint64_t i = 0; i < 5; i++) s.load(1, 0x100 + 8 * i, 8).load(3, 0x900 + i * i * 64, 8);
  EXPECT_EQ(text(run(make_regularity, s.batch)),
            "regularity 1 5/5 squares 25 steps 8 pages 1 wide 0 [5 of 8: 1, 5] 2*5\n"
            "regularity 3 0/5 squares 0 steps 0 pages 0 wide 0\n");
}

// The first reference of the right neighbour begins a stream which the others follow.
TEST(Regularity, StreamsGoAcrossTheInstructionsOfAStencil) {
  Script s;
  for (std::uint64_t i = 1; i <= 10; i++)
    s.load(1, 0x100 + 8 * (i - 1), 8).load(3, 0x100 + 8 * i, 8).load(5, 0x100 + 8 * (i + 1), 8);
  const std::string rows = text(run(make_regularity, s.batch));
  EXPECT_NE(rows.find("regularity 1 10/10"), std::string::npos) << rows;
  EXPECT_NE(rows.find("regularity 3 10/10"), std::string::npos) << rows;
  EXPECT_NE(rows.find("regularity 5 10/10"), std::string::npos) << rows;
}

TEST(Regularity, ThreadsHaveStreamsOfTheirOwn) {
  Script s;
  for (std::uint64_t i = 0; i < 4; i++) {
    s.thread = static_cast<std::uint32_t>(i % 2);
    s.load(1, 0x100 + 8 * i, 8);
  }
  EXPECT_EQ(text(run(make_regularity, s.batch)),
            "regularity 1 0/4 squares 0 steps 0 pages 0 wide 0\n");
}

TEST(Regularity, LongRangesAreTakenAtOnce) {
  Script s;
  const std::uint64_t n = std::uint64_t{1} << 40;
  s.range(1, n, {{0x1000, 8, n, 0, 8, 1, 0, 0, false}, {1ull << 50, -4, n, 0, 4, 2, 0, 0, true}});
  const std::string rows = text(run(make_regularity, s.batch));
  EXPECT_NE(rows.find("regularity 1 1099511627776/1099511627776"), std::string::npos) << rows;
  EXPECT_NE(rows.find("[16385 of 1: 1, 1099511627776] 2*1099511627776"), std::string::npos) << rows;
}

// Small areas, so that ranges meet what earlier ones have left.
TEST(Regularity, RangesCountLikeTheirAccesses) {
  for (std::uint64_t seed = 0; seed < 1000; seed++) {
    RandomProgram::Options options;
    options.area = seed % 2 ? 300 : 2000;
    options.threads = 1 + seed % 3;
    options.max_count = 60;
    const Trace trace = RandomProgram(seed, options).make();
    ASSERT_EQ(difference(text(run(make_regularity, trace)),
                         text(run(make_regularity, expand(trace)))), "")
        << "seed " << seed;
  }
}

// Streams that accesses share and take turns at, steps of both signs, and accesses that meet.
TEST(Regularity, StencilsInRangesCountLikeTheirAccesses) {
  std::mt19937_64 random(7);
  const auto below = [&](std::uint64_t n) { return random() % n; };
  for (int i = 0; i < 1000; i++) {
    Script s;
    for (std::uint64_t n = 1 + below(3); n > 0; n--) {
      const std::int64_t steps[] = {8, -8, 16, 0, 24, static_cast<std::int64_t>(8 * below(5))};
      const std::uint64_t count = 1 + below(40), rows = 1 + below(4);
      const std::int64_t usual = steps[below(6)];
      std::vector<RangeAccess> accesses;
      for (SiteId site = 1; site <= 1 + below(7); site++)
        accesses.push_back({0x10000 + 8 * below(12), below(4) ? usual : steps[below(6)], count, 0, 8,
                            site, 0, 0, below(4) == 0, 0, 0, rows,
                            static_cast<std::int64_t>(8 * below(60))});
      s.range(1, count, accesses, rows > 1 ? 2 : 0);
    }
    ASSERT_EQ(difference(text(run(make_regularity, s.batch)),
                         text(run(make_regularity, expand(s.batch)))), "")
        << "program " << i;
  }
}

TEST(Regularity, LongStencilsAreTakenAtOnce) {
  Script s;
  const std::uint64_t n = std::uint64_t{1} << 40;
  s.range(1, n, {{0x1000, 8, n, 0, 8, 1, 0, 0, false}, {0x0ff8, 8, n, 0, 8, 3, 0, 0, false},
                 {0x1008, 8, n, 0, 8, 5, 0, 0, false}});
  EXPECT_NE(text(run(make_regularity, s.batch)).find("regularity 5 1099511627776/1099511627776"),
            std::string::npos);
}

void collect(FakeProgram& program, const Collection& windows) {
  program.options["period"] = std::to_string(*windows.period);
  program.options["burst"] = std::to_string(*windows.burst);
  program.options["bursts"] = windows.bursts ? std::to_string(*windows.bursts) : "";
  program.options["converge"] = std::to_string(windows.converge);
}

// With an option regularity=, and functions by site.
class DetectingProgram : public FakeProgram {
 public:
  std::vector<FunctionId> functions;
  FunctionId function_of(SiteId site) const override {
    return site < functions.size() ? functions[site] : 0;
  }
};

// With regularity=DETECTION, everything looked at: references in streams by site.
std::string regular_with(const std::string& detection, const Trace& trace) {
  DetectingProgram program;
  program.count(trace);
  program.options["regularity"] = detection;
  const auto module = make_regularity(program);
  consume(*module, make_batch(trace));
  std::string shares;
  for (const feedback::Regularity& row : finish(*module).regularity)
    shares += std::to_string(row.site) + ": " + std::to_string(row.regular) + '/' +
              std::to_string(row.references) + ' ';
  return shares;
}

// The stream of site 1 stands still for 5000 references that are in none.
TEST(Regularity, StreamsEndUnlessTheyAreToldNotTo) {
  Script s;
  std::mt19937_64 random(9);
  for (std::uint64_t i = 0; i < 5; i++) {
    if (i == 3)
      for (int k = 0; k < 5000; k++) s.load(3, std::uint64_t{1} << 60 | random() >> 10, 8);
    s.load(1, 0x100 + 8 * i, 8);
  }
  EXPECT_EQ(regular_with("", s.batch), "1: 3/5 3: 0/5000 ");
  EXPECT_EQ(regular_with("expire=5000", s.batch), "1: 3/5 3: 0/5000 ");
  EXPECT_EQ(regular_with("expire=5001", s.batch), "1: 5/5 3: 0/5000 ");
  EXPECT_EQ(regular_with("expire=0", s.batch), "1: 5/5 3: 0/5000 ");
}

// Vector M-5 of the specification: the first element may have left the window.
TEST(Regularity, TheWindowIsThatOfTheOptions) {
  Script s;
  for (const std::uint64_t a : {0, 500, 900, 8, 501, 903, 16, 502, 909}) s.load(1, 0x10000 + a, 1);
  EXPECT_EQ(regular_with("window=4", s.batch), "1: 6/9 ");
  EXPECT_EQ(regular_with("window=3", s.batch), "1: 0/9 ");
}

// The paper's two windows: elements 32 references apart are in a window of 100 only.
TEST(Regularity, AWindowOf32SeesLessThanOneOf100) {
  Script s;
  std::mt19937_64 random(10);
  for (std::uint64_t i = 0; i < 40; i++) {
    s.load(1, 0x100 + 8 * i, 8);
    for (int k = 0; k < 31; k++) s.load(3, std::uint64_t{1} << 60 | random() >> 10, 8);
  }
  EXPECT_EQ(regular_with("window=100", s.batch), "1: 40/40 3: 0/1240 ");
  EXPECT_EQ(regular_with("window=33", s.batch), "1: 40/40 3: 0/1240 ");
  EXPECT_EQ(regular_with("window=32", s.batch), "1: 0/40 3: 0/1240 ");
}

// In batches of 1000 accesses.
feedback::Profile run_in_batches(const ProgramInfo& program, const Trace& trace) {
  const auto module = make_regularity(program);
  for (std::size_t i = 0; i < trace.events.size(); i += 1000) {
    Trace part;
    const auto first = trace.events.begin() + static_cast<std::ptrdiff_t>(i);
    part.events.assign(first, first + static_cast<std::ptrdiff_t>(
                                          std::min<std::size_t>(1000, trace.events.size() - i)));
    Batch batch = make_batch(part);
    batch.end = batch.time + part.events.size();
    consume(*module, batch);
  }
  return finish(*module);
}

// Half of the references lie in streams.
Trace long_run(std::uint64_t iterations) {
  Script s;
  std::mt19937_64 random(8);
  for (std::uint64_t i = 0; i < iterations; i++)
    s.load(1, 0x100000 + 8 * i, 8).load(3, (std::uint64_t{1} << 40) + 8 * (random() >> 34), 8);
  return s.batch;
}

TEST(Regularity, WindowsSeeTheSameSharesAndNumbersOfStreams) {
  const Trace trace = long_run(200'000);
  FakeProgram program;
  program.count(trace);
  collect(program, {20'000, 2000, {}, 0});
  const feedback::Profile p = run_in_batches(program, trace);
  ASSERT_EQ(p.regularity.size(), 2u);
  const feedback::Regularity &a = p.regularity[0], &b = p.regularity[1];
  EXPECT_EQ(a.references, 200'000u);
  EXPECT_EQ(b.references, 200'000u);
  EXPECT_LT(a.looked, 40'000u);
  EXPECT_GT(a.looked, 8'000u);
  EXPECT_EQ(a.regular, a.references);
  EXPECT_EQ(b.regular, 0u);
  EXPECT_EQ(a.before, a.references);
  // Windows know the streams that began before them.
  EXPECT_EQ(feedback::summary(a).streams, 1u);
}

// The beginning is looked at more closely, but does not count for more.
TEST(Regularity, WindowsGiveEachPartOfTheRunItsWeight) {
  Script s;
  std::mt19937_64 random(8);
  constexpr std::uint64_t iterations = 400'000;
  for (std::uint64_t i = 0; i < iterations; i++)
    s.load(1, i < iterations / 10 ? 0x100000 + 8 * i : (std::uint64_t{1} << 40) + 8 * (random() >> 34), 8);
  FakeProgram program;
  program.count(s.batch);
  collect(program, {10'000, 1000, {}, 0});
  const feedback::Profile p = run_in_batches(program, s.batch);
  ASSERT_EQ(p.regularity.size(), 1u);
  EXPECT_EQ(p.regularity[0].references, iterations);
  EXPECT_LT(p.regularity[0].looked, iterations / 3);
  EXPECT_NEAR(feedback::summary(p.regularity[0]).regularity, 0.1, 0.03);
}

TEST(Regularity, AsManyWindowsAsAskedFor) {
  const Trace trace = long_run(100'000);
  FakeProgram program;
  program.count(trace);
  for (const std::uint64_t windows : {0, 1, 3}) {
    collect(program, {5'000, 1000, windows, 0});
    std::uint64_t looked = 0;
    for (const auto& row : run_in_batches(program, trace).regularity) looked += row.looked;
    EXPECT_EQ(looked, 1000 * windows);
  }
}

// Function 1 runs first, function 2 after it. The first window of each counts 1000 references and, as
// code that is new begins one at once, 250.
TEST(Regularity, AsManyWindowsAsAskedForOfEachFunction) {
  Trace trace = long_run(100'000);
  Script later;
  for (std::uint64_t i = 0; i < 100'000; i++) later.store(5, 0x900000 + 8 * i, 8);
  trace.events.insert(trace.events.end(), later.batch.events.begin(), later.batch.events.end());
  DetectingProgram program;
  program.count(trace);
  program.functions = {0, 1, 0, 1, 0, 2};
  collect(program, {5'000, 1000, {}, 0});
  for (const std::uint64_t samples : {1, 3, 8}) {
    program.options["regularity"] = "samples=" + std::to_string(samples);
    std::uint64_t looked[2] = {};
    for (const auto& row : run_in_batches(program, trace).regularity)
      looked[row.site == 5] += row.looked;
    EXPECT_EQ(looked[0], 1000 * samples);
    EXPECT_EQ(looked[1], 250 + 1000 * (samples - 1));
  }
}

TEST(Regularity, WindowsEndWhenNothingChanges) {
  const Trace trace = long_run(200'000);
  FakeProgram program;
  program.count(trace);
  std::uint64_t looked[2] = {};
  for (const bool converge : {false, true}) {
    collect(program, {5'000, 1000, {}, converge ? 5.0 : 0});
    for (const auto& row : run_in_batches(program, trace).regularity)
      looked[converge] += row.looked;
  }
  EXPECT_LT(4 * looked[1], looked[0]);
  EXPECT_GE(looked[1], 4000u);
}

TEST(Regularity, WindowsBeginAtRareSites) {
  Script s;
  for (std::uint64_t i = 0; i < 300'000; i++) {
    s.load(1, 0x100000 + 8 * i, 8);
    if (i == 250'000)
      for (std::uint64_t k = 0; k < 50; k++) s.store(4, 0x900 + 16 * k, 8);
  }
  FakeProgram program;
  program.count(s.batch);
  collect(program, {10'000'000, 1000, {}, 0});
  const feedback::Profile p = run_in_batches(program, s.batch);
  ASSERT_EQ(p.regularity.size(), 2u);
  EXPECT_EQ(p.regularity[1].references, 50u);
  EXPECT_EQ(p.regularity[1].regular, 50u);
}

}  // namespace
}  // namespace memprof::backend::testing
