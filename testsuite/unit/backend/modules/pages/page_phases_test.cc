// page_phases_test.cc - requests and walks of groups by slices of the run.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/modules/pages/page_phases.h"

#include <numeric>
#include <random>

#include "testsuite/unit/backend/backend_testutil.h"

namespace memprof::backend::testing {
namespace {

using feedback::Timeline;

feedback::Pages pages_row(feedback::Id group, std::uint64_t object, std::uint64_t requests, std::uint64_t walks) {
  feedback::Pages row;
  row.group = group;
  row.object = object;
  row.memory.requests = requests;
  row.walks = walks;
  return row;
}

std::uint64_t sum(const Timeline::Slices& slices) {
  return std::accumulate(slices.begin(), slices.end(), std::uint64_t{0});
}

// Against the counts of each slice; TIME is a multiple of the cells, which are as long as slices or half.
TEST(PagePhases, SlicesAreThoseOfTheCounts) {
  for (const std::uint64_t ticks : {64u, 128u, 1024u}) {
    std::mt19937_64 random(ticks);
    PagePhases phases(1);
    Timeline::Slices expected{};
    for (std::uint64_t time = 0; time < ticks; time++) {
      phases.reach(time);
      for (std::uint64_t n = random() % 4; n > 0; n--) {
        phases.count(3, PagePhases::requests);
        expected[time * 64 / ticks]++;
      }
    }
    feedback::Profile profile;
    // Two objects of the group: twice what was seen.
    profile.pages = {pages_row(3, 1, sum(expected), 0), pages_row(3, 2, sum(expected), 0)};
    phases.add_rows(FakeProgram(), profile);
    ASSERT_EQ(profile.page_phases.size(), 1u);
    EXPECT_EQ(profile.page_phases[0].group, 3u);
    for (std::size_t i = 0; i < 64; i++)
      EXPECT_NEAR(double(profile.page_phases[0].requests[i]), 2.0 * double(expected[i]), 1) << ticks << ' ' << i;
    EXPECT_EQ(sum(profile.page_phases[0].requests), 2 * sum(expected));
    EXPECT_EQ(sum(profile.page_phases[0].walks), 0u);
  }
}

// One window in four: the others are taken to be like it.
TEST(PagePhases, AWindowRepresentsItsPeriod) {
  constexpr std::uint64_t k_window = 100, k_period = 4 * k_window;
  PagePhases phases(k_period);
  for (std::uint64_t period = 0; period < 64; period++)
    for (std::uint64_t i = 0; i < k_window; i++) {
      phases.reach(period * k_period + i);
      phases.count(period < 32 ? 1 : 2, PagePhases::walks);
    }
  phases.reach(64 * k_period - 1);
  feedback::Profile profile;
  profile.pages = {pages_row(1, 0, 0, 6400), pages_row(2, 0, 0, 12800)};
  phases.add_rows(FakeProgram(), profile);
  ASSERT_EQ(profile.page_phases.size(), 2u);
  for (std::size_t i = 0; i < 64; i++) {
    EXPECT_EQ(profile.page_phases[0].walks[i], i < 32 ? 200u : 0u) << i;
    EXPECT_EQ(profile.page_phases[1].walks[i], i < 32 ? 0u : 400u) << i;
  }
}

TEST(PagePhases, GroupsBelowOnePerCentHaveNoRow) {
  PagePhases phases(1);
  phases.reach(0);
  for (const GroupId group : {1u, 2u, 3u}) phases.count(group, PagePhases::requests);
  feedback::Profile profile;
  profile.pages = {pages_row(1, 0, 1000, 0), pages_row(2, 0, 9, 0), pages_row(3, 0, 9, 1)};
  phases.add_rows(FakeProgram(), profile);
  ASSERT_EQ(profile.page_phases.size(), 2u);
  EXPECT_EQ(profile.page_phases[0].group, 1u);
  EXPECT_EQ(profile.page_phases[1].group, 3u);
}

}  // namespace
}  // namespace memprof::backend::testing
