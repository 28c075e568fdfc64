// privatisation_test.cc - memory of which each iteration could have its own.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/event/module.h"

#include <algorithm>
#include <optional>
#include <set>

#include "testsuite/unit/backend/random_program.h"

namespace memprof::backend::testing {
namespace {

constexpr SiteId k_load = 1, k_store = 2;
constexpr GroupId k_group = 7;

struct Program : Script {
  Program& ld(std::uint64_t address, std::uint64_t width = 4) {
    access(EventKind::load, k_load, address, width, k_group);
    return *this;
  }
  Program& st(std::uint64_t address, std::uint64_t width = 4) {
    access(EventKind::store, k_store, address, width, k_group);
    return *this;
  }
  std::string rows() const { return text(run(make_privatisation, batch)); }
};

TEST(Privatisation, WrittenBeforeItIsRead) {
  Program p;
  p.st(0x100).enter(5);
  for (int i = 0; i < 3; i++) p.iterate(5), p.st(0x100).ld(0x100, 2);
  p.exit(5);
  EXPECT_EQ(p.rows(), "private 5 7 loads 3 exposed 0 stores 3 rewritten 2 out 0\n");
  p.ld(0x102);
  EXPECT_EQ(p.rows(), "private 5 7 loads 3 exposed 0 stores 3 rewritten 2 out 1\n");
}

TEST(Privatisation, WhatComesInIsExposed) {
  Program p;
  p.st(0x100).enter(5);
  // The first reads what lies in front of the loop, the others the iteration before.
  for (int i = 0; i < 3; i++) p.iterate(5), p.ld(0x100).st(0x100).ld(0x100);
  p.exit(5);
  EXPECT_EQ(p.rows(), "private 5 7 loads 6 exposed 3 stores 3 rewritten 2 out 0\n");
}

TEST(Privatisation, OneByteIsEnough) {
  Program p;
  p.enter(5);
  for (int i = 0; i < 2; i++) p.iterate(5), p.st(0x100, 4).ld(0x102, 4);
  EXPECT_EQ(p.rows(), "private 5 7 loads 2 exposed 2 stores 2 rewritten 1 out 0\n");
}

TEST(Privatisation, ExposedForTheInnerLoopOnly) {
  Program p;
  p.enter(1);
  for (int i = 0; i < 2; i++) {
    p.iterate(1);
    p.st(0x100).enter(2);
    for (int j = 0; j < 3; j++) p.iterate(2), p.ld(0x100).st(0x100);
    p.exit(2);
  }
  p.exit(1);
  EXPECT_EQ(p.rows(),
            "private 1 7 loads 6 exposed 0 stores 8 rewritten 1 out 0\n"
            "private 2 7 loads 6 exposed 6 stores 6 rewritten 4 out 0\n");
}

TEST(Privatisation, EachIterationAPartOfItsOwn) {
  Program p;
  p.enter(5);
  for (std::uint64_t i = 0; i < 4; i++) p.iterate(5), p.st(0x100 + 4 * i).ld(0x100 + 4 * i);
  p.exit(5);
  for (std::uint64_t i = 0; i < 4; i++) p.ld(0x100 + 4 * i);
  EXPECT_EQ(p.rows(), "private 5 7 loads 4 exposed 0 stores 4 rewritten 0 out 4\n");
}

TEST(Privatisation, BirthsBringNothingIn) {
  Program p;
  p.enter(5);
  for (int i = 0; i < 2; i++) {
    p.iterate(5).event(EventKind::birth, 0x100, 64);
    p.ld(0x120).st(0x100).event(EventKind::death, 0x100, 64);
  }
  EXPECT_EQ(p.rows(), "private 5 7 loads 2 exposed 0 stores 2 rewritten 0 out 0\n");
}

TEST(Privatisation, OtherThreadsWriteFromOutside) {
  Program p;
  p.enter(5).iterate(5);
  p.st(0x100).thread = 1;
  p.st(0x100).thread = 0;
  p.ld(0x100);
  EXPECT_EQ(p.rows(), "private 5 7 loads 1 exposed 1 stores 1 rewritten 0 out 0\n");
}

TEST(Privatisation, ReadOnlyMemoryHasNoRow) {
  Program p;
  p.enter(5).iterate(5);
  p.ld(0x100);
  EXPECT_EQ(p.rows(), "");
}

TEST(Privatisation, RangesCountLikeTheirAccesses) {
  Script s;
  s.range(1, 10, {{0x100, 0, 10, 0, 4, k_store, k_group, 0, true},
                  {0x100, 0, 10, 0, 4, k_load, k_group, 0, false}});
  EXPECT_EQ(text(run(make_privatisation, s.batch)),
            "private 1 7 loads 10 exposed 0 stores 10 rewritten 9 out 0\n");
}

// The oracle keeps, for each byte, the loops that were active when it was written,
// with numbers of invocations and iterations that never come again.
class Oracle {
 public:
  struct Level {
    LoopId id;
    std::uint64_t invocation, iteration;
  };
  using Stack = std::vector<Level>;
  struct Written {
    Stack stack;
    std::uint32_t thread = 0;
    bool birth = false, external = false;
  };

