// covered_sites_test.cc - sites that others speak for, and accesses that loops count.
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <random>

#include "runtime/backend/event/module.h"
#include "runtime/backend/profile/profile_builder.h"
#include "testsuite/unit/backend/decoder_fixture.h"

namespace memprof::backend {
namespace {

using testing::TestModule;
using testing::Words;

class CoveredSitesTest : public testing::DecoderTest {
 protected:
  CoveredSitesTest() : builder_(decoder_.units(), decoder_.groups()), module_(make_points_to(builder_)) {}

  // As `decode', and points_to sees it.
  void feed(const Words& words) {
    decode(words);
    module_->consume(batch_);
  }
  // Rows "site group*count ...", then "group: accesses".
  std::string rows() {
    feedback::Profile profile;
    builder_.count({});
    builder_.build(profile);
    module_->settle();
    module_->finish(profile);
    builder_.add_groups(profile);
    std::ostringstream out;
    for (const feedback::PointsTo& row : profile.points_to) {
      out << row.site;
      for (const auto& [group, count] : row.groups) out << ' ' << name(group) << '*' << count;
      out << '\n';
    }
    for (const feedback::Group& g : profile.groups)
      out << (g.kind == feedback::GroupKind::unknown ? "unknown" : name(g.id)) << ": " << g.accesses
          << '\n';
    return out.str();
  }
  std::string name(feedback::Id group) {
    const feedback::Group& g = decoder_.groups().name(static_cast<GroupId>(group));
    return g.line > 1 ? std::to_string(g.line) : g.function;
  }

  ProfileBuilder builder_;
  std::unique_ptr<Module> module_;
};

// total += p->a; p->b = 1: the load of p->a speaks for all.
TEST_F(CoveredSitesTest, AreWhereTheirLeaderIs) {
  TestModule m;
  m.function("f");
  for (const mprt_op op : {MPRT_OP_LOAD, MPRT_OP_LOAD, MPRT_OP_STORE, MPRT_OP_STORE}) m.site(op, 8);
  m.global("total", 0x601000, 8);
  const auto here = m.alloc(7), there = m.alloc(8);
  const auto b = m.block(2, {{1, 1, 0}});
  m.covered(0, 1, 0x601000), m.covered(2, 1, 0x601000), m.covered(3, 1);
  load(m);
  feed(Words().birth(0x1000, 16, here).birth(0x2000, 16, there));
  feed(Words().record(b, 0x1000).record(b, 0x2000).record(b, 0x1000).record(b, 0x9000));
  EXPECT_EQ(decoder_.units().site_executions(), (std::vector<std::uint64_t>{0, 4, 4, 4, 4}));
  EXPECT_EQ(rows(),
            "1 total*4\n2 7*2 8*1\n3 total*4\n4 7*2 8*1\n"
            "total: 8\n7: 4\n8: 2\nunknown: 2\n");
}

// A variable of a unit that is loaded later, and one that no site names.
TEST_F(CoveredSitesTest, VariablesMayBeNamedLater) {
  TestModule m, late(0x800000, "b.c");
  m.function("f");
  m.site(MPRT_OP_LOAD, 8), m.site(MPRT_OP_LOAD, 8), m.site(MPRT_OP_LOAD, 8);
  m.global("own", 0x601000, 8);
  const auto b = m.block(1, {{0, MPRT_BASE_ABSOLUTE, 0x601000}});
  m.covered(1, 0, 0x602000), m.covered(2, 0, 0x603000);
  late.global("other", 0x602000, 8);
  load(m);
  feed(Words().record(b).record(b));
  load(late);
  EXPECT_EQ(rows(), "1 own*2\n2 other*2\nown: 2\nother: 2\nunknown: 2\n");
}

// Each entry has a count of its own; 0 says nothing.
TEST_F(CoveredSitesTest, LoopsCount) {
  TestModule m;
  m.function("f");
  m.site(MPRT_OP_LOAD, 8), m.site(MPRT_OP_STORE, 8), m.site(MPRT_OP_LOAD, 8);
  m.global("table", 0x601000, 800);
  const auto here = m.alloc(7);
  const auto t = m.tally(4, {{0, MPRT_BASE_ABSOLUTE, 0x601000, 1}, {1, 3, 0, 2}});
  m.covered(2, 1);
  load(m);
  feed(Words().birth(0x1000, 16, here));
  feed(Words().record(t, 1000000, 3, 0x1008).record(t, 5, 0, 0));
  EXPECT_EQ(decoder_.units().site_executions(),
            (std::vector<std::uint64_t>{0, 1000005, 3, 3}));
  EXPECT_EQ(rows(), "1 table*1000005\n2 7*3\n3 7*3\ntable: 1000005\n7: 6\n");
  feed(Words().record(t, std::uint64_t{1} << 60, 0, 0));
  EXPECT_EQ(decoder_.counts().corrupt, 1u);
}

// Tables that make no sense are refused.
TEST_F(CoveredSitesTest, MustNameSites) {
  for (const unsigned leader : {0u, 1u, 2u}) {
    TestModule m;
    m.function("f");
    m.site(MPRT_OP_LOAD, 8), m.site(MPRT_OP_LOAD, 8);
    m.covered(0, leader);
    const auto before = decoder_.counts().corrupt;
    load(m);
    EXPECT_EQ(decoder_.counts().corrupt - before, leader == 1 ? 0u : 1u);
  }
  TestModule m;
  m.function("f");
  m.site(MPRT_OP_LOAD, 8);
  m.tally(2, {{0, 1, 0}});
  const auto before = decoder_.counts().corrupt;
  load(m);
  EXPECT_EQ(decoder_.counts().corrupt - before, 1u);
}

// Any bit of tables and records may be wrong.
TEST_F(CoveredSitesTest, SurviveCorruptStreams) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 3000; round++) {
    TestModule m;
    m.function("f");
    m.site(MPRT_OP_LOAD, 8), m.site(MPRT_OP_STORE, 8), m.site(MPRT_OP_LOAD, 8);
    m.global("table", 0x601000, 800);
    const auto t = m.tally(4, {{0, MPRT_BASE_ABSOLUTE, 0x601000, 1}, {1, 3, 0, 2}});
    m.covered(2, 1), m.covered(0, 1, 0x601000);
    Words words = m.load();
    words.record(t, 1000000, 3, 0x1008).record(t, 5, 1, 0);
    for (auto flips = random() % 4; flips-- > 0;)
      words.words[random() % words.words.size()] ^= std::uint64_t{1} << random() % 64;
    Decoder decoder;
    StreamRing ring;
    const std::uint64_t* p = words.words.data();
    const std::uint64_t* const end = p + words.words.size();
    ProfileBuilder builder(decoder.units(), decoder.groups());
    const auto module = make_points_to(builder);
    decoder.skip_unknown();
    Stop stop;
    do {
      Batch batch;
      stop = decoder.decode(ring, &p, end, batch);
      decoder.finish(batch);
      module->consume(batch);
    } while (stop == Stop::batch_full || stop == Stop::chunk_end);
    feedback::Profile profile;
    builder.count({});
    builder.build(profile);
    module->settle();
    module->finish(profile);
    builder.add_groups(profile);
  }
}

}  // namespace
}  // namespace memprof::backend
