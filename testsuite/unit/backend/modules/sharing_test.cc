// sharing_test.cc - true and false sharing of cache lines.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/event/module.h"

#include <map>
#include <set>

#include "testsuite/unit/backend/random_program.h"

namespace memprof::backend::testing {
namespace {

Script& on(Script& s, std::uint32_t thread) {
  s.thread = thread;
  return s;
}

TEST(Sharing, NothingWithOneThread) {
  Script s;
  for (int i = 0; i < 9; i++) s.store(2, 0x1000, 4).load(1, 0x1000, 4);
  EXPECT_EQ(text(run(make_sharing, s.batch)), "");
}

TEST(Sharing, NothingBeforeASecondThreadAccessesMemory) {
  Script s;
  on(s, 1).event(EventKind::birth, 0x5000, 16);
  on(s, 0).store(2, 0x1000, 8);
  on(s, 1).load(1, 0x1000, 8);
  EXPECT_EQ(text(run(make_sharing, s.batch)), "");
}

TEST(Sharing, NeighboursOfOneLine) {
  Script s;
  for (int i = 0; i < 3; i++) {
    on(s, 1).load(1, 0x1000, 8).store(2, 0x1000, 8);
    on(s, 2).load(3, 0x1008, 8).store(4, 0x1008, 8);
  }
  EXPECT_EQ(text(run(make_sharing, s.batch)),
            "sharing 1 by 4 same 0 other 2\nsharing 3 by 2 same 0 other 3\n");
}

TEST(Sharing, SameBytesAndLinesApart) {
  Script s;
  for (int i = 0; i < 3; i++) {
    on(s, 1).store(2, 0x1000, 8).store(4, 0x1040, 4);
    on(s, 2).load(1, 0x1004, 1).load(3, 0x1080, 64);
  }
  EXPECT_EQ(text(run(make_sharing, s.batch)), "sharing 1 by 2 same 3 other 0\n");
}

TEST(Sharing, OverWithTheObjectButNotWithTheThread) {
  Script s;
  on(s, 1).store(2, 0x1000, 8).store(4, 0x1040, 8).event(EventKind::death, 0x1000, 64);
  on(s, 2).load(1, 0x1000, 8);
  on(s, 1).event(EventKind::thread_end, 0, 0);
  on(s, 2).load(3, 0x1040, 8);
  EXPECT_EQ(text(run(make_sharing, s.batch)), "sharing 3 by 4 same 1 other 0\n");
}

TEST(Sharing, OverWithALargeObjectThatIsHardlyTouched) {
  constexpr std::uint64_t k_base = 0x100000000000, k_bytes = std::uint64_t{1} << 36;
  Script s;
  on(s, 1).store(2, k_base + 0x3ffc0, 8).store(4, k_base + k_bytes - 64, 8).store(6, k_base + k_bytes, 8);
  on(s, 1).event(EventKind::death, k_base + 8, k_bytes - 8);
  on(s, 2).load(1, k_base + 0x3ffc0, 8).load(3, k_base + k_bytes - 64, 8).load(5, k_base + k_bytes, 8);
  EXPECT_EQ(text(run(make_sharing, s.batch)), "sharing 5 by 6 same 1 other 0\n");
}

TEST(Sharing, WhatAnEndedThreadHasWrittenIsStaleForEverybody) {
  Script s;
  on(s, 1).store(2, 0x1000, 8);
  on(s, 2).store(4, 0x1008, 8);  // fetches the line
  on(s, 1).event(EventKind::thread_end, 0, 0);
  for (const std::uint32_t thread : {3, 4}) on(s, thread).load(1, 0x1000, 8);
  EXPECT_EQ(text(run(make_sharing, s.batch)), "sharing 1 by 4 same 2 other 0\nsharing 4 by 2 same 0 other 1\n");
}

// The oracle: for each thread and line the set of bytes written by others since.
TEST(Sharing, RandomProgramsAgreeWithTheOracle) {
  for (std::uint64_t seed = 0; seed < 300; seed++) {
    RandomProgram::Options options;
    options.threads = 3;
    options.area = 400;
    options.max_count = 6;
    const Trace trace = RandomProgram(seed, options).make();
    std::map<std::uint64_t, std::map<std::uint32_t, std::set<std::uint64_t>>> stale, written;
    std::map<std::uint64_t, SiteId> writer;
    std::map<std::pair<SiteId, SiteId>, std::pair<int, int>> rows;
    bool several = false;
    for (const FlatEvent& e : expand(trace).events) {
      const bool store = e.kind == EventKind::store;
      several |= e.thread != 0 && (store || e.kind == EventKind::load);
      const bool clears = e.kind == EventKind::birth || e.kind == EventKind::death ||
                          e.kind == EventKind::local_birth;
      if (!several || e.width == 0) continue;
      for (std::uint64_t line = e.address / 64; line <= (e.address + e.width - 1) / 64; line++) {
        std::set<std::uint64_t> bytes;
        for (std::uint64_t a = e.address; a < e.address + e.width; a++)
          if (a / 64 == line) bytes.insert(a);
        if (clears)
          for (auto* table : {&stale, &written})
            for (auto& [thread, set] : (*table)[line])
              for (const std::uint64_t a : bytes) set.erase(a);
        if (!store && e.kind != EventKind::load) continue;
        if (!stale[line].contains(e.thread))
          for (auto& [thread, set] : written[line])
            stale[line][e.thread].insert(set.begin(), set.end());
        auto& own = stale[line][e.thread];
        if (!own.empty()) {
          bool same = false;
          for (const std::uint64_t a : bytes) same |= own.contains(a);
          auto& row = rows[{e.site, writer[line]}];
          ++(same ? row.first : row.second);
        }
        own.clear();
        if (!store) continue;
        for (const std::uint64_t a : bytes) {
          for (auto& [thread, set] : written[line]) set.erase(a);
          written[line][e.thread].insert(a);
          for (auto& [thread, set] : stale[line])
            if (thread != e.thread) set.insert(a);
        }
        writer[line] = e.site;
      }
    }
    std::ostringstream expected;
    for (const auto& [key, n] : rows)
      expected << "sharing " << key.first << " by " << key.second << " same " << n.first
               << " other " << n.second << '\n';
    ASSERT_EQ(difference(text(run(make_sharing, trace)), expected.str()), "") << "seed " << seed;
  }
}

}  // namespace
}  // namespace memprof::backend::testing
