// co_access_groups_test.cc - sites that share a column, and convoys that are dissolved.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/event/co_access_groups.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <span>

#include "runtime/backend/decode/decoder.h"
#include "runtime/backend/session.h"
#include "runtime/backend/stream/file_source.h"
#include "testsuite/unit/backend/backend_testutil.h"
#include "testsuite/unit/backend/stream_builder.h"

namespace memprof::backend {
namespace {

using testing::BlockAccess;
using testing::FlatEvent;
using testing::TestModule;
using testing::Words;

class ConvoysTest : public ::testing::Test {
 protected:
  // Sites 1 .. 5: loads of 8 bytes but 3, a store of 4.
  ConvoysTest() {
    module_.function("f");
    for (int site = 1; site <= 5; site++)
      module_.site(site == 3 ? MPRT_OP_STORE : MPRT_OP_LOAD, site == 3 ? 4 : 8);
  }
  void decode(const Words& words) {
    const std::uint64_t* p = words.words.data();
    decoder_.decode(ring_, &p, p + words.words.size(), batch_);
    decoder_.finish(batch_);
  }
  const ConvoyTable& convoys() const { return decoder_.units().convoys(); }
  std::vector<SiteId> columns() const {
    std::vector<SiteId> sites;
    for (const Column& c : batch_.columns) sites.push_back(c.site);
    return sites;
  }
  // Site, offset in the object (addresses of none as they are) and time of each access.
  using Tuple = std::array<std::uint64_t, 3>;
  std::vector<Tuple> accesses() const {
    std::vector<Tuple> result;
    for (const FlatEvent& e : testing::trace_of(batch_).events)
      if (e.kind <= EventKind::store) result.push_back({e.site, e.address - e.base, e.time});
    return result;
  }

