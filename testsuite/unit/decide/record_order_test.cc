// record_order_test.cc - the order of fields that propose_order proposes.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/decide/record_order.h"

#include <gtest/gtest.h>

#include <algorithm>
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

// struct order of record_order.cc.
RecordType order() {
  return {"struct order", "a.h", 1, 7, 188, 4, false, true,
          {field("name", 0, 120, 1), field("price", 120, 4, 4), field("note", 124, 60, 1),
           field("next", 184, 4, 4)}, {}};
}

TEST(RecordOrder, BringsHotFieldsTogether) {
  const OrderProposal proposal = propose_order(order(), {{"price", heat(100, 0)}, {"next", heat(90, 10)}});
  ASSERT_TRUE(proposal.better) << proposal.reason;
  EXPECT_EQ(proposal.order.bytes, 188u);
  EXPECT_EQ(proposal.order.hot_lines, 1u);
  EXPECT_EQ(proposal.order.fields[0].field, 1u);
  EXPECT_EQ(proposal.order.fields[1].field, 3u);
  EXPECT_TRUE(proposal.split);
  EXPECT_EQ(proposal.hot_bytes, 8u);
  EXPECT_EQ(present_order(order(), {{"price", heat(100, 0)}, {"next", heat(90, 10)}}).hot_lines, 2u);
}

TEST(RecordOrder, SaysWhyNot) {
  EXPECT_EQ(propose_order(order(), {}).reason, "no access to its fields was measured");
  RecordType packed = order();
  packed.packed = true;
  EXPECT_FALSE(propose_order(packed, {{"next", heat(9, 9)}}).better);
  const OrderProposal one = propose_order(order(), {{"price", heat(100, 0)}});
  EXPECT_FALSE(one.better);
  EXPECT_EQ(one.reason, "no order is better by much");
}

TEST(RecordOrder, FillsHoles) {
  const RecordType holes = {"struct h", "", 0, 0, 24, 8, false, false,
                            {field("a", 0, 1, 1), field("b", 8, 8, 8), field("c", 16, 1, 1)}, {}};
  const OrderProposal proposal = propose_order(holes, {{"a", heat(10, 0)}, {"c", heat(1, 0)}});
  ASSERT_TRUE(proposal.better);
  EXPECT_EQ(proposal.order.bytes, 16u);
  EXPECT_EQ(proposal.order.padding, 6u);
}

TEST(RecordOrder, KeepsBitFieldsTogetherAndTheOpenArrayAtTheEnd) {
  RecordType t = {"struct b", "", 0, 0, 72, 8, false, false,
                  {field("cold", 0, 56, 8), {"x", "unsigned int x : 3", 56, 0, 4, 0, 3},
                   {"y", "unsigned int y : 7", 56, 0, 4, 3, 7}, field("hot", 64, 8, 8),
                   field("rest", 72, 0, 1)}, {}};
  const OrderProposal proposal = propose_order(t, {{"hot", heat(100, 0)}, {"y", heat(50, 0)}, {"rest", heat(99, 0)}});
  ASSERT_EQ(proposal.order.fields.size(), 5u);
  EXPECT_EQ(proposal.order.fields.back().field, 4u);
  for (std::size_t i = 0; i < 5; i++)
    if (proposal.order.fields[i].field == 1) {
      EXPECT_EQ(proposal.order.fields[i + 1].field, 2u);
      EXPECT_EQ(proposal.order.fields[i + 1].offset, proposal.order.fields[i].offset);
    }
}

TEST(RecordOrder, CountsFieldsOfFieldsForTheOuterOne) {
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
TEST(RecordOrder, RandomRecordsStaySound) {
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
    const RecordOrder layout = propose_order(t, heat).order;
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

// Line by line, as the head of record_order.cc says it.
std::uint64_t hot_lines_one_by_one(const RecordOrder& order) {
  std::vector<std::uint64_t> lines((order.bytes + 63) / 64);
  std::uint64_t all = 0, sum = 0, hot = 0;
  for (const Placed& p : order.fields) {
    const std::uint64_t first = p.offset / 64, last = (p.offset + std::max<std::uint64_t>(p.bytes, 1) - 1) / 64;
    for (std::uint64_t l = first; l <= last && l < lines.size(); l++) lines[l] += p.heat / (last - first + 1);
    all += p.heat;
  }
  std::sort(lines.rbegin(), lines.rend());
  for (std::uint64_t heat : lines) {
    if (static_cast<double>(sum) >= 0.95 * static_cast<double>(all)) break;
    sum += heat;
    hot++;
  }
  return hot;
}

TEST(RecordOrder, CountsLinesAsOneByOne) {
  std::mt19937 random(7);
  for (unsigned round = 0; round < 500; round++) {
    RecordType type = {"struct r", "", 0, 0, 0, 1, false, false, {}, {}};
    std::map<std::string, FieldHeat> heats;
    for (unsigned i = 0, n = random() % 9 + 1; i < n; i++) {
      const std::uint64_t bytes = random() % 3 ? random() % 90 : random() % 3000;
      const std::string name = "f" + std::to_string(i);
      type.fields.push_back(field(name.c_str(), type.bytes, bytes, 1));
      type.bytes += bytes + random() % 70;
      if (random() % 2) heats[name] = heat(random() % 2000, random() % 50);
    }
    const RecordOrder order = present_order(type, heats);
    EXPECT_EQ(order.lines, (type.bytes + 63) / 64);
    EXPECT_EQ(order.hot_lines, hot_lines_one_by_one(order)) << round;
  }
}

// A profile may say anything; the number of lines is never the time that it takes.
TEST(RecordOrder, HugeRecordsCostNothing) {
  for (const std::uint64_t bytes : {std::uint64_t{3} << 30, std::uint64_t{1} << 50, ~std::uint64_t{0}}) {
    const RecordType type = {"struct h", "", 0, 0, bytes, 8, false, false,
                             {field("a", 0, 8, 8), field("room", 8, bytes - 16, 1), field("b", bytes - 8, 8, 8)}, {}};
    const std::map<std::string, FieldHeat> heats = {{"a", heat(60, 0)}, {"b", heat(40, 0)}};
    EXPECT_EQ(present_order(type, heats).hot_lines, 2u);
    propose_order(type, heats);
  }
}

}  // namespace
}  // namespace memprof::decide
