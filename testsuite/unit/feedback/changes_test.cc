// changes_test.cc - what differs between two profiles: matching through edits, signs, order.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "feedback/changes.h"

#include <gtest/gtest.h>

#include "feedback/canonical.h"
#include "testsuite/unit/feedback/feedback_samples.h"

namespace memprof::feedback {
namespace {

Site site(Id id, std::uint32_t line, const char* expression, std::uint64_t executions) {
  Site s;
  s.id = s.ordinal = id;
  s.line = line, s.width = 8, s.expression = expression, s.executions = executions;
  return s;
}

// f reads a, writes b; a block of malloc.
Profile sample() {
  Profile p;
  Function f;
  f.name = f.linkage_name = "f", f.checksum = 1, f.line = 1;
  f.sites = {site(0, 2, "a[i]", 100), site(1, 3, "b[i]", 50)};
  f.sites[1].kind = Access::store;
  p.modules.push_back({"a.c", "", 0, {f}});
  Group g;
  g.id = 0, g.file = "a.c", g.line = 9, g.function = "main", g.allocator = "malloc";
  g.objects = 1, g.bytes = 64;
  p.groups.push_back(g);
  Dependence d;
  d.source = 1, d.sink = 0, d.count = 40;
  p.dependences.push_back(d);
  Cache c;
  c.site = 0, c.l2 = 8;
  p.cache.push_back(c);
  p.sections = {"dependences", "cache"};
  return p;
}

std::string text(const Changes& changes) {
  std::string out;
  for (const Change& c : changes.rows)
    out += std::string(name(c.subject)) + ' ' + std::to_string(c.before) + '>' +
           std::to_string(c.after) + ' ' + c.where + ' ' + c.what +
           (c.presence == Presence::appeared   ? " new"
            : c.presence == Presence::vanished ? " vanished"
                                               : "") +
           (c.certain ? "" : " ?") + '\n';
  return out;
}

TEST(Changes, OfEqualProfilesThereAreNone) {
  EXPECT_EQ(text(changes(sample(), sample())), "");
  for (std::uint64_t seed = 0; seed < 20; seed++) {
    const Profile p = test::random_profile(seed);
    Profile other = test::shuffled(p, seed + 1);
    EXPECT_EQ(text(changes(p, other)), "") << seed;
  }
}

TEST(Changes, HaveASignAndTheLargestFirst) {
  Profile after = sample();
  after.modules[0].functions[0].sites[0].executions = 101;
  after.modules[0].functions[0].sites[1].executions = 20;
  after.dependences[0].count = 10;
  after.cache[0].l2 = 9;
  after.groups[0].bytes = 32;
  EXPECT_EQ(text(changes(sample(), after)),
            "accesses 50>20 a.c:3:0 store b[i]\n"
            "accesses 100>101 a.c:2:0 load a[i]\n"
            "misses 8>9 a.c:2:0 load a[i]\n"
            "memory 64>32 a.c:9 malloc\n"
            "dependences 40>10 a.c:2:0 load a[i] reads what store b[i] at a.c:3:0 wrote\n");
  EXPECT_EQ(changes(sample(), after).before(Subject::site), 150u);
}

// 100 +- 30 and 130 +- 30 may be the same, 100 +- 30 and 300 +- 30 are not.
TEST(Changes, WithinTheErrorsOfSamplesAreNone) {
  Profile before = sample(), after = sample();
  for (Profile* p : {&before, &after}) {
    p->modules[0].functions[0].sites[0].error = 0.3;
    p->cache[0].errors.l2 = 30;
  }
  before.cache[0].l2 = 100;
  after.cache[0].l2 = 300;
  after.modules[0].functions[0].sites[0].executions = 130;
  const Changes found = changes(before, after);
  EXPECT_EQ(text(found), "misses 100>300 a.c:2:0 load a[i]\n");
  EXPECT_EQ(found.totals[0].within_error, 1u);
  EXPECT_EQ(found.totals[1].within_error, 0u);
}

// With many rows, some differ by more than their 95 % intervals by chance.
TEST(Changes, OfManyRowsAreRarerThanOneInTwenty) {
  Profile before = sample(), after = sample();
  for (Id id = 0; id < 1000; id++) {
    Site s = site(2 + id, 10, "c[i]", 1000);
    s.error = 0.1;
    before.modules[0].functions[0].sites.push_back(s);
    s.executions = 1150;  // 1.06 intervals
    after.modules[0].functions[0].sites.push_back(s);
  }
  EXPECT_EQ(text(changes(before, after)), "");
}

TEST(Changes, FollowAFunctionThatChanged) {
  Profile after = sample();
  Function& f = after.modules[0].functions[0];
  f.checksum = 2;
  f.sites.insert(f.sites.begin(), site(7, 2, "new", 5));
  f.sites[0].ordinal = 0, f.sites[1].ordinal = 1, f.sites[2].ordinal = 2;
  f.sites[1].line = 4, f.sites[2].line = 6, f.sites[2].executions = 60;
  after.groups[0].line = 12;
  const Changes c = changes(sample(), after);
  EXPECT_EQ(text(c), "accesses 50>60 a.c:6:0 store b[i]\naccesses 0>5 a.c:2:0 load new new\n");
  EXPECT_EQ(c.changed_functions, 1u);
  EXPECT_EQ(c.same_functions + c.new_functions + c.lost_functions, 0u);
}

TEST(Changes, FollowAFunctionIntoAnotherFile) {
  Profile after = sample();
  after.modules[0].file = "moved.c";
  EXPECT_EQ(text(changes(sample(), after)), "");
  after.modules[0].functions[0].linkage_name = "g";
  const Changes c = changes(sample(), after);
  EXPECT_EQ(c.new_functions, 1u);
  EXPECT_EQ(c.lost_functions, 1u);
  EXPECT_NE(text(c).find("accesses 100>0 a.c:2:0 load a[i] vanished\n"), std::string::npos);
  EXPECT_NE(text(c).find("accesses 0>100 moved.c:2:0 load a[i] new\n"), std::string::npos);
}

TEST(Changes, SayWhatCannotBeToldApart) {
  Profile before = sample(), after = sample();
  before.modules[0].functions[0].sites = {site(0, 2, "x", 10), site(1, 2, "x", 20)};
  after.modules[0].functions[0].sites = {site(0, 2, "x", 30)};
  after.modules[0].functions[0].checksum = 2;
  before.dependences.clear(), after.dependences.clear();
  const std::string rows = text(changes(before, after));
  EXPECT_NE(rows.find("accesses 10>30 a.c:2:0 load x ?\n"), std::string::npos) << rows;
  EXPECT_NE(rows.find("accesses 20>0 a.c:2:0 load x vanished\n"), std::string::npos) << rows;
}

}  // namespace
}  // namespace memprof::feedback
