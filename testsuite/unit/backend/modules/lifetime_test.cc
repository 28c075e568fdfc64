// lifetime_test.cc - loops to which objects are local.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/event/module.h"

#include <algorithm>

#include "testsuite/unit/backend/random_program.h"

namespace memprof::backend::testing {
namespace {

Script& object(Script& s, EventKind kind, std::uint64_t address, GroupId group) {
  s.access(kind, 0, address, 16, group, 0, address);
  s.time--;  // no access
  return s;
}

std::string rows(const Trace& trace) {
  FakeProgram program;
  program.count(trace);
  return text(run(make_lifetime, program, trace));
}

TEST(Lifetime, VectorOfThePaper) {
  Script s;
  s.enter(5);
  for (int i = 0; i < 3; i++) {
    s.iterate(5);
    object(s, EventKind::birth, 0x100, 10);
    s.load(1, 0x5000, 4);
    object(s, EventKind::death, 0x100, 10);
    if (i == 1) object(s, EventKind::birth, 0x200, 11);
    if (i == 2) object(s, EventKind::death, 0x200, 11);
    s.enter(6);
    for (int j = 0; j < 2; j++) {
      s.iterate(6);
      if (j == 1) object(s, EventKind::birth, 0x300, 12);
      s.load(2, 0x5000, 4).load(2, 0x5000, 4);
    }
    s.exit(6);
    object(s, EventKind::death, 0x300, 12);
  }
  s.exit(5);
  EXPECT_EQ(rows(s.batch),
            "lifetime 10 loop 5 objects 3 alive 0 1..1 total 3 always\n"
            "lifetime 11 loop 0 objects 1 alive 0 5..5 total 5\n"
            "lifetime 12 loop 5 objects 3 alive 0 2..2 total 6 always\n");
}

TEST(Lifetime, WhatNeverDiesIsLocalToNothing) {
  Script s;
  s.enter(5).iterate(5);
  object(s, EventKind::birth, 0x100, 10);
  object(s, EventKind::death, 0x100, 10);
  object(s, EventKind::birth, 0x100, 10);
  s.exit(5);
  EXPECT_EQ(rows(s.batch),
            "lifetime 10 loop 5 objects 1 alive 0 0..0 total 0\n"
            "lifetime 10 loop 0 objects 0 alive 1 0..0 total 0\n");
}

TEST(Lifetime, OtherThreadsFreeNothingLocal) {
  Script s;
  s.enter(5).iterate(5);
  object(s, EventKind::birth, 0x100, 10);
  s.thread = 1;
  s.enter(5).iterate(5);
  object(s, EventKind::death, 0x100, 10);
  EXPECT_EQ(rows(s.batch), "lifetime 10 loop 0 objects 1 alive 0 0..0 total 0\n");
}

TEST(Lifetime, FunctionThatSeesBirthAndDeath) {
  Script s;
  s.call(1).enter(5);
  for (std::uint64_t i = 0; i < 3; i++) {
    s.iterate(5).call(2);
    object(s, EventKind::birth, 0x100, 10);  // freed by the caller
    object(s, EventKind::birth, 0x200, 11);
    object(s, EventKind::death, 0x200, 11);
    s.back(2);
    object(s, EventKind::death, 0x100, 10);
  }
  s.exit(5);
  object(s, EventKind::birth, 0x300, 12);
  s.back(1).call(3);
  object(s, EventKind::death, 0x300, 12);
  EXPECT_EQ(rows(s.batch),
            "lifetime 10 loop 5 objects 3 alive 0 0..0 total 0 always in f1\n"
            "lifetime 11 loop 5 objects 3 alive 0 0..0 total 0 always in f2\n"
            "lifetime 12 loop 0 objects 1 alive 0 0..0 total 0\n");
}

TEST(Lifetime, RecursionIsOtherCalls) {
  Script s;
  s.call(1).call(1);
  object(s, EventKind::birth, 0x100, 10);
  object(s, EventKind::birth, 0x200, 11);
  object(s, EventKind::death, 0x200, 11);
  s.back(1).back(1).call(1);
  object(s, EventKind::death, 0x100, 10);
  EXPECT_EQ(rows(s.batch),
            "lifetime 10 loop 0 objects 1 alive 0 0..0 total 0\n"
            "lifetime 11 loop 0 objects 1 alive 0 0..0 total 0 in f1\n");
}

TEST(Lifetime, ContextsOfBirths) {
  Script s;
  s.call(1);
  for (FunctionId f : {2u, 3u}) {
    s.call(f).call(4);
    object(s, EventKind::birth, 0x100, 10);
    s.back(4);
    object(s, EventKind::death, 0x100, 10);
    s.back(f);
  }
  FakeProgram program;
  EXPECT_EQ(text(run(make_lifetime_context, program, s.batch)),
            "lifetime 10 loop 0 objects 1 alive 0 0..0 total 0 in f2 from f4 < f2 < f1\n"
            "lifetime 10 loop 0 objects 1 alive 0 0..0 total 0 in f3 from f4 < f3 < f1\n");
}

// The oracle keeps the stack of (loop, activation, iteration) as numbers that
// never come again, and compares the one at birth with the one at death.
class Oracle {
 public:
  void event(const FlatEvent& e) {
    auto& stack = stacks_[e.thread];
    switch (e.kind) {
      case EventKind::loop_enter: stack.push_back({e.index, 0}); break;
      case EventKind::loop_iteration:
      case EventKind::loop_exit: {
        // Leaves the loops inside that were left without a word.
        auto at = std::find_if(stack.rbegin(), stack.rend(),
                               [&](const auto& l) { return l.first == e.index; });
        if (at == stack.rend()) return;
        stack.erase(at.base(), stack.end());
        if (e.kind == EventKind::loop_exit)
          stack.pop_back();
        else
          stack.back().second = ++serial_;
        break;
      }
      case EventKind::function_enter: calls_[e.thread].push_back({e.index, ++serial_}); break;
      case EventKind::function_exit: {
        auto& calls = calls_[e.thread];
        while (!calls.empty() && calls.back().first != e.index) calls.pop_back();
        if (!calls.empty()) calls.pop_back();
        break;
      }
      case EventKind::birth:
        alive_[e.address] = {e.group, stack, calls_[e.thread], e.thread};
        break;
      case EventKind::death: {
        const auto at = alive_.find(e.address);
        if (at == alive_.end()) return;
        LoopId loop = 0;
        FunctionId function = 0;
        const auto& calls = calls_[e.thread];
        if (at->second.thread == e.thread)
          for (std::size_t i = 0; i < calls.size() && i < at->second.calls.size() &&
                                  calls[i] == at->second.calls[i]; i++)
            function = calls[i].first;
        if (at->second.thread == e.thread)
          for (std::size_t i = 0; i < stack.size() && i < at->second.stack.size() &&
                                  stack[i] == at->second.stack[i] && stack[i].second; i++)
            loop = stack[i].first;
        objects_[{at->second.group, loop, function}]++;
        alive_.erase(at);
        break;
      }
      default: break;
    }
  }
  std::map<std::tuple<GroupId, LoopId, FunctionId>, std::uint64_t> objects_;

