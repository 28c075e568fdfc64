// merge_test.cc - merging is a commutative, associative sum; overlaps.
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "feedback/derive.h"
#include "feedback/diff.h"
#include "feedback/merge.h"
#include "feedback/reader.h"
#include "feedback/validate.h"
#include "feedback/writer.h"
#include "testsuite/unit/feedback/feedback_samples.h"

namespace memprof::feedback {
namespace {

using namespace test;

constexpr unsigned k_rounds = 60;

TEST(Merge, Commutes) {
  for (unsigned seed = 0; seed < k_rounds; seed++) {
    const Profile a = random_profile(2 * seed), b = random_profile(2 * seed + 1);
    ASSERT_EQ(to_json(merge(a, b)), to_json(merge(b, a))) << "seed " << seed;
  }
}

TEST(Merge, Associates) {
  for (unsigned seed = 0; seed < k_rounds; seed++) {
    const Profile a = random_profile(3 * seed), b = random_profile(3 * seed + 1),
                  c = random_profile(3 * seed + 2);
    ASSERT_EQ(to_json(merge(merge(a, b), c)), to_json(merge(a, merge(b, c))))
        << "seed " << seed;
  }
}

TEST(Merge, AssociatesAlsoThroughFiles) {
  auto filed = [](const Profile& p) { return *parse_profile(to_json(p), ""); };
  for (unsigned seed = 0; seed < k_rounds; seed++) {
    const Profile a = filed(random_profile(3 * seed)),
                  b = filed(random_profile(3 * seed + 1)),
                  c = filed(random_profile(3 * seed + 2));
    ASSERT_EQ(to_json(merge(filed(merge(a, b)), c)),
              to_json(merge(a, filed(merge(b, c)))))
        << "seed " << seed;
  }
}

TEST(Merge, OfManyIsThatOfEachAfterTheOther) {
  for (unsigned seed = 0; seed < k_rounds; seed++) {
    Merger all;
    Profile pairs = random_profile(8 * seed);
    all.add(pairs);
    for (unsigned i = 1; i < 8; i++) {
      const Profile next = random_profile(8 * seed + i);
      all.add(next);
      pairs = merge(pairs, next);
      ASSERT_EQ(all.head().sections, pairs.sections) << "seed " << seed;
      ASSERT_EQ(all.head().run.runs, pairs.run.runs) << "seed " << seed;
    }
    ASSERT_EQ(to_json(all.result()), to_json(pairs)) << "seed " << seed;
  }
}

TEST(Merge, DoesNotDependOnOrderOrIds) {
  for (unsigned seed = 0; seed < k_rounds; seed++) {
    const Profile a = random_profile(2 * seed), b = random_profile(2 * seed + 1);
    ASSERT_EQ(to_json(merge(a, b)), to_json(merge(shuffled(a, seed), shuffled(b, seed))))
        << "seed " << seed;
  }
}

TEST(Merge, GivesValidProfiles) {
  TemporaryFolder folder;
  for (unsigned seed = 0; seed < k_rounds; seed++) {
    const std::string path = folder.path("m.json");
    spill(path, to_json(merge(random_profile(2 * seed), random_profile(2 * seed + 1))));
    for (const Error& fault : validate_file(path)) FAIL() << fault.text();
  }
}

TEST(Merge, AddsCountsAndRecomputesRatios) {
  Profile a = full_profile(), b = full_profile();
  b.modules[0].functions[0].sites[1].executions = 36;
  b.run.stores = 36;
  b.dependences[0].count = 3;
  b.strides[0].executions = 36;
  b.strides[0].histogram = {{-16, 30}};
  b.strides[0].repeats = 25;
  b.groups[0].span = 70;
  const Profile sum = merge(a, b);
  EXPECT_EQ(sum.modules[0].functions[0].sites[1].executions, 48u);
  EXPECT_EQ(sum.modules[0].functions[0].never_executed, 2u);
  EXPECT_EQ(sum.dependences[0].count, 12u);
  EXPECT_DOUBLE_EQ(sum.dependences[0].frequency, 0.25);
  EXPECT_EQ(sum.dependences[0].distance.max, 7u);
  EXPECT_EQ(sum.strides[0].dominant, -16);
  EXPECT_EQ(sum.strides[0].histogram[0].count, 32u);
  EXPECT_EQ(sum.strides[0].share, 0.666667);
  EXPECT_EQ(sum.strides[0].klass, StrideClass::pmst);  // 31 of 48 repeat
  EXPECT_EQ(sum.groups[0].objects, 10u);
  EXPECT_EQ(sum.groups[0].span, 70u);
  EXPECT_EQ(sum.run.runs, 4u);
  EXPECT_EQ(sum.run.threads, 6u);
  EXPECT_FALSE(sum.run.complete);
}

// Two files of one name in one program, such as a/util.c and b/util.c compiled in their folders.
TEST(Merge, TellsModulesOfOneNameApart) {
  Profile run;
  for (const unsigned executions : {10u, 20u}) {
    Module& module = run.modules.emplace_back();
    module.file = "util.c";
    Function& function = module.functions.emplace_back();
    function.name = function.linkage_name = "insert";
    function.checksum = 1;
    Site& site = function.sites.emplace_back();
    site.id = Id(run.modules.size());
    site.executions = executions;
    run.run.accesses = run.run.loads += executions;
  }
  const Profile sum = merge(run, run);
  ASSERT_EQ(sum.modules.size(), 2u);
  EXPECT_EQ(sum.modules[0].functions[0].sites[0].executions, 20u);
  EXPECT_EQ(sum.modules[1].functions[0].sites[0].executions, 40u);
}

TEST(Merge, InferredRowsAddUp) {
  Profile a = full_profile(), b = full_profile();
  b.inferred_dependences[0].count = 1ull << 57;
  const Profile sum = merge(a, b);
  ASSERT_EQ(sum.inferred_dependences.size(), 2u);
  EXPECT_EQ(sum.inferred_dependences[0].count, 3ull << 57);
  EXPECT_EQ(sum.inferred_dependences[0].frequency, 0.1875);
}

// All dependences of a run in full mode are measured: it says so by having no table.
TEST(Merge, InferredRowsStayBesideARunThatMeasuredAll) {
  const Profile sampled = full_profile();
  Profile full = full_profile(), other = full_profile();
  full.inferred_dependences.clear();
  std::erase(full.sections, "inferred_dependences");
  for (const Profile& sum : {merge(sampled, full), merge(full, sampled)}) {
    ASSERT_EQ(sum.inferred_dependences.size(), 2u);
    EXPECT_EQ(sum.inferred_dependences[0].frequency, 0.125);
  }
  // Without its dependences nothing is known of those that it did not measure.
  other.dependences.clear();
  other.inferred_dependences.clear();
  other.sections = {"strides"};
  EXPECT_TRUE(merge(sampled, other).inferred_dependences.empty());
}

// A site that ran once in a run has no stride there, hence no row.
TEST(Merge, StrideRowsCountTheRunsWithoutOne) {
  Profile a = full_profile(), b = full_profile();
  b.strides.clear();
  a.sections = b.sections = {"strides"};
  const Profile sum = merge(a, b);
  ASSERT_EQ(sum.strides.size(), 1u);
  EXPECT_EQ(sum.strides[0].executions, 2 * a.strides[0].executions);
  EXPECT_EQ(sum.strides[0].share, merge(b, a).strides[0].share);
}

TEST(Merge, KeepsTheStreamWithMoreCaptured) {
  Profile a = full_profile(), b = full_profile();
  b.object_relative[0].v3.lmads[0].count = 8;
  b.object_relative[0].v3.captured = 8;
  b.object_relative[0].v2 = {};
  const Profile sum = merge(a, b);
  EXPECT_EQ(sum.object_relative[0].v3.captured, 8u);
  EXPECT_EQ(sum.object_relative[0].v2.captured, 12u);
  EXPECT_EQ(sum.object_relative[0].accesses, 24u);
}

TEST(Merge, KeepsFunctionsOfOneSide) {
  Profile a = full_profile(), b = full_profile();
  b.modules[0].functions[0].checksum = 1;
  const Profile sum = merge(a, b);
  ASSERT_EQ(sum.modules.size(), 1u);
  EXPECT_EQ(sum.modules[0].functions.size(), 2u);
  EXPECT_EQ(sum.strides.size(), 2u);
}

TEST(Merge, DropsTablesThatOneSideLacks) {
  Profile a = full_profile(), b = full_profile();
  b.sections = {"strides"};
  b.object_relative.clear();
  b.mdf.clear();
  b.never_met.clear();
  b.dependences.clear();
  b.inferred_dependences.clear();
  b.points_to.clear();
  b.cache.clear();
  b.types.clear();
  b.fields.clear();
  b.lifetimes.clear();
  b.dead_stores.clear();
  b.values.clear();
  b.silent_stores.clear();
  b.reuse.clear();
  b.regularity.clear();
  b.whole_stream.clear();
  b.stream_names.clear();
  b.pages.clear();
  b.page_phases.clear();
  b.timeline.clear();
  b.co_access.clear();
  b.sharing.clear();
  b.privatisation.clear();
  b.pointers.clear();
  const Profile sum = merge(a, b);
  EXPECT_EQ(sum.sections, std::vector<std::string>{"strides"});
  EXPECT_TRUE(sum.dependences.empty());
}

// The loop, if any, to which all objects of the only group are said to be local.
Id always_local(const Profile& profile) {
  Id loop = k_none;
  for (const Lifetime& r : profile.lifetimes)
    if (r.always) loop = profile.modules[0].functions[0].loops[r.loop].line;
  return loop;
}

TEST(Merge, WhatIsAlwaysLocalToAnInnerLoopIsToTheOuterOne) {
  Profile outer = full_profile();
  outer.modules[0].functions[0].loops.push_back({2, 0, "", 9, 1, 1});
  outer.lifetimes = {{0, 0, 5, 0, 1, 9, 20, true, "", ""}};
  Profile inner = outer, sibling = outer, nowhere = outer, without = outer;
  inner.lifetimes[0].loop = 1;
  sibling.lifetimes[0].loop = 2;
  nowhere.lifetimes = {{0, k_none, 5, 0, 1, 9, 20, false, "", ""}};
  without.lifetimes.clear();
  EXPECT_EQ(always_local(merge(inner, inner)), 5u);
  EXPECT_EQ(always_local(merge(inner, outer)), 4u);
  EXPECT_EQ(always_local(merge(outer, inner)), 4u);
  EXPECT_EQ(always_local(merge(inner, without)), 5u);
  EXPECT_EQ(always_local(merge(inner, nowhere)), k_none);
  const Profile siblings = merge(inner, sibling);
  EXPECT_EQ(always_local(siblings), 4u);
  EXPECT_EQ(siblings.lifetimes.size(), 3u) << "a row without objects says `always'";
  EXPECT_EQ(merge(siblings, nowhere).lifetimes.size(), 3u) << "and goes when it is not so";
}

TEST(Merge, CollectsObstaclesAndAddsVisits) {
  Profile a = full_profile(), b = full_profile();
  b.types[0].obstacles = {{"asm", "", "b.c:1"}, {"cast", "", "a.c:7"}};
  b.types[0].checked = false;
  b.fields[0].together = {{"a", 5}, {"x", 2}};
  const Profile sum = merge(a, b);
  ASSERT_EQ(sum.types.size(), 1u);
  EXPECT_FALSE(sum.types[0].checked);
  ASSERT_EQ(sum.types[0].obstacles.size(), 3u);
  EXPECT_EQ(sum.types[0].obstacles[0].kind, "asm");
  ASSERT_EQ(sum.fields.size(), 1u);
  EXPECT_EQ(sum.fields[0].visits, 2 * a.fields[0].visits);
  ASSERT_EQ(sum.fields[0].together.size(), 2u);
  EXPECT_EQ(sum.fields[0].together[1].count, 2 + a.fields[0].together[0].count);
}

TEST(Merge, ForgetsTheBuildWhenTheyDiffer) {
  Profile a = full_profile(), b = full_profile();
  b.program.build_id = "other";
  EXPECT_EQ(merge(a, a).program.build_id, "b1d");
  EXPECT_EQ(merge(a, b).program.build_id, "");
}

TEST(Merge, KeepsWhatAllRunsSayOfThemselves) {
  Profile a = full_profile(), b = full_profile();
  b.run.start = a.run.start - 5;
  b.run.labels = {{"commit", "2e"}, {"input", "large"}, {"night", ""}};
  Profile sum = merge(a, b);
  EXPECT_EQ(sum.run.start, b.run.start);
  EXPECT_EQ(sum.run.host, "node7");
  EXPECT_EQ(sum.run.labels, (std::vector<Label>{{"input", "large"}}));
  Profile old = full_profile();
  old.run.start = 0;
  old.run.host.clear();
  old.run.labels.clear();
  sum = merge(sum, old);
  EXPECT_EQ(sum.run.start, b.run.start);
  EXPECT_EQ(sum.run.host, "");
  EXPECT_TRUE(sum.run.labels.empty());
}

TEST(Merge, CountsDoNotWrap) {
  Profile a = full_profile();
  a.modules[0].functions[0].loops[1].iterations = UINT64_MAX;
  EXPECT_EQ(merge(a, a).modules[0].functions[0].loops[1].iterations, UINT64_MAX);
}

// Sums over all functions are kept, whatever is matched with what.
TEST(Merge, LosesNoExecution) {
  auto executions = [](const Profile& p) {
    std::uint64_t sum = 0;
    for (const Module& m : p.modules)
      for (const Function& f : m.functions)
        for (const Site& s : f.sites) sum += s.executions;
    return sum;
  };
  for (unsigned seed = 0; seed < k_rounds; seed++) {
    const Profile a = random_profile(2 * seed), b = random_profile(2 * seed + 1);
    const Profile sum = merge(a, b);
    ASSERT_EQ(executions(sum), executions(a) + executions(b));
    ASSERT_EQ(sum.run.loads, a.run.loads + b.run.loads);
  }
}

TEST(Derive, StrideClasses) {
  auto klass = [](std::vector<StrideCount> h, std::uint64_t repeats) {
    return stride_class(h, repeats, 100);
  };
  EXPECT_EQ(klass({{8, 70}}, 0), StrideClass::ssst);
  EXPECT_EQ(klass({{8, 69}}, 0), StrideClass::none);
  EXPECT_EQ(klass({{0, 70}}, 0), StrideClass::constant);
  EXPECT_EQ(klass({{8, 20}, {4, 20}, {2, 11}, {1, 10}}, 41), StrideClass::pmst);
  EXPECT_EQ(klass({{8, 20}, {4, 20}, {2, 10}, {1, 10}}, 41), StrideClass::none);
  EXPECT_EQ(klass({{8, 26}}, 11), StrideClass::wsst);
  EXPECT_EQ(klass({{8, 25}}, 11), StrideClass::none);
  EXPECT_EQ(klass({{8, 26}}, 10), StrideClass::none);
  EXPECT_EQ(klass({}, 99), StrideClass::none);
}

TEST(Diff, OfAProfileWithItselfIsOne) {
  for (unsigned seed = 0; seed < k_rounds; seed++) {
    const Profile a = random_profile(seed);
    const Difference d = diff(a, shuffled(a, seed));
    EXPECT_EQ(d.executions, 1);
    EXPECT_EQ(d.dependences, 1);
    EXPECT_EQ(d.flow, 1);
    EXPECT_EQ(d.strides, 1);
    EXPECT_EQ(d.points_to, 1);
    EXPECT_EQ(d.matched_functions, 1);
    EXPECT_TRUE(d.largest.empty());
  }
}

TEST(Diff, DoesNotDependOnTheLengthOfTheRun) {
  Profile a = random_profile(3), b = a;
  for (Module& m : b.modules)
    for (Function& f : m.functions)
      for (Site& s : f.sites) s.executions *= 7;
  EXPECT_NEAR(diff(a, b).executions, 1, 1e-12);
}

// A pair that one run measured and the other one inferred.
TEST(Diff, FlowIsTheSamePairsMeasuredOrInferred) {
  Profile a = full_profile(), b = full_profile();
  a.dependences = {};
  b.dependences = {};
  a.inferred_dependences.resize(1);
  Dependence d;
  d.source = a.inferred_dependences[0].source;
  d.sink = a.inferred_dependences[0].sink;
  d.count = d.no_loop = 7;
  b.dependences = {d};
  b.inferred_dependences.clear();
  EXPECT_EQ(diff(a, b).flow, 1);
  EXPECT_EQ(diff(a, b).dependences, 0);
}

// gcov-tool's definition: 0.25 and 0.75 against 0.5 and 0.5.
TEST(Diff, OverlapIsTheSumOfSmallerShares) {
  Profile a = full_profile(), b = full_profile();
  a.modules[0].functions[0].sites[0].executions = 25;
  a.modules[0].functions[0].sites[1].executions = 75;
  b.modules[0].functions[0].sites[0].executions = 5;
  b.modules[0].functions[0].sites[1].executions = 5;
  for (Profile* p : {&a, &b}) p->modules[0].functions[0].sites[2].executions = 0;
  const Difference d = diff(a, b);
  EXPECT_DOUBLE_EQ(d.executions, 0.75);
  ASSERT_EQ(d.largest.size(), 2u);
  EXPECT_EQ(d.largest[0].where, "h.h:5:7, f(int)");
  EXPECT_EQ(d.largest[0].a, 25u);
  EXPECT_EQ(d.largest[0].b, 5u);
}

TEST(Diff, OtherChecksumIsAnotherFunction) {
  Profile a = full_profile(), b = full_profile();
  b.modules[0].functions[0].checksum++;
  const Difference d = diff(a, b);
  EXPECT_EQ(d.executions, 0);
  EXPECT_EQ(d.strides, 0);
  EXPECT_EQ(d.matched_functions, 0);
}

TEST(Diff, EmptyProfiles) {
  EXPECT_EQ(diff({}, {}).executions, 1);
  EXPECT_EQ(diff({}, full_profile()).executions, 0);
}

// Each of two groups was carved from the other, says one of the profiles.
TEST(Merge, MakesNoGroupThatIsCarvedFromItself) {
  Profile a = random_profile(1);
  a.groups.clear();
  for (Id id : {0, 1}) {
    Group group;
    group.id = id;
    group.kind = GroupKind::heap;
    group.file = std::string("f") + std::to_string(id);
    a.groups.push_back(group);
  }
#define TABLE(name, Row) a.name.clear();
#include "feedback/tables.def"
#undef TABLE
  Profile b = a;
  a.groups[0].parent = 1;
  b.groups[1].parent = 0;
  const Profile sum = merge(a, b);
  ASSERT_EQ(sum.groups.size(), 2u);
  EXPECT_TRUE(bool(parse_profile(to_json(sum), "sum")));
  EXPECT_EQ(to_json(sum), to_json(merge(b, a)));
  EXPECT_EQ((sum.groups[0].parent == k_none) + (sum.groups[1].parent == k_none), 1);
}

TEST(Merge, CountsThatAreTooLargeStayValid) {
  TemporaryFolder folder;
  const std::string path = folder.path("p.json");
  for (unsigned seed = 0; seed < 10; seed++)
    for (const std::uint64_t weight : {std::uint64_t{1} << 53, ~std::uint64_t{0}}) {
      Merger sum;
      sum.add(seed == 0 ? full_profile() : random_profile(seed), weight);
      ASSERT_TRUE(bool(write_profile(sum.result(), path)));
      const auto faults = validate_file(path);
      EXPECT_TRUE(faults.empty()) << seed << ' ' << weight << ' ' << faults.front().text();
    }
}

}  // namespace
}  // namespace memprof::feedback
