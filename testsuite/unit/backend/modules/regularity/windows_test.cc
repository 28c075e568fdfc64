// windows_test.cc - when windows of references begin, count and end.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/modules/regularity/windows.h"

#include <gtest/gtest.h>

namespace memprof::backend {
namespace {

// References of the open window: before, in and after the burst.
struct Parts {
  std::uint64_t before = 0, burst = 0, after = 0;
  bool operator==(const Parts&) const = default;
};

Parts spend(Windows& windows) {
  Parts parts;
  for (; windows.open(); windows.spend())
    ++(windows.counts() ? parts.burst : parts.burst == 0 ? parts.before : parts.after);
  return parts;
}

TEST(Windows, AllButTheFirstHaveReferencesBeforeTheBurst) {
  Windows windows({5000, 70, {}, 0});
  EXPECT_EQ(windows.next(), 0u);
  windows.begin();
  EXPECT_EQ(spend(windows), (Parts{0, 70, Windows::k_after}));
  windows.end(1000);
  windows.begin();
  EXPECT_EQ(spend(windows), (Parts{Windows::k_before, 70, Windows::k_after}));
}

TEST(Windows, LookAtAsMuchAfterTheBurstAsAWideDetectorNeeds) {
  Windows windows({5000, 70, {}, 0}, 2000);
  windows.begin();
  EXPECT_EQ(spend(windows), (Parts{0, 70, 2000}));
}

TEST(Windows, LieAFractionOfTheTimeApartAndAPeriodAtMost) {
  Windows windows({100'000, 70, {}, 0});
  double early = 0, late = 0;
  for (int i = 0; i < 1000; i++) {
    windows.end(16'000);
    early += static_cast<double>(windows.next() - 16'000);
    windows.end(std::uint64_t{1} << 40);
    late += static_cast<double>(windows.next() - (std::uint64_t{1} << 40));
  }
  EXPECT_NEAR(early / 1000, 1000, 30);
  EXPECT_NEAR(late / 1000, 100'000, 3000);
}

TEST(Windows, BeginShortAndAtOnceWhereThereIsReason) {
  Windows windows({1'000'000, 80, {}, 0});
  windows.begin();
  spend(windows);
  windows.end(1'000'000'000);
  EXPECT_GT(windows.next(), 1'000'100'000u);
  windows.begin_at(1'000'000'500);
  EXPECT_EQ(windows.next(), 1'000'000'500u);
  windows.begin();
  EXPECT_EQ(spend(windows), (Parts{0, 20, Windows::k_after}));
}

TEST(Windows, StandForTheTimeBetweenThem) {
  Windows windows({100'000, 100, {}, 0});
  const auto weight_after = [&](std::uint64_t time, bool at_once) {
    windows.end(time);
    if (at_once) windows.begin_at(time);
    windows.begin();
    return windows.weight();
  };
  windows.begin();
  EXPECT_EQ(windows.weight(), Windows::k_weight);
  EXPECT_EQ(weight_after(16'000, false), 368u);
  EXPECT_EQ(weight_after(1'000'000'000, false), 16'208u);
  EXPECT_EQ(weight_after(1'000'000'000, true), Windows::k_weight);
}

TEST(Windows, AreNoneAfterTheLast) {
  Windows windows({1000, 10, 1, 0});
  EXPECT_TRUE(windows.any());
  windows.begin();
  spend(windows);
  windows.end(300);
  EXPECT_EQ(windows.next(), Windows::k_never);
  // Code that is executed for the first time is looked at all the same.
  windows.begin_at(1000);
  EXPECT_EQ(windows.next(), 1000u);
  EXPECT_FALSE(Windows({1000, 10, 0, 0}).any());
}

TEST(Windows, IfTheyAreFewAreSpreadOverALongRun) {
  for (const std::uint64_t most : {2, 20, 200}) {
    Windows windows({{}, {}, most, 0});
    std::uint64_t number = 0, time = 0;
    for (; windows.next() != Windows::k_never; number++) {
      time = std::max(time, windows.next()) + Windows::k_burst;
      windows.begin();
      spend(windows);
      windows.end(time);
    }
    EXPECT_EQ(number, most);
    EXPECT_GT(time, 10'000'000u);
  }
}

TEST(Windows, OfACompleteCollectionAreOne) {
  Windows windows({0, 10, {}, 0});
  EXPECT_TRUE(windows.complete());
  windows.begin();
  windows.spend(1'000'000);
  EXPECT_TRUE(windows.open() && windows.counts());
}

}  // namespace
}  // namespace memprof::backend