 private:
  using Stack = std::vector<std::pair<LoopId, std::uint64_t>>;
  struct Object {
    GroupId group;
    Stack stack, calls;
    std::uint32_t thread;
  };
  std::uint64_t serial_ = 0;
  std::map<std::uint32_t, Stack> stacks_, calls_;
  std::map<std::uint64_t, Object> alive_;
};

// Loops nested at random, some left without a word; objects of four groups.
void body(Script& s, std::mt19937& random, unsigned depth, std::vector<std::uint64_t>& alive) {
  for (unsigned n = 1 + random() % 6; n > 0; n--)
    switch (random() % 6) {
      case 5:
        if (depth < 4) {
          const FunctionId function = 1 + 10 * depth + random() % 3;
          s.call(function);
          body(s, random, depth + 1, alive);
          s.back(function);
        }
        break;
      case 0:
        if (depth < 4) {
          const LoopId loop = 1 + random() % 40;
          const std::uint32_t thread = s.thread;
          s.enter(loop);
          for (unsigned i = random() % 4; i > 0; i--) {
            s.iterate(loop);
            body(s, random, depth + 1, alive);
            s.thread = thread;
          }
          if (random() % 8 != 0) s.exit(loop);
        }
        break;
      case 1:
      case 2: {
        const std::uint64_t address = 0x1000 + s.batch.events.size() * 16;
        object(s, EventKind::birth, address, 1 + random() % 4);
        alive.push_back(address);
        break;
      }
      case 3:
        if (!alive.empty()) {
          const std::size_t i = alive.size() - 1 - random() % std::min<std::size_t>(alive.size(), 3);
          object(s, EventKind::death, alive[i], 1);
          alive.erase(alive.begin() + static_cast<std::ptrdiff_t>(i));
        }
        break;
      default: s.load(1, 0x100000, 4);
    }
}

TEST(Lifetime, RandomProgramsAgreeWithTheOracle) {
  for (unsigned seed = 0; seed < 2000; seed++) {
    std::mt19937 random(seed);
    Script s;
    std::vector<std::uint64_t> alive;
    for (int i = 0; i < 6; i++) body(s, random, 0, alive);
    Oracle oracle;
    for (const FlatEvent& e : s.batch.events) oracle.event(e);
    std::map<std::tuple<GroupId, LoopId, FunctionId>, std::uint64_t> found;
    FakeProgram program;
    for (const auto& r : run(make_lifetime, program, s.batch).lifetimes)
      if (r.objects)
        found[{r.group, r.loop == feedback::k_none ? 0 : r.loop,
               r.function.empty() ? 0 : static_cast<FunctionId>(std::stoul(r.function.substr(1)))}] +=
            r.objects;
    ASSERT_EQ(found, oracle.objects_) << "seed " << seed;
  }
}

}  // namespace
}  // namespace memprof::backend::testing
