// dependence_test.cc - dependences by loop and distance as in PROMPT (Xu et al., 2023),
// exact bytes.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/event/module.h"

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

// All kinds, from both modules that find them.
std::string all(const Script& s) {
  FakeProgram program;
  program.count(s.batch);
  const std::string last = brief(run(make_dependence_all, program, s.batch));
  EXPECT_EQ(last, brief(run(make_dependence_readers, s.batch)));
  return last;
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

}  // namespace
}  // namespace memprof::backend::testing
