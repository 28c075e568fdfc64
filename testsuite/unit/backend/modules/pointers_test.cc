// pointers_test.cc - what pointers point to, by calling contexts.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/event/module.h"

#include <algorithm>
#include <random>

#include "runtime/backend/program/live_objects.h"
#include "testsuite/unit/backend/backend_testutil.h"

namespace memprof::backend::testing {
namespace {

constexpr FunctionId k_main = 1, k_f = 2, k_g = 3;

struct Program : Script {
  Program& object(EventKind kind, std::uint64_t address, std::uint64_t width, GroupId group) {
    access(kind, 0, address, width, group, 0, address);
    return *this;
  }
  Program& alloc(GroupId group, std::uint64_t address, std::uint64_t width) {
    return object(EventKind::birth, address, width, group);
  }
  Program& release(std::uint64_t address, std::uint64_t width) {
    return object(EventKind::death, address, width, 0);
  }
  Program& value(SiteId site, std::uint64_t pointer) {
    context(EventKind::value, site);
    batch.events.back().address = pointer;
    batch.events.back().width = 8;
    return *this;
  }
  Program& argument(FunctionId function, std::uint64_t number, std::uint64_t pointer) {
    context(EventKind::pointer, function);
    batch.events.back().address = pointer;
    batch.events.back().width = number;
    return *this;
  }
  std::string rows(bool pointers = true) const {
    FakeProgram program;
    program.pointers = pointers;
    for (SiteId site = 1; site < 99; site++) program.count(site, false, 1000);
    return text(run(make_pointers, program, batch));
  }
};

TEST(Pointers, VectorOfThePaper) {
  Program p;
  p.call(k_main).call(k_f);
  p.alloc(10, 0x1000, 64).back(k_f);
  p.value(20, 0x1000).value(21, 0).value(22, 0x1040);
  EXPECT_EQ(p.rows(),
            "pointer 20 in f1 to 10 from f2 < f1 1\n"
            "pointer 21 in f1 to null 1\n"
            "pointer 22 in f1 to 10 from f2 < f1 1 ends 1\n");
}

TEST(Pointers, TheEndOfOneAndTheStartOfAnother) {
  Program p;
  p.alloc(10, 0x1000, 64).alloc(11, 0x1040, 16).value(20, 0x1040).release(0x1040, 16);
  p.value(20, 0x1040);
  EXPECT_EQ(p.rows(),
            "pointer 20 in - to 10 from - 2 ends 2\n"
            "pointer 20 in - to 11 from - 1\n");
}

TEST(Pointers, UnknownAndSmall) {
  Program p;
  p.alloc(10, 0x1000, 64).release(0x1000, 64).value(20, 0x1000).value(20, 0xfff).value(20, 0x1041);
  EXPECT_EQ(p.rows(), "pointer 20 in - to unknown 2\n");
}

TEST(Pointers, ContextsOfCallsAndOfBirths) {
  Program p;
  p.call(k_main).call(k_f);
  p.alloc(10, 0x1000, 64).back(k_f).call(k_g);
  p.alloc(10, 0x2000, 64).back(k_g);
  for (FunctionId f : {k_f, k_g}) {
    p.call(f);
    p.value(20, 0x1008).value(20, 0x2008).back(f);
  }
  EXPECT_EQ(p.rows(),
            "pointer 20 in f2 < f1 to 10 from f2 < f1 1\n"
            "pointer 20 in f2 < f1 to 10 from f3 < f1 1\n"
            "pointer 20 in f3 < f1 to 10 from f2 < f1 1\n"
            "pointer 20 in f3 < f1 to 10 from f3 < f1 1\n");
}

TEST(Pointers, ArgumentsAndResults) {
  Program p;
  p.alloc(10, 0x1000, 64).call(k_f);
  p.argument(k_f, 2, 0x1004).argument(k_f, 0, 0).back(k_f);
  EXPECT_EQ(p.rows(),
            "pointer f2/0 in f2 to null 1\n"
            "pointer f2/2 in f2 to 10 from - 1\n");
}

TEST(Pointers, GlobalsAndWhatIsNoPointer) {
  Program p;
  p.object(EventKind::global_birth, 0x1000, 64, 10).value(20, 0x1000);
  EXPECT_EQ(p.rows(), "pointer 20 in - to 10 from - 1\n");
  EXPECT_EQ(p.rows(false), "");
}

TEST(Pointers, ManyTargetsAreOneRow) {
  Program p;
  for (GroupId g = 1; g <= 65; g++) p.alloc(g, 0x1000 * g, 64).value(20, 0x1000 * g);
  p.value(20, 0x1000).value(21, 0x1000);
  EXPECT_EQ(p.rows(), "pointer 20 in - to many 66\npointer 21 in - to 1 from - 1\n");
}

// The oracle looks at every byte.
TEST(LiveObjects, RandomObjectsAgreeWithBytes) {
  for (unsigned seed = 0; seed < 300; seed++) {
    std::mt19937 random(seed);
    LiveObjects<int> objects;
    std::map<std::uint64_t, std::pair<std::uint64_t, int>> alive;
    for (int i = 0; i < 200; i++) {
      const std::uint64_t address = random() % 200, bytes = 1 + random() % 20;
      const bool room = std::none_of(alive.begin(), alive.end(), [&](const auto& o) {
        return o.first < address + bytes && address < o.first + o.second.first;
      });
      if (room) {
        objects.born(address, bytes, i);
        alive[address] = {bytes, i};
      } else if (!alive.empty()) {
        const auto at = std::next(alive.begin(), random() % alive.size());
        objects.died(at->first);
        alive.erase(at);
      }
      for (std::uint64_t a = 0; a < 230; a++) {
        int in = -1, end = -1;
        for (const auto& [start, object] : alive) {
          if (a >= start && a < start + object.first) in = object.second;
          if (a == start + object.first) end = object.second;
        }
        const auto found = objects.find(a);
        ASSERT_EQ(found.in ? *found.in : -1, in) << "seed " << seed << " at " << a;
        ASSERT_EQ(found.end ? *found.end : -1, end) << "seed " << seed << " at " << a;
      }
    }
  }
}

}  // namespace
}  // namespace memprof::backend::testing
