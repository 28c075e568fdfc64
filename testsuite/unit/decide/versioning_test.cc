// versioning_test.cc - which loops are versioned, from invented evidence.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/decide/versioning.h"

#include "consumers/decide/source_advice.h"

#include <gtest/gtest.h>

namespace {

using namespace memprof;
using decide::CostModel;
using decide::Reason;
using decide::VersioningAdvice;
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

VersioningAdvice decide_it(const VersioningFacts& facts, const VersioningCode& code,
                           const CostModel& model = {}) {
  return decide::decide_versioning(facts, code, model);
}

TEST(Versioning, TakesLoopWithoutConflicts) {
  const VersioningAdvice advice = decide_it(good_loop(), good_code());
  EXPECT_TRUE(advice.take());
  EXPECT_GT(advice.gain, 8);
  EXPECT_EQ(advice.trip_count, 1000);
  EXPECT_EQ(advice.text(),
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
  const VersioningAdvice advice = decide_it(good_loop(), code);
  EXPECT_EQ(advice.reason, Reason::code_shape);
  EXPECT_EQ(advice.text(), "not versioned: the loop has a call");
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

// What was inferred only ever speaks against.
TEST(Versioning, RefusesPairsThatMayMeet) {
  VersioningFacts facts = good_loop();
  facts.pairs[0].inferred = 20000;
  EXPECT_TRUE(decide_it(facts, good_code()).take());
  facts.pairs[0].inferred = 850000;
  const VersioningAdvice advice = decide_it(facts, good_code());
  EXPECT_EQ(advice.reason, Reason::may_conflict);
  EXPECT_STREQ(decide::name(advice.reason), "may-conflict");
  EXPECT_EQ(advice.text(),
            "not versioned: a store and a load may meet in 85.0 % of the executions, as far "
            "as a sampled profile tells");
  facts.pairs[0].carried = 500000;
  EXPECT_EQ(decide_it(facts, good_code()).reason, Reason::conflicts);
}

TEST(Versioning, CountsEntriesThatFailTheCheck) {
  VersioningFacts facts = good_loop();
  const double all = decide_it(facts, good_code()).gain;
  // Seldom per execution, but once in each entry.
  facts.pairs[0].carried = 1000;
  facts.meetings = 1000;
  const VersioningAdvice advice = decide_it(facts, good_code());
  EXPECT_EQ(advice.reason, Reason::no_gain);
  EXPECT_EQ(advice.meet_share, 1);
  facts.meetings = 100;
  EXPECT_LT(decide_it(facts, good_code()).gain, all);
}

TEST(Versioning, RefusesShortEntries) {
  VersioningFacts facts = good_loop();
  facts.invocations = 250000;  // of 4 iterations
  const VersioningAdvice advice = decide_it(facts, good_code());
  EXPECT_EQ(advice.reason, Reason::short_loop);
  EXPECT_LT(advice.gain, 1);
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

TEST(Versioning, SharedAccessesCountHalf) {
  const VersioningAdvice without = decide_it(good_loop(), good_code());
  VersioningCode code = good_code();
  code.shared = 4;
  const VersioningAdvice advice = decide_it(good_loop(), code);
  EXPECT_GT(advice.gain, without.gain * 1.05);
  EXPECT_NE(advice.text().find("vectors of 16, two outer iterations at once: "),
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

TEST(Versioning, DecidesFromTheProfileAlone) {
  VersioningFacts facts = good_loop();
  const VersioningAdvice advice = decide::decide_versioning(facts, std::nullopt, CostModel());
  EXPECT_TRUE(advice.take());
  EXPECT_FALSE(advice.code_seen);
  facts.invocations = 500000;
  EXPECT_EQ(decide::decide_versioning(facts, std::nullopt, CostModel()).reason,
            Reason::short_loop);
}

// Loop 2 in loop 1: sites 1 (store) and 2 (load) in 2, site 3 (load) in 1.
feedback::Profile small_profile() {
  feedback::Profile profile;
  feedback::Function function;
  const auto loop = [&](feedback::Id id, feedback::Id parent, std::uint64_t entries,
                        std::uint64_t iterations) {
    feedback::Loop row;
    row.id = id;
    row.parent = parent;
    row.invocations = entries;
    row.iterations = iterations;
    function.loops.push_back(row);
  };
  loop(1, feedback::k_none, 1, 100);
  loop(2, 1, 100, 1000);
  const auto site = [&](feedback::Id id, feedback::Access kind, feedback::Id inside,
                        std::uint64_t executions) {
    feedback::Site row;
    row.id = id;
    row.kind = kind;
    row.loop = inside;
    row.executions = executions;
    function.sites.push_back(row);
  };
  site(1, feedback::Access::store, 2, 1000);
  site(2, feedback::Access::load, 2, 1000);
  site(3, feedback::Access::load, 1, 100);
  site(4, feedback::Access::load, 2, 0);
  const auto dependence = [&](feedback::Id source, feedback::Id sink, feedback::Id carrier,
                              std::uint64_t intra, std::uint64_t carried) {
    feedback::Dependence row;
    row.source = source;
    row.sink = sink;
    row.loop = carrier;
    row.count = intra + carried;
    row.intra = intra;
    row.carried = carried;
    profile.dependences.push_back(row);
  };
  dependence(1, 2, 2, 3, 7);
  dependence(1, 2, 1, 0, 500);
  dependence(1, 3, 1, 40, 10);
  dependence(1, 2, feedback::k_none, 0, 400);
  feedback::Module module;
  module.functions.push_back(function);
  profile.modules.push_back(module);
  return profile;
}

TEST(PairIndex, CountsWhatTheLoopCarries) {
  const feedback::Profile profile = small_profile();
  const feedback::Function& function = profile.modules[0].functions[0];
  const decide::PairIndex index(profile);
  // In the inner loop, neither what the outer one carries nor the whole run.
  VersioningFacts facts = index.facts(function, 2, {{1, 2}});
  EXPECT_EQ(facts.invocations, 100u);
  EXPECT_EQ(facts.iterations, 1000u);
  ASSERT_EQ(facts.pairs.size(), 1u);
  EXPECT_EQ(facts.pairs[0].intra, 3u);
  EXPECT_EQ(facts.pairs[0].carried, 7u);
  EXPECT_DOUBLE_EQ(facts.pairs[0].frequency(), 0.01);
  EXPECT_EQ(facts.meetings, 10u);
  // In the outer loop, both; the inner loop's are in one iteration.
  facts = index.facts(function, 1, {{1, 3}, {1, 2}});
  ASSERT_EQ(facts.pairs.size(), 2u);
  EXPECT_EQ(facts.pairs[0].other, 2u);
  EXPECT_EQ(facts.pairs[0].intra, 10u);
  EXPECT_EQ(facts.pairs[0].carried, 500u);
  EXPECT_DOUBLE_EQ(facts.pairs[1].frequency(), 0.5);
  EXPECT_EQ(facts.meetings, 1u);  // there is one entry
}

TEST(PairIndex, InferredRowsCountWhereBurstsAreShorterThanTheLoop) {
  feedback::Profile profile = small_profile();
  profile.inferred_dependences = {{1, 2, 600, 0.6}};
  const feedback::Function& function = profile.modules[0].functions[0];
  const auto inferred = [&](feedback::Id loop, std::uint64_t burst_length) {
    profile.run.burst_length = burst_length;
    return decide::PairIndex(profile).facts(function, loop, {{1, 2}}).pairs[0];
  };
  // An entry of the inner loop has 10 iterations, one of the outer loop 1100 with them.
  EXPECT_EQ(inferred(2, 19).inferred, 600u);
  EXPECT_DOUBLE_EQ(inferred(2, 19).inferred_frequency(), 0.6);
  EXPECT_EQ(inferred(2, 20).inferred, 0u);
  EXPECT_EQ(inferred(1, 2199).inferred, 600u);
  EXPECT_EQ(inferred(1, 2200).inferred, 0u);
  // What was measured is the same with them and without.
  EXPECT_EQ(inferred(2, 19).carried, 7u);
  EXPECT_EQ(inferred(2, 20).carried, 7u);
}

TEST(PairIndex, ListsExecutedPairs) {
  const feedback::Profile profile = small_profile();
  const feedback::Function& function = profile.modules[0].functions[0];
  using Sites = std::vector<decide::PairIndex::Sites>;
  EXPECT_EQ(decide::PairIndex::all_pairs(function, 2), (Sites{{1, 2}}));
  EXPECT_EQ(decide::PairIndex::all_pairs(function, 1), (Sites{{1, 2}, {1, 3}}));
}

TEST(SourceAdvice, NamesPointersAndMembers) {
  const decide::SourceAdvice advice = decide::advise_source(
      {{"this->to[i]", "this->n"}, {"this->to[i]", "this->to"}, {"this->to[i]", "from[i]"},
       {"this->to[i]", "...[i]"}, {"this->to[i]", "this->to[i]"}},
      false);
  EXPECT_EQ(advice.locals, (std::vector<std::string>{"this->n", "this->to"}));
  EXPECT_EQ(advice.restricted, (std::vector<std::string>{"this->to", "from"}));
  EXPECT_FALSE(advice.ivdep);
  EXPECT_EQ(advice.text(),
            "load `this->n', `this->to' into locals in front of the loop; declare "
            "`this->to', `from' restrict");
}

TEST(SourceAdvice, PromisesNoDependencesOnlyIfThereAreNone) {
  EXPECT_EQ(decide::advise_source({{"a[i]", "b[i]"}}, false).text(),
            "declare `a', `b' restrict; or write #pragma GCC ivdep in front of the loop");
  EXPECT_EQ(decide::advise_source({{"a[i]", "b[i]"}}, true).text(), "declare `a', `b' restrict");
  EXPECT_EQ(decide::advise_source({}, false).text(), "");
}

TEST(SourceAdvice, KnowsOneVariable) {
  EXPECT_TRUE(decide::same_variable("a[i]", "a[i-1]"));
  EXPECT_TRUE(decide::same_variable("r->sum", "r->sum"));
  EXPECT_FALSE(decide::same_variable("to[i]", "from[i]"));
  EXPECT_FALSE(decide::same_variable("*p", "*q"));
}

}  // namespace
