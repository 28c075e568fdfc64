// cache_test.cc - the model of the caches: against lists of recent lines when
// everything is looked at, and within bounds when it samples.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/event/module.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <list>
#include <map>

#include "runtime/backend/modules/cache_model.h"
#include "testsuite/unit/backend/random_program.h"

namespace memprof::backend::testing {
namespace {

// One set each, so that no hash decides what is replaced.
constexpr char k_all[] = "L1=256/4,L2=1K/16,LLC=4K/64,TLB=3/3,line=64,sample=1,window=1";

// The oracle: lines in the order of their last use, by address.
class Recent {
 public:
  explicit Recent(std::size_t room) : room_(room) {}
  bool use(std::uint64_t line) {
    const auto at = std::find(lines_.begin(), lines_.end(), line);
    const bool there = at != lines_.end();
    if (there) lines_.erase(at);
    lines_.push_front(line);
    if (lines_.size() > room_) lines_.pop_back();
    return there;
  }

 private:
  std::size_t room_;
  std::list<std::uint64_t> lines_;
};

class Oracle {
 public:
  explicit Oracle(const FakeProgram& program) : program_(program) {}

  std::string run(const Trace& trace) {
    for (const FlatEvent& e : trace.events) {
      if (e.kind == EventKind::range) {
        const Range& range = trace.ranges[e.index];
        const bool as_blocks = range.rows > 1 && range.count <= 8;
        std::map<SiteId, std::uint64_t> last;  // line of a range access
        for_each(trace, e, [&](const FlatEvent& x) {
          if (x.kind == EventKind::loop_enter) last.clear();
          if (x.kind > EventKind::store || x.width == 0) return;
          if (as_blocks) {
            single(x);
            return;
          }
          const std::uint64_t line = x.address / 64;
          looked_at_[x.site]++;
          const auto [it, first] = last.try_emplace(x.site, line);
          if (first || it->second != line) use(x, line);
          it->second = line;
        });
      } else if (e.kind <= EventKind::store && e.width != 0) {
        single(e);
      } else if (e.kind == EventKind::thread_end) {
        cores_.erase(e.thread);
      }
    }
    std::ostringstream out;
    for (const auto& [site, looked_at] : looked_at_) {
      std::uint64_t all = program_.executions(site);
      if (wide_[site]) all = scale(wide_lines_[site], all, wide_[site]);
      auto& rows = rows_[site];
      if (rows.empty()) rows[feedback::k_none] = {};
      for (const auto& [group, m] : rows)
        out << "cache " << site << ' ' << (group == feedback::k_none ? 0 : group) << " l1 " << scale(m[0], all, looked_at)
            << " l2 " << scale(m[1], all, looked_at) << " llc "
            << scale(m[2], all, looked_at) << " tlb " << scale(m[3], all, looked_at) << '\n';
    }
    return out.str();
  }

 private:
  void single(const FlatEvent& e) {
    const std::uint64_t first = e.address / 64;
    const std::uint64_t end = e.width > 64 ? (e.address + e.width + 63) / 64 : first + 1;
    if (e.width > 64) {
      wide_[e.site]++;
      wide_lines_[e.site] += end - first;
    }
    for (std::uint64_t line = first; line < end; line++) {
      looked_at_[e.site]++;
      use(e, line);
    }
  }
  struct OneCore {
    Recent l1{4}, l2{16}, tlb{3};
  };
  static std::uint64_t scale(std::uint64_t n, std::uint64_t all, std::uint64_t part) {
    return (n * all + part / 2) / part;
  }
  void use(const FlatEvent& e, std::uint64_t line) {
    OneCore& core = cores_[e.thread];
    const bool tlb = core.tlb.use(line / 64), l1 = core.l1.use(line);
    if (tlb && l1) return;
    auto& m = rows_[e.site][e.group == 0 ? feedback::k_none : e.group];
    m[3] += !tlb;
    if (l1) return;
    m[0]++;
    if (core.l2.use(line)) return;
    m[1]++;
    m[2] += !llc_.use(line);
  }

