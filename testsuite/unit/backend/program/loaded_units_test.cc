// loaded_units_test.cc - tables of modules, good and corrupt.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/program/loaded_units.h"

#include <gtest/gtest.h>

#include <random>

#include "runtime/backend/stream/records.h"
#include "testsuite/unit/backend/stream_builder.h"

namespace memprof::backend {
namespace {

using testing::TestModule;
using testing::Words;

feedback::Result<UnitImage> assemble(const Words& words) {
  const std::uint64_t* p = words.words.data();
  const std::uint64_t* const end = p + words.words.size();
  UnitAssembler assembler(p[1]);
  while (const std::size_t n = whole_record(p, end)) {
    if (MPRT_CONTROL_KIND(*p) == MPRT_DATA) assembler.add(p[1], p + 3, p[2]);
    p += n;
  }
  return assembler.finish();
}

// Two functions, a loop nest, a global, an allocation site, a local.
TestModule sample() {
  TestModule m;
  m.function("main");
  m.site(MPRT_OP_STORE, 8);
  m.alloc(20, "struct node");
  m.local("buffer", 64);
  m.function("sum");
  const auto outer = m.loop();
  const auto inner = m.loop(outer);
  m.site(MPRT_OP_LOAD, 4, inner);
  m.global("table", 0x601000, 400);
  m.block(2, {{0, 1, 16}});
  m.range(3, inner, {{1, 2, 0, 4, 0, 0, MPRT_OP_LOAD, 4}});
  m.enter(outer);
  m.exit(outer);
  return m;
}

TEST(LoadedUnits, CompilesDescriptors) {
  TestModule m = sample();
  LoadedUnits table;
  auto image = assemble(m.load());
  ASSERT_TRUE(image) << image.error().what;
  EXPECT_EQ(image->path, "/bin/prog");
  ASSERT_TRUE(table.load(std::move(*image)));
  const CompiledDesc* block = table.find(m.desc_base() | 2);
  ASSERT_TRUE(block);
  EXPECT_EQ(block->kind, CompiledKind::block);
  EXPECT_EQ(block->entries, 1);
  EXPECT_EQ(block->block_entries()[0].site, 1u);
  EXPECT_EQ(block->block_entries()[0].offset, 16u);
  EXPECT_EQ(block->block_entries()[0].width, 8u);
  const CompiledDesc* range = table.find((m.desc_base() + 64) | 3);
  ASSERT_TRUE(range);
  EXPECT_EQ(range->loop, 2u);
  EXPECT_EQ(range->range_entries()[0].step, 4);
  EXPECT_EQ(table.find(m.desc_base() + 4 * 64), nullptr);
  EXPECT_EQ(table.find(~std::uint64_t{0}), nullptr);
  EXPECT_TRUE(table.store_p(1));
  EXPECT_FALSE(table.store_p(2));
}

TEST(LoadedUnits, AbsoluteAddressesNeedNoRecordWord) {
  TestModule m;
  m.function("f");
  m.site(MPRT_OP_LOAD, 4);
  const std::uint64_t at =
      m.block(1, {{0, MPRT_BASE_ABSOLUTE, 0x601010}});
  LoadedUnits table;
  table.load(std::move(*assemble(m.load())));
  const CompiledDesc* desc = table.find(at | 1);
  ASSERT_TRUE(desc);
  const std::uint64_t record[] = {at | 1};
  const BlockEntry& e = desc->block_entries()[0];
  EXPECT_EQ(record[e.word] + e.offset, 0x601010u);
}

TEST(LoadedUnits, TwoUnitsWithTheSameNamesStayApart) {
  TestModule a = sample(), b(0x900000);
  b.function("sum");
  b.site(MPRT_OP_LOAD, 4);
  const std::uint64_t desc = b.block(2, {{0, 1, 0}});
  LoadedUnits table;
  table.load(std::move(*assemble(a.load())));
  table.load(std::move(*assemble(b.load())));
  EXPECT_EQ(table.sites(), 3u);
  EXPECT_EQ(table.find(desc | 2)->block_entries()[0].site, 3u);
  EXPECT_EQ(table.unit_of_site(2), table.all()[0].get());
  EXPECT_EQ(table.unit_of_site(3), table.all()[1].get());
}

TEST(LoadedUnits, RecordsOfOneNameAndSizeAreOneInAllUnits) {
  LoadedUnits table;
  for (const std::uint64_t at : {0x800000, 0x900000}) {
    TestModule unit(at);
    unit.function("f");
    for (const char* type : {"a", "b", ""}) {
      mprt_site& site = unit.sites[unit.site(MPRT_OP_LOAD, 8)];
      site.type = unit.text(type);
      site.scalars = MPRT_SCALAR_POINTER;
      site.record_bytes = at == 0x800000 && *type == 'b' ? 48 : 24;
      site.first_byte = 16;
      site.bytes = 8;
    }
    table.load(std::move(*assemble(unit.load())));
  }
  EXPECT_EQ(table.type(1).record, table.type(4).record);
  EXPECT_NE(table.type(1).record, table.type(5).record);
  EXPECT_NE(table.type(2).record, table.type(5).record) << "another size";
  EXPECT_NE(table.type(2).record, 0u);
  EXPECT_EQ(table.type(3).record, 0u);
  EXPECT_EQ(table.type(6).scalars, std::uint32_t{MPRT_SCALAR_POINTER});
  EXPECT_EQ(table.type(6).first, 16u);
  EXPECT_EQ(table.type(6).bytes, 8u);
  EXPECT_EQ(table.type(k_external_site).scalars, 0u);
}

TEST(LoadedUnits, AReloadedLibraryGoesOnCounting) {
  TestModule m = sample();
  LoadedUnits table;
  table.load(std::move(*assemble(m.load())));
  table.find(m.desc_base() | 2)->counts->records = 5;
  EXPECT_TRUE(table.unload(m.address));
  EXPECT_FALSE(table.unload(m.address));
  EXPECT_TRUE(table.find(m.desc_base() | 2)) << "destructors may still run";
  m.address += 0x1000000;  // loaded elsewhere
  table.load(std::move(*assemble(m.load())));
  table.find(m.desc_base() | 2)->counts->records += 2;
  EXPECT_EQ(table.sites(), 2u);
  EXPECT_EQ(table.site_executions()[1], 7u);
}

TEST(LoadedUnits, AddressesAreUsedAgainAfterDlclose) {
  TestModule a = sample();
  LoadedUnits table;
  table.load(std::move(*assemble(a.load())));
  table.unload(a.address);
  TestModule b(a.address, "b.c", "/lib/b.so");
  b.function("other");
  b.site(MPRT_OP_LOAD, 2);
  const std::uint64_t desc = b.block(2, {{0, 1, 0}});
  table.load(std::move(*assemble(b.load())));
  EXPECT_EQ(table.find(desc | 2)->block_entries()[0].site, 3u);
}

TEST(LoadedUnits, SpreadsCountsOverSitesAndLoops) {
  TestModule m = sample();
  LoadedUnits table;
  table.load(std::move(*assemble(m.load())));
  table.find(m.desc_base() | 2)->counts->records = 3;
  *table.find((m.desc_base() + 64) | 3)->counts = {2, 100, 2};
  table.find((m.desc_base() + 128) | 1)->counts->records = 2;
  EXPECT_EQ(table.site_executions(), (std::vector<std::uint64_t>{0, 3, 100}));
  const auto loops = table.loop_counts();
  EXPECT_EQ(loops[1].invocations, 2u);
  EXPECT_EQ(loops[1].iterations, 0u);
  EXPECT_EQ(loops[2].invocations, 2u);
  EXPECT_EQ(loops[2].iterations, 100u);
}

TEST(LoadedUnits, TellsWhatWasExecutedSince) {
  TestModule m = sample();
  LoadedUnits table;
  table.load(std::move(*assemble(m.load())));
  std::vector<std::uint64_t> counts;
  std::vector<SiteId> changed;
  const CompiledDesc& block_desc = *table.find(m.desc_base() | 2);
  const CompiledDesc& range_desc = *table.find((m.desc_base() + 64) | 3);
  DescriptorCounts &block = *block_desc.counts, &range = *range_desc.counts;
  const auto since = [&] {
    changed.clear();
    table.take_executions(counts, changed);
    table.note_use(block_desc), table.note_use(range_desc);
    std::vector<std::uint64_t> pairs;
    for (SiteId site : changed) pairs.insert(pairs.end(), {site, std::exchange(counts[site], 0)});
    return pairs;
  };
  using Counts = std::vector<std::uint64_t>;  // site, times, site, times ...
  EXPECT_EQ(since(), Counts{});
  block.records = 3;
  EXPECT_EQ(since(), (Counts{1, 3}));
  EXPECT_EQ(since(), Counts{});
  range = {1, 100, 1, true};
  table.add_executions(1, 7);
  EXPECT_EQ(since(), (Counts{2, 100, 1, 7}));
  // A piece of a range that is open: no record of its own.
  range.iterations += 20;
  block.records++;
  EXPECT_EQ(since(), (Counts{1, 1, 2, 20}));
  EXPECT_EQ(table.site_executions(), (std::vector<std::uint64_t>{0, 11, 120}));
}

TEST(LoadedUnits, KnowsAllocationSitesByTheirByte) {
  TestModule m = sample();
  LoadedUnits table;
  table.load(std::move(*assemble(m.load())));
  EXPECT_TRUE(table.alloc_site(m.alloc_base()).unit);
  EXPECT_FALSE(table.alloc_site(m.alloc_base() + 1).unit);
  EXPECT_FALSE(table.alloc_site(m.alloc_base() - 1).unit);
  EXPECT_FALSE(table.alloc_site(1).unit);
}

std::string fault_of(TestModule m, void (*change)(TestModule&)) {
  change(m);
  auto image = assemble(m.load());
  return image ? "" : image.error().what;
}

TEST(UnitImage, NamesTheFault) {
  EXPECT_EQ(fault_of(sample(), [](TestModule&) {}), "");
  EXPECT_EQ(fault_of(sample(), [](TestModule& m) { m.sites[0].function = 9; }),
            "a site names another function");
  EXPECT_EQ(fault_of(sample(), [](TestModule& m) { m.sites[0].kind = 2; }),
            "a site is neither a load nor a store");
  EXPECT_EQ(fault_of(sample(), [](TestModule& m) { m.sites[0].loop = 0; }),
            "a site names a loop of another function");
  EXPECT_EQ(fault_of(sample(), [](TestModule& m) { m.loops[0].parent = 1; }),
            "the parents of a loop are not a chain of its function");
  EXPECT_EQ(fault_of(sample(), [](TestModule& m) { m.loops[1].parent = 77; }),
            "the parents of a loop are not a chain of its function");
  EXPECT_EQ(
      fault_of(sample(), [](TestModule& m) { m.functions[1].first_site = 0; }),
      "the rows of a function are not consecutive");
  EXPECT_EQ(fault_of(sample(), [](TestModule& m) { m.functions[1].sites = 5; }),
            "a function has rows outside its table");
  EXPECT_EQ(fault_of(sample(), [](TestModule& m) { m.functions[1].sites = 0; }),
            "a row belongs to no function");
  EXPECT_EQ(fault_of(sample(), [](TestModule& m) { m.functions[0].name = 9999; }),
            "a text lies outside the string pool");
  EXPECT_EQ(fault_of(sample(), [](TestModule& m) { m.descriptors[0] = 9; }),
            "a descriptor has an unknown kind");
  EXPECT_EQ(fault_of(sample(),
                     [](TestModule& m) {
                       m.descriptors[1] = MPRT_ENTRY(0, 2, 0, MPRT_OP_STORE, 8);
                     }),
            "the base of an entry lies outside the record");
  EXPECT_EQ(fault_of(sample(),
                     [](TestModule& m) {
                       m.descriptors[1] = MPRT_ENTRY(1, 1, 0, MPRT_OP_STORE, 8);
                     }),
            "an entry names a site of another kind");
  EXPECT_EQ(fault_of(sample(),
                     [](TestModule& m) {
                       m.descriptors[1] = MPRT_ENTRY(2, 0, 0, MPRT_OP_EXIT, 0);
                     }),
            "an entry names no loop");
  EXPECT_EQ(fault_of(sample(), [](TestModule& m) { m.descriptors.resize(10); }),
            "a descriptor table is truncated");
}

TEST(UnitImage, TextsOfAllRowsLieInThePool) {
  EXPECT_EQ(fault_of(sample(), [](TestModule& m) { m.loops[0].file = 1 << 20; }),
            "a text lies outside the string pool");
  auto image = assemble(sample().load());
  ASSERT_TRUE(image);
  EXPECT_STREQ(image->text(1 << 30), "");
}

// Whatever single word is wrong: no crash, and what is accepted can be walked.
TEST(UnitImage, SurvivesCorruptTables) {
  TestModule m = sample();
  const Words good = m.load();
  std::mt19937_64 random(1);
  unsigned refused = 0;
  for (int round = 0; round < 3000; round++) {
    Words bad = good;
    const std::size_t at = 2 + random() % (bad.words.size() - 2);
    switch (random() % 4) {
      case 0: bad.words[at] ^= std::uint64_t{1} << random() % 64; break;
      case 1: bad.words[at] = random(); break;
      case 2: bad.words[at] = ~std::uint64_t{0}; break;
      case 3: bad.words.resize(at); break;
    }
    auto image = assemble(bad);
    if (!image) {
      refused++;
      continue;
    }
    LoadedUnits table;
    if (!table.load(std::move(*image))) continue;
    table.site_executions();
    table.loop_counts();
    const UnitImage& kept = table.all()[0]->image;
    std::size_t length = 0;
    for (const auto& s : kept.sites()) length += std::strlen(kept.text(s.expression));
    for (const auto& f : kept.functions()) length += std::strlen(kept.text(f.name));
    for (const auto& l : kept.loops()) length += std::strlen(kept.text(l.file));
    EXPECT_LT(length, good.words.size() * 8);
  }
  EXPECT_GT(refused, 1000u);
}

}  // namespace
}  // namespace memprof::backend
