// pages_test.cc - requests and walks by object and thread: against an independent simulator
// when everything is looked at, and within bounds when not.
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <list>
#include <map>

#include "testsuite/unit/backend/random_program.h"

namespace memprof::backend::testing {
namespace {

constexpr std::uint64_t k_no_limit = ~std::uint64_t{0};

// Of variables: the heap has a place of its own.
class Variables : public FakeProgram {
 public:
  feedback::GroupKind group_kind(GroupId) const override { return feedback::GroupKind::global; }
};

// Entries in the order of their last use, by what they are; brute force.
template <typename Key>
struct Recent {
  struct Entry {
    Key key;
    std::pair<GroupId, std::uint32_t> owner;
    bool changed;
  };
  std::size_t room;
  std::list<Entry> entries{};

  bool use(const Key& key) { return use(key, {}, false, [](const Entry&) {}); }
  bool use(const Key& key, std::pair<GroupId, std::uint32_t> owner, bool store, auto evicted) {
    const auto at = std::find_if(entries.begin(), entries.end(),
                                 [&](const Entry& e) { return e.key == key; });
    const bool hit = at != entries.end();
    if (hit)
      entries.splice(entries.begin(), entries, at);
    else
      entries.push_front({key, owner, false});
    if (store) entries.front().owner = owner, entries.front().changed = true;
    if (entries.size() > room) {
      evicted(entries.back());
      entries.pop_back();
    }
    return hit;
  }
};

// The simulator: all accesses, one by one, by address.
class Oracle {
 public:
  std::string run(const Trace& trace) {
    std::map<SiteId, std::uint64_t> lines;  // of range accesses
    for (const FlatEvent& e : trace.events) {
      if (e.kind == EventKind::range) {
        const Range& range = trace.ranges[e.index];
        const bool as_blocks = range.rows > 1 && range.count <= 8;
        for_each(trace, e, [&](const FlatEvent& x) {
          if (x.kind == EventKind::loop_enter) lines.clear();
          if (x.kind > EventKind::store) return;
          const auto [at, fresh] = lines.try_emplace(x.site, x.address / 64);
          const bool same = !fresh && at->second == x.address / 64 && !as_blocks;
          at->second = x.address / 64;
          access(x, !same);
        });
      } else if (e.kind <= EventKind::store) {
        access(e, true);
      } else if (e.kind == EventKind::thread_end) {
        cores_.erase(e.thread);
      }
    }
    deal();
    return text();
  }

 private:
  using Owner = std::pair<GroupId, std::uint32_t>;
  struct Core {
    Recent<std::uint64_t> tlb{3}, second{6};
    Recent<std::uint64_t> tables[3] = {{2}, {1}, {1}};
    std::uint64_t line = k_no_limit;
    bool changed = false;
    std::uint64_t turn = 0;
  };
  using Key = std::pair<int, std::uint64_t>;  // 0: data; level + 1: page tables
  struct Row {
    std::uint64_t reads = 0, writes = 0, walks = 0, refs = 0;
    std::uint64_t requests[2] = {}, back[2] = {}, left[2] = {}, dram[2] = {};
  };
  struct Use {
    std::uint64_t turn;
    std::uint32_t thread;
    Key key;
    Owner owner;
    bool store;
  };

  void access(const FlatEvent& e, bool new_use) {
    if (first_ == k_no_limit) first_ = e.address / 4096 * 4096;
    Core& core = cores_[e.thread];
    core.turn++;
    const bool store = e.kind == EventKind::store;
    const Owner owner{e.group, e.thread};
    (store ? rows_[owner].writes : rows_[owner].reads)++;
    const std::uint64_t address = e.address - first_ + (std::uint64_t{1} << 43);
    const std::uint64_t line = address / 64;
    if (!new_use || (line == core.line && (core.changed || !store))) return;
    if (line != core.line) {
      core.changed = false;
      walk(core, owner, address, e.thread);
    }
    core.line = line;
    core.changed |= store;
    share({core.turn, e.thread, {0, line}, owner, store});
  }

  void walk(Core& core, Owner owner, std::uint64_t address, std::uint32_t thread) {
    if (core.tlb.use(address >> 12) || core.second.use(address >> 12)) return;
    int known = 4;
    for (int level = 3; level > 0; level--)
      if (core.tables[level - 1].use(address >> (12 + 9 * level))) known = level;
    rows_[owner].walks++;
    rows_[owner].refs += static_cast<std::uint64_t>(known);
    for (int level = known; level-- > 0;)
      share({core.turn, thread, {level + 1, (address >> (12 + 9 * level)) / 8}, owner, false});
  }

