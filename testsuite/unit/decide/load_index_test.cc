// load_index_test.cc - the facts about a load, from rows of several modules.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/decide/load_index.h"

#include <gtest/gtest.h>

namespace {

using namespace memprof;
using decide::CostModel;
using decide::LoadFacts;

// A profile of one load that touches two groups much and one hardly ever.
feedback::Profile small_profile() {
  feedback::Profile profile;
  feedback::Function function;
  feedback::Loop loop;
  loop.id = 7;
  loop.invocations = 10;
  loop.iterations = 1000;
  function.loops.push_back(loop);
  feedback::Site site;
  site.id = 3;
  site.loop = 7;
  site.executions = 1000;
  function.sites.push_back(site);
  feedback::Module module;
  module.functions.push_back(function);
  profile.modules.push_back(module);
  for (feedback::Id id : {0u, 1u, 2u}) {
    feedback::Group group;
    group.id = id;
    group.objects = 10;
    group.span = 1000u << (10 * id);
    profile.groups.push_back(group);
  }
  profile.points_to.push_back({3, {{0, 495}, {1, 495}, {2, 10}}});
  feedback::Stride stride;
  stride.site = 3;
  stride.executions = 1000;
  stride.dominant = 16;
  stride.share = 0.5;
  stride.histogram = {{16, 500}, {-32, 200}, {4096, 299}};
  profile.strides.push_back(stride);
  return profile;
}

TEST(LoadIndex, AddsTheMissesOfAllGroups) {
  feedback::Profile profile = small_profile();
  const auto& function = profile.modules[0].functions[0];
  EXPECT_FALSE(decide::LoadIndex(profile, CostModel())
                   .facts(function, function.sites[0]).l2_misses.has_value());
  profile.cache = {{3, 0, 50, 20, 0, 0, {}, false}, {3, 1, 50, 3, 0, 0, {}, false}, {4, 0, 9, 9, 9, 9, {}, false}};
  EXPECT_EQ(decide::LoadIndex(profile, CostModel())
                .facts(function, function.sites[0]).l2_misses.value(), 23u);
}

TEST(LoadIndex, GathersTheRowsOfASite) {
  const feedback::Profile profile = small_profile();
  const decide::LoadIndex index(profile, CostModel());
  const auto& function = profile.modules[0].functions[0];
  const LoadFacts facts = index.facts(function, function.sites[0]);
  EXPECT_EQ(facts.executions, 1000u);
  EXPECT_EQ(facts.invocations, 10u);
  EXPECT_EQ(facts.iterations, 1000u);
  EXPECT_EQ(facts.span, 1000u + 1024000u);  // the third group is too rare
  EXPECT_EQ(facts.objects, 20u);
  EXPECT_TRUE(facts.stride_known);
  EXPECT_EQ(facts.stride, 16);
  EXPECT_DOUBLE_EQ(facts.line_local, (500 * 0.75 + 200 * 0.5) / 1000);
}

// Nodes of 90 bytes, visited two by two in the order of their allocation.
TEST(LoadIndex, KnowsHowFarNodesLieInAnArena) {
  feedback::Profile profile = small_profile();
  auto& function = profile.modules[0].functions[0];
  profile.points_to = {{3, {{0, 10}, {1, 990}}}};
  auto& group = profile.groups[1];
  group.allocator = "malloc";
  group.file = "list.c";
  group.objects = 1000000;
  group.bytes = group.span = 90000000;
  profile.run.accesses = 10000000;
  profile.cache = {{3, 1, 0, 0, 0, 1000000, {}, false}};
  feedback::ObjectRelative row;
  row.site = 3;
  row.group = 1;
  row.o1.lmads = {{{0}, {2}, 400000}, {{5}, {1}, 10}};
  profile.object_relative.push_back(row);
  CostModel model;
  const auto stride = [&] {
    return decide::LoadIndex(profile, model).facts(function, function.sites[0]).arena_stride;
  };
  EXPECT_EQ(stride(), 2 * 96);
  model.arenas = false;
  EXPECT_EQ(stride(), 0);
  model.arenas = true;
  profile.groups[1].bytes++;  // of several sizes
  EXPECT_EQ(stride(), 0);
  profile.groups[1].bytes--;
  profile.object_relative[0].o1.lmads = {{{0}, {1}, 10}, {{5}, {9}, 10}, {{5}, {7}, 10}};
  EXPECT_EQ(stride(), 0);
  profile.object_relative[0].o1.lmads = {{{9}, {-1}, 10}};
  EXPECT_EQ(stride(), -96);
  // Another site tells, which moves by half as much.
  profile.object_relative[0].o1.lmads.clear();
  EXPECT_EQ(stride(), 0);
  profile.strides[0].dominant = 224;
  feedback::Stride other = profile.strides[0];
  other.site = 9;
  other.dominant = 112;
  other.share = 0.9;
  profile.strides.push_back(other);
  profile.points_to.push_back({9, {{1, 1000}}});
  feedback::ObjectRelative by_one = row;
  by_one.site = 9;
  by_one.o1.lmads = {{{0}, {1}, 1000}};
  profile.object_relative.push_back(by_one);
  EXPECT_EQ(stride(), 2 * 96);
  profile.strides[0].dominant = 200;  // no multiple
  EXPECT_EQ(stride(), 0);
  profile.strides[0].dominant = -112;
  EXPECT_EQ(stride(), -96);
  profile.strides[1].share = 0.5;
  EXPECT_EQ(stride(), 0);
  profile.object_relative[0].o1.lmads = {{{9}, {-1}, 10}};
  profile.points_to = {{3, {{0, 500}, {1, 500}}}};
  EXPECT_EQ(stride(), 0);
  profile.points_to = {{3, {{1, 1000}}}};
  profile.cache.clear();  // no arena: too few misses
  profile.strides.clear();
  EXPECT_EQ(stride(), 0);
}

// A table of 256 words in one of the large objects of group 1.
TEST(LoadIndex, CountsOnlyWhatTheSiteRangesOver) {
  feedback::Profile profile = small_profile();
  auto& function = profile.modules[0].functions[0];
  function.sites[0].width = 4;
  feedback::ObjectRelative row;
  row.site = 3;
  row.group = 1;
  row.accesses = 495;
  row.v1.lmads = {{{200}, {-4}, 10}};
  row.v1.captured = 10;
  row.v1.overflow = {{100}, {1120}, {4}, 485, 7};
  row.o1.lmads = {{{5}, {0}, 495}};
  row.o1.captured = 495;
  profile.object_relative.push_back(row);
  const auto span = [&] {
    return decide::LoadIndex(profile, CostModel())
        .facts(function, function.sites[0]).span;
  };
  EXPECT_EQ(span(), 1000u + 1024);  // 100 to 1123
  // The same place in 101 objects; in so many that they were not all alive.
  profile.object_relative[0].o1.lmads = {{{5}, {1}, 101}};
  EXPECT_EQ(span(), 1000u + 101 * 1024);
  profile.object_relative[0].o1.lmads = {{{5}, {1}, 100000}};
  EXPECT_EQ(span(), 1000u + 1024000);
  // One word of each: a line at least.
  profile.object_relative[0].v1 = {};
  profile.object_relative[0].v1.lmads = {{{8}, {0}, 495}};
  profile.object_relative[0].o1.lmads = {{{5}, {1}, 100}};
  EXPECT_EQ(span(), 1000u + 100 * 64);
  profile.groups[1].kind = feedback::GroupKind::stack;
  EXPECT_EQ(span(), 1000u);
}

TEST(LoadIndex, KnowsNothingWithoutTheSections) {
  feedback::Profile profile = small_profile();
  profile.points_to.clear();
  profile.strides.clear();
  const decide::LoadIndex index(profile, CostModel());
  const auto& function = profile.modules[0].functions[0];
  const LoadFacts facts = index.facts(function, function.sites[0]);
  EXPECT_EQ(facts.span, 0u);
  EXPECT_FALSE(facts.stride_known);
}

}  // namespace
