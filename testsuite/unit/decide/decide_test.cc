// decide_test.cc - decisions from invented evidence: every gate, each bound.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/decide/prefetch.h"

#include <gtest/gtest.h>

namespace {

using namespace memprof;
using decide::Advice;
using decide::CodeFacts;
using decide::CostModel;
using decide::LoadFacts;
using decide::Reason;
using decide::Shape;

// parent[neighbour[e]] of a breadth-first search: everything speaks for it.
LoadFacts good_load() {
  LoadFacts load;
  load.executions = 10000000;
  load.invocations = 100000;
  load.iterations = 10000000;
  load.span = 268 << 20;
  load.objects = 1;
  load.stride_known = true;
  load.stride_share = 0.01;
  return load;
}

CodeFacts good_code() {
  CodeFacts code;
  code.shape = Shape::indirect;
  code.instructions = 30;
  code.waits = 0.5;
  code.index_step = 4;
  return code;
}

LoadFacts good_nodes() {
  LoadFacts load = good_load();
  load.objects = 1000000;
  load.stride = 48;
  load.stride_share = 0.99;
  load.line_local = 0.25;
  return load;
}

CodeFacts linked_code() {
  CodeFacts code;
  code.shape = Shape::linked;
  code.instructions = 20;
  return code;
}

Advice decide_it(const LoadFacts& load, const CodeFacts& code,
                 const CostModel& model = {}) {
  return decide::decide_prefetch(load, code, model);
}

TEST(Prefetch, TakesIndirectAccessBeyondTheCache) {
  const Advice advice = decide_it(good_load(), good_code());
  ASSERT_EQ(advice.reason, Reason::taken) << advice.text();
  // 450 cycles / (30 instructions / 2 per cycle).
  EXPECT_EQ(advice.distance, 30u);
  EXPECT_NE(advice.text().find("indirect prefetch 30 iterations ahead"),
            std::string::npos) << advice.text();
}

// The prefetch of b[c[i + 30]] has done its work when b[c[i + 15]] is loaded.
TEST(Prefetch, LooksHalfAsFarThroughTwoLoads) {
  CodeFacts code = good_code();
  code.staged = true;
  EXPECT_EQ(decide_it(good_load(), code).distance, 15u);
}

TEST(Prefetch, RefusesLoadsThatHitInTheModel) {
  LoadFacts load = good_load();
  load.l2_misses = load.executions / 11;
  const Advice refused = decide_it(load, good_code());
  EXPECT_EQ(refused.reason, Reason::hits_cache);
  EXPECT_NE(refused.text().find("9.1 % of the executions only miss L2"),
            std::string::npos) << refused.text();
  load.l2_misses = load.executions / 9;
  EXPECT_EQ(decide_it(load, good_code()).reason, Reason::taken);
  // Of an access at the entry of a loop all misses may be those at the entries.
  load.l2_misses = load.executions / 11;
  CodeFacts code = good_code();
  code.entry = true;
  code.outer_invocations = 1;
  code.outer_iterations = load.invocations;
  EXPECT_NE(decide_it(load, code).reason, Reason::hits_cache);
}

TEST(Prefetch, RefusesRareLoads) {
  LoadFacts load = good_load();
  load.executions = CostModel().min_executions - 1;
  EXPECT_EQ(decide_it(load, good_code()).reason, Reason::few_executions);
  load.executions++;
  EXPECT_NE(decide_it(load, good_code()).reason, Reason::few_executions);
}

TEST(Prefetch, RefusesWhatTheProfileDoesNotLocate) {
  LoadFacts load = good_load();
  load.span = 0;
  EXPECT_EQ(decide_it(load, good_code()).reason, Reason::unknown_memory);
}

TEST(Prefetch, ComparesSpanWithTheGivenCache) {
  LoadFacts load = good_load();
  load.span = 3 << 20;
  const Advice refused = decide_it(load, good_code());
  EXPECT_EQ(refused.reason, Reason::fits_cache);
  EXPECT_EQ(refused.distance, 0u);
  EXPECT_NE(refused.text().find("3.1 MB"), std::string::npos)
      << refused.text();
  CostModel small;
  small.l2_bytes = 512 << 10;
  EXPECT_EQ(decide_it(load, good_code(), small).reason, Reason::taken);
}

TEST(Prefetch, RefusesLoadsThatStayOnTheirLine) {
  LoadFacts load = good_load();
  load.line_local = 0.9;
  EXPECT_EQ(decide_it(load, good_code()).reason, Reason::line_local);
}

TEST(Prefetch, LeavesConstantStridesToTheHardware) {
  CodeFacts code = good_code();
  code.shape = Shape::affine;
  EXPECT_EQ(decide_it(good_load(), code).reason, Reason::regular);
}

// One line of each record: no load tells where the next one is, so that misses are
// reason enough and the memory's latency is what counts.
TEST(Prefetch, AsksForLinesThatTheHardwareLeavesOut) {
  CodeFacts code = good_code();
  code.shape = Shape::strided;
  code.waits = 0;
  code.instructions = 16;
  code.step = -256;
  LoadFacts load = good_load();
  load.invocations = 1;
  load.span = 3 << 20;
  EXPECT_EQ(decide_it(load, code).reason, Reason::fits_cache) << "nothing says that it misses";
  load.l2_misses = load.executions;
  const Advice advice = decide_it(load, code);
  ASSERT_EQ(advice.reason, Reason::taken) << advice.text();
  EXPECT_EQ(advice.stride, -256);
  EXPECT_EQ(advice.distance, 57u);  // 450 / 8
  EXPECT_NEAR(advice.gain, (450. / 8) / (450. / 12), 0.001);
  EXPECT_NE(advice.text().find("strided prefetch 57 iterations of -256 bytes ahead: "),
            std::string::npos) << advice.text();
  load.l2_misses = load.executions / 20;
  EXPECT_EQ(decide_it(load, code).reason, Reason::hits_cache);
  // 9 cycles with a prefetch instead of 8: where one in eight misses, the others pay.
  load.l2_misses = load.executions / 8;
  EXPECT_NEAR(decide_it(load, code).gain, (56.25 + 7 * 8) / (37.5 + 7 * 9), 0.001);
}

TEST(Prefetch, NamesTheObstacleInTheCode) {
  CodeFacts code = good_code();
  code.obstacle = "the index comes from a call";
  const Advice advice = decide_it(good_load(), code);
  EXPECT_EQ(advice.reason, Reason::code_shape);
  EXPECT_EQ(advice.text(), "no prefetch: the index comes from a call");
}

TEST(Prefetch, RefusesAccessesUnderRareConditions) {
  LoadFacts load = good_load();
  load.iterations = 10 * load.executions;
  EXPECT_EQ(decide_it(load, good_code()).reason, Reason::conditional);
}

// A processor whose window keeps all buffers busy.
CostModel deep_window() {
  CostModel model;
  model.window_misses = model.overlapping_misses;
  return model;
}

TEST(Prefetch, LeavesIndependentLoadsToTheWindow) {
  CodeFacts code = good_code();
  code.waits = 0;
  code.instructions = 8;
  EXPECT_EQ(decide_it(good_load(), code, deep_window()).reason, Reason::overlapped);
  // A body so long that the window holds two iterations only.
  code.instructions = 128;
  EXPECT_EQ(decide_it(good_load(), code, deep_window()).reason, Reason::taken);
}

// By itself the window keeps 8 misses under way, prefetches keep 12.
TEST(Prefetch, FillsTheBuffersThatTheWindowLeaves) {
  CodeFacts code = good_code();
  code.waits = 0;
  code.instructions = 8;
  LoadFacts load = good_load();
  load.invocations = 1;
  const Advice taken = decide_it(load, code);
  EXPECT_EQ(taken.reason, Reason::taken);
  EXPECT_NEAR(taken.gain, 12. / 8, 0.001);
  // Half of the prefetches are for nobody.
  load.invocations = load.iterations / 50;
  EXPECT_EQ(decide_it(load, code).reason, Reason::overlapped);
}

// One in five misses: 450 / 8 cycles become 450 / 12; the others 7.5 instead of 4.
TEST(Prefetch, WeighsWhatHitsInTheModel) {
  CodeFacts code = good_code();
  code.waits = 0;
  code.instructions = 8;
  LoadFacts load = good_load();
  load.invocations = 1;
  load.l2_misses = load.executions / 5;
  const Advice refused = decide_it(load, code);
  EXPECT_EQ(refused.reason, Reason::overlapped);
  EXPECT_NEAR(refused.gain, (56.25 + 4 * 4) / (37.5 + 4 * 7.5), 0.001);
  load.l2_misses = load.executions / 2;
  EXPECT_EQ(decide_it(load, code).reason, Reason::taken);
}

// A misprediction costs a latency however well the iterations between two of
// them overlap: 450 cycles in 200 iterations of 37.5 are not worth it, 450 in
// 20 are.
TEST(Prefetch, AddsTheLatencyBehindMispredictedBranches) {
  CodeFacts code = good_code();
  code.instructions = 8;
  code.waits = 0.005;
  LoadFacts load = good_load();
  load.invocations = 1;
  const Advice refused = decide_it(load, code, deep_window());
  EXPECT_EQ(refused.reason, Reason::overlapped);
  EXPECT_NE(refused.text().find("overlaps 12.0 iterations itself, one in 200 "
                                "iterations waits"), std::string::npos)
      << refused.text();
  code.waits = 0.05;
  const Advice taken = decide_it(load, code, deep_window());
  EXPECT_EQ(taken.reason, Reason::taken);
  // (37.5 + 22.5) / (37.5 + what 64 iterations of 4 cycles do not hide).
  EXPECT_NEAR(taken.gain, 60 / (37.5 + 22.5 * (1 - 256. / 450)), 0.001);
}

TEST(Prefetch, CountsTheMissesOfChainedLoads) {
  CodeFacts code = good_code();
  code.waits = 0;
  code.instructions = 64;  // 4 iterations in the window
  code.chained = true;
  LoadFacts load = good_load();
  load.invocations = 1;
  const Advice advice = decide_it(load, code);
  EXPECT_EQ(advice.reason, Reason::taken);
  // Two in a row for 4 iterations at a time; then one.
  EXPECT_NEAR(advice.gain, (2 * 450 / 4.) / (450 / 4.), 0.001);
  // Of the two latencies behind a misprediction, one is hidden.
  code.waits = 0.5;
  EXPECT_NEAR(decide_it(load, code).gain, (225 + 450) / (112.5 + 225), 0.01);
  // The window holds more iterations than there are buffers, for both misses.
  code.waits = 0;
  code.instructions = 8;
  EXPECT_EQ(decide_it(load, code, deep_window()).reason, Reason::overlapped);
}

// Beyond the end of a row come the neighbours of a vertex that is not next.
TEST(Prefetch, CountsLinesThatNobodyNeeds) {
  LoadFacts load = good_load();
  load.invocations = load.iterations / 28;
  CodeFacts code = good_code();
  code.instructions = 16;
  code.waits = 1. / 28;
  const Advice refused = decide_it(load, code);
  EXPECT_EQ(refused.reason, Reason::overlapped);
  EXPECT_LT(refused.gain, 1.05);
  EXPECT_LT(decide_it(load, code, deep_window()).gain, 1);
  LoadFacts index = load;
  index.stride = code.index_step;
  index.stride_share = 0.999;
  code.index = &index;
  EXPECT_EQ(decide_it(load, code).reason, Reason::taken);
}

TEST(Prefetch, BoundsDistanceByTripCount) {
  LoadFacts load = good_load();
  load.invocations = load.iterations / 16;
  CodeFacts code = good_code();
  EXPECT_EQ(decide_it(load, code).distance, 8u);
  load.invocations = load.iterations / 4;
  EXPECT_EQ(decide_it(load, code).reason, Reason::short_loop);
}

TEST(Prefetch, LooksAcrossEntriesThatContinueEachOther) {
  LoadFacts load = good_load();
  load.invocations = load.iterations / 4;
  LoadFacts index = load;
  index.stride = 4;
  index.stride_share = 0.999;
  CodeFacts code = good_code();
  code.index = &index;
  EXPECT_EQ(decide_it(load, code).distance, 30u);
  // Every entry starts somewhere else.
  index.stride_share = 0.75;
  EXPECT_EQ(decide_it(load, code).reason, Reason::short_loop);
}

// The first neighbour of each vertex: 100000 rows of 16, of 1600 instructions.
TEST(Prefetch, JudgesTheFirstAddressOfALoopByItsEntries) {
  LoadFacts load = good_load();
  load.invocations = 100000;
  load.iterations = load.executions = 1600000;
  load.stride = 4;
  load.stride_share = 15. / 16;
  load.line_local = 15. / 16 * (1 - 4. / 64);
  CodeFacts code = good_code();
  code.instructions = 1600;
  code.index_step = 16;
  EXPECT_EQ(decide_it(load, code).reason, Reason::line_local);
  code.entry = true;
  code.outer_invocations = 1;
  code.outer_iterations = 100000;
  const Advice advice = decide_it(load, code);
  ASSERT_EQ(advice.reason, Reason::taken) << advice.text();
  EXPECT_EQ(advice.executions, 100000u);
  EXPECT_EQ(advice.distance, 3u);  // 450 / (1600 / 2 / 4)
  // Rows that follow each other closely stay on a line.
  load.line_local += 0.9 / 16;
  EXPECT_EQ(decide_it(load, code).reason, Reason::line_local);
}

TEST(Prefetch, KeepsTheLookAheadOnThePage) {
  CodeFacts code = good_code();
  code.index_step = 64;
  EXPECT_EQ(decide_it(good_load(), code).distance, 16u);
  code.index_step = -64;
  EXPECT_EQ(decide_it(good_load(), code).distance, 16u);
  code.index_step = 4096;
  EXPECT_EQ(decide_it(good_load(), code).reason, Reason::code_shape);
}

TEST(Prefetch, TakesNodesInOrderOfTheirAddresses) {
  const Advice advice = decide_it(good_nodes(), linked_code());
  ASSERT_EQ(advice.reason, Reason::taken) << advice.text();
  EXPECT_EQ(advice.stride, 48);
  EXPECT_EQ(advice.distance, 45u);
}

TEST(Prefetch, LooksLessFarWhereOrderBreaks) {
  LoadFacts load = good_nodes();
  load.stride_share = 0.9;
  // 0.9 ^ 6 is above one half, 0.9 ^ 7 is below.
  EXPECT_EQ(decide_it(load, linked_code()).distance, 6u);
  load.stride_share = 0.69;
  EXPECT_EQ(decide_it(load, linked_code()).reason, Reason::unstable_stride);
  load.stride_share = 0.99;
  load.stride = 0;
  EXPECT_EQ(decide_it(load, linked_code()).reason, Reason::unstable_stride);
}

TEST(Prefetch, LooksAsFarAsTheNodesLieInTheirArena) {
  LoadFacts load = good_nodes();
  load.stride = 208;
  load.arena_stride = 192;
  const Advice advice = decide_it(load, linked_code());
  ASSERT_EQ(advice.reason, Reason::taken) << advice.text();
  EXPECT_EQ(advice.stride, 192);
  EXPECT_NE(advice.text().find("of 192 bytes, as in their arena, ahead"), std::string::npos)
      << advice.text();
  // Where malloc's places have no stride, none is made up.
  load.stride_share = 0.3;
  EXPECT_EQ(decide_it(load, linked_code()).reason, Reason::unstable_stride);
}

TEST(Prefetch, LeavesPointersIntoOneArrayToTheHardware) {
  LoadFacts load = good_nodes();
  load.objects = 1;
  EXPECT_EQ(decide_it(load, linked_code()).reason, Reason::regular);
}

TEST(Prefetch, GuessesTheShapeWithoutCode) {
  const CostModel model;
  LoadFacts load = good_load();
  EXPECT_EQ(decide::decide_prefetch(load, {}, model).shape, Shape::indirect);
  EXPECT_FALSE(decide::decide_prefetch(load, {}, model).code_seen);
  EXPECT_EQ(decide::decide_prefetch(good_nodes(), {}, model).shape,
            Shape::linked);
  load.stride = 8;
  load.stride_share = 1;
  const Advice refused = decide::decide_prefetch(load, {}, model);
  EXPECT_EQ(refused.reason, Reason::regular);
  EXPECT_EQ(refused.text(), "no prefetch: constant stride, which the hardware prefetches");
  // Records: only the compiler sees whether it is a stream of all their lines.
  load.stride = -256;
  EXPECT_EQ(decide::decide_prefetch(load, {}, model).text(),
            "no prefetch: constant stride of -256 bytes, which may leave out lines: the code "
            "decides");
}

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
  profile.cache = {{3, 0, 50, 20, 0, 0}, {3, 1, 50, 3, 0, 0}, {4, 0, 9, 9, 9, 9}};
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
  profile.cache = {{3, 1, 0, 0, 0, 1000000}};
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