  void share(const Use& use) {
    if (waiting_.empty() && !several_) one_ = use.thread;
    if (use.thread != one_ && !several_) {
      // Up to now there was no other thread to take turns with.
      several_ = true;
      for (const Use& before : waiting_) count(before, 1);
      waiting_.clear();
    }
    count(use, 0);
    waiting_.push_back(use);
  }
  void count(const Use& use, int order) {
    const bool hit = cache_[order].use(use.key, use.owner, use.store, [&](const auto& evicted) {
      if (evicted.changed) rows_[evicted.owner].back[order]++;
    });
    if (hit) return;
    Row& row = rows_[use.owner];
    (use.key.first == 0 ? row.requests : row.dram)[order]++;
  }
  void deal() {
    std::stable_sort(waiting_.begin(), waiting_.end(), [](const Use& a, const Use& b) {
      return std::tie(a.turn, a.thread) < std::tie(b.turn, b.thread);
    });
    for (const Use& use : waiting_) count(use, 1);
  }

  std::string text() {
    for (const int order : {0, 1})
      for (const auto& line : cache_[order].entries)
        if (line.changed) rows_[line.owner].left[order]++;
    std::ostringstream out;
    for (const auto& [owner, row] : rows_) {
      out << "pages " << owner.first << "/0 thread " << owner.second << " reads " << row.reads
          << " writes " << row.writes << " walks " << row.walks << " refs " << row.refs;
      for (const int order : {1, 0})
        out << " | requests " << row.requests[order] << " back " << row.back[order] << " left "
            << row.left[order] << " dram " << row.dram[order];
      out << '\n';
    }
    return out.str();
  }

