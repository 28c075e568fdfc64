// merge_order_test.cc - any order and grouping of profiles gives the same bytes.
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "feedback/merge.h"
#include "feedback/reader.h"
#include "feedback/writer.h"
#include "testsuite/unit/feedback/feedback_samples.h"

namespace memprof::feedback {
namespace {

using namespace test;
using Random = std::mt19937_64;

std::string summed(const std::vector<std::string>& documents, std::size_t from, std::size_t to) {
  Merger sum;
  for (std::size_t i = from; i < to; i++) sum.add(*parse_profile(documents[i], ""));
  return to_json(sum.result());
}

// DOCUMENTS in a random order, then parts of random length summed until one is left;
// each sum is written and read again.
std::string grouped(std::vector<std::string> documents, Random& random) {
  std::shuffle(documents.begin(), documents.end(), random);
  while (documents.size() > 1) {
    std::vector<std::string> sums;
    for (std::size_t from = 0; from < documents.size();) {
      const std::size_t to = from + 1 + random() % (documents.size() - from);
      sums.push_back(summed(documents, from, to));
      from = to;
    }
    std::shuffle(sums.begin(), sums.end(), random);
    documents = std::move(sums);
  }
  return documents[0];
}

// What runs may differ in beyond their counts.
Profile varied(std::uint64_t seed) {
  Random random(seed);
  Profile p = random_profile(seed);
  const unsigned kind = random() % 4;
  if (kind == 1) p.sections.clear(), p.inferred_dependences.clear();
  if (kind == 2) std::erase(p.sections, "dependences"), p.dependences.clear();
  p.run.duration_s = double(random() % 1'000'000'000'000) / 1e6;
  if (random() % 8 == 0) p.run.duration_s = 1.5e9;
  p.run.mode = random() % 2 ? "full" : "sample";
  p.program.build_id = random() % 8 ? "one" : "other";
  p.program.command = "./prog " + std::to_string(random() % 3);
  for (Stride& r : p.strides) {
    std::uint64_t left = r.executions - 1;
    r.histogram.clear();
    for (unsigned i = 0; i < 60 && left > 0; i++, left--)
      r.histogram.push_back({std::int64_t(random() % 400) - 200, 1});
    r.other = 0;
    r.repeats = 0;
  }
  return p;
}

std::vector<std::string> documents(std::uint64_t seed, std::size_t n) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < n; i++) all.push_back(to_json(varied(seed * n + i)));
  return all;
}

TEST(MergeOrder, AnyOrderAndGroupingGivesTheSameBytes) {
  constexpr std::size_t k_profiles = 12;
  Random random(51);
  for (unsigned round = 0; round < 200; round++) {
    const std::vector<std::string> all = documents(round % 20, k_profiles);
    ASSERT_EQ(grouped(all, random), summed(all, 0, k_profiles)) << "round " << round;
  }
}

// With `dependences' everywhere, inferred rows stay; without them anywhere, none do.
TEST(MergeOrder, InferredRowsOfAnyGrouping) {
  Profile both = full_profile(), measured = both, inferred = both;
  std::erase(measured.sections, "inferred_dependences");
  measured.inferred_dependences.clear();
  std::erase(inferred.sections, "dependences");
  inferred.dependences.clear();
  EXPECT_EQ(to_json(merge(merge(both, measured), inferred)),
            to_json(merge(both, merge(measured, inferred))));
  EXPECT_TRUE(merge(merge(both, measured), inferred).inferred_dependences.empty());
  EXPECT_FALSE(merge(both, measured).inferred_dependences.empty());
}

// One site with strides 8, 16, ... of more than a sum has places for.
TEST(MergeOrder, TheShortestStridesStay) {
  std::vector<std::string> all;
  for (int run = 0; run < 40; run++) {
    Profile p = full_profile();
    p.modules[0].functions[0].sites[1].executions = 1000;
    p.strides[0].executions = 1000;
    p.strides[0].other = 0;
    p.strides[0].histogram.clear();
    for (int i = 0; i < 8; i++) p.strides[0].histogram.push_back({8 * (run * 8 + i + 1), 10});
    all.push_back(to_json(p));
  }
  const Profile sum = *parse_profile(summed(all, 0, all.size()), "");
  ASSERT_EQ(sum.strides[0].histogram.size(), 256u);
  for (const StrideCount& entry : sum.strides[0].histogram) {
    EXPECT_LE(entry.stride, 256 * 8);
    EXPECT_EQ(entry.count, 10u);
  }
  EXPECT_EQ(sum.strides[0].other, (320u - 256u) * 10u);
  Random random(1);
  for (int round = 0; round < 10; round++)
    ASSERT_EQ(grouped(all, random), summed(all, 0, all.size()));
}

TEST(MergeOrder, AWeightIsThatManyProfiles) {
  for (std::uint64_t weight : {1, 2, 3, 6, 21}) {
    Merger weighted, each;
    const Profile a = random_profile(1), b = random_profile(2);
    weighted.add(a, weight);
    weighted.add(b);
    each.add(b);
    for (std::uint64_t i = 0; i < weight; i++) each.add(a);
    EXPECT_EQ(to_json(weighted.result()), to_json(each.result())) << weight;
  }
}

TEST(MergeOrder, LongDurationsStayAtTheGreatest) {
  Profile a = full_profile(), b = a, c = a;
  a.run.duration_s = b.run.duration_s = 2e9;
  c.run.duration_s = 7;
  EXPECT_EQ(to_json(merge(merge(a, b), c)), to_json(merge(merge(a, c), b)));
  EXPECT_GT(merge(merge(a, b), c).run.duration_s, 2.2e9);
}

}  // namespace
}  // namespace memprof::feedback
