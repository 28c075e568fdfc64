// variable_pages_test.cc - which variables get huge pages.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/decide/variable_pages.h"

#include <gtest/gtest.h>

namespace {

using namespace memprof;
using decide::CostModel;
using decide::Decision;
using decide::Reason;
using decide::VariableCode;
using decide::VariableIndex;

feedback::Group variable(feedback::Id id, const char* name, std::uint64_t bytes,
                         std::uint64_t accesses) {
  feedback::Group group;
  group.id = id;
  group.kind = feedback::GroupKind::global;
  group.file = "isort.c";
  group.line = 10 + static_cast<std::uint32_t>(id);
  group.function = name;
  group.type = "int[]";
  group.objects = 1;
  group.bytes = group.span = bytes;
  group.accesses = accesses;
  return group;
}

// An integer sort: keys, counters, a table without accesses, and a small one.
feedback::Profile isort() {
  feedback::Profile profile;
  profile.run.accesses = 100000000;
  profile.groups = {variable(1, "keys", 8 << 20, 60000000), variable(2, "counts", 4 << 20, 39000000),
                    variable(3, "unused", 64 << 20, 0), variable(4, "small", 4096, 1000000)};
  feedback::Cache misses;
  misses.group = 2;
  misses.tlb = 1000000;
  profile.cache = {misses};
  return profile;
}

VariableCode code_of(const char* name, unsigned line) {
  VariableCode code;
  code.file = "isort.c";
  code.line = line;
  code.name = name;
  code.type = "int[]";
  return code;
}

Decision decide_it(const feedback::Profile& profile, const VariableCode& code,
                   const CostModel& model = {}) {
  const VariableIndex index(profile, model);
  return decide::decide_variable({decide::Transformation::huge_pages}, *index.find(code), index,
                                 &code, model);
}

TEST(VariablePages, LooksAtLargeVariablesThatAreAccessed) {
  const VariableIndex index(isort(), {});
  ASSERT_EQ(index.entries().size(), 2u);
  EXPECT_EQ(index.bytes(), 12u << 20);
  EXPECT_EQ(index.misses(), 1000000);
  EXPECT_EQ(index.find(code_of("unused", 13)), nullptr);
  EXPECT_EQ(index.find(code_of("small", 14)), nullptr);
}

TEST(VariablePages, FindsAVariableInAnotherLineIfItIsTheOnlyOne) {
  feedback::Profile profile = isort();
  EXPECT_NE(VariableIndex(profile, {}).find(code_of("keys", 99)), nullptr);
  profile.groups.push_back(variable(5, "keys", 8 << 20, 1));
  EXPECT_EQ(VariableIndex(profile, {}).find(code_of("keys", 99)), nullptr);
  EXPECT_EQ(VariableIndex(profile, {}).find(code_of("keys", 15))->accesses, 1u);
  VariableCode other = code_of("counts", 12);
  other.type = "long[]";
  EXPECT_NE(VariableIndex(profile, {}).find(other), nullptr);
  other.line = 99;
  EXPECT_EQ(VariableIndex(profile, {}).find(other), nullptr);
}

TEST(VariablePages, SparesPageFaultsAndWalks) {
  const Decision decision = decide_it(isort(), code_of("counts", 12));
  EXPECT_TRUE(decision.take());
  // 3072 faults, of 1500 cycles less a 512th of 100,000, and 40 for each miss: a third of it.
  EXPECT_NEAR(decision.number("saved_cycles"), (3072 * (1500 - 195.3) + 40e6) / 3, 1000);
  EXPECT_EQ(decision.text,
            "huge pages for the variable: 4.2 MB of 12.6 MB in such variables, 3072 page faults "
            "and 1000000 misses of the TLB, worth 44.0 million cycles");
}

TEST(VariablePages, AsksTheCodeForTheInitialValue) {
  VariableCode code = code_of("keys", 11);
  code.obstacle = "its initial value is in the program's file";
  const Decision refused = decide_it(isort(), code);
  EXPECT_EQ(refused.reason, Reason::code_shape);
  EXPECT_EQ(refused.text, "no huge pages: its initial value is in the program's file");
  const VariableIndex index(isort(), {});
  EXPECT_TRUE(decide::decide_variable({decide::Transformation::huge_pages}, index.entries()[0],
                                      index, nullptr, {})
                  .open());
}

TEST(VariablePages, LeavesWhatIsHardlyTouched) {
  feedback::Profile profile = isort();
  profile.groups[0].accesses = 4095;  // in 2048 pages
  const Decision decision = decide_it(profile, code_of("keys", 11));
  EXPECT_EQ(decision.reason, Reason::sparse);
  EXPECT_EQ(decision.gate.name, "page_accesses");
  EXPECT_EQ(decision.number("saved_cycles"), 0);
  EXPECT_EQ(VariableIndex(profile, {}).bytes(), 4u << 20);
}

TEST(VariablePages, WantsRoomForTwoHugePages) {
  feedback::Profile profile = isort();
  profile.groups[0].bytes = profile.groups[1].bytes = (2 << 20) - 4096;
  EXPECT_EQ(decide_it(profile, code_of("keys", 11)).reason, Reason::middle_size);
  profile.groups[0].bytes += 8192;
  EXPECT_TRUE(decide_it(profile, code_of("keys", 11)).take());
}

TEST(VariablePages, MustBeWorthIt) {
  feedback::Profile profile = isort();
  profile.run.accesses = 89'000'000'000;
  const Decision decision = decide_it(profile, code_of("keys", 11));
  EXPECT_EQ(decision.reason, Reason::unrepaid);
  EXPECT_EQ(decision.gate.name, "saved_cycles");
  profile.run.accesses = 87'000'000'000;
  EXPECT_TRUE(decide_it(profile, code_of("keys", 11)).take());
}

}  // namespace
