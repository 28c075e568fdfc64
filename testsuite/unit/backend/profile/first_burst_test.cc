// first_burst_test.cc - sample mode: what the first burst represents.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/profile/first_burst.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

namespace memprof::backend {
namespace {

// A run of PLACES places is sampled as the runtime does it, and all that happens is counted by
// brute force. Place i enters the loop if entries[i], and is one of its iterations if
// iterations[i].
struct PlacesOfRun {
  std::vector<bool> entries, iterations;
};

struct Estimates {
  double entries = 0, iterations = 0, naive_entries = 0;
};

constexpr std::uint64_t k_burst = 8, k_half = 500;

// Of one run, whose first gap is what is left of one.
Estimates sample(const PlacesOfRun& run, std::mt19937_64& random) {
  const auto below = [&](std::uint64_t n) { return random() % n; };
  StreamCounts counts;
  FirstBurst first;
  LoopCounts seen;
  const std::uint64_t end = run.entries.size();
  for (std::uint64_t at = 0; at < end;) {
    if (counts.bursts == 1) first.note({}, {{}, seen}, counts.in_bursts);
    counts.bursts++;
    const std::uint64_t burst_end = std::min(end, at + k_burst);
    counts.in_bursts += burst_end - at;
    for (; at < burst_end; at++) {
      seen.invocations += run.entries[at];
      seen.iterations += run.iterations[at];
    }
    std::uint64_t gap = k_half + below(2 * k_half);
    if (counts.bursts == 1)
      do gap = below(3 * k_half);
      while (gap >= k_half && below(2 * k_half) >= 3 * k_half - gap);
    gap = std::min(gap, end - at);
    counts.between_bursts += gap;
    at += gap;
  }
  const std::uint64_t times = first.times(counts);
  const LoopCounts early = first.alone(counts) ? LoopCounts{} : first.loop(1);
  const auto all = [&](std::uint64_t n, std::uint64_t in_first) {
    return static_cast<double>(FirstBurst::estimate(n, in_first, times));
  };
  return {all(seen.invocations, early.invocations), all(seen.iterations, early.iterations),
          static_cast<double>(seen.invocations * counts.times())};
}

// Means over many runs.
Estimates means(const PlacesOfRun& run) {
  constexpr int k_runs = 20'000;
  std::mt19937_64 random(1);
  Estimates sum;
  for (int i = 0; i < k_runs; i++) {
    const Estimates e = sample(run, random);
    sum.entries += e.entries / k_runs;
    sum.iterations += e.iterations / k_runs;
    sum.naive_entries += e.naive_entries / k_runs;
  }
  return sum;
}

PlacesOfRun of_places(std::uint64_t places) {
  return {std::vector<bool>(places), std::vector<bool>(places)};
}

TEST(FirstBurst, ALoopThatIsEnteredAtTheStartIsEnteredOnce) {
  PlacesOfRun run = of_places(20'000);
  run.entries[2] = true;
  for (std::uint64_t i = 3; i < run.iterations.size(); i++) run.iterations[i] = true;
  const Estimates e = means(run);
  EXPECT_NEAR(e.entries, 1, 1e-9);
  EXPECT_NEAR(e.iterations, 19'997, 0.01 * 19'997);
  EXPECT_GT(e.naive_entries, 100);  // about 1 / share
}

TEST(FirstBurst, SoonAfterTheStartEachPlaceHasTheSameChance) {
  for (const std::uint64_t at : {40u, 300u, 700u, 1200u, 5000u}) {
    PlacesOfRun run = of_places(20'000);
    run.entries[at] = true;
    EXPECT_NEAR(means(run).entries, 1, 0.25) << at;
  }
}

TEST(FirstBurst, ShortLoopsThatAreEnteredAllTheTime) {
  PlacesOfRun run = of_places(20'000);
  for (std::uint64_t i = 0; i < run.entries.size(); i++)
    (i % 4 == 0 ? run.entries : run.iterations)[i] = true;
  const Estimates e = means(run);
  EXPECT_NEAR(e.entries, 5'000, 0.02 * 5'000);
  EXPECT_NEAR(e.iterations, 15'000, 0.02 * 15'000);
}

TEST(FirstBurst, AloneItStandsForTheWholeRun) {
  StreamCounts counts;
  counts.bursts = 1;
  counts.in_bursts = 10;
  counts.between_bursts = 90;
  const FirstBurst first;
  EXPECT_TRUE(first.alone(counts));
  EXPECT_EQ(first.times(counts), 10u);
}

TEST(FirstBurst, OneFactorOfAllThatWasSeen) {
  EXPECT_EQ(FirstBurst::factor(6, 6, 800), 1u);
  EXPECT_EQ(FirstBurst::factor(12, 6, 800), 401u);  // 6 + 6 * 800, 12 times
  EXPECT_EQ(FirstBurst::factor(7, 0, 800), 800u);
}

}  // namespace
}  // namespace memprof::backend
