// points_to_test.cc - counts per site and group.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/event/module.h"

#include <map>

#include "runtime/backend/base/fault.h"
#include "testsuite/unit/backend/random_program.h"

namespace memprof::backend::testing {
namespace {

TEST(PointsTo, CountsPerGroup) {
  Script s;
  for (GroupId group : {7u, 7u, 9u, 7u, 0u, 11u})
    s.access(EventKind::load, 3, 0x1000, 4, group);
  s.range(1, 100, {{0x1000, 8, 99, 0x1000, 8, 3, 9, 0, false}});
  const auto p = run(make_points_to, s.batch);
  EXPECT_EQ(text(p), "points_to 3 7*3 9*100 11*1\n");
}

TEST(PointsTo, UnknownHasNoRow) {
  Script s;
  s.load(1, 0x1000, 4);
  EXPECT_TRUE(run(make_points_to, s.batch).points_to.empty());
}

TEST(PointsTo, RandomProgramsAgreeWithTheOracle) {
  for (std::uint64_t seed = 0; seed < 1000; seed++) {
    const Trace batch = RandomProgram(seed, {}).make();
    const Trace flat = expand(batch);
    std::map<SiteId, std::map<GroupId, std::uint64_t>> counts;
    for (const FlatEvent& e : flat.events)
      if (e.kind <= EventKind::store && e.group) counts[e.site][e.group]++;
    std::ostringstream expected;
    for (const auto& [site, groups] : counts) {
      expected << "points_to " << site;
      for (const auto& [group, n] : groups) expected << ' ' << group << '*' << n;
      expected << '\n';
    }
    ASSERT_EQ(text(run(make_points_to, batch)), expected.str()) << "seed " << seed;
  }
}

TEST(PointsTo, FaultIsVisible) {
  const Trace batch = RandomProgram(1, {}).make();
  const std::string good = text(run(make_points_to, batch));
  g_fault = Fault::group_mix;
  const std::string bad = text(run(make_points_to, batch));
  g_fault = Fault::none;
  EXPECT_NE(good, bad);
}

}  // namespace
}  // namespace memprof::backend::testing
