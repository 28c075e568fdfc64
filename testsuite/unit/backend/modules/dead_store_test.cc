// dead_store_test.cc - stores that are never read.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/event/module.h"

#include <map>
#include <set>

#include "testsuite/unit/backend/random_program.h"

namespace memprof::backend::testing {
namespace {

TEST(DeadStore, CountsWhatIsOverwritten) {
  Script s;
  s.store(2, 0x100, 4).store(4, 0x108, 4).load(1, 0x108, 4).store(6, 0x100, 4);
  EXPECT_EQ(text(run(make_dead_store, s.batch)), "dead_store 2 dead 1\n");
}

TEST(DeadStore, OneByteThatIsReadIsEnough) {
  Script s;
  s.store(2, 0x100, 8).load(1, 0x107, 1).store(4, 0x100, 8).store(4, 0x100, 4);
  EXPECT_EQ(text(run(make_dead_store, s.batch)), "");
  s.store(6, 0x104, 4);
  EXPECT_EQ(text(run(make_dead_store, s.batch)), "dead_store 4 dead 1\n");
}

TEST(DeadStore, DiesWithItsObject) {
  Script s;
  s.store(2, 0x100, 8).event(EventKind::death, 0x100, 64);
  EXPECT_EQ(text(run(make_dead_store, s.batch)), "dead_store 2 dead 1\n");
}

TEST(DeadStore, RangesCountLikeTheirAccesses) {
  Script s;
  s.range(1, 10, {{0x100, 0, 10, 0, 4, 2, 0, 0, true}});
  EXPECT_EQ(text(run(make_dead_store, s.batch)), "dead_store 2 dead 9\n");
}

// What lies in an object of gigabytes is looked at where something was stored.
TEST(DeadStore, LargeObjectsCostNothing) {
  Script s;
  const std::uint64_t base = 0x7f0000000000, bytes = std::uint64_t{1} << 36;
  for (unsigned round = 0; round < 3; round++) {
    s.event(EventKind::birth, base, bytes);
    s.store(2, base + 4094, 4).store(4, base + bytes - 4, 4).load(1, base + bytes - 1, 1);
    s.event(EventKind::death, base, bytes);
  }
  s.store(6, base + 4096, 8).event(EventKind::birth, base + 4098, 1 << 20);
  s.event(EventKind::death, base, 4098);
  EXPECT_EQ(text(run(make_dead_store, s.batch)), "dead_store 2 dead 3\ndead_store 6 dead 1\n");
}

// The oracle: for each execution the set of bytes that it still owns.
TEST(DeadStore, RandomProgramsAgreeWithTheOracle) {
  for (std::uint64_t seed = 0; seed < 500; seed++) {
    RandomProgram::Options options;
    options.area = 200;
    options.max_count = 8;
    const Trace trace = RandomProgram(seed, options).make();
    struct Execution {
      SiteId site;
      bool read = false;
      std::set<std::uint64_t> bytes;
    };
    std::vector<Execution> executions;
    std::map<std::uint64_t, std::size_t> owner;
    std::map<SiteId, std::uint64_t> dead;
    for (const FlatEvent& e : expand(trace).events) {
      const bool store = e.kind == EventKind::store;
      const bool load = e.kind == EventKind::load;
      const bool clears = e.kind == EventKind::external_store || e.kind == EventKind::birth ||
                          e.kind == EventKind::death || e.kind == EventKind::local_birth;
      if (!store && !load && !clears) continue;
      if (store) executions.push_back({e.site, false, {}});
      for (std::uint64_t a = e.address; a < e.address + e.width; a++) {
        const auto at = owner.find(a);
        if (load) {
          if (at != owner.end()) executions[at->second].read = true;
          continue;
        }
        if (at != owner.end()) {
          Execution& old = executions[at->second];
          old.bytes.erase(a);
          if (old.bytes.empty() && !old.read) dead[old.site]++;
          owner.erase(at);
        }
        if (store) {
          owner[a] = executions.size() - 1;
          executions.back().bytes.insert(a);
        }
      }
    }
    std::ostringstream expected;
    for (const auto& [site, n] : dead) expected << "dead_store " << site << " dead " << n << '\n';
    ASSERT_EQ(text(run(make_dead_store, trace)), expected.str()) << "seed " << seed;
  }
}

}  // namespace
}  // namespace memprof::backend::testing