  void event(const FlatEvent& e) {
    Stack& stack = stacks_[e.thread];
    switch (e.kind) {
      case EventKind::loop_enter: stack.push_back({e.index, ++serial_, ++serial_}); break;
      case EventKind::loop_iteration:
      case EventKind::loop_exit: {
        std::size_t i = stack.size();
        while (i != 0 && stack[i - 1].id != e.index) i--;
        if (i == 0) break;
        stack.resize(e.kind == EventKind::loop_exit ? i - 1 : i);
        if (e.kind == EventKind::loop_iteration) stack.back().iteration = ++serial_;
        break;
      }
      case EventKind::load: load(e, stack); break;
      case EventKind::store: store(e, stack); break;
      case EventKind::birth:
      case EventKind::local_birth:
      case EventKind::death:
        if (e.width != 0) erase_births(e);
        for (std::uint64_t a = e.address; a < e.address + e.width; a++) {
          memory_.erase(a);
          if (e.kind != EventKind::death) births_[a] = {stack, e.thread, true};
        }
        break;
      case EventKind::external_store:
        for (std::uint64_t a = e.address; a < e.address + e.width; a++)
          memory_[a] = {stack, e.thread, false, true};
        break;
      default: break;
    }
  }
  std::map<std::pair<LoopId, GroupId>, feedback::Privatisation> rows_;

 private:
  // An object that something overlaps is gone as a whole.
  void erase_births(const FlatEvent& e) {
    std::set<std::uint64_t> gone;
    for (std::uint64_t a = e.address; a < e.address + e.width; a++)
      if (const auto at = object_of_.find(a); at != object_of_.end()) gone.insert(at->second);
    std::erase_if(object_of_, [&](const auto& x) {
      if (!gone.contains(x.second)) return false;
      births_.erase(x.first);
      return true;
    });
    if (e.kind == EventKind::death) return;
    const std::uint64_t object = ++serial_;
    for (std::uint64_t a = e.address; a < e.address + e.width; a++) object_of_[a] = object;
  }
  const Written* writer(std::uint64_t a) const {
    if (const auto at = memory_.find(a); at != memory_.end()) return &at->second;
    const auto at = births_.find(a);
    return at == births_.end() ? nullptr : &at->second;
  }
  // Loops of STACK, each once, the innermost.
  static std::vector<const Level*> loops(const Stack& stack) {
    std::vector<const Level*> result;
    for (std::size_t i = stack.size(); i-- > 0;)
      if (std::none_of(result.begin(), result.end(),
                       [&](const Level* l) { return l->id == stack[i].id; }))
        result.push_back(&stack[i]);
    return result;
  }
  static std::size_t common(const Stack& a, const Stack& b) {
    std::size_t i = 0;
    while (i < a.size() && i < b.size() && a[i].invocation == b[i].invocation) i++;
    return i;
  }

  void load(const FlatEvent& e, const Stack& stack) {
    std::set<LoopId> out;
    for (std::uint64_t a = e.address; a < e.address + e.width; a++) {
      const Written* w = writer(a);
      if (!w || w->birth || w->external) continue;
      const std::size_t n = w->thread == e.thread ? common(stack, w->stack) : 0;
      std::set<LoopId> still;
      for (std::size_t i = 0; i < n; i++) still.insert(stack[i].id);
      for (const Level& l : w->stack)
        if (!still.contains(l.id)) out.insert(l.id);
    }
    for (const LoopId loop : out) rows_[{loop, e.group}].live_out++;
    for (const Level* l : loops(stack)) {
      feedback::Privatisation& row = rows_[{l->id, e.group}];
      row.loads++;
      bool exposed = false;
      for (std::uint64_t a = e.address; a < e.address + e.width; a++) {
        const Written* w = writer(a);
        exposed |= !w || w->thread != e.thread ||
                   std::none_of(w->stack.begin(), w->stack.end(), [&](const Level& x) {
                     return x.iteration == l->iteration;
                   });
      }
      row.exposed += exposed;
    }
  }
  void store(const FlatEvent& e, const Stack& stack) {
    for (const Level* l : loops(stack)) rows_[{l->id, e.group}].stores++;
    std::set<LoopId> again;
    for (std::uint64_t a = e.address; a < e.address + e.width; a++) {
      if (const auto w = memory_.find(a); w != memory_.end() && w->second.thread == e.thread) {
        const std::size_t n = common(stack, w->second.stack);
        if (n != 0 && stack[n - 1].iteration != w->second.stack[n - 1].iteration)
          again.insert(stack[n - 1].id);
      }
      memory_[a] = {stack, e.thread};
    }
    for (const LoopId loop : again) rows_[{loop, e.group}].rewritten++;
  }

  std::uint64_t serial_ = 0;
  std::map<std::uint32_t, Stack> stacks_;
  std::map<std::uint64_t, Written> memory_, births_;
  std::map<std::uint64_t, std::uint64_t> object_of_;
};

TEST(Privatisation, RandomProgramsAgreeWithTheOracle) {
  for (std::uint64_t seed = 0; seed < 600; seed++) {
    RandomProgram::Options options;
    options.threads = seed % 4 == 0 ? 3 : 1;
    options.area = seed % 3 == 0 ? 60 : 300;
    options.events = 12;
    options.max_count = 6;
    const Trace trace = RandomProgram(seed, options).make();
    Oracle oracle;
    for (const FlatEvent& e : expand(trace).events) oracle.event(e);
    feedback::Profile expected;
    for (auto& [key, row] : oracle.rows_)
      if (key.second != 0 && row.stores != 0) {
        row.loop = key.first, row.group = key.second;
        expected.privatisation.push_back(row);
      }
    ASSERT_EQ(difference(text(run(make_privatisation, trace)), text(expected)), "")
        << "seed " << seed;
  }
}

}  // namespace
}  // namespace memprof::backend::testing