  const FakeProgram& program_;
  std::map<std::uint32_t, OneCore> cores_;
  Recent llc_{64};
  std::map<SiteId, std::uint64_t> looked_at_, wide_, wide_lines_;
  std::map<SiteId, std::map<GroupId, std::array<std::uint64_t, 4>>> rows_;
};

TEST(Cache, RandomProgramsAgreeWithTheOracle) {
  for (std::uint64_t seed = 0; seed < 600; seed++) {
    RandomProgram::Options options;
    options.area = seed % 3 == 0 ? 600 : seed % 3 == 1 ? 7000 : 40000;
    options.events = 24 + seed % 40;
    options.threads = 1 + seed % 4 / 3;
    const Trace trace = RandomProgram(seed, options).make();
    FakeProgram program;
    program.options["cache"] = k_all;
    program.count(trace);
    ASSERT_EQ(difference(text(run(make_cache, program, trace)), Oracle(program).run(trace)), "")
        << "seed " << seed;
  }
}

TEST(Cache, StackIsCached) {
  Script s;
  for (std::uint64_t i = 0; i < 100; i++)
    s.access(EventKind::load, 1, 0x7ffc00000000 + i * 64, 8, 5);
  s.access(EventKind::load, 2, 0x1000, 8, 6);
  FakeProgram program;
  program.options["cache"] = k_all;
  program.stack_group = 5;
  program.count(s.batch);
  EXPECT_EQ(text(run(make_cache, program, s.batch)), "cache 2 6 l1 1 l2 1 llc 1 tlb 1\n");
}

// Many batches of single loads, as the decoder makes them.
feedback::Profile sampled(const std::string& sizes, std::uint64_t n, auto address_of,
                          std::uint64_t shift = 0) {
  FakeProgram program;
  program.options["cache"] = sizes;
  program.count(1, false, n);
  auto module = make_cache(program);
  Script s;
  for (std::uint64_t i = 0; i < n; i++) {
    s.access(EventKind::load, 1, 0x555500000000 + shift + address_of(i), 8, 7);
    if (s.batch.events.size() == 8192 || i + 1 == n) {
      module->consume(make_batch(s.batch));
      s.batch = {};
    }
  }
  return finish(*module);
}

constexpr char k_usual[] = "L1=32K/8,L2=256K/16,LLC=4M/16,TLB=64/8";

TEST(Cache, SampledStreamMissesOncePerLine) {
  const auto p = sampled(k_usual, 12 << 20, [](std::uint64_t i) { return i * 8; });
  ASSERT_EQ(p.cache.size(), 1u);
  EXPECT_EQ(p.cache[0].group, 7u);
  EXPECT_NEAR(double(p.cache[0].l1), (12 << 20) / 8, 16000);
  EXPECT_NEAR(double(p.cache[0].llc), (12 << 20) / 8, 16000);
  EXPECT_NEAR(double(p.cache[0].tlb), (12 << 20) / 512, 400);
}

TEST(Cache, SampledRandomAccessMissesByTheShareThatDoesNotFit) {
  std::mt19937_64 random(7);
  const std::uint64_t area = 1 << 20, n = 6 << 20;
  const auto p = sampled(k_usual, n, [&](std::uint64_t) { return random() % (area / 8) * 8; });
  ASSERT_EQ(p.cache.size(), 1u);
  EXPECT_NEAR(double(p.cache[0].l2) / n, 0.75, 0.03);
  EXPECT_NEAR(double(p.cache[0].l1) / n, 1 - 1.0 / 32, 0.02);
  EXPECT_LT(double(p.cache[0].llc) / n, 0.03);
  EXPECT_NEAR(double(p.cache[0].tlb) / n, 0.75, 0.03);
}

// Nine of ten accesses go to one page, which is looked at or is not.
TEST(Cache, SampledMissesDoNotDependOnWhichPagesAreHot) {
  const std::uint64_t area = 64 << 20, n = 4 << 20;
  for (std::uint64_t hot = 0; hot < 20; hot++) {
    std::mt19937_64 random(hot);
    const auto p = sampled(k_usual, n, [&](std::uint64_t i) {
      return i % 10 != 0 ? hot * 4096 + random() % 512 * 8 : random() % (area / 8) * 8;
    });
    ASSERT_EQ(p.cache.size(), 1u);
    EXPECT_NEAR(double(p.cache[0].llc) / n, 0.1 * 15 / 16, 0.01) << hot;
    EXPECT_NEAR(double(p.cache[0].tlb) / n, 0.1, 0.01) << hot;
  }
}

// Up and down, in pages that are looked at and in others.
TEST(Cache, SampledRangesMissAsTheirAccessesDo) {
  std::mt19937_64 random(3);
  Script ranges, singles;
  for (int i = 0; i < 2000; i++) {
    RangeAccess a{};
    a.address = 0x555500100000 + random() % 200000 * 8;
    a.step = random() % 2 ? 8 : -24;
    a.count = 2 + random() % 700;
    a.width = 8;
    a.site = 1;
    a.group = 7;
    ranges.range(1, a.count, {a});
    for (std::uint64_t k = 0; k < a.count; k++)
      singles.access(EventKind::load, 1, a.column(k).address, 8, 7);
  }
  FakeProgram program;
  program.options["cache"] = std::string(k_usual) + ",sample=8,window=1";
  program.count(ranges.batch);
  const std::string expected = text(run(make_cache, program, singles.batch));
  EXPECT_NE(expected, "");
  EXPECT_EQ(text(run(make_cache, program, ranges.batch)), expected);
}

TEST(Cache, DoesNotDependOnWhereMemoryIs) {
  const auto address = [](std::uint64_t i) { return i * i % 1000003 * 8; };
  const std::string a = text(sampled(k_usual, 1 << 20, address));
  EXPECT_EQ(text(sampled(k_usual, 1 << 20, address, 0x12345000)), a);
  EXPECT_NE(text(sampled(k_usual, 1 << 20, address, 0x12345020)), "");
}

TEST(Cache, ReadsAndWritesSizes) {
  CacheGeometry g;
  EXPECT_TRUE(parse_geometry("L1=48K/12,L2=2M/16,LLC=0,TLB=1536/12,line=128,sample=2", g));
  EXPECT_EQ(g.l1.size, 48u << 10);
  EXPECT_EQ(g.llc.size, 0u);
  EXPECT_EQ(geometry_text(g),
            "L1=48K/12,L2=2M/16,LLC=0/1,TLB=1536/12,line=128,sample=2,window=1");
  const CacheGeometry before = g;
  for (const char* bad : {"L1", "L1=", "L1=x", "L1=4/", "L1=4/0", "L4=3/2", "line=48",
                          "L1=4/4x", "sample=0", "L1=4/4,,L2=4/4"}) {
    EXPECT_FALSE(parse_geometry(bad, g)) << bad;
    EXPECT_EQ(g, before) << bad;
  }
  EXPECT_GT(machine_geometry().l1.size, 0u);
}

// EBX of 80000006H, EAX of 1 and of 80000021H.
TEST(Cache, EntriesOfSecondTlb) {
  EXPECT_EQ(amd_second_tlb(0x68004200, 0x00a20f10, 0x00000000), 2048u);  // Zen 3
  EXPECT_EQ(amd_second_tlb(0x6c004200, 0x00a60f12, 0x00000000), 3072u);  // Zen 4
  EXPECT_EQ(amd_second_tlb(0x60804040, 0x00b00f21, 0x00004000), 4096u);  // Zen 5
  EXPECT_EQ(amd_second_tlb(0x60804040, 0x00b00f21, 0x411d8c47), 4096u);  // Zen 5, of a guest
  EXPECT_EQ(amd_second_tlb(0x60804040, 0x00a60f12, 0x00004000), 4096u);  // bit 14 alone
  EXPECT_EQ(amd_second_tlb(0, 0x00b00f21, 0x00004000), 0u);
}

TEST(Cache, AsksTheKernelForSizes) {
  namespace fs = std::filesystem;
  char pattern[] = "/tmp/memprof-caches-XXXXXX";
  const std::string folder = mkdtemp(pattern);
  auto index = [&, n = 0](const char* level, const char* type, const char* size,
                                const char* ways) mutable {
    const std::string cache = folder + "/index" + std::to_string(n++) + '/';
    fs::create_directory(cache);
    std::ofstream(cache + "level") << level << '\n';
    std::ofstream(cache + "type") << type << '\n';
    std::ofstream(cache + "size") << size << '\n';
    std::ofstream(cache + "ways_of_associativity") << ways << '\n';
  };
  index("1", "Instruction", "64K", "4");
  index("1", "Data", "48K", "12");
  index("2", "Unified", "1024K", "0");  // of an unknown number
  const CacheGeometry g = machine_geometry(folder);
  EXPECT_EQ(g.l1, (CacheLevel{48 << 10, 12}));
  EXPECT_EQ(g.l2, (CacheLevel{1 << 20, 16}));
  EXPECT_EQ(g.llc, machine_geometry(folder + "/none").llc);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace memprof::backend::testing
