// page_walker_test.cc - the TLB model and the cache that writes back, on the worked figures
// of Chen et al., ISPASS 2012, and against lists of recent entries.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/modules/pages/page_walker.h"

#include <gtest/gtest.h>

#include <fstream>
#include <list>
#include <map>
#include <random>
#include <sstream>

#include "runtime/backend/modules/pages/page_sizes.h"

namespace memprof::backend {
namespace {

// TLBs whose entries may be anywhere; the second level has small pages only.
PageGeometry anywhere() {
  PageGeometry g;
  EXPECT_TRUE(parse_geometry("nehalem,L1TLB=64/64,HUGETLB=32/32,L2TLB=512/512,sample=1", g));
  return g;
}

struct Walks {
  std::uint64_t walks = 0, references = 0;
  bool operator==(const Walks&) const = default;
};

Walks sweep(PageWalker& walker, std::uint64_t bytes, bool huge, Walks sum = {}) {
  for (std::uint64_t a = 0; a < bytes; a += 4096) {
    const unsigned bits = huge ? 21 : 12;
    const unsigned levels =
        walker.access({static_cast<std::uint32_t>(a >> bits) + 1, a, huge});
    sum.walks += levels != 0;
    sum.references += levels;
  }
  return sum;
}

TEST(ChenIspass2012, WalksOf1024PagesOnceAndTwice) {
  PageWalker walker(anywhere());
  const Walks once = sweep(walker, 1024 * 4096, false);
  EXPECT_EQ(once, (Walks{1024, 1028}));
  EXPECT_EQ(sweep(walker, 1024 * 4096, false, once), (Walks{2048, 2052}));
}

TEST(ChenIspass2012, PagesOfTheSecondLevelAreNotWalkedAgain) {
  PageWalker walker(anywhere());
  const Walks once = sweep(walker, 512 * 4096, false);
  EXPECT_EQ(sweep(walker, 512 * 4096, false, once), (Walks{512, 515}));
}

TEST(ChenIspass2012, HugePagesOf16Megabytes) {
  PageWalker walker(anywhere());
  const Walks once = sweep(walker, 16 << 20, true);
  EXPECT_EQ(sweep(walker, 16 << 20, true, once), (Walks{8, 10}));
}

// A sample of memory has a part of each huge page.
TEST(PageWalker, SamplesKeepAllEntriesForHugePages) {
  for (const char* text : {"nehalem", "nehalem,L2TLB=512/4,HUGETLB=4/4,sizes=2"}) {
    PageGeometry g;
    ASSERT_TRUE(parse_geometry(text, g));
    EXPECT_EQ(g.sample, 8u);
    PageWalker walker(g);
    const Walks once = sweep(walker, 16 << 20, true);
    EXPECT_EQ(sweep(walker, 16 << 20, true, once), (Walks{8, 10})) << text;
    const Walks small = sweep(walker, 128 * 4096, false);
    EXPECT_EQ(sweep(walker, 128 * 4096, false).walks, 128u) << small.walks;
  }
}

// Five arrays read and written in different mixes, in turns, in a cache of 4 MB: the
// validation of the paper with 65,536 lines each.
TEST(ChenIspass2012, ValidationReadsEachLineOnceAndWritesBackWhatWasChanged) {
  constexpr std::uint32_t k_lines = 65536;
  RecentLines cache({k_lines, k_lines});
  std::uint64_t requests[5] = {}, write_backs[5] = {}, left[5] = {};
  for (std::uint32_t k = 0; k < k_lines; k++)
    for (std::uint32_t array = 0; array < 5; array++) {
      const bool backward = array >= 3, store = k >= k_lines / 4 * (4 - array);
      const std::uint32_t line = backward ? k_lines - 1 - k : k;
      const RecentLines::Use use = cache.use(array * k_lines + line + 1, array, store);
      requests[array] += !use.hit;
      if (use.evicted.changed) write_backs[use.evicted.owner]++;
    }
  cache.for_each([&](const RecentLines::Line& line) { left[line.owner] += line.changed; });
  const std::uint64_t expected_left[] = {0, 13107, 13107, 13107, 13108};
  for (std::uint32_t array = 0; array < 5; array++) {
    EXPECT_EQ(requests[array], k_lines) << array;
    EXPECT_EQ(write_backs[array] + left[array], k_lines / 4 * array) << array;
    EXPECT_EQ(left[array], expected_left[array]) << array;
  }
}

// The oracle: entries in the order of their last use.
class Recent {
 public:
  explicit Recent(std::size_t room) : room_(room) {}
  RecentLines::Use use(std::uint32_t number, std::uint32_t owner, bool store) {
    RecentLines::Line line{number, owner, false};
    bool hit = false;
    for (auto at = lines_.begin(); at != lines_.end(); ++at)
      if (at->number == number) {
        line = *at;
        lines_.erase(at);
        hit = true;
        break;
      }
    if (store) line.owner = owner, line.changed = true;
    lines_.push_front(line);
    if (lines_.size() <= room_) return {hit, {}};
    const RecentLines::Line last = lines_.back();
    lines_.pop_back();
    return {hit, last};
  }

