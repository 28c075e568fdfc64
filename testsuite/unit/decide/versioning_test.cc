// versioning_test.cc - which loops are versioned, from invented evidence.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/decide/versioning.h"
#include "testsuite/unit/decide/gate_shown.h"

#include <gtest/gtest.h>

namespace {

using namespace memprof;
using decide::CostModel;
using decide::Decision;
using decide::Reason;
using decide::VersioningCode;
using decide::VersioningFacts;

// A byte loop through members: everything speaks for it.
VersioningFacts good_loop() {
  VersioningFacts facts;
  facts.invocations = 1000;
  facts.iterations = 1000000;
  facts.pairs.push_back({1, 2, 1000000, 0, 0});
  return facts;
}

VersioningCode good_code() {
  VersioningCode code;
  code.instructions = 20;
  code.checks = 4;
  code.hoisted = 3;
  code.lanes = 16;
  return code;
}

decide::Candidate candidate(const char* veto = nullptr) {
  decide::Candidate candidate;
  candidate.transformation = decide::Transformation::versioning;
  candidate.veto = veto;
  return candidate;
}

Decision decide_it(const VersioningFacts& facts, const VersioningCode& code,
                   const CostModel& model = {}) {
  return gate_shown(decide::decide_versioning(candidate(), facts, &code, model));
}

TEST(Versioning, TakesLoopWithoutConflicts) {
  const Decision decision = decide_it(good_loop(), good_code());
  EXPECT_TRUE(decision.take());
  EXPECT_GT(decision.gain, 8);
  EXPECT_EQ(decision.number("trip_count"), 1000);
  EXPECT_EQ(decision.text,
            "loop versioned on 4 address checks, 3 loads hoisted, vectors of 16: "
            "1000.0 iterations per entry, 1000000 iterations, pairs meet in at "
            "most 0.0 % of the executions, about 11.3x as fast");
}

TEST(Versioning, RefusesColdLoop) {
  VersioningFacts facts = good_loop();
  facts.invocations = 10;
  facts.iterations = 19999;
  EXPECT_EQ(decide_it(facts, good_code()).reason, Reason::few_executions);
  facts.iterations = 20000;
  EXPECT_TRUE(decide_it(facts, good_code()).take());
}

TEST(Versioning, NamesObstacle) {
  VersioningCode code = good_code();
  code.obstacle = "the loop has a call";
  const Decision decision = decide_it(good_loop(), code);
  EXPECT_EQ(decision.reason, Reason::code_shape);
  EXPECT_EQ(decision.text, "not versioned: the loop has a call");
}

// The limit holds for distance 0 and for all others together.
TEST(Versioning, RefusesPairsThatMeet) {
  for (const auto& [intra, carried] :
       {std::pair{20001, 0}, std::pair{0, 20001}, std::pair{10001, 10001}}) {
    VersioningFacts facts = good_loop();
    facts.pairs.push_back({3, 4, 1000000, std::uint64_t(intra), std::uint64_t(carried)});
    EXPECT_EQ(decide_it(facts, good_code()).reason, Reason::conflicts);
  }
  VersioningFacts facts = good_loop();
  facts.pairs[0].carried = 20000;
  facts.meetings = 20;
  EXPECT_TRUE(decide_it(facts, good_code()).take());
}

// What was inferred only ever speaks against: half of the entries are taken to fail.
TEST(Versioning, TakesPairsThatMayMeetWhereTheCheckIsCheap) {
  VersioningFacts facts = good_loop();
  const double sure = decide_it(facts, good_code()).gain;
  facts.pairs[0].inferred = 20000;
  EXPECT_EQ(decide_it(facts, good_code()).gain, sure);
  facts.pairs[0].inferred = 850000;
  const Decision decision = decide_it(facts, good_code());
  EXPECT_TRUE(decision.take());
  EXPECT_GT(decision.gain, 1.5);
  EXPECT_LT(decision.gain, 2);
  EXPECT_EQ(decision.number("meet_share"), 0.5);
  EXPECT_NE(decision.text.find("0.0 % of the executions, perhaps 85.0 % (a sampled profile), about"),
            std::string::npos);
  facts.pairs[0].carried = 500000;
  EXPECT_EQ(decide_it(facts, good_code()).reason, Reason::conflicts);
}

TEST(Versioning, RefusesPairsThatMayMeetWhereTheCheckIsDear) {
  VersioningFacts facts = good_loop();
  facts.invocations = 20000;  // of 50 iterations
  EXPECT_TRUE(decide_it(facts, good_code()).take());
  facts.pairs[0].inferred = 850000;
  const Decision decision = decide_it(facts, good_code());
  EXPECT_EQ(decision.reason, Reason::may_conflict);
  EXPECT_STREQ(decide::name(decision.reason), "may-conflict");
  EXPECT_EQ(decision.text.find("not versioned: a store and a load may meet in 85.0 % of the executions, "
                               "as far as a sampled profile tells, and a check that fails takes "),
            0u);
  EXPECT_EQ(decision.gate.name, "failing_check");
}

TEST(Versioning, CountsEntriesThatFailTheCheck) {
  VersioningFacts facts = good_loop();
  const double all = decide_it(facts, good_code()).gain;
  // Seldom per execution, but once in each entry.
  facts.pairs[0].carried = 1000;
  facts.meetings = 1000;
  const Decision decision = decide_it(facts, good_code());
  EXPECT_EQ(decision.reason, Reason::no_gain);
  EXPECT_EQ(decision.number("meet_share"), 1);
  facts.meetings = 100;
  EXPECT_LT(decide_it(facts, good_code()).gain, all);
}

TEST(Versioning, RefusesShortEntries) {
  VersioningFacts facts = good_loop();
  facts.invocations = 250000;  // of 4 iterations
  const Decision decision = decide_it(facts, good_code());
  EXPECT_EQ(decision.reason, Reason::short_loop);
  EXPECT_LT(decision.gain, 1);
}

TEST(Versioning, RefusesWhatGainsNothing) {
  VersioningCode code = good_code();
  code.lanes = 1;
  code.hoisted = 1;
  EXPECT_EQ(decide_it(good_loop(), code).reason, Reason::no_gain);
  // A sum in memory waits for itself.
  code.moved = 1;
  code.instructions = 6;
  EXPECT_TRUE(decide_it(good_loop(), code).take());
}

// No store is in the way: GCC is asked for vectors of the loop as it is.
TEST(Versioning, MakesVectorsOfLongEntriesWithoutACopy) {
  VersioningFacts facts;
  facts.invocations = 4000;
  facts.iterations = 40000;
  VersioningCode code;
  code.instructions = 40;
  code.lanes = 2;
  const Decision decision = decide_it(facts, code);
  EXPECT_TRUE(decision.take());
  EXPECT_EQ(decision.text,
            "GCC is asked for vectors of 2, no store is in the way: 10.0 iterations per entry, 40000 iterations");
  code.lanes = 8;  // of which an entry has no two
  EXPECT_EQ(decide_it(facts, code).reason, Reason::short_loop);
  code.lanes = 2;
  facts.invocations = 8000;  // 5 iterations each
  EXPECT_EQ(decide_it(facts, code).reason, Reason::short_loop);
  facts.invocations = 1;
  facts.iterations = 19999;
  EXPECT_EQ(decide_it(facts, code).reason, Reason::few_executions);
}

// A sampled profile lowers the gate of iterations for the error of its estimate: a copy must
// then gain more, and vectors without one need not.
TEST(Versioning, ACopyOnAnUnsureEstimateMustGainMore) {
  CostModel sampled;
  sampled.min_loop_iterations = 22;
  sampled.min_saved_cycles = 0;
  VersioningFacts facts = good_loop();
  facts.invocations = 1000;
  facts.iterations = 19000;
  VersioningCode code;
  code.instructions = 14;
  code.checks = 1;
  code.lanes = 2;
  const Decision unsure = decide_it(facts, code, sampled);
  EXPECT_EQ(unsure.reason, Reason::no_gain);
  EXPECT_EQ(unsure.gate.limit, sampled.min_unsure_gain);
  EXPECT_GT(unsure.gain, sampled.min_gain);
  facts.invocations *= 2;  // seen so often, entries as long are enough
  facts.iterations *= 2;
  EXPECT_TRUE(decide_it(facts, code, sampled).take());
  facts.invocations = 10;
  facts.iterations = 190;
  EXPECT_TRUE(decide_it(facts, good_code(), sampled).take());  // gains more
  code.checks = 0;
  EXPECT_TRUE(decide_it(facts, code, sampled).take());  // no copy
}

// 7 iterations of 5 instructions as vectors of 2: setting up costs more than they save.
TEST(Versioning, VectorsWithoutACopyMustNotLose) {
  VersioningFacts facts = good_loop();
  facts.invocations = 400000;
  facts.iterations = 2800000;
  VersioningCode code;
  code.instructions = 5;
  code.lanes = 2;
  const Decision short_one = decide_it(facts, code);
  EXPECT_EQ(short_one.reason, Reason::no_gain) << short_one.text;
  EXPECT_LT(short_one.gain, 1);
  facts.invocations = 4000;  // 700 iterations
  EXPECT_TRUE(decide_it(facts, code).take());
}

TEST(Versioning, SavesEnoughToBeWorthItsCode) {
  CostModel model;
  model.min_loop_iterations = model.sure_loop_iterations = 100;
  VersioningFacts facts = good_loop();
  facts.invocations = 1;
  facts.iterations = 500;
  const Decision a = decide_it(facts, good_code(), model);
  EXPECT_EQ(a.reason, Reason::few_executions) << a.text;
  EXPECT_EQ(a.gate.name, "saved_cycles");
  model.input_scale = 1000;
  EXPECT_TRUE(decide_it(facts, good_code(), model).take());
}

TEST(Versioning, SharedAccessesCountHalf) {
  const Decision without = decide_it(good_loop(), good_code());
  VersioningCode code = good_code();
  code.shared = 4;
  const Decision decision = decide_it(good_loop(), code);
  EXPECT_GT(decision.gain, without.gain * 1.05);
  EXPECT_NE(decision.text.find("vectors of 16, two outer iterations at once: "),
            std::string::npos);
  // One row per check: there is no other to share with.
  VersioningFacts facts = good_loop();
  facts.inner_invocations = facts.invocations;
  facts.inner_iterations = facts.iterations;
  EXPECT_EQ(decide_it(facts, code).gain, decide_it(facts, good_code()).gain);
  facts.inner_invocations *= 2;
  facts.inner_iterations *= 2;
  EXPECT_GT(decide_it(facts, code).gain, decide_it(facts, good_code()).gain * 1.05);
}

TEST(Versioning, LeavesToTheCodeWhichPairsAreInTheWay) {
  VersioningFacts facts = good_loop();
  facts.pairs.push_back({1, 3, 1000000, 0, 500000});
  const auto without_code = [&] {
    return gate_shown(decide::decide_versioning(candidate(), facts, nullptr, CostModel()));
  };
  EXPECT_EQ(without_code().reason, Reason::needs_code);
  EXPECT_EQ(without_code().text,
            "needs the code: 1000.0 iterations per entry, 1000000 iterations, 2 pairs of a store "
            "and a load, which meet in 0.0 to 50.0 % of the executions");
  facts.invocations = 500000;
  EXPECT_EQ(without_code().reason, Reason::needs_code);
  facts.pairs[0].carried = 30000;
  EXPECT_EQ(without_code().reason, Reason::needs_code);
  facts.iterations = 100;
  EXPECT_EQ(without_code().reason, Reason::few_executions);
}

TEST(Versioning, ObeysTheVetoLast) {
  const VersioningCode code = good_code();
  const Decision vetoed =
      gate_shown(decide::decide_versioning(candidate("v:1"), good_loop(), &code, CostModel()));
  EXPECT_EQ(vetoed.reason, Reason::vetoed);
  EXPECT_EQ(vetoed.text, "not versioned: vetoed by v:1");
}

}  // namespace
