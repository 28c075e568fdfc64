// shadow_compact_test.cc - pages of the shadow with cells of 4 bytes.
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "runtime/backend/shadow/shadow_memory.h"
#include "testsuite/unit/backend/shadow_testutil.h"

namespace memprof::backend {
namespace {

constexpr std::uint64_t k_base = 0x10000000;
constexpr Stamp k_far = Stamp{1} << CompactPage::k_low_bits;  // has another key

// One fine page is so much that all others stay compact.
class CompactShadow : public ::testing::Test {
 protected:
  CompactShadow() {
    ShadowPages::fine_step = 1;
    store_bytes(0x7fff00000000, 256, 1, 1);
    EXPECT_TRUE(shadow.page(0x7fff00000000).plain());
  }
  ~CompactShadow() override { ShadowPages::fine_step = fine_step_; }

  // The first byte of each of COUNT granules.
  void store_bytes(std::uint64_t address, std::uint64_t count, SiteId site, Stamp stamp) {
    for (std::uint64_t i = 0; i < count; i++)
      shadow.store(address + i * k_granule, 1, make_cell(site, stamp + i));
  }
  CompactPage* make_compact(std::uint64_t address) {
    store_bytes(address, 256, 1, 1);
    return shadow.page(address).compact();
  }
  // What a load finds.
  Cell writer(std::uint64_t address, std::uint64_t width) const {
    const CompactPage* page = shadow.page(address).compact();
    const Cell cell = ShadowMemory::writer(shadow.page(address), address, width);
    if (page) {
      EXPECT_EQ(cell, k_several) << "not for the fast path";
      return page->writer(address % k_page, width);
    }
    return cell;
  }

  ShadowMemory shadow;

