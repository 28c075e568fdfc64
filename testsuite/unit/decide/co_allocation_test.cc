// co_allocation_test.cc - which allocation calls share an arena, and why others do not.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/decide/co_allocation.h"

#include <gtest/gtest.h>

#include <optional>

namespace memprof::decide {
namespace {

using Misses = feedback::CoAccess::Misses;

class CoAllocation : public ::testing::Test {
 protected:
  void SetUp() override { profile_.run.accesses = 50'000'000; }

  feedback::Id call(const std::string& function, std::uint64_t bytes,
                    const std::string& allocator = "malloc") {
    feedback::Group group;
    group.id = static_cast<feedback::Id>(profile_.groups.size());
    group.file = "a.c";
    group.line = 10 + group.id;
    group.function = function;
    group.allocator = allocator;
    group.objects = 1000;
    group.bytes = 1000 * bytes;
    profile_.groups.push_back(group);
    return group.id;
  }
  void row(const std::vector<feedback::Id>& groups, const Misses& before, const Misses& after,
           const Misses& ordered = {}) {
    feedback::CoAccess row;
    for (const feedback::Id id : groups) row.groups.push_back({id, 9'000'000});
    row.before = before;
    row.after = after;
    row.ordered = ordered;
    profile_.co_access.push_back(row);
  }
  const ObjectFacts& facts(feedback::Id id) {
    index_.emplace(profile_, model_);
    const feedback::Group& g = profile_.groups[id];
    return *index_->find({g.file, g.line, g.function, g.type});
  }
  Decision decide(feedback::Id id, const AllocationCode* code = nullptr) {
    Candidate candidate;
    candidate.transformation = Transformation::co_allocation;
    return decide_co_allocation(candidate, facts(id), code, model_);
  }