 private:
  std::size_t room_;
  std::list<RecentLines::Line> lines_;
};

TEST(RecentLines, AgreeWithAListInArraysAndTables) {
  for (const std::uint32_t ways : {1u, 2u, 7u, 64u, 65u, 300u}) {
    RecentLines lines({ways, ways});
    Recent oracle(ways);
    std::mt19937 random(ways);
    for (int i = 0; i < 20000; i++) {
      const std::uint32_t number = 1 + random() % (ways + ways / 2 + 1), owner = random() % 5;
      const bool store = random() % 3 == 0;
      const auto a = lines.use(number, owner, store), b = oracle.use(number, owner, store);
      ASSERT_EQ(a.hit, b.hit);
      ASSERT_EQ(a.evicted.number, b.evicted.number);
      ASSERT_EQ(a.evicted.changed, b.evicted.changed);
      if (b.evicted.changed) { ASSERT_EQ(a.evicted.owner, b.evicted.owner); }
    }
  }
}

// Neither sees what the other does.
TEST(RecentLines, CopiesAreApart) {
  for (const std::uint32_t ways : {7u, 65u}) {
    RecentLines lines[2] = {RecentLines({ways, ways}), RecentLines({})};
    Recent oracles[2] = {Recent(ways), Recent(0)};
    std::mt19937 random(ways);
    for (int i = 0; i < 20000; i++) {
      if (i % 5000 == 40) lines[1] = lines[0], oracles[1] = oracles[0];
      const unsigned which = i < 40 ? 0 : random() % 2;
      const std::uint32_t number = 1 + random() % (ways + ways / 2 + 1), owner = random() % 5;
      const bool store = random() % 3 == 0;
      const auto a = lines[which].use(number, owner, store);
      const auto b = oracles[which].use(number, owner, store);
      ASSERT_EQ(a.hit, b.hit);
      ASSERT_EQ(a.evicted.number, b.evicted.number);
      ASSERT_EQ(a.evicted.changed, b.evicted.changed);
    }
  }
}

TEST(RecentLines, OneInEightHasAnEighthOfTheEntries) {
  for (const CacheLevel size : {CacheLevel{1024, 4}, CacheLevel{64, 64}, CacheLevel{8, 8}}) {
    RecentLines lines(size, 8);
    std::uint64_t there = 0;
    for (std::uint32_t n = 1; n < 5000; n++) lines.use(n);
    lines.for_each([&](const RecentLines::Line&) { there++; });
    EXPECT_EQ(there, size.size / 8);
  }
  RecentLines none({0, 1});
  EXPECT_FALSE(none.use(1).hit);
  EXPECT_FALSE(none.use(1).hit);
}

TEST(PageGeometry, IsReadAndWritten) {
  PageGeometry g;
  EXPECT_TRUE(parse_geometry("nehalem", g));
  EXPECT_EQ(geometry_text(g), "L1TLB=64/4,HUGETLB=32/4,L2TLB=512/4,sizes=1,PDE=32,PDPTE=4,"
                              "PML4E=2,LLC=4M/16,line=64,sample=8,window=1");
  const PageGeometry before = g;
  for (const char* bad : {"nehalemx", "L1TLB", "L1TLB=0/0", "PDE=0", "line=48", "TLB=64/4", ","}) {
    EXPECT_FALSE(parse_geometry(bad, g)) << bad;
    EXPECT_EQ(g, before) << bad;
  }
  EXPECT_TRUE(parse_geometry(geometry_text(machine_pages()), g));
  EXPECT_EQ(g, machine_pages());
  EXPECT_GT(g.small.size, 0u);
}

TEST(PageSizes, AreHugeWhereMostOfAMappingIs) {
  std::istringstream smaps(
      "7f0000000000-7f0000800000 rw-p 00000000 00:00 0 \n"
      "KernelPageSize:        4 kB\nRss:   8192 kB\nAnonHugePages:   8192 kB\n"
      "7f0010001000-7f0010600000 rw-p 00000000 00:00 0 [heap]\n"
      "KernelPageSize:        4 kB\nRss:   4096 kB\nAnonHugePages:   2048 kB\n"
      "7f0020000000-7f0020400000 rw-p 00000000 00:00 0 \n"
      "KernelPageSize:        4 kB\nRss:   4096 kB\nAnonHugePages:   0 kB\n"
      "7f0030000000-7f0030400000 rw-s 00000000 00:0f 1 /anon_hugepage (deleted)\n"
      "KernelPageSize:     2048 kB\nRss:      0 kB\n");
  using Areas = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
  EXPECT_EQ(PageSizes::huge_areas(smaps),
            (Areas{{0x7f0000000000, 0x7f0000800000},
                   {0x7f0010200000, 0x7f0010600000},
                   {0x7f0030000000, 0x7f0030400000}}));
}

TEST(PageSizes, AreAskedForAgainAsMoreIsTouched) {
  const std::string file = ::testing::TempDir() + "memprof-smaps";
  const auto write = [&file](const char* huge) {
    std::ofstream(file) << "10000000-10800000 rw-p 00000000 00:00 0\nRss: 8192 kB\nAnonHugePages: "
                        << huge << " kB\n";
  };
  write("0");
  PageSizes sizes(file);
  EXPECT_FALSE(sizes.known());
  sizes.touched(2);
  EXPECT_TRUE(sizes.known());
  EXPECT_EQ(sizes.huge_page(0x10000000), 0u);
  write("8192");
  sizes.touched(3);
  EXPECT_EQ(sizes.huge_page(0x10000000), 0u);
  sizes.touched(1000);
  EXPECT_EQ(sizes.huge_page(0x10000000), 1u);
  EXPECT_EQ(sizes.huge_page(0x103fffff), 2u);
  EXPECT_EQ(sizes.huge_page(0x10800000), 0u);
  PageSizes none("");
  none.touched(1000);
  EXPECT_FALSE(none.known());
}

}  // namespace
}  // namespace memprof::backend
