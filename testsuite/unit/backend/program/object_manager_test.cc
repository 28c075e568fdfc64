// object_manager_test.cc - any address to the object that lives there.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/program/object_manager.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "runtime/backend/program/mappings.h"

namespace memprof::backend {
namespace {

class ObjectManagerTest : public ::testing::Test {
 protected:
  GroupId group(std::uint32_t line) {
    feedback::Group g;
    g.line = line;
    return groups_.intern(g);
  }
  // "(group line, serial, offset)", or "unknown".
  std::string where(std::uint64_t address) {
    const Object* o = objects_.find(address);
    if (!o) return "unknown";
    return "(" + std::to_string(groups_.name(o->group).line) + "," +
           std::to_string(o->serial) + "," + std::to_string(address - o->base) +
           ")";
  }

  GroupTable groups_;
  ObjectManager objects_{groups_};
};

TEST_F(ObjectManagerTest, MappingsLoseTheirPartsOneByOne) {
  feedback::Group mapped;
  mapped.kind = feedback::GroupKind::mapped;
  mapped.line = 1;
  const GroupId whole = groups_.intern(mapped);
  mapped.line = 2;
  const GroupId inner = groups_.intern(mapped);
  Mappings mappings(objects_);
  constexpr std::uint64_t page = 4096, base = 1000 * page;
  mappings.map(base, 16 * page, whole);
  mappings.map(base + 4 * page, 2 * page, inner);
  EXPECT_TRUE(mappings.gone().empty());
  EXPECT_EQ(where(base + 3 * page).substr(0, 3), "(1,");
  EXPECT_EQ(where(base + 5 * page), "(2,0,4096)");
  EXPECT_EQ(where(base + 7 * page).substr(0, 3), "(1,");
  EXPECT_EQ(groups_[whole].objects, 1u);
  EXPECT_EQ(groups_[whole].live, 14 * page);
  // The head goes, then what is in the middle, then the rest with a hole in it.
  mappings.unmap(base, page);
  EXPECT_EQ(where(base), "unknown");
  EXPECT_EQ(where(base + page).substr(0, 3), "(1,");
  mappings.unmap(base + 4 * page, 2 * page);
  ASSERT_EQ(mappings.gone().size(), 1u);
  EXPECT_EQ(mappings.gone()[0].group, inner);
  mappings.unmap(base, 16 * page);
  ASSERT_EQ(mappings.gone().size(), 1u);
  EXPECT_EQ(mappings.gone()[0].group, whole);
  EXPECT_EQ(mappings.gone()[0].size(), 16 * page);
  EXPECT_EQ(groups_[whole].live, 0u);
  EXPECT_EQ(objects_.live(), 0u);
}

// Object-relative tuples: Wu et al., CGO 2004.
TEST_F(ObjectManagerTest, SerialNumbersAreNeverUsedAgain) {
  const GroupId site7 = group(7);
  objects_.birth(1000 * 16, 16, site7);
  objects_.birth(2000 * 16, 16, site7);
  EXPECT_EQ(where(2000 * 16 + 8), "(7,1,8)");
  EXPECT_TRUE(objects_.death(1000 * 16));
  objects_.birth(1000 * 16, 16, site7);
  EXPECT_EQ(where(1000 * 16), "(7,2,0)");
  EXPECT_EQ(where(1000 * 16 + 16), "unknown");
}

TEST_F(ObjectManagerTest, FindsObjectsOfOneByteThatShareAGranule) {
  const GroupId g = group(1);
  for (std::uint64_t i = 0; i < 16; i += 2) objects_.birth(0x1000 + i, 1, g);
  EXPECT_EQ(where(0x1000), "(1,0,0)");
  EXPECT_EQ(where(0x1001), "unknown");
  EXPECT_EQ(where(0x100e), "(1,7,0)");
  EXPECT_TRUE(objects_.death(0x1004));
  EXPECT_EQ(where(0x1004), "unknown");
  EXPECT_EQ(where(0x1006), "(1,3,0)");
  for (std::uint64_t i = 0; i < 16; i += 2) objects_.death(0x1000 + i);
  EXPECT_EQ(objects_.live(), 0u);
  EXPECT_TRUE(objects_.nothing_in(0x1000, 0x1010));
}

TEST_F(ObjectManagerTest, FindsBothEndsOfAnUnalignedLargeObject) {
  const std::uint64_t base = 0x10000123, size = 100001;
  objects_.birth(base, size, group(1));
  EXPECT_EQ(where(base - 1), "unknown");
  EXPECT_EQ(where(base), "(1,0,0)");
  EXPECT_EQ(where(base + 50000), "(1,0,50000)");
  EXPECT_EQ(where(base + size - 1), "(1,0,100000)");
  EXPECT_EQ(where(base + size), "unknown");
  objects_.birth(base + size, 3, group(2));
  EXPECT_EQ(where(base + size - 1), "(1,0,100000)");
  EXPECT_EQ(where(base + size), "(2,0,0)");
  EXPECT_EQ(objects_.evictions(), 0u);
}

TEST_F(ObjectManagerTest, SixteenGigabytesAreOneObject) {
  const std::uint64_t base = 0x7000'0000'0010, size = std::uint64_t{16} << 30;
  objects_.birth(base, size, group(1));
  EXPECT_EQ(where(base + size - 1), "(1,0," + std::to_string(size - 1) + ")");
  EXPECT_EQ(where(base + size / 2), "(1,0," + std::to_string(size / 2) + ")");
  EXPECT_EQ(where(base + size), "unknown");
  EXPECT_TRUE(objects_.death(base));
  EXPECT_EQ(where(base + size / 2), "unknown");
  EXPECT_TRUE(objects_.nothing_in(base, base + size));
}

// As a database maps more than it will ever hold.
TEST_F(ObjectManagerTest, SixtyFourTerabytesAreOneObject) {
  const std::uint64_t base = 0x1000'0000'3010, size = std::uint64_t{64} << 40;
  const std::uint64_t inside = base + size / 2;
  // Its page has had an object before.
  objects_.birth(inside, 64, group(2));
  EXPECT_TRUE(objects_.death(inside));
  EXPECT_TRUE(objects_.nothing_in(base, base + size));
  objects_.birth(base, size, group(1));
  for (std::uint64_t offset : {std::uint64_t{0}, size / 3, size / 2, size - 1})
    EXPECT_EQ(where(base + offset), "(1,0," + std::to_string(offset) + ")");
  EXPECT_EQ(where(base - 1), "unknown");
  EXPECT_EQ(where(base + size), "unknown");
  EXPECT_FALSE(objects_.nothing_in(inside, inside + 1));
  EXPECT_TRUE(objects_.death(base));
  EXPECT_EQ(where(inside), "unknown");
  EXPECT_TRUE(objects_.nothing_in(base, base + size));

  objects_.birth(base, size, group(1));
  objects_.birth(inside + 4096, 64, group(2));
  EXPECT_EQ(objects_.evictions(), 1u);
  EXPECT_EQ(where(inside), "unknown");
  EXPECT_EQ(where(inside + 4096), "(2,1,0)");
  objects_.birth(base, size, group(1));
  EXPECT_EQ(objects_.evictions(), 2u);
  EXPECT_EQ(where(inside + 4096), "(1,2," + std::to_string(size / 2 + 4096) + ")");
}

TEST_F(ObjectManagerTest, ABirthKillsWhatItOverlaps) {
  objects_.birth(0x1000, 64, group(1));
  objects_.birth(0x1040, 64, group(1));
  objects_.birth(0x20000, 20000, group(1));
  objects_.birth(0x1030, 0x20000, group(2));
  EXPECT_EQ(objects_.evictions(), 3u);
  EXPECT_EQ(objects_.evicted().size(), 3u);
  EXPECT_EQ(where(0x1000), "unknown");
  EXPECT_EQ(where(0x1040), "(2,0,16)");
  EXPECT_EQ(objects_.live(), 1u);
}

TEST_F(ObjectManagerTest, AnEmptyObjectCanDie) {
  objects_.birth(0x1000, 0, group(1));
  objects_.birth(0x1020, 0, group(1));
  EXPECT_EQ(where(0x1000), "unknown");
  EXPECT_EQ(objects_.live(), 2u);
  ASSERT_TRUE(objects_.begins_at(0x1020));
  EXPECT_EQ(objects_.begins_at(0x1020)->serial, 1u);
  EXPECT_TRUE(objects_.death(0x1000));
  EXPECT_FALSE(objects_.death(0x1000));
  EXPECT_EQ(groups_[group(1)].bytes, 0u);
  EXPECT_EQ(groups_[group(1)].span, 0u);
  EXPECT_EQ(groups_[group(1)].objects, 2u);
  EXPECT_EQ(objects_.live(), 1u);
}

// As a pool hands it out: at the end of another object, or at the address of the next one.
TEST_F(ObjectManagerTest, AnEmptyObjectTakesNoMemory) {
  objects_.birth(0x1000, 64, group(1));
  objects_.birth(0x1000, 0, group(2));
  objects_.birth(0x1020, 0, group(2));
  objects_.birth(0x1040, 0, group(2));
  EXPECT_EQ(objects_.evictions(), 0u);
  EXPECT_EQ(where(0x1000), "(1,0,0)");
  EXPECT_EQ(where(0x1020), "(1,0,32)");
  std::size_t objects = 0;
  objects_.for_each([&](const Object&) { objects++; });
  EXPECT_EQ(objects, 4u);
  EXPECT_EQ(objects_.death(0x1000)->size(), 64u);
  EXPECT_EQ(objects_.death(0x1000)->size(), 0u);
  // Whoever is born there has been given memory that was free.
  objects_.birth(0x1040, 16, group(1));
  ASSERT_EQ(objects_.evicted().size(), 1u);
  EXPECT_EQ(objects_.evicted()[0].base, 0x1040u);
  objects_.birth(0x1020, 0, group(2));
  EXPECT_EQ(objects_.evicted().size(), 1u);
}

TEST_F(ObjectManagerTest, DeathWantsTheFirstByte) {
  objects_.birth(0x1000, 64, group(1));
  EXPECT_FALSE(objects_.death(0x1010));
  EXPECT_FALSE(objects_.death(0x5000));
  EXPECT_EQ(objects_.unknown_deaths(), 2u);
  EXPECT_EQ(where(0x1010), "(1,0,16)");
}

TEST_F(ObjectManagerTest, RefusesWhatIsNoUserMemory) {
  EXPECT_EQ(objects_.birth(~std::uint64_t{0} - 8, 64, group(1)), nullptr);
  EXPECT_EQ(objects_.birth(0x7fff'ffff'f000, 0x2000, group(1)), nullptr);
  EXPECT_EQ(objects_.birth(0x1000, ~std::uint64_t{0}, group(1)), nullptr);
  EXPECT_EQ(objects_.find(~std::uint64_t{0}), nullptr);
  EXPECT_NE(objects_.birth(0x7fff'ffff'0000, 0x8000, group(1)), nullptr);
}

TEST_F(ObjectManagerTest, SpanIsThePeakOfLiveBytes) {
  const GroupId g = group(1);
  objects_.birth(0x1000, 100, g);
  objects_.birth(0x2000, 50, g);
  objects_.death(0x1000);
  objects_.birth(0x3000, 20, g);
  EXPECT_EQ(groups_[g].span, 150u);
  EXPECT_EQ(groups_[g].bytes, 170u);
  EXPECT_EQ(groups_[g].live, 70u);
}

TEST_F(ObjectManagerTest, TheEpochChangesWhenACachedObjectDies) {
  objects_.birth(0x1000, 64, group(1));
  objects_.birth(0x2000, 64, group(1));
  const std::uint32_t before = objects_.epoch();
  objects_.death(0x1000);
  EXPECT_EQ(objects_.epoch(), before);
  objects_.mark_cached(*objects_.find(0x2008));
  EXPECT_EQ(where(0x203f), "(1,1,63)");
  objects_.death(0x2000);
  EXPECT_NE(objects_.epoch(), before);
}

TEST_F(ObjectManagerTest, ASmallObjectThatIsOftenFoundAgainIsWorthCaching) {
  const GroupId g = group(1);
  // A new object: how often one has to find it in a row.
  const auto often = [&](std::uint64_t base, bool cached) {
    objects_.birth(base, 16, g);
    Object& object = *objects_.find(base);
    EXPECT_FALSE(object.worth_caching());
    std::uint64_t times = 0;
    while (!object.worth_caching()) objects_.found_again(object, ++times);
    EXPECT_EQ(object.size(), 16u);
    if (cached) objects_.mark_cached(object);
    objects_.death(base);
    return times;
  };
  const std::uint64_t first = often(0x1000, false);
  EXPECT_GT(first, 1u);
  EXPECT_EQ(often(0x2000, true), first);
  EXPECT_EQ(often(0x3000, false), 2 * first) << "the death of the one before was dear";
  EXPECT_EQ(often(0x1000, true), 2 * first);
  EXPECT_EQ(often(0x1000, true), 4 * first);
}

// Random births and deaths, of all sizes and alignments, against a map.
class ObjectManagerRandom : public ::testing::TestWithParam<unsigned> {};

TEST_P(ObjectManagerRandom, AgreesWithAMap) {
  struct Known {
    std::uint64_t size;
    GroupId group;
    std::uint32_t serial;
  };
  std::mt19937_64 random(GetParam());
  const auto below = [&](std::uint64_t n) { return random() % n; };
  GroupTable groups;
  ObjectManager objects(groups);
  std::map<std::uint64_t, Known> live;
  // The last object with bytes that begins before ADDRESS, or the end. One of 0 bytes may
  // lie within another one.
  const auto before = [&](std::uint64_t address) {
    auto it = live.lower_bound(address);
    while (it != live.begin())
      if ((--it)->second.size != 0) return it;
    return live.end();
  };
  std::vector<std::uint32_t> serials(8);
  // Around a 4 GB boundary, where the tables have a seam.
  const std::uint64_t area = 1 << 17;
  const std::uint64_t origin = 0x7f00'0000'0000 - area / 2;
  std::uint64_t evictions = 0;
  for (int step = 0; step < 4000; step++) {
    const std::uint64_t address = origin + below(area);
    if (below(3)) {
      static constexpr std::uint64_t limits[] = {4, 40, 300, 9000, 40000};
      std::uint64_t size =
          below(100) ? below(1 + limits[below(5)]) : (std::uint64_t{9} << 30) + below(area);
      feedback::Group name;
      name.line = static_cast<std::uint32_t>(below(8));
      if (live.contains(address)) size++;  // the model has one of each address
      for (auto it = live.begin(); it != live.end();) {
        const bool overlaps =
            it->second.size == 0
                ? address <= it->first && it->first < address + std::max<std::uint64_t>(size, 1)
                : size != 0 && it->first < address + size &&
                      address < it->first + it->second.size;
        evictions += overlaps;
        it = overlaps ? live.erase(it) : std::next(it);
      }
      const GroupId group = groups.intern(name);
      const Object* made = objects.birth(address, size, group);
      ASSERT_TRUE(made);
      live[address] = {size, group, made->serial};
      ASSERT_EQ(made->serial, serials[name.line]++);
    } else if (!live.empty()) {
      auto it = live.lower_bound(address);
      if (it == live.end()) it = live.begin();
      ASSERT_TRUE(objects.death(it->first));
      live.erase(it);
    }
    for (int probe = 0; probe < 20; probe++) {
      std::uint64_t a = origin + below(area);
      if (probe % 2 && !live.empty()) {  // near an edge
        auto it = live.lower_bound(a);
        if (it == live.end()) it = live.begin();
        a = it->first + (probe % 4 == 1 ? it->second.size : 0) - below(2);
      }
      const auto it = before(a + 1);
      const bool known = it != live.end() && a < it->first + it->second.size;
      const Object* found = objects.find(a);
      ASSERT_EQ(found != nullptr, known) << std::hex << a;
      if (!known) continue;
      ASSERT_EQ(found->base, it->first);
      ASSERT_EQ(found->group, it->second.group);
      ASSERT_EQ(found->serial, it->second.serial);
    }
    // nothing_in may doubt, but never be wrong.
    const std::uint64_t last = address + 1 + below(20000);
    if (objects.nothing_in(address, last)) {
      const auto it = before(last);
      ASSERT_TRUE(it == live.end() || it->first + it->second.size <= address);
    }
  }
  EXPECT_EQ(objects.live(), live.size());
  EXPECT_EQ(objects.evictions(), evictions);
}

// Of sizes around pages and huge pages: zero, writable from end to end, and nothing else goes.
TEST(SparseArray, HoldsAllOfItsCapacity) {
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{4096}, std::size_t{65537},
                                  std::size_t{2} << 20, (std::size_t{5} << 20) + 8}) {
    SparseArray<char> before(100), array(bytes), after(100);
    before[99] = after[99] = 1;
    EXPECT_EQ(array.capacity(), bytes);
    EXPECT_EQ(array[0], 0);
    EXPECT_EQ(array[bytes - 1], 0);
    for (std::size_t i = 0; i < bytes; i += 4096) array[i] = 2;
    array[bytes - 1] = 3;
    EXPECT_EQ(array[bytes - 1], 3);
    EXPECT_EQ(before[99] + after[99], 2);
  }
  void* const p = map_huge_pages(std::size_t{6} << 20, 65536);
  EXPECT_EQ((reinterpret_cast<std::uintptr_t>(p) + 65536) % k_huge_page_bytes, 0u);
  munmap(p, std::size_t{6} << 20);
}

INSTANTIATE_TEST_SUITE_P(Seeds, ObjectManagerRandom, ::testing::Range(1u, 9u));

}  // namespace
}  // namespace memprof::backend
