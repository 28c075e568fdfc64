// shadow_memory_test.cc - the page forms against a map of bytes.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/shadow/shadow_memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "testsuite/unit/backend/shadow_testutil.h"

namespace memprof::backend {
namespace {

// The writers of W bytes at AT are those of BYTES.
void expect_writers(ShadowMemory& shadow, const std::map<std::uint64_t, Cell>& bytes,
                    std::uint64_t at, std::uint64_t w) {
  std::set<Cell> found, expected;
  shadow.for_each_writer(at, w, [&found](Cell cell, int pace, std::uint64_t n) {
    for (; n != 0; n--, cell = later(cell, pace)) found.insert(cell);
  });
  for (auto p = bytes.lower_bound(at); p != bytes.end() && p->first < at + w; ++p)
    if (p->second != 0) expected.insert(p->second);
  ASSERT_EQ(found, expected);
  const Cell quick = ShadowMemory::writer(shadow.page(at), at, w);
  for (std::uint64_t b = 0; b < w && (writer_p(quick) || quick == 0); b++) {
    const auto byte = bytes.find(at + b);
    ASSERT_EQ(byte == bytes.end() ? 0 : byte->second, quick);
  }
}

TEST(ShadowMemory, EveryFormKeepsEveryByte) {
  std::mt19937_64 random(11);
  auto below = [&random](std::uint64_t n) { return random() % n; };
  for (int round = 0; round < 60; round++) {
    ShadowMemory shadow;
    std::map<std::uint64_t, Cell> bytes;
    const auto byte = [&bytes](std::uint64_t b) { return bytes.contains(b) ? bytes[b] : 0; };
    const std::uint64_t origin = 0x7fff3ffff000 - below(3) * 1000;  // two leaves
    const std::uint64_t area = round % 2 ? 9000 : 300;
    // Only multiples of eight bytes: until late, so that there are coarse pages, or never.
    const int whole = round % 3 == 0 ? static_cast<int>(100 - round % 4 * 30) : 0;
    bool coarse = false;
    for (int i = 0; i < 120; i++) {
      const std::uint64_t unit = i < whole ? 8 : 1;
      const std::uint64_t a = (origin + below(area)) / unit * unit;
      const auto site = static_cast<SiteId>(below(6));  // 0: no site
      const Stamp stamp = 1 + below(1000);
      switch (below(8)) {
        case 0: {
          const std::uint64_t w = below(area) / unit * unit;
          shadow.clear(a, w);
          for (std::uint64_t b = 0; b < w; b++) bytes.erase(a + b);
          break;
        }
        case 1:
        case 2: {
          StoreRun run{a, 1 + below(20), 1 + below(area / 10), 0, site, 200000 + stamp,
                       any_pace(random)};
          if (below(4) == 0) run.step = below(3) == 0 ? 4096 + below(9) : 8;
          run.step = (run.step + unit - 1) / unit * unit;
          run.width = below(2) ? run.step : (1 + below(run.step) + unit - 1) / unit * unit;
          run.count = std::min(run.count, 1 + 2 * area / run.step);
          shadow.store_run(run);
          for (std::uint64_t k = 0; k < run.count; k++)
            for (std::uint64_t b = 0; b < run.width; b++)
              bytes[run.address + k * run.step + b] =
                  cell_of(site, run.stamp + static_cast<Stamp>(run.pace) * k);
          break;
        }
        default: {
          static constexpr std::uint64_t widths[] = {1, 2, 4, 8, 4, 8, 3, 200};
          const std::uint64_t bytes_wide = below(30) == 0 ? below(area) : widths[below(8)];
          const std::uint64_t w = (bytes_wide + unit - 1) / unit * unit;
          const std::uint64_t at = below(3) ? a / 4 * 4 : a;
          const Cell cell = cell_of(site, stamp);
          const Cell old = below(2) ? ShadowMemory::exchange(shadow.page(at), at, w, cell)
                                    : k_several;
          if (!writer_p(old) && old != 0) shadow.store(at, w, cell);
          for (std::uint64_t b = 0; b < w; b++) {
            if (writer_p(old) || old == 0) {
              ASSERT_EQ(byte(at + b), old);
            }
            bytes[at + b] = cell;
          }
        }
      }
      for (std::uint64_t b = origin; b < origin + area; b += k_page)
        coarse |= shadow.page(b).plain().coarse();
      if (i % 20 != 19) continue;
      for (std::uint64_t b = origin - 8; b < origin + 3 * area; b++) {
        Cell found = 0;
        shadow.for_each_writer(b, 1, [&found](Cell cell, int, std::uint64_t) { found = cell; });
        ASSERT_EQ(found, byte(b))
            << "round " << round << " step " << i << " byte " << b - origin;
      }
      for (int probe = 0; probe < 60; probe++) {
        SCOPED_TRACE("round " + std::to_string(round) + " step " + std::to_string(i));
        expect_writers(shadow, bytes, origin + below(area), 1 + below(probe % 15 ? 12 : area));
      }
    }
    EXPECT_TRUE(coarse || whole == 0);
  }
}

TEST(ShadowMemory, AffineStoresAreSmall) {
  ShadowMemory shadow;
  const std::uint64_t base = 0x10000000, size = 64 << 20;
  shadow.store_run({base, 8, size / 8, 8, 1, 1, 1});
  EXPECT_EQ(shadow.bytes_used(), 0u) << "no dense page";
  for (std::uint64_t page = 0; page < size; page += k_page)
    EXPECT_TRUE(shadow.entry(base + page).list_p());
}

// Pages of cells, whose two or four fields are swept one after the other; or nearly.
TEST(ShadowMemory, FieldsThatAreSweptMakeAListAgain) {
  std::mt19937_64 random(7);
  const auto below = [&random](std::uint64_t n) { return random() % n; };
  int lists = 0, cells = 0;
  for (int round = 0; round < 2000; round++) {
    ShadowMemory shadow;
    const std::uint64_t base = 0x10000000, width = below(2) ? 8 : 4, fields = below(2) ? 2 : 4;
    const std::uint64_t step = width * fields, count = k_page / step;
    std::vector<Cell> bytes(k_page);
    const auto store = [&](std::uint64_t offset, std::uint64_t w, Cell cell) {
      std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(offset), w, cell);
    };
    const auto single = [&](std::uint64_t stamp) {
      const std::uint64_t w = below(4) ? width : 4, offset = below(k_page / w) * w;
      shadow.store(base + offset, w, make_cell(99, stamp));
      store(offset, w, make_cell(99, stamp));
    };
    single(1);
    ASSERT_TRUE(shadow.page(base).cells_p());
    const bool disturbed = below(3) == 0;
    for (std::uint64_t f = 0; f < fields; f++) {
      const auto site = static_cast<SiteId>(1 + f);
      const int pace = static_cast<int>(1 + below(k_max_pace)) * (below(2) ? 1 : -1);
      const std::uint64_t missing = below(20) == 0;
      const StoreRun run{base + f * width, step, count - missing, width, site, 100000 * (f + 1), pace};
      shadow.store_run(run);
      for (std::uint64_t k = 0; k < run.count; k++)
        store(f * width + k * step, width, make_cell(site, run.stamp + static_cast<Stamp>(pace) * k));
      if (disturbed && f + 1 < fields) single(50 + f);
    }
    (shadow.page(base).list_p() ? lists : cells)++;
    for (std::uint64_t b = 0; b < k_page; b++) {
      Cell found = 0;
      shadow.for_each_writer(base + b, 1, [&found](Cell cell, int, std::uint64_t) { found = cell; });
      ASSERT_EQ(found, bytes[b]) << "round " << round << " byte " << b;
    }
    ASSERT_GE(shadow.newest(base, base + k_page), cell_stamp(std::ranges::max(bytes)));
  }
  EXPECT_GT(lists, 500);
  EXPECT_GT(cells, 200);
}

TEST(ShadowMemory, PagesOfUnlikeBytesBecomeFineWhenVisitedOften) {
  ShadowMemory shadow;
  const std::uint64_t base = 0x10000000;
  for (std::uint64_t i = 0; i < 100; i++) shadow.store(base + i, 1, make_cell(1, 1 + i));
  ASSERT_TRUE(shadow.entry(base).dense());
  for (std::uint64_t i = 0; i < 40000; i++)
    shadow.store(base + i % 100, 1, make_cell(2, 1 + i));
  const PlainPage fine = shadow.entry(base).plain();
  ASSERT_TRUE(fine);
  EXPECT_EQ(fine.shift, 0u);
  // A run of stores in a fine page, downwards, and one of no site.
  shadow.store_run({base + 10, 2, 20, 2, 3, 100, -1});
  EXPECT_EQ(*fine.first(12), make_cell(3, 99));
  shadow.clear(base + 12, 5);
  EXPECT_EQ(*fine.first(16), 0u);
  EXPECT_EQ(*fine.first(17), make_cell(3, 97));
}

TEST(ShadowMemory, PagesOfWholeWordsTakeHalf) {
  ShadowMemory shadow;
  const std::uint64_t base = 0x10000000;
  for (std::uint64_t i = 0; i < k_page; i += 16) shadow.store(base + i, 8, make_cell(1, 1 + i));
  ASSERT_TRUE(shadow.page(base).plain().coarse());
  EXPECT_EQ(shadow.bytes_used(), k_page + sizeof(SortedRuns));
  EXPECT_EQ(ShadowMemory::writer(shadow.page(base), base + 20, 2), make_cell(1, 17));
  EXPECT_EQ(ShadowMemory::writer(shadow.page(base), base + 24, 8), 0u);
  EXPECT_EQ(ShadowMemory::writer(shadow.page(base), base + 16, 12), k_several);
  shadow.clear(base + 16, 8);
  EXPECT_TRUE(shadow.page(base).plain().coarse());
  EXPECT_EQ(ShadowMemory::writer(shadow.page(base), base + 16, 8), 0u);
  // Half of a word: nothing else changes.
  shadow.store(base + 36, 4, make_cell(2, 5000));
  ASSERT_TRUE(shadow.page(base).dense());
  EXPECT_EQ(shadow.bytes_used(), sizeof(DensePage));
  EXPECT_EQ(ShadowMemory::writer(shadow.page(base), base + 32, 4), make_cell(1, 33));
  EXPECT_EQ(ShadowMemory::writer(shadow.page(base), base + 36, 4), make_cell(2, 5000));
  EXPECT_EQ(ShadowMemory::writer(shadow.page(base), base + 4080, 8), make_cell(1, 4081));
}

// What a page remembers is what one finds cell by cell, whatever was stored meanwhile.
TEST(ShadowMemory, SortedRunsAreSorted) {
  for (std::uint64_t seed = 0; seed < 200; seed++) {
    std::mt19937_64 random(seed);
    const auto below = [&random](std::uint64_t n) {
      return static_cast<std::uint32_t>(random() % n);
    };
    ShadowMemory shadow;
    const std::uint64_t base = 0x10000000, width = seed % 2 ? 8 : 4, cells = k_page / width;
    const std::uint32_t step = 1 + below(4), second = step > 1 ? below(2) : 0;
    Stamp now = 1;
    bool remembered = false;
    for (std::uint64_t i = 0; i < cells; i++)
      shadow.store(base + i * width, width, make_cell(1, now++));
    for (int i = 0; i < 300; i++) {
      const std::uint64_t at = base + below(cells) * width;
      const std::uint64_t count = 1 + below(1 + (base + k_page - at) / (width * step));
      if (below(3) == 0)
        shadow.store_run({at, width * step, count, width * (second + 1), 2, now,
                          below(4) ? 1 : -1});
      else if (below(9) == 0)
        shadow.clear(at, width);
      else if (below(3) == 0)
        shadow.store(at, width, make_cell(1 + below(2), below(2) ? now : at));
      now += cells;
      PageEntry& page = shadow.entry(base);
      if (!page.sortable_p()) continue;
      const std::uint32_t first = below(cells), rest = static_cast<std::uint32_t>(cells) - first;
      if (rest <= second) continue;
      const std::uint32_t most = (rest - second - 1) / step + 1;
      const auto small = [](std::uint32_t n) { return static_cast<std::uint16_t>(n); };
      const SortedRun wanted{small(first), small(step), small(second), small(1 + below(most))};
      std::uint32_t expected = 0;
      for (Cell last = 0; expected < wanted.count; expected++) {
        const Cell* cell = page.cells() + first + expected * step;
        if (!writer_p(*cell) || *cell != cell[second]) break;
        if (expected != 0 && (cell_site(last) != cell_site(*cell) || *cell < last)) break;
        last = *cell;
      }
      remembered |= page.sorted_p();
      const std::uint32_t found = page.sorted(wanted);
      if (found != 0 || expected >= SortedRuns::k_shortest) {
        ASSERT_EQ(found, expected) << "seed " << seed << " step " << i;
      }
    }
    EXPECT_TRUE(remembered) << seed;
  }
}

TEST(ShadowMemory, QuotientsInAPageAreExact) {
  std::uint64_t wrong = 0;
  const auto check = [&wrong](std::uint64_t step) {
    for (std::uint64_t bytes = 0; bytes < k_page; bytes++)
      wrong += steps_in(bytes, reciprocal_of(step)) != bytes / step;
  };
  EXPECT_EQ(steps_in(k_page - 1, reciprocal_of(0)), 0u);
  for (std::uint64_t step = 1; step <= k_page + 2; step++) check(step);
  for (unsigned shift = 13; shift < 64; shift++) check(std::uint64_t{1} << shift);
  EXPECT_EQ(wrong, 0u);
}

TEST(ShadowMemory, HugeDeathsAreQuick) {
  ShadowMemory shadow;
  shadow.store(0x7f0000000000, 8, make_cell(1, 1));
  shadow.clear(0x1000, std::uint64_t{1} << 46);
  shadow.clear(0x1000, (std::uint64_t{1} << 47) - 0x1000);
  EXPECT_TRUE(shadow.entry(0x7f0000000000).empty());
}

}  // namespace
}  // namespace memprof::backend
