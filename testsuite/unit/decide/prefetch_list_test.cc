// prefetch_list_test.cc - what prefetches of lists gain that a loop walks, as the chains of a hash table.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/decide/prefetch.h"
#include "testsuite/unit/decide/gate_shown.h"
#include "testsuite/unit/decide/indirect_code.h"

#include <gtest/gtest.h>

namespace {

using namespace memprof;
using decide::CostModel;
using decide::Decision;
using decide::ListPart;
using decide::LoadFacts;
using decide::OtherLoads;
using decide::PrefetchCode;
using decide::Reason;

constexpr std::uint64_t k_probes = 1000000;

LoadFacts misses_anywhere(std::uint64_t executions, std::uint64_t span) {
  LoadFacts load;
  load.executions = load.iterations = executions;
  load.invocations = 1;
  load.span = span;
  load.objects = 1000000;
  load.stride_known = true;
  load.stride_share = 0.0001;
  load.l1_misses = executions;
  load.l2_misses = executions;
  return load;
}

LoadFacts heads() { return misses_anywhere(k_probes, 8 << 20); }

LoadFacts nodes(std::uint64_t lists, std::uint64_t visited) {
  LoadFacts load = misses_anywhere(visited, 64 << 20);
  load.invocations = lists;
  return load;
}

// Of 2^20 buckets with two nodes on average: of random lengths, e^-2 of the lists are empty.
LoadFacts random_nodes() { return nodes(864665, 2000000); }

PrefetchCode code_of(ListPart part) {
  PrefetchCode code = decide::good_code();
  code.instructions = 26;
  code.waits = 0;
  code.list = part;
  code.entry = part != ListPart::start;
  code.outer_invocations = 1;
  code.outer_iterations = k_probes;
  return code;
}

Decision of_heads(const LoadFacts& node) {
  const PrefetchCode code = code_of(ListPart::start);
  return gate_shown(decide::decide_prefetch({}, heads(), &code, {nullptr, &node}, {}));
}

// After that, of the first node.
Decision of_first(const LoadFacts& node, bool head_asked = true) {
  PrefetchCode code = code_of(ListPart::first);
  code.staged = true;
  code.start_asked = head_asked;
  const LoadFacts start = heads();
  return gate_shown(decide::decide_prefetch({}, node, &code, {nullptr, &node, &start}, {}));
}

// Where first nodes are in an array: of the second one.
Decision of_second(const LoadFacts& node) {
  PrefetchCode code = code_of(ListPart::second);
  code.staged = code.first_asked = true;
  return gate_shown(decide::decide_prefetch({}, node, &code, {nullptr, &node}, {}));
}

TEST(PrefetchOfLists, LeavesTheMissesOfTheOtherNodes) {
  // Of two nodes each; measured: 1.07 to 1.10 for the head, 1.17 to 1.42 for both.
  const LoadFacts two = nodes(k_probes, 2 * k_probes);
  const Decision head = of_heads(two), first = of_first(two);
  ASSERT_TRUE(head.take() && first.take()) << head.text << first.text;
  EXPECT_NEAR(head.gain, 150 / 137.5, 0.01);
  EXPECT_NEAR(first.gain, 137.5 / 118.75, 0.01);
  EXPECT_NEAR(head.gain * first.gain, 1.30, 0.1);
}

TEST(PrefetchOfLists, CountsEndsThatAreNotForeseen) {
  // The head gains nothing then.  The first node, measured: 1.09.
  EXPECT_EQ(of_heads(random_nodes()).reason, Reason::overlapped);
  const Decision first = of_first(random_nodes(), false);
  ASSERT_TRUE(first.take()) << first.text;
  EXPECT_NEAR(first.number("waits"), 1, 0.01);
  EXPECT_NEAR(first.gain, 1.09, 0.05);
}

TEST(PrefetchOfLists, GainsAsMuchByTheSecondNode) {
  const Decision second = of_second(random_nodes());
  ASSERT_TRUE(second.take()) << second.text;
  EXPECT_EQ(second.number("second"), 1);
  EXPECT_NEAR(second.gain, of_first(random_nodes()).gain, 0.03);
  EXPECT_NE(second.text.find("iterations ahead: the second node, "), std::string::npos) << second.text;
}

TEST(PrefetchOfLists, RefusesSecondNodesThatFewListsHave) {
  EXPECT_EQ(of_second(nodes(k_probes, k_probes * 13 / 10)).reason, Reason::conditional);
  EXPECT_EQ(of_second(nodes(k_probes, k_probes)).reason, Reason::few_executions);
}

TEST(PrefetchOfLists, RefusesOneOfManyNodes) {
  const Decision decision = of_first(nodes(k_probes, 20 * k_probes));
  EXPECT_EQ(decision.reason, Reason::overlapped) << decision.text;
  EXPECT_EQ(decision.gate.limit, CostModel().min_list_gain);
}

// The head is prefetched 300 / 13 iterations ahead, so that it is there half as far ahead.
TEST(PrefetchOfLists, LooksHalfAsFarAsWhatItLoadsOnTheWay) {
  const LoadFacts two = nodes(k_probes, 2 * k_probes);
  EXPECT_EQ(of_heads(two).count("distance"), 24u);
  EXPECT_EQ(of_first(two).count("distance"), 12u);
}

}  // namespace
