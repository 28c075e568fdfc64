// pmu_test.cc - samples of the processor's counters: records, events, rings, sums by object.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Records are put together byte by byte, as linux/perf_event.h says they lie. A machine without
// counters has rings, too: the kernel fills them with page faults here.
#include <gtest/gtest.h>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "runtime/backend/modules/pages/pmu_counts.h"
#include "runtime/backend/modules/pages/pmu_events.h"
#include "runtime/backend/modules/pages/pmu_records.h"
#include "runtime/backend/modules/pages/pmu_rings.h"

namespace memprof::backend {
namespace {

// Fields of perf_mem_data_src, by their first bits.
constexpr std::uint64_t op(std::uint64_t bits) { return bits; }
constexpr std::uint64_t level(std::uint64_t bits) { return bits << 5; }
constexpr std::uint64_t tlb(std::uint64_t bits) { return bits << 26; }
constexpr std::uint64_t level_number(std::uint64_t n) { return n << 33; }
constexpr std::uint64_t k_load = 2, k_store = 4, k_missed_l2 = 4 | 16, k_hit_l1 = 2 | 8;

class Bytes {
 public:
  Bytes& put(std::uint64_t value, unsigned bytes) {
    for (; bytes > 0; bytes--, value >>= 8) bytes_.push_back(static_cast<std::byte>(value));
    return *this;
  }
  Bytes& header(unsigned type, unsigned misc, unsigned size) {
    return put(type, 4).put(misc, 2).put(size, 2);
  }
  Bytes& sample(std::uint32_t pid, std::uint32_t tid, std::uint64_t address, std::uint64_t period,
                std::uint64_t source, unsigned misc = 2) {
    return header(9, misc, 40).put(pid, 4).put(tid, 4).put(address, 8).put(period, 8).put(source, 8);
  }
  Bytes& lost(std::uint64_t n) { return header(2, 0, 24).put(1, 8).put(n, 8); }
  PmuRecords parsed() const {
    PmuRecords records;
    parse_records(bytes_, records);
    return records;
  }
  std::vector<std::byte> bytes_;
};

TEST(PmuRecords, SayAddressThreadAndWhereTheDataCameFrom) {
  const PmuRecords r = Bytes()
                           .sample(10, 11, 0x7f0000001234, 4000,
                                   op(k_load) | level(4 | 0x80) | tlb(k_missed_l2))
                           .lost(7)
                           .sample(10, 10, 0x1000, 99, op(k_store) | level(2 | 8) | tlb(k_hit_l1))
                           .header(10, 0, 16).put(0, 8)  // of another type: passed over
                           .sample(10, 10, 0x1000, 99, op(1))                    // no access
                           .sample(10, 10, 0x1000, 99, op(k_load), 1)            // the kernel's
                           .parsed();
  EXPECT_EQ(r.samples, (std::vector<PmuSample>{{10, 11, 0x7f0000001234, 4000, false, true, true},
                                               {10, 10, 0x1000, 99, true, false, false}}));
  EXPECT_EQ(r.lost, 7u);
  EXPECT_EQ(r.passed, 2u);
  EXPECT_EQ(r.malformed, 0u);
}

TEST(PmuRecords, OfTheDataSourceDecideWalksAndMemory) {
  const auto decoded = [](std::uint64_t source) {
    PmuSample s;
    EXPECT_TRUE(decode_source(op(k_load) | source, s));
    return std::pair(s.walk, s.memory);
  };
  using Two = std::pair<bool, bool>;
  EXPECT_EQ(decoded(0), Two(false, false));
  EXPECT_EQ(decoded(tlb(2 | 16)), Two(false, false));      // hit in the second level
  EXPECT_EQ(decoded(tlb(4 | 8)), Two(false, false));       // missed the first level only
  EXPECT_EQ(decoded(tlb(4 | 8 | 16)), Two(true, false));
  EXPECT_EQ(decoded(tlb(2 | 32)), Two(true, false));       // the walker
  EXPECT_EQ(decoded(tlb(4 | 64)), Two(true, false));       // a page fault
  EXPECT_EQ(decoded(level(2 | 64)), Two(false, false));    // hit in L3
  for (const std::uint64_t ram : {0x80, 0x100, 0x200})
    EXPECT_EQ(decoded(level(2 | ram)), Two(false, true));
  EXPECT_EQ(decoded(level_number(13)), Two(false, true));
  EXPECT_EQ(decoded(level_number(3)), Two(false, false));
  EXPECT_EQ(decoded(level_number(15)), Two(false, false));
}

TEST(PmuRecords, ThatMakeNoSenseEndTheBytes) {
  const auto good = [] { return Bytes().sample(1, 1, 0x1000, 1, op(k_load)); };
  const Bytes bad[] = {
      good().header(9, 2, 48).put(0, 8).put(0, 8).put(0, 8).put(0, 8).put(0, 8),  // longer
      good().header(9, 2, 32).put(0, 8).put(0, 8).put(0, 8),                      // shorter
      good().header(2, 0, 16).put(0, 8),     // LOST without its number
      good().header(9, 2, 40).put(0, 8),     // not all there
      good().header(3, 0, 0),                // no size
      good().header(3, 0, 7),
      good().put(9, 4),                      // half a header
  };
  for (const Bytes& b : bad) {
    const PmuRecords r = b.parsed();
    EXPECT_EQ(r.samples.size(), 1u);
    EXPECT_EQ(r.malformed, 1u);
    EXPECT_EQ(r.lost, 0u);
  }
  EXPECT_EQ(Bytes().parsed().malformed, 0u);
}

TEST(PmuCounts, AreByObjectAndThread) {
  PmuCounts counts(10);
  counts.born(0x10000, 0x2000, 7, 0);
  counts.born(0x20000, 64, 8, 5);  // less than a page: with others
  const std::uint64_t walk = tlb(k_missed_l2), ram = level(4 | 0x80);
  counts.add(Bytes()
                 .sample(10, 10, 0x10040, 4000, op(k_load) | walk | ram)
                 .sample(10, 12, 0x11fff, 3000, op(k_store) | walk)
                 .sample(10, 12, 0x12000, 500, op(k_load))           // past its end
                 .sample(10, 10, 0x20000, 100, op(k_load))
                 .sample(99, 99, 0x10040, 4000, op(k_load))          // another process
                 .parsed());
  counts.died(0x10000);
  counts.add(Bytes().sample(10, 10, 0x10040, 4000, op(k_store)).parsed());
  const auto rows = counts.rows([](GroupId group) { return feedback::Id(group + 100); });
  std::map<std::tuple<feedback::Id, std::uint64_t, std::uint32_t>, feedback::Pages> found;
  for (const feedback::Pages& r : rows) {
    EXPECT_EQ(r.source, feedback::PageSource::pmu);
    found[{r.group, r.object, r.thread}] = r;
  }
  ASSERT_EQ(found.size(), 5u);
  const feedback::Pages& main = found[{107, 1, 0}];
  EXPECT_EQ(std::tuple(main.reads, main.writes, main.walks, main.memory.requests, main.variance),
            std::tuple(4000u, 0u, 4000u, 4000u, 16000000u));
  EXPECT_EQ(main.walk_refs, 0u);
  const feedback::Pages& other = found[{107, 1, 1}];
  EXPECT_EQ(std::tuple(other.reads, other.writes, other.walks, other.memory.requests),
            std::tuple(0u, 3000u, 3000u, 0u));
  EXPECT_EQ((found[{108, 0, 0}].reads), 100u);
  EXPECT_EQ((found[{feedback::k_none, 0, 1}].reads), 500u);
  EXPECT_EQ((found[{feedback::k_none, 0, 0}].writes), 4000u);  // after its death
  EXPECT_EQ(counts.samples(), 5u);
}

TEST(PmuCounts, StandForLostSamplesToo) {
  PmuCounts counts(10);
  counts.add(Bytes().sample(10, 10, 0x1000, 10, op(k_load) | tlb(k_missed_l2)).lost(1)
                 .sample(10, 10, 0x1000, 10, op(k_load)).parsed());
  const auto rows = counts.rows([](GroupId group) { return feedback::Id(group); });
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(std::pair(rows[0].reads, rows[0].walks), std::pair(30ul, 15ul));
  EXPECT_EQ(rows[0].variance, 225u);
}

class Devices {
 public:
  Devices() : path(::testing::TempDir() + "memprof-devices") { std::filesystem::remove_all(path); }
  void put(const std::string& name, const std::string& text) const {
    const std::string file = path + '/' + name;
    std::filesystem::create_directories(file.substr(0, file.rfind('/')));
    std::ofstream(file) << text << '\n';
  }
  const std::string path;
};

TEST(PmuEvents, AreWhatTheKernelDescribes) {
  const Devices devices;
  EXPECT_TRUE(pmu_events(devices.path).empty());
  devices.put("ibs_op/type", "11");
  auto events = pmu_events(devices.path);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].name, "ibs_op");
  EXPECT_EQ(std::pair(events[0].type, events[0].precise), std::pair(11u, 0u));
  devices.put("cpu/type", "4");
  devices.put("cpu/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3");
  devices.put("cpu/events/mem-stores", "event=0x1d0,umask=0x82");
  devices.put("cpu/format/event", "config:0-7,32-35");
  devices.put("cpu/format/umask", "config:8-15");
  devices.put("cpu/format/ldlat", "config1:0-15");
  events = pmu_events(devices.path);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].name, "cpu/mem-loads");
  EXPECT_EQ(events[0].type, 4u);
  EXPECT_EQ(events[0].precise, 3u);
  EXPECT_EQ(events[0].config[0], 0x1cdu);
  EXPECT_EQ(events[0].config[1], 3u);
  EXPECT_EQ(events[1].config[0], 0x1000082d0u);
  devices.put("cpu/format/ldlat", "config9:0-15");
  EXPECT_EQ(pmu_events(devices.path).size(), 1u);
  devices.put("cpu/format/umask", "config:15-8");
  EXPECT_EQ(pmu_events(devices.path)[0].name, "ibs_op");
}

