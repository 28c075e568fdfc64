// co_access_test.cc - groups that are visited together become rows.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "testsuite/unit/backend/random_program.h"

namespace memprof::backend::testing {
namespace {

// Entries (group 1) and keys (2) in pairs, texts (3) that are visited elsewhere.
Trace pairs() {
  Script s;
  const auto birth = [&](GroupId group, std::uint32_t object, std::uint64_t base,
                         std::uint64_t bytes) {
    s.batch.events.push_back({base, s.time, base, bytes, 0, group, object, 0, 0, EventKind::birth});
  };
  for (std::uint32_t i = 0; i < 2000; i++) {
    birth(1, i, 0x100000 + 256 * i, 32);
    birth(3, i, 0x100000 + 256 * i + 48, 100);
    birth(2, i, 0x100000 + 256 * i + 192, 24);
  }
  for (int round = 0; round < 4; round++) {
    for (std::uint32_t i = 0; i < 2000; i++) {
      const std::uint32_t object = i * 77 % 2000;
      const std::uint64_t at = 0x100000 + 256 * object;
      s.access(EventKind::load, 1, at + 8, 8, 1, object, at);
      s.access(EventKind::load, 2, at + 192, 8, 2, object, at + 192);
    }
    for (std::uint32_t i = 0; i < 1000; i++)
      s.access(EventKind::load, 3, 0x100000 + 256 * i + 48, 8, 3, i, 0x100000 + 256 * i + 48);
  }
  return s.batch;
}

const feedback::CoAccess* row_of(const feedback::Profile& profile, std::set<feedback::Id> groups) {
  for (const feedback::CoAccess& row : profile.co_access) {
    std::set<feedback::Id> members;
    for (const auto& member : row.groups) members.insert(member.group);
    if (members == groups) return &row;
  }
  return nullptr;
}

TEST(CoAccess, GroupsThatAreVisitedTogetherAreARow) {
  FakeProgram program;
  program.options["cache"] = "L1=4K/4,L2=32K/4,LLC=1M/16";
  const Trace trace = pairs();
  program.count(trace);
  const std::unique_ptr<Module> module = make_co_access(program);
  module->consume(make_batch(trace));
  module->settle();
  feedback::Profile profile;
  module->finish(profile);
  const feedback::CoAccess* both = row_of(profile, {1, 2});
  ASSERT_TRUE(both);
  EXPECT_EQ(both->groups[0].visits + both->groups[1].visits, 16000u);
  EXPECT_NEAR(static_cast<double>(both->before.l1), 16000, 50);
  EXPECT_LE(both->after.l1, 8001u);
  EXPECT_EQ(both->ordered.l1, 0u);
  const feedback::CoAccess* entries = row_of(profile, {1});
  ASSERT_TRUE(entries);
  EXPECT_NEAR(static_cast<double>(entries->before.l1), 8000, 50);
  EXPECT_GE(entries->after.l1, 7900u);
  EXPECT_NEAR(static_cast<double>(entries->ordered.l1), 4000, 100);
  EXPECT_TRUE(row_of(profile, {3}));
  EXPECT_FALSE(row_of(profile, {1, 2, 3}));  // texts are visited at other times
}

TEST(CoAccess, RangesAreTheirAccesses) {
  for (std::uint64_t seed = 0; seed < 100; seed++) {
    RandomProgram::Options options;
    options.area = 300;
    options.max_count = 60;
    const Trace trace = RandomProgram(seed, options).make();
    const auto text = [](const feedback::Profile& profile) {
      std::string out;
      for (const feedback::CoAccess& r : profile.co_access) {
        for (const auto& m : r.groups)
          out += std::to_string(m.group) + '*' + std::to_string(m.visits) + ' ';
        out += std::to_string(r.before.l1) + ' ' + std::to_string(r.after.l1) + '\n';
      }
      return out;
    };
    ASSERT_EQ(text(run(make_co_access, trace)), text(run(make_co_access, expand(trace))))
        << "seed " << seed;
  }
}

TEST(CoAccess, AProgramWithoutObjectsHasNoRow) {
  EXPECT_TRUE(run(make_co_access, Script().load(1, 0x100, 8).batch).co_access.empty());
}

}  // namespace
}  // namespace memprof::backend::testing