  feedback::Profile profile_;
  CostModel model_;
  std::optional<AllocationIndex> index_;
};

constexpr Misses k_many{900'000, 800'000, 100'000}, k_few{500'000, 400'000, 50'000};
constexpr Misses k_two{1'800'000, 1'600'000, 200'000}, k_one{900'000, 800'000, 100'000};

TEST_F(CoAllocation, CallsThatSaveMoreTogetherShareAnArena) {
  const auto entry = call("make", 32), key = call("copy", 17), text = call("make", 90);
  row({entry}, k_many, k_many);
  row({key}, k_many, k_many);
  row({text}, {9, 9, 9}, {9, 9, 9});
  row({entry, key}, k_two, k_one);
  const Decision a = decide(entry), b = decide(key);
  EXPECT_TRUE(a.take()) << a.text;
  EXPECT_TRUE(b.take()) << b.text;
  EXPECT_EQ(a.count("arena"), b.count("arena"));
  EXPECT_NE(a.count("arena"), 0u);
  EXPECT_EQ(a.text,
            "arena shared with a.c:11: lines fetched into L1 1800000 before, 900000 after, into L2 "
            "1600000 before, 800000 after (modelled), worth 52.0 million cycles, 33.8 in 100");
  EXPECT_GT(a.gain, 1.5);
  EXPECT_EQ(decide(text).reason, Reason::few_misses);
  EXPECT_EQ(facts(entry).arena.object_bytes, 64u);
}

TEST_F(CoAllocation, CallsThatSaveMoreAloneHaveArenasOfTheirOwn) {
  const auto list = call("add", 24), patient = call("make", 24);
  row({list}, k_many, k_few);
  row({patient}, k_many, k_few);
  row({list, patient}, k_two, {1'500'000, 1'300'000, 150'000});
  EXPECT_TRUE(decide(list).take());
  EXPECT_TRUE(decide(patient).take());
  EXPECT_NE(decide(list).count("arena"), decide(patient).count("arena"));
  EXPECT_EQ(decide(list).count("calls"), 1u);
  EXPECT_EQ(decide(list).text.find("arena of its own: "), 0u);
}

TEST_F(CoAllocation, ACallIsInOneArenaOnly) {
  const auto a = call("a", 32), b = call("b", 32), c = call("c", 32);
  row({a}, k_many, k_many);
  row({b}, k_many, k_many);
  row({c}, k_many, k_many);
  row({a, b}, k_two, k_one);
  row({b, c}, k_two, {700'000, 600'000, 80'000});
  EXPECT_EQ(decide(b).count("arena"), decide(c).count("arena"));
  EXPECT_FALSE(decide(a).take());
}

// In a merged profile, and in one of calling contexts.
TEST_F(CoAllocation, ContextsOfACallAreOne) {
  const auto a = call("a", 32), again = call("a", 32);
  profile_.groups[again].line = profile_.groups[a].line;
  profile_.groups[again].context = "main";
  row({a}, k_many, k_few);
  row({again}, k_many, k_few);
  EXPECT_EQ(decide(a).count("l1_before"), 1'800'000u);
  EXPECT_EQ(decide(a).count("l1_after"), 1'000'000u);
}

TEST_F(CoAllocation, GatesNameTheirReason) {
  const auto a = call("a", 32);
  row({a}, k_many, k_many);
  EXPECT_EQ(decide(a).reason, Reason::few_misses);
  EXPECT_EQ(decide(a).gate.name, "saved_cycles");
  EXPECT_EQ(decide(a).gate.value, 0);
  profile_.co_access[0].after = {880'000, 760'000, 95'000};
  EXPECT_EQ(decide(a).reason, Reason::no_gain);
  EXPECT_TRUE(decide(a).gate.at_most);
  EXPECT_NE(decide(a).text.find("hardly fewer"), std::string::npos);
  profile_.co_access[0].after = k_few;
  EXPECT_EQ(decide(a).reason, Reason::taken);
  // The same in a program that does much else.
  profile_.run.accesses = 5'000'000'000;
  EXPECT_EQ(decide(a).reason, Reason::few_misses);
  profile_.run.accesses = 50'000'000;
  AllocationCode code;
  EXPECT_EQ(decide(a, &code).reason, Reason::wrapped);
  profile_.groups[a].allocator = "strdup";
  EXPECT_EQ(decide(a).reason, Reason::wrapped);
  profile_.groups[a].allocator = "xmalloc";
  EXPECT_EQ(decide(a, &code).reason, Reason::taken);
}

TEST_F(CoAllocation, ACallThatCannotBeReplacedIsInNoSharedArena) {
  const auto a = call("a", 32), b = call("b", 32, "pool_alloc"), block = call("blocks", 4096);
  profile_.groups[b].parent = block;
  row({a}, k_many, k_few);
  row({b}, k_many, k_many);
  row({a, b}, k_two, {100'000, 90'000, 9'000});
  EXPECT_TRUE(decide(a).take());
  EXPECT_EQ(decide(a).count("calls"), 1u);
  EXPECT_EQ(decide(b).reason, Reason::wrapped);
}

TEST_F(CoAllocation, AVetoIsObeyed) {
  const auto a = call("a", 32);
  row({a}, k_many, k_few);
  Candidate candidate;
  candidate.transformation = Transformation::co_allocation;
  candidate.veto = "veto:1";
  const Decision d = decide_co_allocation(candidate, facts(a), nullptr, model_);
  EXPECT_EQ(d.reason, Reason::vetoed);
  EXPECT_EQ(d.text, "no shared arena: vetoed by veto:1");
}

TEST_F(CoAllocation, AnotherOrderOfVisitsIsAdvice) {
  const auto a = call("a", 32);
  row({a}, k_many, k_many, {200'000, 150'000, 10'000});
  EXPECT_EQ(order_advice(facts(a), model_),
            "visited in another order than allocated: sort, pool or reorder the objects; in the "
            "order of the visits: lines fetched into L1 900000 before, 200000 after, into L2 800000 "
            "before, 150000 after (modelled)");
  // An arena alone does nearly the same.
  profile_.co_access[0].after = {250'000, 180'000, 12'000};
  EXPECT_EQ(order_advice(facts(a), model_), "");
  profile_.co_access[0].ordered = {};
  EXPECT_EQ(order_advice(facts(a), model_), "");
}

// As malloc's are: where the model of the cache does not say that they are visited at random.
TEST_F(CoAllocation, ObjectsOfOneLineBeginInTheMiddleOfOne) {
  const auto a = call("a", 56), b = call("b", 32), c = call("c", 32);
  row({a}, k_many, k_few);
  row({b}, k_many, k_many);
  row({c}, k_many, k_many);
  row({b, c}, k_two, k_one);
  EXPECT_EQ(decide(a).count("first"), 32u);
  EXPECT_EQ(facts(b).arena.object_bytes, 64u);
  EXPECT_EQ(decide(b).count("first"), 0u);
  profile_.cache = {{0, a, 500'000, 400'000, 0, 300'000, {}, false}};
  EXPECT_EQ(decide(a).count("first"), 0u);
}

// Nothing in the table, nothing said.
TEST_F(CoAllocation, ACallWithoutRowsHasNoArena) {
  const auto a = call("a", 32);
  EXPECT_EQ(facts(a).arena.number, 0u);
}

}  // namespace
}  // namespace memprof::decide