// Each page that is touched first is a record with its address. There is no data source, so the
// test writes one where the kernel says "not available".
TEST(PmuRings, HoldTheKernelsRecords) {
  const PmuEvent faults{"page-faults", PERF_TYPE_SOFTWARE, {PERF_COUNT_SW_PAGE_FAULTS, 0, 0}, 0, 1};
  PmuRings rings;
  if (const std::string why = rings.open({faults}, getpid()); !why.empty()) GTEST_SKIP() << why;
  constexpr std::size_t k_page = 4096, k_pages = 64, k_rounds = 100;  // more than a ring holds
  std::uint64_t touched = 0, found = 0;
  PmuCounts counts(static_cast<std::uint32_t>(getpid()));
  for (std::size_t round = 0; round < k_rounds; round++) {
    char* const memory = static_cast<char*>(
        mmap(nullptr, k_pages * k_page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    ASSERT_NE(memory, MAP_FAILED);
    madvise(memory, k_pages * k_page, MADV_NOHUGEPAGE);
    const auto first = reinterpret_cast<std::uint64_t>(memory);
    counts.born(first, k_pages * k_page, 3, static_cast<std::uint32_t>(round));
    for (std::size_t i = 0; i < k_pages; i++) memory[i * k_page] = 1, touched++;
    rings.read([&](std::span<const std::byte> bytes) {
      std::vector<std::byte> copy(bytes.begin(), bytes.end());
      for (std::size_t at = 0; at + 40 <= copy.size();) {
        perf_event_header header;
        std::memcpy(&header, &copy[at], sizeof header);
        const std::uint64_t source = op(k_load) | tlb(k_missed_l2);
        if (header.type == PERF_RECORD_SAMPLE) std::memcpy(&copy[at + 32], &source, sizeof source);
        at += header.size;
      }
      PmuRecords records;
      parse_records(copy, records);
      EXPECT_EQ(records.malformed, 0u);
      EXPECT_EQ(records.lost, 0u);
      for (const PmuSample& s : records.samples) found += s.address - first < k_pages * k_page;
      counts.add(records);
    });
    counts.died(first);
    munmap(memory, k_pages * k_page);
  }
  EXPECT_EQ(found, touched);
  std::uint64_t walks = 0;
  for (const feedback::Pages& r : counts.rows([](GroupId g) { return feedback::Id(g); }))
    if (r.group == 3) walks += r.walks;
  EXPECT_EQ(walks, touched);
}

TEST(PmuRings, OfAnEventThatIsNotThereAreRefused) {
  PmuEvent none{"none", 12345};
  EXPECT_TRUE(PmuRings().open({none}, getpid()).starts_with("none: "));
}

}  // namespace
}  // namespace memprof::backend
