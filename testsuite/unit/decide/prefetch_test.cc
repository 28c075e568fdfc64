// prefetch_test.cc - decisions from invented evidence: every gate, each bound.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/decide/prefetch.h"
#include "testsuite/unit/decide/gate_shown.h"
#include "testsuite/unit/decide/indirect_code.h"

#include <gtest/gtest.h>

namespace {

using namespace memprof;
using decide::CostModel;
using decide::Decision;
using decide::LoadFacts;
using decide::PrefetchCode;
using decide::Reason;
using decide::Shape;
using decide::good_code;

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

LoadFacts good_nodes() {
  LoadFacts load = good_load();
  load.objects = 1000000;
  load.stride = 48;
  load.stride_share = 0.99;
  load.line_local = 0.25;
  return load;
}

PrefetchCode linked_code() {
  PrefetchCode code;
  code.shape = Shape::linked;
  code.instructions = 20;
  return code;
}

Decision decide_it(const LoadFacts& load, const PrefetchCode& code,
                   const CostModel& model = {}, const LoadFacts* index = nullptr) {
  return gate_shown(decide::decide_prefetch({}, load, &code, index, model));
}

Decision without_code(const LoadFacts& load) {
  return gate_shown(decide::decide_prefetch({}, load, nullptr, nullptr, {}));
}

TEST(Prefetch, TakesIndirectAccessBeyondTheCache) {
  const Decision decision = decide_it(good_load(), good_code());
  ASSERT_EQ(decision.reason, Reason::taken) << decision.text;
  // 450 cycles / (30 instructions / 2 per cycle).
  EXPECT_EQ(decision.count("distance"), 30u);
  EXPECT_NE(decision.text.find("indirect prefetch 30 iterations ahead"),
            std::string::npos) << decision.text;
}

// The prefetch of b[c[i + 30]] has done its work when b[c[i + 15]] is loaded.
TEST(Prefetch, LooksHalfAsFarThroughTwoLoads) {
  PrefetchCode code = good_code();
  code.staged = true;
  EXPECT_EQ(decide_it(good_load(), code).count("distance"), 15u);
}

TEST(Prefetch, RefusesLoadsThatHitInTheModel) {
  LoadFacts load = good_load();
  load.l2_misses = load.executions / 11;
  const Decision refused = decide_it(load, good_code());
  EXPECT_EQ(refused.reason, Reason::hits_cache);
  EXPECT_NE(refused.text.find("9.1 % of the executions only miss L2"),
            std::string::npos) << refused.text;
  load.l2_misses = load.executions / 9;
  EXPECT_EQ(decide_it(load, good_code()).reason, Reason::taken);
  // Of an access in order all misses may be those at the entries of its loop.
  load.l2_misses = load.executions / 11;
  load.stride = 64;
  load.stride_share = 0.9;
  PrefetchCode code = good_code();
  code.entry = true;
  code.outer_invocations = 1;
  code.outer_iterations = load.invocations;
  EXPECT_NE(decide_it(load, code).reason, Reason::hits_cache);
  // Where the stride is irregular, each execution may miss.
  load.stride_share = 0.01;
  EXPECT_EQ(decide_it(load, code).reason, Reason::hits_cache);
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
  const Decision refused = decide_it(load, good_code());
  EXPECT_EQ(refused.reason, Reason::fits_cache);
  EXPECT_EQ(refused.count("distance"), 0u);
  EXPECT_NE(refused.text.find("3.1 MB"), std::string::npos)
      << refused.text;
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
  PrefetchCode code = good_code();
  code.shape = Shape::affine;
  EXPECT_EQ(decide_it(good_load(), code).reason, Reason::regular);
}

// One line of each record: no load tells where the next one is, so that misses are
// reason enough and the memory's latency is what counts.
TEST(Prefetch, AsksForLinesThatTheHardwareLeavesOut) {
  PrefetchCode code = good_code();
  code.shape = Shape::strided;
  code.waits = 0;
  code.instructions = 16;
  code.step = -256;
  LoadFacts load = good_load();
  load.invocations = 1;
  load.span = 3 << 20;
  EXPECT_EQ(decide_it(load, code).reason, Reason::fits_cache) << "nothing says that it misses";
  load.l2_misses = load.executions;
  const Decision decision = decide_it(load, code);
  ASSERT_EQ(decision.reason, Reason::taken) << decision.text;
  EXPECT_EQ(decision.number("stride"), -256);
  EXPECT_EQ(decision.count("distance"), 57u);  // 450 / 8
  EXPECT_NEAR(decision.gain, (450. / 8) / (450. / 12), 0.001);
  EXPECT_NE(decision.text.find("strided prefetch 57 iterations of -256 bytes ahead: "),
            std::string::npos) << decision.text;
  load.l2_misses = load.executions / 20;
  EXPECT_EQ(decide_it(load, code).reason, Reason::hits_cache);
  // 9 cycles with a prefetch instead of 8: where one in eight misses, the others pay.
  load.l2_misses = load.executions / 8;
  EXPECT_NEAR(decide_it(load, code).gain, (56.25 + 7 * 8) / (37.5 + 7 * 9), 0.001);
}

TEST(Prefetch, NamesTheObstacleInTheCode) {
  PrefetchCode code = good_code();
  code.obstacle = "the index comes from a call";
  const Decision decision = decide_it(good_load(), code);
  EXPECT_EQ(decision.reason, Reason::code_shape);
  EXPECT_EQ(decision.text, "no prefetch: the index comes from a call");
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
  PrefetchCode code = good_code();
  code.waits = 0;
  code.instructions = 8;
  EXPECT_EQ(decide_it(good_load(), code, deep_window()).reason, Reason::overlapped);
  // A body so long that the window holds two iterations only.
  code.instructions = 128;
  EXPECT_EQ(decide_it(good_load(), code, deep_window()).reason, Reason::taken);
}

// By itself the window keeps 8 misses under way, prefetches keep 12.
TEST(Prefetch, FillsTheBuffersThatTheWindowLeaves) {
  PrefetchCode code = good_code();
  code.waits = 0;
  code.instructions = 8;
  LoadFacts load = good_load();
  load.invocations = 1;
  const Decision taken = decide_it(load, code);
  EXPECT_EQ(taken.reason, Reason::taken);
  EXPECT_NEAR(taken.gain, 12. / 8, 0.001);
  // Half of the prefetches are useless.
  load.invocations = load.iterations / 50;
  EXPECT_EQ(decide_it(load, code).reason, Reason::overlapped);
}

// One in five misses: 450 / 8 cycles become 450 / 12; the others 7.5 instead of 4.
TEST(Prefetch, WeighsWhatHitsInTheModel) {
  PrefetchCode code = good_code();
  code.waits = 0;
  code.instructions = 8;
  LoadFacts load = good_load();
  load.invocations = 1;
  load.l2_misses = load.executions / 5;
  const Decision refused = decide_it(load, code);
  EXPECT_EQ(refused.reason, Reason::overlapped);
  EXPECT_NEAR(refused.gain, (56.25 + 4 * 4) / (37.5 + 4 * 7.5), 0.001);
  load.l2_misses = load.executions / 2;
  EXPECT_EQ(decide_it(load, code).reason, Reason::taken);
}

// A misprediction costs a latency however well the iterations between two of
// them overlap: 450 cycles in 200 iterations of 37.5 are not worth it, 450 in
// 20 are.
TEST(Prefetch, AddsTheLatencyBehindMispredictedBranches) {
  PrefetchCode code = good_code();
  code.instructions = 8;
  code.waits = 0.005;
  LoadFacts load = good_load();
  load.invocations = 1;
  const Decision refused = decide_it(load, code, deep_window());
  EXPECT_EQ(refused.reason, Reason::overlapped);
  EXPECT_NE(refused.text.find("overlaps 12.0 iterations itself, one in 200 "
                                "iterations waits"), std::string::npos)
      << refused.text;
  code.waits = 0.05;
  const Decision taken = decide_it(load, code, deep_window());
  EXPECT_EQ(taken.reason, Reason::taken);
  // (37.5 + 22.5) / (37.5 + what 64 iterations of 4 cycles do not hide).
  EXPECT_NEAR(taken.gain, 60 / (37.5 + 22.5 * (1 - 256. / 450)), 0.001);
}

TEST(Prefetch, CountsTheMissesOfChainedLoads) {
  PrefetchCode code = good_code();
  code.waits = 0;
  code.instructions = 64;  // 4 iterations in the window
  code.chained = true;
  LoadFacts load = good_load();
  load.invocations = 1;
  const Decision decision = decide_it(load, code);
  EXPECT_EQ(decision.reason, Reason::taken);
  // Two in a row for 4 iterations at a time; then one.
  EXPECT_NEAR(decision.gain, (2 * 450 / 4.) / (450 / 4.), 0.001);
  // Of the two latencies after a misprediction, one is hidden.
  code.waits = 0.5;
  EXPECT_NEAR(decide_it(load, code).gain, (225 + 450) / (112.5 + 225), 0.01);
  // The window holds more iterations than there are buffers, for both misses.
  code.waits = 0;
  code.instructions = 8;
  EXPECT_EQ(decide_it(load, code, deep_window()).reason, Reason::overlapped);
}

// Beyond the end of a row come the neighbours of a vertex that is not next.
TEST(Prefetch, CountsLinesThatAreNotUsed) {
  LoadFacts load = good_load();
  load.invocations = load.iterations / 28;
  PrefetchCode code = good_code();
  code.instructions = 16;
  code.waits = 1. / 28;
  const Decision refused = decide_it(load, code);
  EXPECT_EQ(refused.reason, Reason::overlapped);
  EXPECT_LT(refused.gain, 1.05);
  EXPECT_LT(decide_it(load, code, deep_window()).gain, 1);
  LoadFacts index = load;
  index.stride = code.index_step;
  index.stride_share = 0.999;
  EXPECT_EQ(decide_it(load, code, {}, &index).reason, Reason::taken);
}

TEST(Prefetch, BoundsDistanceByTripCount) {
  LoadFacts load = good_load();
  load.invocations = load.iterations / 16;
  PrefetchCode code = good_code();
  EXPECT_EQ(decide_it(load, code).count("distance"), 8u);
  load.invocations = load.iterations / 4;
  EXPECT_EQ(decide_it(load, code).reason, Reason::short_loop);
}

TEST(Prefetch, LooksAcrossEntriesThatContinueEachOther) {
  LoadFacts load = good_load();
  load.invocations = load.iterations / 4;
  LoadFacts index = load;
  index.stride = 4;
  index.stride_share = 0.999;
  PrefetchCode code = good_code();
  EXPECT_EQ(decide_it(load, code, {}, &index).count("distance"), 30u);
  // Every entry starts somewhere else.
  index.stride_share = 0.75;
  EXPECT_EQ(decide_it(load, code, {}, &index).reason, Reason::short_loop);
}

// The first neighbour of each vertex: 100000 rows of 16, of 1600 instructions.
TEST(Prefetch, JudgesTheFirstAddressOfALoopByItsEntries) {
  LoadFacts load = good_load();
  load.invocations = 100000;
  load.iterations = load.executions = 1600000;
  load.stride = 4;
  load.stride_share = 15. / 16;
  load.line_local = 15. / 16 * (1 - 4. / 64);
  PrefetchCode code = good_code();
  code.instructions = 1600;
  code.index_step = 16;
  EXPECT_EQ(decide_it(load, code).reason, Reason::line_local);
  code.entry = true;
  code.outer_invocations = 1;
  code.outer_iterations = 100000;
  const Decision decision = decide_it(load, code);
  ASSERT_EQ(decision.reason, Reason::taken) << decision.text;
  EXPECT_EQ(decision.count("executions"), 100000u);
  EXPECT_EQ(decision.count("distance"), 3u);  // 450 / (1600 / 2 / 4)
  PrefetchCode staged = code;  // off[queue[k + d]] is loaded before
  staged.instructions = 160;
  staged.staged = true;
  EXPECT_EQ(decide_it(load, staged).count("distance"), 3u);  // 450 / (160 / 2) / 2, no skew
  // Rows that follow each other closely stay on a line.
  load.line_local += 0.9 / 16;
  EXPECT_EQ(decide_it(load, code).reason, Reason::line_local);
}

// Rows of a sparse matrix that lie one after the other: the hardware goes on from row to row.
TEST(Prefetch, LeavesEntriesThatFollowEachOtherToTheHardware) {
  LoadFacts load = good_load();
  load.invocations = 100000;
  load.iterations = load.executions = 1600000;
  load.stride = 8;
  load.stride_share = 1 - 0.4 / 16;
  load.line_local = 0;
  PrefetchCode code = good_code();
  code.instructions = 1600;
  code.index_step = 4;
  code.entry = true;
  code.outer_invocations = 1;
  code.outer_iterations = 100000;
  const Decision refused = decide_it(load, code);
  EXPECT_EQ(refused.reason, Reason::regular);
  EXPECT_NE(refused.text.find("each entry of the loop goes on where the one before ended"),
            std::string::npos) << refused.text;
  load.stride_share = 1 - 0.6 / 16;  // most entries begin elsewhere
  EXPECT_EQ(decide_it(load, code).reason, Reason::taken);
}

TEST(Prefetch, KeepsTheLookAheadOnThePage) {
  PrefetchCode code = good_code();
  code.index_step = 64;
  EXPECT_EQ(decide_it(good_load(), code).count("distance"), 16u);
  code.index_step = -64;
  EXPECT_EQ(decide_it(good_load(), code).count("distance"), 16u);
  code.index_step = 4096;
  EXPECT_EQ(decide_it(good_load(), code).reason, Reason::code_shape);
}

TEST(Prefetch, TakesNodesInOrderOfTheirAddresses) {
  const Decision decision = decide_it(good_nodes(), linked_code());
  ASSERT_EQ(decision.reason, Reason::taken) << decision.text;
  EXPECT_EQ(decision.number("stride"), 48);
  EXPECT_EQ(decision.count("distance"), 45u);
}

TEST(Prefetch, LooksLessFarWhereOrderBreaks) {
  LoadFacts load = good_nodes();
  load.stride_share = 0.9;
  // 0.9 ^ 6 is above one half, 0.9 ^ 7 is below.
  EXPECT_EQ(decide_it(load, linked_code()).count("distance"), 6u);
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
  const Decision decision = decide_it(load, linked_code());
  ASSERT_EQ(decision.reason, Reason::taken) << decision.text;
  EXPECT_EQ(decision.number("stride"), 192);
  EXPECT_NE(decision.text.find("of 192 bytes, as in their arena, ahead"), std::string::npos)
      << decision.text;
  // Where malloc's places have no stride, none is made up.
  load.stride_share = 0.3;
  EXPECT_EQ(decide_it(load, linked_code()).reason, Reason::unstable_stride);
}

TEST(Prefetch, LeavesPointersIntoOneArrayToTheHardware) {
  LoadFacts load = good_nodes();
  load.objects = 1;
  EXPECT_EQ(decide_it(load, linked_code()).reason, Reason::regular);
}

// What the first three gates refuse stays refused, whatever the code is; about the rest
// the profile alone says nothing.
TEST(Prefetch, LeavesToTheCodeWhatOnlyTheCodeTells) {
  const Decision open = without_code(good_load());
  EXPECT_EQ(open.reason, Reason::needs_code);
  EXPECT_EQ(open.shape, Shape::indirect);
  EXPECT_EQ(open.count("distance"), 0u);
  EXPECT_EQ(open.text,
            "needs the code: no constant stride, 10000000 executions, span 281.0 MB, 100.0 "
            "iterations per entry");
  EXPECT_EQ(without_code(good_nodes()).shape, Shape::linked);
  LoadFacts load = good_load();
  load.stride = 8;
  load.stride_share = 1;
  EXPECT_EQ(without_code(load).reason, Reason::needs_code);
  load.executions = 10;
  EXPECT_EQ(without_code(load).reason, Reason::few_executions);
}

// Whatever the profile alone refuses, the compiler refuses for the same reason, and what
// the compiler takes the profile leaves open.
TEST(Prefetch, NeverContradictsTheCompiler) {
  unsigned taken = 0, refused = 0;
  for (const std::uint64_t span : {std::uint64_t{1} << 12, std::uint64_t{3} << 20,
                                   std::uint64_t{268} << 20})
    for (const double misses : {-1., 0.001, 0.02, 0.05, 0.5})
      for (const double local : {0.1, 0.85, 0.97})
        for (const std::int64_t stride : {4, 48, 256})
          for (const std::uint64_t entries : {1u, 100000u, 5000000u})
            for (const Shape shape : {Shape::affine, Shape::strided, Shape::indirect, Shape::linked, Shape::search})
              for (const bool entry : {false, true}) {
                LoadFacts load = good_nodes();
                load.span = span;
                load.invocations = entries;
                load.line_local = local;
                load.stride = stride;
                if (misses >= 0)
                  load.l2_misses = static_cast<std::uint64_t>(misses * 1e7);
                PrefetchCode code = good_code();
                code.shape = shape;
                code.step = stride;
                code.entry = entry;
                code.outer_invocations = 1;
                code.outer_iterations = entries;
                if (shape == Shape::strided && (entry || stride < CostModel().min_strided_bytes))
                  continue;
                const Decision sure = without_code(load), whole = decide_it(load, code);
                taken += whole.take();
                if (sure.open()) continue;
                refused++;
                EXPECT_FALSE(whole.take()) << sure.text << " but " << whole.text;
                if (!entry && shape != Shape::strided) {
                  EXPECT_EQ(whole.reason, sure.reason) << sure.text << whole.text;
                }
              }
  EXPECT_GT(taken, 20u);
  EXPECT_GT(refused, 20u);
}

TEST(Prefetch, ObeysTheVetoLast) {
  decide::Candidate candidate;
  candidate.veto = "veto:3";
  const PrefetchCode code = good_code();
  const Decision vetoed = gate_shown(decide::decide_prefetch(candidate, good_load(), &code, nullptr, {}));
  EXPECT_EQ(vetoed.reason, Reason::vetoed);
  EXPECT_EQ(vetoed.text, "no prefetch: vetoed by veto:3");
  LoadFacts load = good_load();
  load.executions = 1;
  EXPECT_EQ(decide::decide_prefetch(candidate, load, &code, nullptr, {}).reason,
            Reason::few_executions);
}

TEST(Prefetch, NeedsOnePrefetchPerLine) {
  PrefetchCode code = good_code();
  code.covered = true;
  EXPECT_EQ(decide_it(good_load(), code).reason, Reason::covered);
}

}  // namespace
