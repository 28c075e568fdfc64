// layout_test.cc - the order of fields that decide_layout proposes.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/decide/layout.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace memprof::decide {
namespace {

using feedback::Field;
using feedback::RecordType;

Field field(const char* name, std::uint64_t offset, std::uint64_t bytes, std::uint32_t align) {
  return {name, std::string("int ") + name, offset, bytes, align, 0, 0};
}

FieldHeat heat(std::uint64_t loads, std::uint64_t stores) {
  FieldHeat h;
  h.loads = loads;
  h.stores = stores;
  return h;
}

// struct order of layout.cc.
RecordType order() {
  return {"struct order", "a.h", 1, 7, 188, 4, false, true,
          {field("name", 0, 120, 1), field("price", 120, 4, 4), field("note", 124, 60, 1),
           field("next", 184, 4, 4)}, {}};
}

TEST(Layout, BringsHotFieldsTogether) {
  const LayoutAdvice advice = decide_layout(order(), {{"price", heat(100, 0)}, {"next", heat(90, 10)}});
  ASSERT_TRUE(advice.better) << advice.reason;
  EXPECT_EQ(advice.layout.bytes, 188u);
  EXPECT_EQ(advice.layout.hot_lines, 1u);
  EXPECT_EQ(advice.layout.fields[0].field, 1u);
  EXPECT_EQ(advice.layout.fields[1].field, 3u);
  EXPECT_TRUE(advice.split);
  EXPECT_EQ(advice.hot_bytes, 8u);
  EXPECT_EQ(present_layout(order(), {{"price", heat(100, 0)}, {"next", heat(90, 10)}}).hot_lines, 2u);
}

TEST(Layout, SaysWhyNot) {
  EXPECT_EQ(decide_layout(order(), {}).reason, "no access to its fields was measured");
  RecordType packed = order();
  packed.packed = true;
  EXPECT_FALSE(decide_layout(packed, {{"next", heat(9, 9)}}).better);
  const LayoutAdvice one = decide_layout(order(), {{"price", heat(100, 0)}});
  EXPECT_FALSE(one.better);
  EXPECT_EQ(one.reason, "no order is better by much");
}

TEST(Layout, FillsHoles) {
  const RecordType holes = {"struct h", "", 0, 0, 24, 8, false, false,
                            {field("a", 0, 1, 1), field("b", 8, 8, 8), field("c", 16, 1, 1)}, {}};
  const LayoutAdvice advice = decide_layout(holes, {{"a", heat(10, 0)}, {"c", heat(1, 0)}});
  ASSERT_TRUE(advice.better);
  EXPECT_EQ(advice.layout.bytes, 16u);
  EXPECT_EQ(advice.layout.padding, 6u);
}

TEST(Layout, KeepsBitFieldsTogetherAndTheOpenArrayAtTheEnd) {
  RecordType t = {"struct b", "", 0, 0, 72, 8, false, false,
                  {field("cold", 0, 56, 8), {"x", "unsigned int x : 3", 56, 0, 4, 0, 3},
                   {"y", "unsigned int y : 7", 56, 0, 4, 3, 7}, field("hot", 64, 8, 8),
                   field("rest", 72, 0, 1)}, {}};
  const LayoutAdvice advice = decide_layout(t, {{"hot", heat(100, 0)}, {"y", heat(50, 0)}, {"rest", heat(99, 0)}});
  ASSERT_EQ(advice.layout.fields.size(), 5u);
  EXPECT_EQ(advice.layout.fields.back().field, 4u);
  for (std::size_t i = 0; i < 5; i++)
    if (advice.layout.fields[i].field == 1) {
      EXPECT_EQ(advice.layout.fields[i + 1].field, 2u);
      EXPECT_EQ(advice.layout.fields[i + 1].offset, advice.layout.fields[i].offset);
    }
}

TEST(Layout, CountsFieldsOfFieldsForTheOuterOne) {
  feedback::Profile p;
  p.modules.emplace_back().functions.emplace_back().sites.resize(2);
  auto& sites = p.modules[0].functions[0].sites;
  sites[0].type = sites[1].type = "struct s";
  sites[0].field = "pos.x";
  sites[1].field = "pos";
  sites[1].kind = feedback::Access::store;
  sites[0].executions = 5;
  sites[1].executions = 7;
  const FieldHeat pos = field_heat(p)["struct s"]["pos"];
  EXPECT_EQ(pos.loads, 5u);
  EXPECT_EQ(pos.stores, 7u);
}

// Whatever the fields: each is there once, aligned, none overlaps another, and
// the record does not grow.
TEST(Layout, RandomRecordsStaySound) {
  for (unsigned seed = 0; seed < 3000; seed++) {
    std::mt19937 random(seed);
    RecordType t;
    t.align = 1;
    std::map<std::string, FieldHeat> heat;
    for (unsigned n = 1 + random() % 12, i = 0; i < n; i++) {
      const std::uint32_t align = 1u << random() % 4;
      const std::string name = "f" + std::to_string(i);
      t.bytes = (t.bytes + align - 1) / align * align;
      t.fields.push_back(field(name.c_str(), t.bytes, align * (1 + random() % 9), align));
      t.bytes += t.fields.back().bytes;
      t.align = std::max(t.align, align);
      if (random() % 3 != 0) heat[name].loads = random() % 1000;
    }
    t.bytes = (t.bytes + t.align - 1) / t.align * t.align;
    const Layout layout = decide_layout(t, heat).layout;
    EXPECT_LE(layout.bytes, t.bytes);
    std::set<std::size_t> seen;
    std::uint64_t end = 0;
    for (const Placed& p : layout.fields) {
      EXPECT_TRUE(seen.insert(p.field).second);
      EXPECT_EQ(p.offset % t.fields[p.field].align, 0u);
      EXPECT_GE(p.offset, end);
      end = p.offset + t.fields[p.field].bytes;
    }
    EXPECT_LE(end, layout.bytes);
    ASSERT_EQ(seen.size(), t.fields.size()) << "seed " << seed;
  }
}

}  // namespace
}  // namespace memprof::decide
