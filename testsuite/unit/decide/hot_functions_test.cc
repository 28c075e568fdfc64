// hot_functions_test.cc - which functions get GCC's options for measured code, from invented profiles.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/decide/hot_functions.h"

#include <gtest/gtest.h>

#include "testsuite/unit/decide/gate_shown.h"

namespace {

using namespace memprof;
using decide::CostModel;
using decide::Decision;
using decide::FunctionCode;
using decide::FunctionFacts;
using decide::Reason;

FunctionFacts hot() { return {10000000, 5170000, 2000000, 15.3}; }

Decision decide_it(const FunctionFacts& facts, const char* obstacle = nullptr, const CostModel& model = {}) {
  decide::Candidate candidate;
  candidate.transformation = decide::Transformation::hot_functions;
  FunctionCode code;
  code.obstacle = obstacle;
  return gate_shown(decide::decide_hot_function(candidate, facts, &code, model));
}

TEST(HotFunctions, TakesWhereTheProgramSpendsItsTime) {
  const Decision decision = decide_it(hot());
  EXPECT_TRUE(decision.take());
  EXPECT_DOUBLE_EQ(decision.number("share"), 0.517);
  EXPECT_DOUBLE_EQ(decision.number("trip_count"), 15.3);
  EXPECT_EQ(decision.text,
            "hot function: its loops are compiled as with GCC's own profile: 51.7 % of the program's accesses, its longest "
            "loop has 15.3 iterations per entry");
}

TEST(HotFunctions, RefusesASmallPartOfTheProgram) {
  FunctionFacts facts = hot();
  facts.accesses = 99999;
  EXPECT_EQ(decide_it(facts).reason, Reason::few_executions);
  EXPECT_EQ(decide_it(facts).gate.name, "share");
  facts.accesses = 100000;
  EXPECT_TRUE(decide_it(facts).take());
}

TEST(HotFunctions, RefusesAShortRun) {
  EXPECT_EQ(decide_it({1000, 1000, 900, 90}).gate.name, "executions");
  // Of a profile that says nothing of the whole run.
  EXPECT_EQ(decide_it({0, 1000000, 900, 90}).gate.name, "share");
}

TEST(HotFunctions, RefusesFunctionsThatHardlyLoop) {
  FunctionFacts facts = hot();
  facts.iterations = 19999;
  EXPECT_EQ(decide_it(facts).gate.name, "iterations");
}

TEST(HotFunctions, RefusesWhatTheCodeDoesNotAllow) {
  const Decision decision = decide_it(hot(), "it is compiled for size");
  EXPECT_EQ(decision.reason, Reason::code_shape);
  EXPECT_EQ(decision.text, "not a hot function: it is compiled for size");
}

TEST(HotFunctions, ObeysTheVeto) {
  decide::Candidate candidate;
  candidate.transformation = decide::Transformation::hot_functions;
  candidate.veto = "a.veto:1";
  EXPECT_EQ(decide::decide_hot_function(candidate, hot(), nullptr, {}).reason, Reason::vetoed);
}

TEST(HotFunctions, EagerTakesAll) {
  EXPECT_FALSE(decide_it({10, 1, 1, 1}).take());
  EXPECT_TRUE(decide_it({10, 1, 1, 1}, nullptr, CostModel::eager()).take());
}

// The longest loop is the one with most iterations, not the one with most per entry.
TEST(HotFunctions, AddsUpSites) {
  feedback::Function function;
  function.loops.resize(2);
  function.loops[0].id = 0, function.loops[0].invocations = 1, function.loops[0].iterations = 100;
  function.loops[1].id = 1, function.loops[1].invocations = 100, function.loops[1].iterations = 800;
  FunctionFacts facts;
  for (const feedback::Id loop : {feedback::Id(0), feedback::Id(1), feedback::k_none}) {
    feedback::Site site;
    site.loop = loop;
    site.executions = 50;
    facts.add(function, site);
  }
  EXPECT_EQ(facts.accesses, 150u);
  EXPECT_EQ(facts.iterations, 800u);
  EXPECT_DOUBLE_EQ(facts.trip_count, 8);
}

}  // namespace
