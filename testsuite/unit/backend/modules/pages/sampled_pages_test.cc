// sampled_pages_test.cc - walks and requests of a sampled run from its reuse.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/modules/pages/sampled_pages.h"

#include <gtest/gtest.h>

namespace memprof::backend {
namespace {

feedback::Pages row_of(feedback::Id group, std::uint64_t object, std::uint64_t walks, std::uint64_t requests) {
  feedback::Pages row;
  row.group = group;
  row.object = object;
  row.walks = walks;
  row.walk_refs = 2 * walks;
  row.memory = {requests, requests / 2, 10, walks / 2};
  row.as_read = {2 * requests, requests / 2, 10, walks / 2};
  return row;
}

class SampledPages : public ::testing::Test {
 protected:
  // Group 7 misses 400 times in a last level of 128 lines and 200 times in a TLB of 16 pages.
  SampledPages() {
    geometry_.llc = {128 * 64, 16};
    geometry_.second = {16, 4};
    profile_.reuse.push_back({1, 7, {{16, 900}, {128, 300}}, {{16, 150}}});
    profile_.reuse.push_back({2, 7, {{16, 100}}, {{8, 70}, {16, 50}}});
    feedback::Cache misses;
    misses.site = 1;
    misses.group = 7;
    misses.errors.tlb = 40;
    profile_.cache.push_back(misses);
  }
  PageGeometry geometry_;
  feedback::Profile profile_;
};

TEST_F(SampledPages, BurstsSayWhichObjectReuseSaysHowMany) {
  profile_.pages = {row_of(7, 1, 3000, 3000), row_of(7, 2, 1000, 1000)};
  fit_to_reuse(geometry_, profile_);
  EXPECT_EQ(profile_.pages[0].memory.requests, 300u);
  EXPECT_EQ(profile_.pages[1].memory.requests, 100u);
  EXPECT_EQ(profile_.pages[1].as_read.requests, 100u);
  EXPECT_EQ(profile_.pages[1].memory.write_backs, 50u);
  EXPECT_EQ(profile_.pages[0].memory.left, 1u);
  EXPECT_EQ(profile_.pages[0].walks, 150u);
  EXPECT_EQ(profile_.pages[0].walk_refs, 300u);
  EXPECT_EQ(profile_.pages[0].memory.walk_dram, 75u);
  EXPECT_EQ(profile_.pages[0].variance, 225u);  // 150 +-30
}

TEST_F(SampledPages, GroupsWithoutReuseStay) {
  profile_.pages = {row_of(8, 0, 30, 20)};
  fit_to_reuse(geometry_, profile_);
  EXPECT_EQ(profile_.pages[0].walks, 30u);
  EXPECT_EQ(profile_.pages[0].memory.requests, 20u);
}

TEST_F(SampledPages, NothingOfNothing) {
  profile_.pages = {row_of(7, 0, 0, 0)};
  fit_to_reuse(geometry_, profile_);
  EXPECT_EQ(profile_.pages[0].walks, 0u);
  EXPECT_EQ(profile_.pages[0].memory.requests, 0u);
}

}  // namespace
}  // namespace memprof::backend
