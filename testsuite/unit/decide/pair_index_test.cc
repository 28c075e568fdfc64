// pair_index_test.cc - which pairs of accesses meet in a loop, from a profile.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/decide/pair_index.h"

#include <gtest/gtest.h>

namespace {

using namespace memprof;
using decide::VersioningFacts;

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

}  // namespace
