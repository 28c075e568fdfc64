// dependence_test.cc - dependences by loop and distance as in PROMPT (Xu et al., 2023),
// exact bytes, closed form, oracle.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/event/module.h"

#include "runtime/backend/base/fault.h"
#include "runtime/backend/modules/dependence/cell_blocks.h"
#include "runtime/backend/modules/dependence/dependence_search.h"
#include "runtime/backend/shadow/shadow_memory.h"
#include "testsuite/unit/backend/dependence_oracle.h"
#include "testsuite/unit/backend/random_program.h"

namespace memprof::backend::testing {
namespace {

// One row as "kind source->sink loop count/iters/min".
std::string brief(const feedback::Profile& profile) {
  static constexpr const char* kinds[] = {"RAW", "WAR", "WAW"};
  std::ostringstream out;
  for (const auto& d : profile.dependences) {
    out << kinds[static_cast<int>(d.kind)] << ' ';
    if (d.source == feedback::k_external)
      out << "external";
    else
      out << d.source;
    out << "->" << d.sink << " loop " << (d.loop == feedback::k_none ? 0 : d.loop) << ' '
        << d.count << '/' << d.iters << '/' << d.distance.min << '\n';
  }
  return out.str();
}

std::string raw(const Script& s) { return brief(run(make_dependence, s.batch)); }

// Both forms of all kinds.
std::string all(const Script& s) {
  FakeProgram program;
  program.count(s.batch);
  const std::string last = brief(run(make_dependence_all, program, s.batch));
  EXPECT_EQ(last, brief(run(make_dependence_readers, s.batch)));
  return last;
}

// Of all forms with the definitions.
void expect_agreement(const FakeProgram& program, const Trace& batch, std::uint64_t seed) {
  using Kinds = DependenceOracle::Kinds;
  const auto agrees = [&](const feedback::Profile& profile, Kinds kinds) {
    ASSERT_EQ(difference(text(profile), text(DependenceOracle(kinds).run(program, batch))), "")
        << "seed " << seed << " kinds " << static_cast<int>(kinds);
  };
  agrees(run(make_dependence, program, batch), Kinds::raw);
  agrees(run(make_dependence_all, program, batch), Kinds::last_reader);
  agrees(run(make_dependence_readers, program, batch), Kinds::all_readers);
}

void expect_agreement(const Trace& batch, std::uint64_t seed) {
  FakeProgram program;
  program.count(batch);
  expect_agreement(program, batch, seed);
}

// COUNT elements of WIDTH bytes, one behind the other, accessed upwards.
RangeAccess elements(SiteId site, std::uint64_t address, std::uint64_t width,
                     std::uint64_t count) {
  RangeAccess a{};
  a.site = site;
  a.address = address;
  a.width = width;
  a.step = static_cast<std::int64_t>(width);
  a.count = count;
  return a;
}

constexpr std::uint64_t k_a = 0x7f0000001000;

TEST(Dependence, CarriedAndIntra) {
  Script s;
  s.enter(7);
  for (std::uint64_t i = 0; i < 5; i++) {
    s.iterate(7).store(1, k_a + 4 * i, 4);
    if (i > 0) s.load(2, k_a + 4 * (i - 1), 4);
    s.load(3, k_a + 4 * i, 4);
  }
  s.exit(7);
  EXPECT_EQ(raw(s), "RAW 1->2 loop 7 4/4/1\nRAW 1->3 loop 7 5/5/0\n");
  const auto p = run(make_dependence, s.batch);
  EXPECT_EQ(p.dependences[0].carried, 4u);
  EXPECT_EQ(p.dependences[0].intra, 0u);
  EXPECT_EQ(p.dependences[1].intra, 5u);
  EXPECT_DOUBLE_EQ(p.dependences[0].frequency, 1.0);
}

TEST(Dependence, NestedLoops) {
  Script s;
  s.enter(1);
  for (int i = 0; i < 2; i++) {
    s.iterate(1).enter(2);
    for (int j = 0; j < 3; j++) s.iterate(2).load(2, k_a, 4).store(1, k_a, 4);
    s.exit(2);
  }
  s.exit(1);
  EXPECT_EQ(raw(s), "RAW 1->2 loop 1 1/1/1\nRAW 1->2 loop 2 4/4/1\n");
  EXPECT_EQ(all(s),
            "WAW 1->1 loop 1 1/1/1\nWAW 1->1 loop 2 4/4/1\n"
            "RAW 1->2 loop 1 1/1/1\nRAW 1->2 loop 2 4/4/1\n"
            "WAR 2->1 loop 2 6/6/0\n");
}

TEST(Dependence, PartialOverlap) {
  Script s;
  s.store(1, k_a, 8).load(2, k_a + 4, 4).store(3, k_a, 4).store(4, k_a + 4, 4);
  s.load(5, k_a, 8);
  EXPECT_EQ(raw(s),
            "RAW 1->2 loop 0 1/1/0\nRAW 3->5 loop 0 1/1/0\nRAW 4->5 loop 0 1/1/0\n");
  EXPECT_EQ(all(s),
            "RAW 1->2 loop 0 1/1/0\nWAW 1->3 loop 0 1/1/0\nWAW 1->4 loop 0 1/1/0\n"
            "WAR 2->4 loop 0 1/1/0\nRAW 3->5 loop 0 1/1/0\nRAW 4->5 loop 0 1/1/0\n");
}

TEST(Dependence, NotThroughReusedMemory) {
  Script s;
  s.event(EventKind::birth, k_a + 64, 8).store(1, k_a + 64, 8);
  s.event(EventKind::death, k_a + 64, 8).event(EventKind::birth, k_a + 64, 8);
  s.load(2, k_a + 64, 8);
  EXPECT_EQ(raw(s), "");
  EXPECT_EQ(all(s), "");
}

TEST(Dependence, FarDistances) {
  Script s;
  s.enter(3);
  for (std::uint64_t i = 0; i < 10; i++) {
    s.iterate(3).store(1, k_a + 8 * i, 8);
    if (i >= 7) s.load(2, k_a + 8 * (i - 7), 8);
  }
  s.exit(3);
  EXPECT_EQ(raw(s), "RAW 1->2 loop 3 3/3/7\n");
  EXPECT_EQ(run(make_dependence, s.batch).dependences[0].distance.histogram[5], 3u);
}

TEST(Dependence, WholeProgram) {
  Script s;
  s.store(9, k_a, 4).enter(4).iterate(4).load(2, k_a, 4).iterate(4).load(2, k_a, 4).exit(4);
  EXPECT_EQ(raw(s), "RAW 9->2 loop 0 2/1/0\n");
}

TEST(Dependence, LastWriterPerByte) {
  Script s;
  s.store(1, k_a, 4).store(2, k_a, 4).load(3, k_a, 4).load(3, k_a + 4, 4);
  s.store(1, k_a + 4, 4).load(3, k_a + 4, 4).load(3, k_a, 8);
  const auto p = run(make_dependence, s.batch);
  ASSERT_EQ(p.dependences.size(), 2u);
  EXPECT_DOUBLE_EQ(p.dependences[0].frequency, 0.50);
  EXPECT_DOUBLE_EQ(p.dependences[1].frequency, 0.50);
}

TEST(Dependence, ExternalWriter) {
  Script s;
  s.store(1, k_a, 64).event(EventKind::external_store, k_a + 2, 3).load(2, k_a, 4);
  s.load(2, k_a + 8, 4);
  EXPECT_EQ(raw(s), "RAW 1->2 loop 0 2/1/0\nRAW external->2 loop 0 1/1/0\n");
}

TEST(Dependence, ThreadsHaveLoopsOfTheirOwn) {
  Script s;
  s.thread = 1;
  s.enter(1).iterate(1).store(1, k_a, 4);
  s.thread = 2;
  s.enter(2).iterate(2).load(2, k_a, 4);
  s.thread = 1;
  s.load(3, k_a, 4).iterate(1).load(3, k_a, 4);
  EXPECT_EQ(raw(s), "RAW 1->2 loop 0 1/1/0\nRAW 1->3 loop 1 2/2/0\n");
}

// One row as "source->sink loop count = intra + carried + no loop (concurrent)", all the same in
// each form.
std::string parts(const Script& s) {
  FakeProgram program;
  program.count(s.batch);
  const auto parts_of = [](const feedback::Profile& profile) {
    std::ostringstream out;
    for (const auto& d : profile.dependences)
      if (d.kind == feedback::DependenceKind::raw)
        out << d.source << "->" << d.sink << " loop " << (d.loop == feedback::k_none ? 0 : d.loop)
            << ' ' << d.count << " = " << d.intra << " + " << d.carried << " + " << d.no_loop
            << " (" << d.concurrent << ")\n";
    return out.str();
  };
  const std::string rows = parts_of(run(make_dependence, program, s.batch));
  EXPECT_EQ(rows, parts_of(run(make_dependence_all, program, s.batch)));
  EXPECT_EQ(rows, parts_of(run(make_dependence_readers, program, s.batch)));
  return rows;
}

// Two threads take turns in their loops: what one has stored is in no iteration of the other.
TEST(Dependence, OtherThreadsAreInNoIteration) {
  Script s;
  for (std::uint32_t thread : {1, 2}) {
    s.thread = thread;
    s.enter(thread);
  }
  for (int i = 0; i < 5; i++)
    for (std::uint32_t thread : {1, 2}) {
      s.thread = thread;
      s.iterate(thread).load(10 + thread, k_a, 8).store(20 + thread, k_a, 8);
      s.load(30 + thread, k_a + 64 * thread, 8).store(40 + thread, k_a + 64 * thread, 8);
    }
  EXPECT_EQ(parts(s),
            "21->12 loop 0 5 = 0 + 0 + 5 (5)\n22->11 loop 0 4 = 0 + 0 + 4 (4)\n"
            "41->31 loop 1 4 = 0 + 4 + 0 (0)\n42->32 loop 2 4 = 0 + 4 + 0 (0)\n");
}

TEST(Dependence, OwnStoresOfEarlierTurnsAreCarried) {
  Script s;
  s.thread = 1;
  s.enter(1).iterate(1).store(1, k_a, 8).enter(2).iterate(2).store(2, k_a + 8, 8);
  s.thread = 2;
  s.store(3, k_a + 16, 8).enter(3).iterate(3).load(4, k_a, 8);
  s.thread = 1;
  s.load(5, k_a, 8).load(5, k_a + 8, 8).iterate(2).load(6, k_a + 8, 8).load(7, k_a + 16, 8);
  s.load(8, k_a + 8, 16).exit(2).load(9, k_a + 16, 8);
  EXPECT_EQ(parts(s),
            "1->4 loop 0 1 = 0 + 0 + 1 (0)\n1->5 loop 1 1 = 1 + 0 + 0 (0)\n"
            "2->5 loop 2 1 = 1 + 0 + 0 (0)\n2->6 loop 2 1 = 0 + 1 + 0 (0)\n"
            "2->8 loop 2 1 = 0 + 1 + 0 (0)\n3->7 loop 0 1 = 0 + 0 + 1 (1)\n"
            "3->8 loop 0 1 = 0 + 0 + 1 (1)\n3->9 loop 0 1 = 0 + 0 + 1 (1)\n");
}

// One execution with bytes of before and of meanwhile counts once.
TEST(Dependence, OneExecutionHasOnePart) {
  Script s;
  s.thread = 1;
  s.store(1, k_a, 8);
  s.thread = 2;
  s.enter(2).iterate(2).store(2, k_a + 16, 4);
  s.thread = 1;
  s.store(1, k_a + 4, 4);
  s.thread = 2;
  s.load(3, k_a, 8).iterate(2).store(2, k_a + 20, 4).load(4, k_a + 16, 8);
  EXPECT_EQ(parts(s), "1->3 loop 0 1 = 0 + 0 + 1 (1)\n2->4 loop 2 1 = 0 + 1 + 0 (0)\n");
}

TEST(Dependence, InvocationsAndLoopsWithoutACommonOneAreApart) {
  Script s;
  for (int entry = 0; entry < 2; entry++) {
    s.enter(1);
    for (int i = 0; i < 3; i++) s.iterate(1).load(2, k_a + 8 * i, 8).store(1, k_a + 8 * i, 8);
    s.exit(1);
  }
  s.load(3, k_a, 8).enter(2);
  for (int i = 0; i < 3; i++) s.iterate(2).load(4, k_a + 8 * i, 8);
  s.exit(2);
  EXPECT_EQ(parts(s),
            "1->2 loop 0 3 = 0 + 0 + 3 (0)\n1->3 loop 0 1 = 0 + 0 + 1 (0)\n"
            "1->4 loop 0 3 = 0 + 0 + 3 (0)\n");
}

TEST(Dependence, RecursionIsInTheIterationThatCalled) {
  Script s;
  s.store(1, k_a + 64, 8).load(4, k_a + 64, 8);      // f calls itself, without a loop
  s.enter(1).iterate(1).store(1, k_a, 8);
  s.enter(1).iterate(1).load(2, k_a, 8).store(3, k_a + 8, 8).exit(1);  // the callee's loop 1
  s.load(5, k_a + 8, 8).iterate(1).load(6, k_a + 8, 8).exit(1);
  EXPECT_EQ(parts(s),
            "1->2 loop 1 1 = 1 + 0 + 0 (0)\n1->4 loop 0 1 = 0 + 0 + 1 (0)\n"
            "3->5 loop 1 1 = 1 + 0 + 0 (0)\n3->6 loop 1 1 = 0 + 1 + 0 (0)\n");
}

// A burst begins within loop 1, within loop 2 of its body.
TEST(Dependence, LoopsEnteredBeforeABurstAreKnownFromTheirNextIteration) {
  Script s;
  s.event(EventKind::gap, 0, 0);
  s.store(1, k_a, 8).load(2, k_a, 8).iterate(2).load(2, k_a, 8).store(3, k_a + 8, 8);
  s.iterate(2).load(4, k_a + 8, 8).enter(3).iterate(3).load(4, k_a + 8, 8);
  s.iterate(1).load(5, k_a + 8, 8).store(6, k_a + 16, 8).load(7, k_a + 16, 8);
  FakeProgram program;
  program.count(s.batch);
  std::string rows;
  for (const auto& d : run(make_dependence, program, s.batch).dependences)
    rows += std::to_string(d.source) + "->" + std::to_string(d.sink) + " loop " +
            std::to_string(d.loop == feedback::k_none ? 0 : d.loop) + ' ' +
            std::to_string(d.count) + '\n';
  EXPECT_EQ(rows, "1->2 loop 0 2\n3->4 loop 2 2\n3->5 loop 0 1\n6->7 loop 1 1\n");
}

TEST(Dependence, RecursionKeepsIterationsApart) {
  // Loop 1 of a recursive function: the inner activation comes in the middle of
  // an iteration of the outer one, which has had the row before and after.
  Script s;
  s.enter(1).iterate(1).store(1, k_a, 4).load(2, k_a, 4);
  s.enter(1).iterate(1).store(1, k_a + 8, 4).load(2, k_a + 8, 4).exit(1);
  s.load(2, k_a, 4).exit(1);
  EXPECT_EQ(raw(s), "RAW 1->2 loop 1 3/2/0\n");
}

TEST(Dependence, LeftLoopsAreOver) {
  Script s;
  s.enter(1).iterate(1).enter(2).iterate(2).store(1, k_a, 4);
  s.iterate(1).load(2, k_a, 4);  // longjmp out of loop 2
  s.exit(7).exit(1);
  EXPECT_EQ(raw(s), "RAW 1->2 loop 1 1/1/1\n");
}

TEST(Dependence, AddressesBeyondMemoryAreIgnored) {
  Script s;
  s.store(1, ~std::uint64_t{0} - 3, 8).load(2, ~std::uint64_t{0} - 3, 8);
  s.store(1, std::uint64_t{1} << 50, 8).load(2, std::uint64_t{1} << 50, 8);
  s.event(EventKind::death, ~std::uint64_t{0} - 100, 1000);
  EXPECT_EQ(raw(s), "");
}

TEST(Dependence, RandomProgramsAgreeWithTheOracle) {
  std::size_t rows = 0;
  for (std::uint64_t seed = 0; seed < 400; seed++) {
    RandomProgram::Options options;
    options.threads = seed % 5 == 0 ? 3 : 1;
    options.events = 4 + seed % 9;
    options.area = seed % 3 == 0 ? 100 : seed % 3 == 1 ? 600 : 9000;
    options.max_count = options.area > 1000 ? 300 : 24;
    if (seed % 12 == 11) options.wide = 6000;
    const Trace batch = RandomProgram(seed, options).make();
    FakeProgram program;
    program.count(batch);
    const auto expected = DependenceOracle().run(program, batch);
    rows += expected.dependences.size();
    ASSERT_EQ(difference(text(run(make_dependence, program, batch)), text(expected)), "") << "seed " << seed;
    ASSERT_EQ(difference(text(run(make_dependence, program, expand(batch))), text(expected)), "")
        << "expanded, seed " << seed;
  }
  EXPECT_GT(rows, 3000u);
}

// Between bursts anything may happen: what was known of memory and loops is void.
TEST(Dependence, GapsAgreeWithTheOracle) {
  std::size_t rows = 0;
  for (std::uint64_t seed = 0; seed < 200; seed++) {
    RandomProgram::Options options;
    options.threads = seed % 5 == 0 ? 3 : 1;
    options.events = 8 + seed % 9;
    options.area = seed % 3 == 0 ? 60 : 600;
    Trace batch = RandomProgram(seed, options).make();
    std::mt19937_64 random(seed);
    for (std::size_t at = 1 + random() % 40; at < batch.events.size(); at += 1 + random() % 40) {
      FlatEvent gap = batch.events[at];
      gap.kind = EventKind::gap;
      batch.events.insert(batch.events.begin() + static_cast<std::ptrdiff_t>(at), gap);
    }
    FakeProgram program;
    program.count(batch);
    const auto expected = DependenceOracle().run(program, batch);
    rows += expected.dependences.size();
    ASSERT_EQ(difference(text(run(make_dependence, program, batch)), text(expected)), "") << "seed " << seed;
  }
  EXPECT_GT(rows, 500u);
}

// d[j] op= d[5]: accesses of step 0 at one place or two, which the others of their range come
// by in the first iteration, the last one, another one, or just not.
TEST(Dependence, FixedPlacesAgreeWithTheOracle) {
  for (std::uint64_t seed = 0; seed < 400; seed++) {
    std::mt19937_64 random(seed);
    const auto below = [&random](std::uint64_t n) { return random() % n; };
    constexpr std::int64_t steps[] = {4, 8, -4, -12};
    const LoopId outer = seed % 4 == 0 ? 2 : 1;  // a recursion
    Script s;
    s.store(9, 0x7e00, 0x300).enter(outer);
    for (int round = 0; round < 6; round++) {
      s.iterate(outer);
      const std::int64_t step = steps[below(4)];
      const std::uint64_t count = 1 + below(20);
      const std::uint64_t width = step % 8 == 0 && below(2) ? 8 : 4 >> below(8) / 6;
      const auto place = [step](std::uint64_t k) {
        return 0x7f80 + static_cast<std::uint64_t>(step) * k;
      };
      const std::uint64_t meetings[] = {0, 1, below(count), count - 1, count, count + 1};
      const std::uint64_t fixed[] = {place(meetings[below(6)]), place(meetings[below(6)])};
      std::vector<SiteId> sites{1, 2, 3, 4, 5, 6, 7, 8};
      std::shuffle(sites.begin(), sites.end(), random);
      std::vector<RangeAccess> accesses;
      for (SiteId site : sites) {
        if (below(3) == 0) continue;
        RangeAccess a{};
        a.site = site;
        a.store = site % 2 == 0;
        a.width = width;
        a.count = count - below(8) / 7;
        a.step = below(2) ? step : 0;
        a.address = a.step == 0 ? fixed[below(2)] : place(below(3));
        if (below(40) == 0) a.address += 2;
        accesses.push_back(a);
      }
      if (!accesses.empty()) s.range(2, count, accesses);
    }
    for (std::uint64_t a = 0x7e00; a < 0x8100; a += 4) s.load(11, a, 4);
    expect_agreement(s.batch, seed);
  }
}

// Pages take all their forms: lists that become dense, dense ones that become
// compact, and cells of 2 bytes and of 1, and back.
TEST(Dependence, BytesAndShortsAgreeWithTheOracle) {
  const std::uint64_t fine_step = ShadowPages::fine_step;
  for (std::uint64_t seed = 0; seed < 36; seed++) {
    // From 24 on a fine page makes the others compact, for ever or for long.
    if (seed >= 24) ShadowPages::fine_step = seed % 4 == 0 ? 8000 : 1;
    std::mt19937_64 random(seed);
    const auto below = [&random](std::uint64_t n) { return random() % n; };
    const std::uint64_t smallest = seed % 3 == 0 ? 2 : 1;
    Script s;
    s.enter(1);
    for (std::uint64_t a = 0; a < k_page; a += k_granule) s.store(9, 0x20000 + a, 1);
    for (int i = 0; i < 9000; i++) {
      if (below(3) == 0) s.iterate(1);
      if (seed >= 24 && below(40) == 0) {
        RangeAccess a{};
        a.site = static_cast<SiteId>(11 + below(2));
        a.store = a.site % 2 == 1;
        a.width = 1u << below(3);
        a.step = static_cast<std::int64_t>(a.width << below(2)) * (below(3) ? 1 : -1);
        a.count = 1 + below(60);
        a.address = 0x7200 + below(5000);
        s.range(2, a.count, {a});
        continue;
      }
      const std::uint64_t width = smallest << below(seed % 2 ? 2 : 4);
      const std::uint64_t address =
          0x7000 + below(6000) / (below(9) ? width : smallest) * (below(9) ? width : smallest);
      const auto site = static_cast<SiteId>(1 + 2 * below(4));
      if (below(3000) == 0)
        s.event(EventKind::death, 0x7000 + below(6000), below(5000));
      else if (below(1500) == 0)
        s.store(9, 0x7000 + below(5) * 1000, 64 + below(1500));
      else if (below(2) == 0)
        s.store(site, address, width);
      else
        s.load(site + 1, address, width);
    }
    expect_agreement(s.batch, seed);
  }
  ShadowPages::fine_step = fine_step;
}

// A loop goes on by fits and starts, and what it has written is read meanwhile: the bounds
// of far distances move with the sources as well as with the iterations.
TEST(Dependence, FarSourcesAgreeWithTheOracle) {
  for (std::uint64_t seed = 0; seed < 60; seed++) {
    std::mt19937_64 random(seed);
    const auto below = [&random](std::uint64_t n) { return random() % n; };
    const std::uint64_t words = 100 + seed * 17;
    const auto place = [&] { return 0x7000 + 8 * below(words); };
    Script s;
    s.enter(1);
    for (std::uint64_t i = 0; i < words; i++) s.iterate(1).store(1, 0x7000 + 8 * i, 8);
    for (int phase = 0; phase < 60; phase++) {
      if (seed % 3 == 0) s.enter(2);
      for (std::uint64_t reads = below(30); reads != 0; reads--) {
        if (seed % 3 == 0) s.iterate(2);
        s.load(2, place(), 8);
      }
      if (seed % 3 == 0) s.exit(2);
      for (std::uint64_t starts = below(seed % 2 ? 4 : 40); starts != 0; starts--) {
        s.iterate(1);
        if (below(2)) s.store(1, place(), 8);
        if (below(8) == 0) s.load(2, place(), 8);
      }
    }
    expect_agreement(s.batch, seed);
  }
}

// Rows that single stores have written, in one iteration of the outer loop or each in its
// own, and now and then one more: blocks of cells are counted as a whole.
TEST(Dependence, LongRowsAgreeWithTheOracle) {
  for (std::uint64_t seed = 0; seed < 40; seed++) {
    std::mt19937_64 random(seed);
    const auto below = [&random](std::uint64_t n) { return random() % n; };
    const std::uint64_t width = seed % 2 ? 8 : 4, count = 600;
    const auto place = [width](std::uint64_t i) { return 0x7f40 + width * i; };
    Script s;
    s.enter(1);
    for (std::uint64_t round = 0; round < 8; round++) {
      s.iterate(1).enter(2);
      for (std::uint64_t i = 0; i < count; i++) {
        s.iterate(2).store(static_cast<SiteId>(below(200) ? 1 : 3), place(i), width);
        if (below(100) != 0) continue;
        const std::uint64_t read = 1 + below(count);
        s.range(3, read, {elements(2, place(below(count - read + 1)), width, read)});
      }
      s.exit(2);
    }
    expect_agreement(s.batch, seed);
  }
}

// Fields of structures, which ranges and single stores write, mostly upwards, and ranges
// read: what is sorted is known until somebody stores there.
TEST(Dependence, SortedFieldsAgreeWithTheOracle) {
  for (std::uint64_t seed = 0; seed < 60; seed++) {
    std::mt19937_64 random(seed);
    const auto below = [&random](std::uint64_t n) { return random() % n; };
    const std::uint64_t width = seed % 2 ? 8 : 4, fields = 1 + seed % 4, elements = 700 / fields;
    const auto place = [&](std::uint64_t i, std::uint64_t field) {
      return 0x7f40 + width * (i * fields + field);
    };
    const auto part = [&](bool store, std::uint64_t begin, std::uint64_t count) {
      RangeAccess a{};
      const std::uint64_t field = below(fields);
      a.store = store;
      a.site = static_cast<SiteId>(store ? 4 + field : 10 + field);
      a.width = field + 1 < fields && width == 4 && below(4) == 0 ? 8 : width;
      a.step = static_cast<std::int64_t>(width * fields) * (below(9) ? 1 : -1);
      a.count = count;
      a.address = place(a.step > 0 ? begin : begin + count - 1, field);
      return a;
    };
    Script s;
    s.enter(1);
    for (std::uint64_t round = 0; round < 40; round++) {
      s.iterate(1);
      if (round % 8 == 0) {
        s.enter(2);
        for (std::uint64_t i = 0; i < elements; i++) {
          s.iterate(2);
          for (std::uint64_t f = 0; f < fields; f++) s.store(1, place(i, f), width);
        }
        s.exit(2);
      }
      const std::uint64_t begin = below(elements), count = 1 + below(elements - begin);
      s.range(3, count, {part(below(3) == 0, begin, count)});
      for (std::uint64_t n = below(4); n != 0; n--)
        s.store(static_cast<SiteId>(1 + below(3)), place(below(elements), below(fields)),
                below(30) ? width : 1);
    }
    expect_agreement(s.batch, seed);
  }
}

// Elements that lie in a page each, of one writer or several or none, as the columns of a matrix
// and the roots of a Fourier transform do.
TEST(Dependence, ScatteredLoadsAgreeWithTheOracle) {
  const std::uint64_t most = DependenceSearch::most_answers;
  for (std::uint64_t seed = 0; seed < 60; seed++) {
    std::mt19937_64 random(seed);
    const auto below = [&random](std::uint64_t n) { return random() % n; };
    if (seed % 3 == 0) DependenceSearch::most_answers = 40 * seed;
    const std::uint64_t pages = 20, step = k_page * (1 + seed % 2) + seed % 4 * 4;
    const auto place = [step](std::uint64_t i) { return 0x7ff8 + step * i; };
    Script s;
    s.enter(1);
    for (std::uint64_t round = 0; round < 30; round++) {
      s.iterate(1).enter(2);
      for (std::uint64_t i = 0; i < pages; i++)
        if (s.iterate(2); below(4) != 0)
          s.store(static_cast<SiteId>(1 + below(round % 5 + 1)), place(i) + below(2) * 4,
                  below(9) ? 8 : 1 + below(4));
      s.exit(2);
      const std::uint64_t begin = below(pages), count = 1 + below(pages - begin);
      RangeAccess a = elements(10, place(begin), below(3) ? 8 : 4, count);
      a.step = static_cast<std::int64_t>(step);
      if (below(4) == 0) {
        a.address = place(begin + count - 1);
        a.step = -a.step;
      }
      s.range(3, count, {a});
    }
    expect_agreement(s.batch, seed);
    DependenceSearch::most_answers = most;
  }
}

// Sweeps over a plane, from one array to another and back, or in place: what all rows read
// and store at once, and single stores meanwhile.
TEST(Dependence, RowsAgreeWithTheOracle) {
  for (std::uint64_t seed = 0; seed < 80; seed++) {
    std::mt19937_64 random(seed);
    const auto below = [&random](std::uint64_t n) { return random() % n; };
    const std::uint64_t width = seed % 2 ? 8 : 4, columns = 12 + below(80), rows = 3 + below(30);
    const std::uint64_t pitch = width * (columns + 2), size = pitch * (rows + 2);
    const std::uint64_t arrays[] = {0x7f40, 0x7f40 + size + 4096 * below(2)};
    const auto place = [&](std::uint64_t array, std::uint64_t y, std::uint64_t x) {
      return arrays[array] + y * pitch + x * width;
    };
    const auto sweep = [&](SiteId site, bool store, std::uint64_t array, std::uint64_t y,
                           std::uint64_t x, bool down) {
      RangeAccess a = elements(site, place(array, y, x), width, columns);
      a.store = store;
      a.rows = rows;
      a.row_step = static_cast<std::int64_t>(pitch);
      if (!down) return a;
      a.address = place(array, y + rows - 1, x + columns - 1);
      a.step = -a.step;
      a.row_step = -a.row_step;
      return a;
    };
    Script s;
    for (std::uint64_t array = 0; array < 2; array++) {
      RangeAccess a = elements(1, arrays[array], width, size / width);
      a.store = true;
      s.range(1, a.count, {a});
    }
    s.enter(2);
    for (std::uint64_t round = 0; round < 12; round++) {
      s.iterate(2);
      const std::uint64_t from = round % 2, to = below(8) ? 1 - from : from;
      const bool down = below(4) == 0;
      s.range(4, columns,
              {sweep(2, false, from, 1, 0, down), sweep(3, false, from, 1, 2, down),
               sweep(4, false, from, below(3), 1, down), sweep(5, true, to, 1, 1, down)},
              below(3) ? 3 : 0);
      for (std::uint64_t n = below(6); n != 0; n--)
        s.store(6, place(below(2), below(rows + 2), below(columns)), below(5) ? width : 1);
      if (below(3) == 0) s.load(7, place(below(2), below(rows), below(columns)), width);
    }
    s.exit(2);
    expect_agreement(s.batch, seed);
  }
}

TEST(CellBlocks, AreThoseWithinTheBounds) {
  std::mt19937_64 random(5);
  std::vector<Cell> cells(1000);
  for (int round = 0; round < 300; round++) {
    for (Cell& c : cells) c = make_cell(7, 1000 + random() % 500);
    const std::size_t wrong = random() % 1200;
    constexpr Cell others[] = {make_cell(7, 999), make_cell(7, 1500), make_cell(6, 1200),
                               make_cell(8, 1200), 0, ~Cell{0}};
    if (wrong < cells.size()) cells[wrong] = others[round % 6];
    const std::size_t count = random() % (cells.size() + 1);
    const Cell start = by_site(make_cell(7, 1250));
    CellBounds bounds{start, start};
    const std::size_t n =
        blocks_within(cells.data(), count, by_site(make_cell(7, 1000)), 499, bounds);
    if (n != 0 || __builtin_cpu_supports("avx2")) {
      EXPECT_EQ(n, std::min(count, wrong) / 64 * 64) << "round " << round;
    }
    CellBounds expected{start, start};
    for (std::size_t i = 0; i < n; i++)
      expected = {std::min(expected.least, by_site(cells[i])),
                  std::max(expected.most, by_site(cells[i]))};
    EXPECT_EQ(bounds.least, expected.least);
    EXPECT_EQ(bounds.most, expected.most);
  }
}

TEST(Dependence, AllKindsAgreeWithTheOracle) {
  for (std::uint64_t seed = 0; seed < 300; seed++) {
    RandomProgram::Options options;
    options.threads = seed % 5 == 0 ? 3 : 1;
    options.events = 8;
    options.area = 100 + seed % 7 * 100;
    const Trace batch = RandomProgram(seed, options).make();
    FakeProgram program;
    program.count(batch);
    expect_agreement(program, batch, seed);
  }
}

// What there is no room for is not handed from step to step, but counted at once.
TEST(Dependence, ManyAnswersAgreeWithTheOracle) {
  const std::uint64_t most = DependenceSearch::most_answers;
  for (std::uint64_t seed = 0; seed < 200; seed++) {
    DependenceSearch::most_answers = seed % 20;
    RandomProgram::Options options;
    options.threads = seed % 5 == 0 ? 3 : 1;
    options.area = 100 + seed % 7 * 100;
    const Trace batch = RandomProgram(seed, options).make();
    FakeProgram program;
    program.count(batch);
    expect_agreement(program, batch, seed);
  }
  DependenceSearch::most_answers = most;
}

TEST(Dependence, FaultsAreVisible) {
  for (const Fault fault : {Fault::granule8, Fault::no_clear, Fault::first_byte,
                            Fault::iters, Fault::range_distance}) {
    bool seen = false;
    for (std::uint64_t seed = 0; seed < 30 && !seen; seed++) {
      const Trace batch = RandomProgram(seed, {}).make();
      g_fault = Fault::none;
      const std::string good = text(run(make_dependence, batch));
      g_fault = fault;
      seen = good != text(run(make_dependence, batch));
      g_fault = Fault::none;
    }
    EXPECT_TRUE(seen) << static_cast<int>(fault);
  }
}

}  // namespace
}  // namespace memprof::backend::testing