 private:
  const std::uint64_t fine_step_ = ShadowPages::fine_step;
};

TEST_F(CompactShadow, ManyUnlikeGranulesMakeAPageCompactInItsOwnMemory) {
  store_bytes(k_base, 255, 1, 1);
  ASSERT_TRUE(shadow.page(k_base).dense());
  const std::uint64_t before = shadow.bytes_used();
  store_bytes(k_base + 255 * k_granule, 1, 1, 256);
  ASSERT_TRUE(shadow.page(k_base).compact());
  EXPECT_EQ(shadow.bytes_used(), before + sizeof(CompactPage));
  EXPECT_LT(before, 4.1 * k_page + 32800);  // and the fine page
  for (std::uint64_t i = 0; i < 256; i++) {
    EXPECT_EQ(writer(k_base + i * k_granule, 1), make_cell(1, 1 + i));
    EXPECT_EQ(writer(k_base + i * k_granule + 1, 1), 0u);
    EXPECT_EQ(writer(k_base + i * k_granule, 2), k_several);
  }
}

TEST_F(CompactShadow, LoadsOfAllWidths) {
  ASSERT_TRUE(make_compact(k_base));
  for (const std::uint64_t width : {1, 2, 4, 8}) {
    const std::uint64_t a = k_base + 1021;  // its cells lie in two chunks
    const Cell cell = make_cell(2, 70 + width);
    shadow.store(a, width, cell);
    ASSERT_TRUE(shadow.page(k_base).compact());
    for (const std::uint64_t w : {1, 2, 4, 8})
      for (std::uint64_t at = a; at + w <= a + width; at++) EXPECT_EQ(writer(at, w), cell);
    EXPECT_EQ(writer(a, width + 1), k_several);
  }
  EXPECT_EQ(writer(k_base + 2000, 8), 0u);
}

TEST_F(CompactShadow, TooManyKeysMakeAPageFine) {
  ASSERT_TRUE(make_compact(k_base));
  for (SiteId site = 2; site < CompactPage::k_keys; site++)
    shadow.store(k_base + 2000 + site, 1, make_cell(site, 5));
  ASSERT_TRUE(shadow.page(k_base).compact());
  shadow.store(k_base + 3000, 2, make_cell(CompactPage::k_keys, 5));
  ASSERT_TRUE(shadow.page(k_base).plain());
  for (SiteId site = 2; site < CompactPage::k_keys; site++)
    EXPECT_EQ(writer(k_base + 2000 + site, 1), make_cell(site, 5));
  EXPECT_EQ(writer(k_base + 3000, 2), make_cell(CompactPage::k_keys, 5));
  EXPECT_EQ(writer(k_base + 255 * k_granule, 1), make_cell(1, 256));
  EXPECT_EQ(writer(k_base + 2001, 1), 0u);
}

TEST_F(CompactShadow, SoDoStampsThatSpanTooMuch) {
  ASSERT_TRUE(make_compact(k_base));
  for (Stamp i = 1; i + 1 < CompactPage::k_keys; i++)
    shadow.store(k_base + 2000 + i, 1, make_cell(1, i * k_far + i));
  ASSERT_TRUE(shadow.page(k_base).compact());
  EXPECT_EQ(writer(k_base + 2007, 1), make_cell(1, 7 * k_far + 7));
  const Cell latest = make_cell(k_max_sites, k_stamp_mask);
  shadow.store(k_base + 1, 1, latest);
  ASSERT_TRUE(shadow.page(k_base).plain());
  EXPECT_EQ(writer(k_base + 1, 1), latest);
  EXPECT_EQ(writer(k_base + 2007, 1), make_cell(1, 7 * k_far + 7));
}

TEST_F(CompactShadow, KeysOfOverwrittenBytesAreUsedAgain) {
  ASSERT_TRUE(make_compact(k_base));
  for (SiteId site = 2; site < 500; site++)
    for (std::uint64_t i = 0; i < 20; i++)
      shadow.store(k_base + 2000 + i, 1, make_cell(site, site * k_far + i));
  ASSERT_TRUE(shadow.page(k_base).compact());
  EXPECT_EQ(writer(k_base + 2007, 1), make_cell(499, 499 * k_far + 7));
  EXPECT_EQ(writer(k_base + 40, 1), make_cell(1, 11));
}

TEST_F(CompactShadow, ADensePageOfTooManyKeysNeverIsCompact) {
  for (SiteId site = 1; site <= 256; site++) store_bytes(k_base + site * k_granule, 1, site, 1);
  ASSERT_TRUE(shadow.page(k_base).plain());
  for (SiteId site = 1; site <= 256; site++)
    EXPECT_EQ(writer(k_base + site * k_granule, 1), make_cell(site, 1));
}

TEST_F(CompactShadow, RunsOfStores) {
  ASSERT_TRUE(make_compact(k_base));
  // Downwards; across a change of keys; over the end of the page; of no site.
  shadow.store_run({k_base + 1000, 3, 20, 2, 3, k_far + 9, -1});
  shadow.store_run({k_base + 4001, 7, 40, 7, 4, 50, 1});
  shadow.clear(k_base + 1006, 4);
  ASSERT_TRUE(shadow.page(k_base).compact());
  EXPECT_EQ(writer(k_base + 1000, 2), make_cell(3, k_far + 9));
  EXPECT_EQ(writer(k_base + 1030, 2), make_cell(3, k_far - 1));
  EXPECT_EQ(writer(k_base + 1002, 1), 0u);
  EXPECT_EQ(writer(k_base + 1006, 4), 0u);
  EXPECT_EQ(writer(k_base + 1010, 1), make_cell(3, k_far + 6));
  EXPECT_EQ(writer(k_base + 4001 + 12 * 7, 7), make_cell(4, 62));
  // As a run of too many keys; the part that was written is written again.
  shadow.store_run({k_base + 1000, 4, 10, 4, 5, 7, 1});
  for (SiteId site = 10; site < 30; site++) shadow.store(k_base + 3000 + site, 1, make_cell(site, 1));
  ASSERT_TRUE(shadow.page(k_base).compact());
  for (SiteId site = 30; site < 40; site++)
    shadow.store_run({k_base + 2000 + site * 8, 2, 4, 2, site, k_far - 2, 1});
  ASSERT_TRUE(shadow.page(k_base).plain());
  EXPECT_EQ(writer(k_base + 2000 + 39 * 8 + 6, 2), make_cell(39, k_far + 1));
  EXPECT_EQ(writer(k_base + 1036, 4), make_cell(5, 16));
}

TEST_F(CompactShadow, MemoryIsGivenBack) {
  const std::uint64_t before = shadow.bytes_used();
  for (int round = 0; round < 3; round++) {
    for (std::uint64_t page = 0; page < 20; page++)
      ASSERT_TRUE(make_compact(k_base + page * k_page)) << round;
    EXPECT_GT(shadow.bytes_used(), before + 80 * k_page);
    EXPECT_LT(shadow.bytes_used(), before + 84 * k_page);
    if (round == 1)
      shadow.store_run({k_base, 8, 20 * k_page / 8, 8, 2, 1, 1});
    else
      shadow.clear(k_base, 20 * k_page);
    EXPECT_EQ(shadow.bytes_used(), before);
  }
  ASSERT_TRUE(make_compact(k_base));
  shadow.forget();
  EXPECT_TRUE(shadow.page(k_base).empty());
  EXPECT_EQ(shadow.bytes_used(), 0u);
  ASSERT_TRUE(shadow.page(0x7fff00000000).empty());
  store_bytes(k_base, 256, 1, 1);
  EXPECT_TRUE(shadow.page(k_base).plain()) << "no memory is in fine pages any more";
}

TEST_F(CompactShadow, SideChunksAreTheirPagesOwn) {
  const std::uint64_t before = shadow.bytes_used();
  store_bytes(k_base, 40, 1, 1);
  store_bytes(k_base + k_page, 40, 2, 1);
  EXPECT_EQ(shadow.bytes_used(), before + 2 * sizeof(DensePage) + 4 * k_chunk_bytes);
  shadow.clear(k_base + k_page, k_page);
  EXPECT_EQ(shadow.bytes_used(), before + sizeof(DensePage) + 2 * k_chunk_bytes);
  // Granules that are alike again leave the side table.
  for (std::uint64_t i = 0; i < 40; i++) shadow.store(k_base + i * k_granule, 4, make_cell(3, i + 1));
  EXPECT_EQ(shadow.bytes_used(), before + sizeof(DensePage));
  EXPECT_EQ(writer(k_base + 39 * k_granule, 4), make_cell(3, 40));
}

TEST_F(CompactShadow, ManyVisitsMakeAPageFine) {
  ASSERT_TRUE(make_compact(k_base));
  shadow.note_visits(shadow.entry(k_base), 1 << 20);
  EXPECT_TRUE(shadow.page(k_base).compact());
  shadow.note_visits(shadow.entry(k_base), 1 << 24);
  ASSERT_TRUE(shadow.page(k_base).plain());
  EXPECT_EQ(writer(k_base + 40, 1), make_cell(1, 11));
}

// The bytes of three pages, one of which lies in the next leaf of the page table.
TEST_F(CompactShadow, AgreesWithAMapOfBytes) {
  std::mt19937_64 random(5);
  const auto below = [&random](std::uint64_t n) { return random() % n; };
  int compact = 0, fine = 0;
  for (int round = 0; round < 24; round++) {
    const std::uint64_t origin = 0x7fff3fffe000, area = 3 * k_page - 200;
    const std::uint64_t sites = round % 3 ? 6 : 45;
    const Stamp stamps = round % 2 ? 1000 : k_far * 4;
    std::map<std::uint64_t, Cell> bytes;
    for (int i = 0; i < 4000; i++) {
      const std::uint64_t a = origin + below(area), w = 1u << below(4);
      const auto site = static_cast<SiteId>(1 + below(sites));
      const Stamp stamp = 20 * k_max_pace + 1 + below(stamps);
      if (below(40) == 0) {
        const std::uint64_t size = below(60) ? below(200) : area;
        shadow.clear(a, size);
        bytes.erase(bytes.lower_bound(a), bytes.lower_bound(a + size));
      } else if (below(10) == 0) {
        StoreRun run{a, 1 + below(9), 1 + below(20), 0, site, stamp, any_pace(random)};
        run.width = 1 + below(run.step);
        shadow.store_run(run);
        for (std::uint64_t k = 0; k < run.count; k++)
          for (std::uint64_t b = 0; b < run.width; b++)
            bytes[a + k * run.step + b] =
                make_cell(site, run.stamp + static_cast<Stamp>(run.pace) * k);
      } else {
        shadow.store(a, w, make_cell(site, stamp));
        for (std::uint64_t b = 0; b < w; b++) bytes[a + b] = make_cell(site, stamp);
      }
      compact += shadow.page(a).compact() != nullptr;
      fine += shadow.page(a).plain_p();
      const std::uint64_t at = origin + below(area);
      if (at % k_page + w > k_page) continue;
      const auto byte = [&bytes](std::uint64_t b) {
        const auto found = bytes.find(b);
        return found == bytes.end() ? 0 : found->second;
      };
      bool alike = true;
      for (std::uint64_t b = 1; b < w; b++) alike = alike && byte(at + b) == byte(at);
      const Cell found = writer(at, w);
      if (writer_p(found) || found == 0 || shadow.page(at).compact()) {
        ASSERT_EQ(found, alike ? byte(at) : k_several) << round << ' ' << i;
      }
    }
    for (std::uint64_t b = origin; b < origin + area + 200; b++) {
      Cell found = 0;
      shadow.for_each_writer(b, 1, [&found](Cell cell, int, std::uint64_t) { found = cell; });
      const auto expected = bytes.find(b);
      ASSERT_EQ(found, expected == bytes.end() ? 0 : expected->second) << round << ' ' << b - origin;
    }
    shadow.clear(origin, area + 200);
  }
  EXPECT_GT(compact, 20000);
  EXPECT_GT(fine, 3000);
}

}  // namespace
}  // namespace memprof::backend