  std::uint64_t first_ = k_no_limit;
  std::map<std::uint32_t, Core> cores_;
  Recent<Key> cache_[2] = {{80}, {80}};
  std::vector<Use> waiting_;
  std::uint32_t one_ = 0;
  bool several_ = false;
  std::map<Owner, Row> rows_;
};

constexpr char k_all[] =
    "L1TLB=3/3,L2TLB=6/6,PDE=2,PDPTE=1,PML4E=1,LLC=5K/80,line=64,sample=1,window=1";

// Widths within a line, and all of them executions.
Trace narrow(Trace trace) {
  for (FlatEvent& e : trace.events)
    if (e.kind <= EventKind::store && (e.width == 0 || e.width > 64)) e.width = 8;
  for (RangeAccess& a : trace.accesses)
    if (a.width == 0 || a.width > 64) a.width = 8;
  return trace;
}

std::string rows_of(const Trace& trace) {
  Variables program;
  program.options["pages"] = k_all;
  program.count(trace);
  feedback::Profile profile = run(make_pages, program, trace);
  for (feedback::Pages& r : profile.pages)
    if (r.group == feedback::k_none) r.group = 0;
  std::sort(profile.pages.begin(), profile.pages.end(), [](const auto& a, const auto& b) {
    return std::tie(a.group, a.thread) < std::tie(b.group, b.thread);
  });
  return text(profile);
}

TEST(Pages, RandomProgramsAgreeWithTheSimulator) {
  for (std::uint64_t seed = 0; seed < 400; seed++) {
    RandomProgram::Options options;
    options.area = seed % 3 == 0 ? 7000 : seed % 3 == 1 ? 90000 : 9 << 20;
    options.events = 24 + seed % 40;
    options.threads = 1 + seed % 4;
    Trace trace = narrow(RandomProgram(seed, options).make());
    // Turns within a range are those of its lines.
    if (options.threads > 1) trace = expand(trace);
    ASSERT_EQ(difference(rows_of(trace), Oracle().run(trace)), "") << "seed " << seed;
  }
}

// An object has a row if it is large enough; others count together.
TEST(ChenIspass2012, ObjectsOf4KilobytesAreZones) {
  Script s;
  const auto object = [&s](std::uint64_t base, std::uint32_t serial, std::uint32_t bytes) {
    s.access(EventKind::load, 1, base, 8, 7, serial, base);
    s.batch.events.back().object_bytes = bytes;
  };
  object(0x10000, 0, 4095);
  object(0x20000, 1, 4096);
  Variables program;
  program.options["pages"] = k_all;
  program.count(s.batch);
  const auto profile = run(make_pages, program, s.batch);
  ASSERT_EQ(profile.pages.size(), 2u);
  EXPECT_EQ(profile.pages[0].object, 0u);
  EXPECT_EQ(profile.pages[0].memory.requests, 1u);
  EXPECT_EQ(profile.pages[1].object, 2u);
  EXPECT_EQ(profile.pages[1].memory.requests, 1u);
}

// As the decoder makes batches, on the usual sample.
feedback::Profile sampled(const std::string& pages, std::uint64_t n, auto address_of,
                          bool store = false, std::uint64_t shift = 0) {
  FakeProgram program;
  program.options["pages"] = pages;
  program.count(1, store, n);
  auto module = make_pages(program);
  Script s;
  for (std::uint64_t i = 0; i < n; i++) {
    s.access(store ? EventKind::store : EventKind::load, 1, 0x7f5500000000 + shift + address_of(i),
             8, 7);
    if (s.batch.events.size() == 8192 || i + 1 == n) {
      module->consume(make_batch(s.batch));
      s.batch = {};
    }
  }
  return finish(*module);
}

TEST(Pages, SampledStreamWalksOncePerPage) {
  const std::uint64_t n = 12 << 20;
  const auto p = sampled("nehalem", n, [](std::uint64_t i) { return i * 8; }, true);
  ASSERT_EQ(p.pages.size(), 1u);
  const feedback::Pages& r = p.pages[0];
  EXPECT_EQ(r.writes, n);
  EXPECT_NEAR(double(r.walks), n / 512, 400);
  EXPECT_NEAR(double(r.walk_refs), n / 512 * (1 + 8.0 / 512), 600);
  EXPECT_NEAR(double(r.memory.requests), n / 8, 30000);
  // A line of the level above, too, for each window of 2 MB.
  EXPECT_NEAR(double(r.memory.walk_dram), n / 512 / 8, 600);
  EXPECT_NEAR(double(r.memory.write_backs + r.memory.left), n / 8, 30000);
  EXPECT_EQ(r.as_read.requests, r.memory.requests);
}

TEST(Pages, SampledWalksLieWithinTwoDeviations) {
  const std::uint64_t area = 64 << 20, n = 4 << 20;
  unsigned inside = 0;
  constexpr unsigned k_times = 20;
  for (unsigned seed = 0; seed < k_times; seed++) {
    std::mt19937_64 random(seed);
    const auto p = sampled("nehalem", n, [&](std::uint64_t) { return random() % (area / 8) * 8; });
    const feedback::Pages& r = p.pages.at(0);
    const double expected = double(n) * (1 - 512.0 / (area / 4096));
    const double bound = 2 * std::sqrt(double(r.variance));
    EXPECT_LT(bound, 0.2 * expected);
    inside += std::abs(double(r.walks) - expected) <= bound;
  }
  EXPECT_GE(inside, k_times * 9 / 10);
}

TEST(Pages, DoNotDependOnWhereMemoryIs) {
  const auto address = [](std::uint64_t i) { return i * i % 1000003 * 8; };
  const std::string a = text(sampled("nehalem", 1 << 20, address));
  EXPECT_EQ(text(sampled("nehalem", 1 << 20, address, false, 0x12345000)), a);
}

// The program and its heap are at different distances.
TEST(Pages, DoNotDependOnTheDistanceOfTheHeap) {
  const auto rows = [](std::uint64_t program_at, std::uint64_t heap_at) {
    class Both : public FakeProgram {
      feedback::GroupKind group_kind(GroupId group) const override {
        return group == 7 ? feedback::GroupKind::heap : feedback::GroupKind::global;
      }
    } program;
    program.options["pages"] = "nehalem,window=1";
    std::mt19937_64 random(1);
    Script s;
    for (int i = 0; i < 20000; i++) {
      const bool heap = random() % 2;
      s.access(EventKind::load, heap ? 1 : 2,
               (heap ? heap_at : program_at) + random() % (8 << 20) + (i < 9 ? 0 : 4096), 4,
               heap ? 7 : 6);
    }
    program.count(s.batch);
    return text(run(make_pages, program, s.batch));
  };
  const std::string a = rows(0x555500000000, 0x555502000000);
  EXPECT_EQ(rows(0x561100003000, 0x561101904000), a);
}

}  // namespace
}  // namespace memprof::backend::testing
