// extrapolate_test.cc - counts of bursts, scaled to the run.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/profile/extrapolate.h"

#include <gtest/gtest.h>

namespace memprof::backend {
namespace {

// Two sites: one whose executions are known to be hardly more than bursts saw, one with the factor of the run.
feedback::Profile profile() {
  feedback::Profile p;
  feedback::Function f;
  for (feedback::Id id : {0u, 1u}) {
    feedback::Site site;
    site.id = id;
    site.executions = 10;
    f.sites.push_back(site);
  }
  p.modules.push_back({});
  p.modules[0].functions.push_back(f);
  p.groups.resize(2);
  p.groups[0].id = 7;
  p.groups[1].id = 8;
  p.groups[0].accesses = p.groups[1].accesses = 10;
  p.points_to = {{0, {{7, 9}, {8, 1}}}, {1, {{8, 9}}}};
  return p;
}

TEST(Extrapolate, GroupsAreTheSumOfTheirSites) {
  feedback::Profile p = profile();
  Factors factors;
  factors.all = 1000;
  factors.sites = {{0, 2}, {1, 1000}};
  extrapolate(p, factors);
  EXPECT_EQ(p.run.accesses, 2u * 10 + 1000 * 10);
  EXPECT_EQ(p.groups[0].accesses, 2u * 9);
  EXPECT_EQ(p.groups[1].accesses, 2u * 1 + 1000 * 9);
  EXPECT_LE(p.groups[0].accesses + p.groups[1].accesses, p.run.accesses);
}

TEST(Extrapolate, ValuesAddUpToTheExecutionsOfTheirSite) {
  feedback::Profile p = profile();
  feedback::Value row;
  row.site = 1;
  row.executions = 8;
  row.repeats = 5;
  row.values = {{3, 6}, {4, 2}};
  row.min = 3;
  row.max = 4;
  p.values = {row};
  Factors factors;
  factors.all = 1000;
  factors.sites = {{1, 50}};
  extrapolate(p, factors);
  EXPECT_EQ(p.values[0].executions, 400u);
  EXPECT_EQ(p.values[0].repeats, 250u);
  EXPECT_EQ(p.values[0].values[0].count + p.values[0].values[1].count, 400u);
  EXPECT_LE(p.values[0].executions, p.modules[0].functions[0].sites[1].executions);
}

TEST(Extrapolate, GroupsHaveTheFactorOfTheRunWhereNoSiteSaysWhatItAccesses) {
  feedback::Profile p = profile();
  p.points_to.clear();
  Factors factors;
  factors.all = 3;
  extrapolate(p, factors);
  EXPECT_EQ(p.groups[0].accesses, 30u);
}

}  // namespace
}  // namespace memprof::backend