  TestModule module_;
  Decoder decoder_;
  StreamRing ring_;
  Batch batch_;
};

TEST_F(ConvoysTest, SitesOfOneWordOfOneBlock) {
  module_.block(3, {{0, 1, 0}, {1, 2, 0}, {2, 1, 16}, {3, 1, ~std::uint64_t{7}}});
  decode(module_.load());
  ASSERT_EQ(convoys().size(), 1u);
  const Convoy& convoy = convoys()[1];
  ASSERT_EQ(convoy.members.size(), 3u);
  EXPECT_EQ(convoy.leader(), 1u);
  EXPECT_EQ(convoy.followers()[0].site, 3u);
  EXPECT_EQ(convoy.followers()[0].width, 4u);
  EXPECT_EQ(convoy.followers()[0].offset, 16u);
  EXPECT_EQ(convoy.followers()[0].time, 2u);
  EXPECT_EQ(convoy.followers()[1].offset, ~std::uint64_t{7});
  EXPECT_EQ(convoy.low, ~std::uint64_t{7});
  EXPECT_EQ(convoy.extent, 25u);
  EXPECT_EQ(convoy.bytes, 28u);
}

TEST_F(ConvoysTest, SitesThatOccurElsewhereOrHaveNoBaseGoAlone) {
  const auto loop = module_.loop();
  module_.block(2, {{0, 1, 0}, {1, 1, 8}});
  module_.block(2, {{1, 1, 8}});
  module_.block(2, {{2, 1, 0}, {3, 1, 8}});
  module_.range(3, loop, {{2, 2, 0, 8}});
  module_.block(1, {{4, MPRT_BASE_ABSOLUTE, 0x601000}, {3, MPRT_BASE_ABSOLUTE, 0x601008}});
  decode(module_.load());
  EXPECT_EQ(convoys().size(), 0u);
}

TEST_F(ConvoysTest, OneColumnWhileAllAreInOneObject) {
  const auto block = module_.block(3, {{0, 1, 0}, {1, 2, 0}, {2, 1, 16}});
  decode(module_.load()
             .birth(0x7000, 4096, 0)
             .record(block, 0x7000, 0x7100)
             .record(block, 0x7020, 0x100));
  EXPECT_EQ(columns(), (std::vector<SiteId>{1, 2}));
  EXPECT_TRUE(batch_.dissolved.empty());
  EXPECT_EQ(accesses(), (std::vector<Tuple>{{1, 0, 0}, {2, 0x100, 1}, {3, 16, 2},
                                            {1, 0x20, 3}, {2, 0x100, 4}, {3, 0x30, 5}}));
  EXPECT_EQ(decoder_.groups()[1].accesses, 5u);
}

TEST_F(ConvoysTest, DissolvedWhereTheMembersPart) {
  const auto block = module_.block(2, {{0, 1, 0}, {2, 1, 16}, {1, 1, 32}});
  decode(module_.load()
             .birth(0x7000, 64, 0)
             .birth(0x7040, 64, 0)
             .record(block, 0x7000)
             .record(block, 0x7028)   // the last one is in the other object
             .record(block, 0x7040));
  EXPECT_EQ(columns(), (std::vector<SiteId>{1, 3, 2}));
  ASSERT_EQ(batch_.dissolved.size(), 1u);
  EXPECT_EQ(batch_.dissolved[0], &convoys()[1]);
  EXPECT_TRUE(convoys().whole().empty());
  EXPECT_EQ(accesses(),
            (std::vector<Tuple>{{1, 0, 0}, {3, 16, 1}, {2, 32, 2}, {1, 40, 3}, {3, 56, 4},
                                {2, 8, 5}, {1, 0, 6}, {3, 16, 7}, {2, 32, 8}}));
  EXPECT_EQ(decoder_.groups()[1].accesses, 9u);
  batch_.clear();
  decode(Words().record(block, 0x7000));
  EXPECT_TRUE(batch_.dissolved.empty());
  EXPECT_EQ(columns(), (std::vector<SiteId>{1, 3, 2}));
}

TEST_F(ConvoysTest, DissolvedWhereOneHasNoObjectOrNoMemory) {
  const auto block = module_.block(2, {{0, 1, 0}, {1, 1, 8}});
  const auto other = module_.block(2, {{3, 1, 0}, {4, 1, 8}});
  decode(module_.load()
             .birth(0x7000, 64, 0)
             .record(block, 0x6000)   // both in none
             .record(block, 0x6ff8)   // the second one in the object
             .record(other, (std::uint64_t{1} << k_address_bits) - 16));
  EXPECT_EQ(batch_.dissolved.size(), 2u);
  EXPECT_EQ(decoder_.counts().corrupt, 1u);
  const auto limit = std::uint64_t{1} << k_address_bits;
  EXPECT_EQ(accesses(),
            (std::vector<Tuple>{{1, 0x6000, 0}, {2, 0x6008, 1}, {1, 0x6ff8, 2}, {2, 0, 3},
                                {4, limit - 16, 4}, {5, limit - 8, 5}}));
}

TEST_F(ConvoysTest, SitesOfARun) {
  const auto loop = module_.loop();
  const auto run = module_.run(3, {16}, {{0, 1, 0}, {1, 2, 0}, {2, 1, 8}}, loop);
  decode(module_.load().birth(0x7000, 0x200, 0).record(run, 0x7000, 0x7100, 0x7108));
  ASSERT_EQ(convoys().size(), 1u);
  EXPECT_EQ(columns(), (std::vector<SiteId>{1, 2}));
  EXPECT_EQ(accesses(), (std::vector<Tuple>{{1, 0, 0}, {2, 0x100, 1}, {3, 8, 2},
                                            {1, 16, 3}, {2, 0x108, 4}, {3, 24, 5}}));
  batch_.clear();
  // Dissolved inside a run, by the second of three executions.
  decode(Words().record(run, 0x71e8, 0x7100, 0x7100, 0x7100));
  EXPECT_EQ(batch_.dissolved.size(), 1u);
  EXPECT_EQ(accesses(),
            (std::vector<Tuple>{{1, 0x1e8, 6}, {2, 0x100, 7}, {3, 0x1f0, 8}, {1, 0x1f8, 9},
                                {2, 0x100, 10}, {3, 0x7200, 11}, {1, 0x7208, 12},
                                {2, 0x100, 13}, {3, 0x7210, 14}}));
}

TEST_F(ConvoysTest, AUnitThatComesAgainGoesWithoutConvoys) {
  const auto block = module_.block(2, {{0, 1, 0}, {1, 1, 8}});
  decode(module_.load().record(block, 0x6000));
  EXPECT_EQ(columns(), (std::vector<SiteId>{1}));
  batch_.clear();
  decode(Words().control(MPRT_MODULE_UNLOAD, module_.address));
  decode(module_.load().record(block, 0x6000));
  EXPECT_EQ(batch_.dissolved.size(), 1u);
  EXPECT_EQ(columns(), (std::vector<SiteId>{1, 2}));
  EXPECT_EQ(decoder_.groups()[0].accesses, 4u);
}

// A random program; with LANES, accesses of one base share a word of the record.
Words program(TestModule& m, bool convoys, unsigned seed) {
  std::mt19937 random(seed);
  m.function("walk");
  const auto loop = m.loop();
  const auto node = m.alloc(5), row = m.alloc(6);
  struct Shape {
    std::uint64_t descriptor;
    std::vector<unsigned> base_of_word;  // in convoys' order
    unsigned bases;
    bool run;
  };
  std::vector<Shape> shapes;
  for (int b = 0; b < 12; b++) {
    Shape shape{0, {}, 1 + static_cast<unsigned>(random() % 2), b % 4 == 1};
    std::vector<BlockAccess> accesses;
    const unsigned n = 2 + random() % 4;
    for (unsigned i = 0; i < n; i++) {
      const auto kind = random() % 3 ? MPRT_OP_LOAD : MPRT_OP_STORE;
      const auto site = m.site(kind, 1u << random() % 4, loop);
      const unsigned base = random() % shape.bases;
      shape.base_of_word.push_back(base);
      // Mostly fields of a node, sometimes beyond it.
      const std::uint64_t offset = (random() % 8 == 0 ? random() % 5 * 16 - 16 : random() % 3 * 8);
      accesses.push_back({site, convoys ? base + 1 : i + 1, offset});
    }
    const unsigned words = convoys ? shape.bases + 1 : n + 1;
    const bool iteration = random() % 2;
    shape.descriptor = shape.run ? m.run(words, {}, accesses, loop, iteration)
                                 : m.block(words, accesses, loop, iteration);
    shapes.push_back(shape);
  }
  const auto in = m.enter(loop), out = m.exit(loop);
  Words w = m.load();
  w.birth(0x7f0000000000, 80000, row).record(in);
  std::array<std::uint64_t, 12> steps{};  // of blocks that walk through the row
  for (unsigned i = 0; i < 20000; i++) {
    if (random() % 4 == 0) w.birth(0x55000000 + random() % 300 * 32, 24, node);
    if (random() % 9 == 0) w.death(0x55000000 + random() % 300 * 32);
    // The odd addresses come late: convoys have a past then.
    const bool odd = i > 10000 && random() % 3000 == 0;
    const unsigned number = random() % shapes.size();
    const Shape& shape = shapes[number];
    const unsigned executions = shape.run ? 1 + random() % 3 : 1;
    std::array<std::uint64_t, 6> base{};
    for (auto& a : std::span(base).first(2 * executions))
      a = odd              ? (std::uint64_t{1} << k_address_bits) - random() % 40
          : number % 3 == 0 ? 0x7f0000000000 + 64 + steps[number]++ % 4000 * 8
          : random() % 4   ? 0x7f0000000000 + 64 + random() % 4000 * 8
          : i % 1000 == 0  ? 0x55000000 + random() % 300 * 32
                           : 0x7fff00000000 + random() % 100 * 8;
    const std::size_t own = convoys ? shape.bases : shape.base_of_word.size();
    w.add({shape.descriptor | (own * executions + 1)});
    for (unsigned n = 0; n < executions; n++)
      if (convoys)
        for (unsigned b = 0; b < shape.bases; b++) w.add({base[2 * n + b]});
      else
        for (const unsigned b : shape.base_of_word) w.add({base[2 * n + b]});
  }
  return w.record(out).control(MPRT_PROGRAM_END, MPRT_END_EXIT, 0);
}

nlohmann::json profile(bool convoys, unsigned seed) {
  char folder[] = "/tmp/memprof-convoys-XXXXXX";
  if (!mkdtemp(folder)) return {};
  mprt_shared about{};
  std::snprintf(about.program, sizeof about.program, "/bin/prog");
  std::snprintf(about.directory, sizeof about.directory, "%s", folder);
  std::snprintf(about.options, sizeof about.options,
                "merge=0:modules=all:cache=sample=1,window=1");
  TestModule m;
  const std::string path = std::string(folder) + "/stream";
  std::ofstream(path, std::ios::binary)
      << testing::stream_file_bytes({{0, 0, 0, program(m, convoys, seed)}}, about);
  auto file = StreamFile::open(path);
  FileSource source(**file);
  const Outcome outcome = profile_stream(source, {});
  std::ifstream in(outcome.path);
  nlohmann::json json = nlohmann::json::parse(in, nullptr, false);
  std::system((std::string("rm -rf ") + folder).c_str());
  for (const char* key : {"memprof", "program", "run", "index"}) json.erase(key);
  return json;
}

TEST(ConvoysDifferentialTest, TheProfileIsTheSameWithoutThem) {
  for (unsigned seed = 1; seed <= 8; seed++) {
    const nlohmann::json with = profile(true, seed), without = profile(false, seed);
    ASSERT_TRUE(with.contains("object_relative") && with.contains("strides"));
    for (const auto& [key, rows] : without.items())
      EXPECT_TRUE(with.contains(key) && with[key] == rows) << key << ", seed " << seed;
  }
}

}  // namespace
}  // namespace memprof::backend
