// field_order_test.cc - whether decide_field_order moves fields, and what it says.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/decide/field_order.h"
#include "testsuite/unit/decide/gate_shown.h"

#include <gtest/gtest.h>

namespace memprof::decide {
namespace {

using feedback::Field;
using feedback::FieldUse;
using feedback::Profile;
using feedback::RecordType;

Field field(const char* name, std::uint64_t offset, std::uint64_t bytes, std::uint32_t align) {
  return {name, std::string("int ") + name, offset, bytes, align, 0, 0};
}

// Two fields on different lines, always used together.
Profile orders() {
  Profile p;
  p.run.accesses = 1000000;
  p.sections = {"cache", "fields", "types"};
  p.types = {{"struct order", "a.h", 1, 7, 188, 4, false, true,
              {field("name", 0, 120, 1), field("price", 120, 4, 4), field("note", 124, 60, 1),
               field("next", 184, 4, 4)}, {}}};
  p.fields = {{"struct order", "next", 100000, 0, 100000, 60000, {{"price", 100000}}},
              {"struct order", "price", 100000, 0, 100000, 60000, {}}};
  return p;
}

CostModel asked(CostModel model = {}) {
  model.move_fields = true;
  return model;
}

Decision decide(const Profile& p, const CostModel& model = asked(),
                const RecordCode* code = nullptr) {
  return gate_shown(decide_field_order(candidate_of(p.types[0]), type_facts(p)[0], code, model));
}

TEST(FieldOrder, MovesHotFieldsTogether) {
  const Profile p = orders();
  const Decision a = decide(p);
  ASSERT_TRUE(a.take()) << a.text;
  EXPECT_EQ(a.offsets, (std::vector<std::uint64_t>{8, 0, 128, 4}));
  EXPECT_DOUBLE_EQ(a.number("lines_after"), 1);
  EXPECT_DOUBLE_EQ(a.number("lines_before"), 2);
  EXPECT_NE(a.text.find("first price, next: 2.00 lines per visit before, 1.00 after"),
            std::string::npos) << a.text;
}

TEST(FieldOrder, NeedsMissesOrManyAccesses) {
  Profile p = orders();
  for (FieldUse& use : p.fields) use.misses = 5000;
  EXPECT_EQ(decide(p).reason, Reason::few_misses);
  p.sections = {"fields", "types"};
  EXPECT_TRUE(decide(p).take());
  for (FieldUse& use : p.fields) use.loads = 100;
  EXPECT_EQ(decide(p).reason, Reason::few_accesses);
  p.fields.clear();
  EXPECT_EQ(decide(p).reason, Reason::no_accesses);
}

// As many lines as before, for all records together.
TEST(FieldOrder, LeavesRecordsThatShareLinesWithTheirNeighbours) {
  Profile p = orders();
  p.types[0].bytes = 64;
  const Decision a = decide(p);
  EXPECT_EQ(a.reason, Reason::good_order);
  EXPECT_NE(a.text.find("64 bytes share lines with their neighbours"), std::string::npos) << a.text;
}

TEST(FieldOrder, KeepsFieldsThatAreNeverUsedTogether) {
  Profile p = orders();
  p.fields[0].together.clear();
  EXPECT_EQ(decide(p).reason, Reason::good_order);
}

TEST(FieldOrder, StopsAtObstacles) {
  Profile p = orders();
  p.types[0].obstacles = {{"cast", "", "a.c:7"}, {"offsetof", "", ""}};
  const Decision a = decide(p);
  EXPECT_EQ(a.reason, Reason::obstacles);
  EXPECT_EQ(a.text,
            "not reordered: a pointer to it becomes one to another type, or the reverse at "
            "a.c:7, and 1 more");
  CostModel eager = asked(CostModel::eager());
  EXPECT_EQ(decide(p, eager).reason, Reason::obstacles);
  p.types[0].obstacles.clear();
  p.types[0].checked = false;
  EXPECT_EQ(decide(p, eager).reason, Reason::unchecked);
  p.types[0].checked = true;
  p.types.push_back(p.types[0]);
  p.types[1].name = "order";
  EXPECT_EQ(decide(p, eager).reason, Reason::definitions);
}

// What this compile reads decides after what the profile says; the veto is last.
TEST(FieldOrder, StopsAtWhatTheCompileSees) {
  const Profile p = orders();
  RecordCode code;
  code.fields = 4;
  EXPECT_TRUE(decide(p, asked(), &code).take());
  code.obstacle = "it is packed";
  EXPECT_EQ(decide(p, asked(), &code).reason, Reason::obstacles);
  EXPECT_EQ(decide(p, asked(), &code).text, "not reordered: it is packed");
  code.obstacle = nullptr;
  code.fields = 3;
  EXPECT_EQ(decide(p, asked(), &code).text, "not reordered: it is another type");
  Candidate candidate = candidate_of(p.types[0]);
  candidate.veto = "v:9";
  const Decision vetoed = gate_shown(decide_field_order(candidate, type_facts(p)[0], nullptr, asked()));
  EXPECT_EQ(vetoed.reason, Reason::vetoed);
  EXPECT_EQ(vetoed.text, "not reordered: vetoed by v:9");
}

TEST(FieldOrder, EagerReversesWithinTheSize) {
  const Profile p = orders();
  const Decision a = decide(p, asked(CostModel::eager()));
  ASSERT_TRUE(a.take());
  EXPECT_EQ(a.offsets, (std::vector<std::uint64_t>{68, 64, 4, 0}));
}

// Advice: the whole decision, with its order, but nothing is moved.
TEST(FieldOrder, MovesNothingUnlessAsked) {
  const Profile p = orders();
  for (const CostModel& model : {CostModel{}, CostModel::eager()}) {
    const Decision a = decide(p, model);
    EXPECT_EQ(a.reason, Reason::not_asked);
    EXPECT_FALSE(a.take());
    EXPECT_EQ(a.text.find("not reordered: not asked for (-fprofile-mem-move-fields): fields reordered, first "), 0u)
        << a.text;
    EXPECT_EQ(a.offsets, decide(p, asked(model)).offsets);
  }
}

// 24 hot fields of 8 bytes in three phases that each use every third one.
TEST(FieldOrder, GroupsFieldsOfOnePhaseOnALine) {
  Profile p;
  p.run.accesses = 1000000;
  p.sections = {"cache", "fields", "types"};
  RecordType type{"struct s", "a.h", 1, 7, 192, 8, false, true, {}, {}};
  const auto name = [](unsigned i) { return std::string(1, static_cast<char>('a' + i)); };
  for (unsigned i = 0; i < 24; i++) {
    type.fields.push_back(field(name(i).c_str(), 8 * i, 8, 8));
    FieldUse use{"struct s", name(i), 10000, 0, 10000, 10000, {}};
    for (unsigned j = i + 3; j < 24; j += 3) use.together.push_back({name(j), 10000});
    p.fields.push_back(use);
  }
  p.types = {type};
  const Decision a = decide(p);
  ASSERT_TRUE(a.take()) << a.text;
  for (unsigned i = 0; i + 3 < 24; i++)
    EXPECT_EQ(a.offsets[i] / 64, a.offsets[i + 3] / 64) << i;
}

}  // namespace
}  // namespace memprof::decide
