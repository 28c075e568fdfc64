// value_test.cc - the modules value and silent_store.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/event/module.h"

#include <map>

#include "testsuite/unit/backend/decoder_fixture.h"
#include "testsuite/unit/backend/random_program.h"

namespace memprof::backend::testing {
namespace {

// An access and its value.
Script& moved(Script& s, bool store, SiteId site, std::uint64_t address, std::uint64_t width,
              std::uint64_t value) {
  s.access(store ? EventKind::store : EventKind::load, site, address, width);
  s.batch.events.push_back({value, s.time, 0, width, 0, 0, 0, site, s.thread, EventKind::value});
  return s;
}
Script& load(Script& s, SiteId site, std::uint64_t value, std::uint64_t address = 0x100,
             std::uint64_t width = 4) {
  return moved(s, false, site, address, width, value);
}
Script& store(Script& s, SiteId site, std::uint64_t value, std::uint64_t address = 0x100,
              std::uint64_t width = 4) {
  return moved(s, true, site, address, width, value);
}

TEST(Value, ConstantLoads) {
  Script s;
  for (const auto& [site, value] : {std::pair{1u, 5u}, {1u, 5u}, {3u, 7u}, {3u, 8u}, {5u, 0u}})
    load(s, site, value);
  EXPECT_EQ(text(run(make_value, s.batch)),
            "value 1 n 2 [5..5] repeats 1 affine 5+0 5*2\n"
            "value 3 n 2 [7..8] repeats 0 affine 7+1 7*1 8*1\n"
            "value 5 n 1 [0..0] repeats 0 0*1\n");
}

TEST(Value, FewLastAndAffine) {
  Script s;
  for (std::uint64_t i = 0; i < 6; i++) load(s, 1, 100 - 8 * i);
  for (std::uint64_t i = 0; i < 6; i++) load(s, 3, i / 2 % 2);
  for (const std::uint64_t v : {3, 3, 3, 4, 5, 6, 7}) load(s, 5, v);
  EXPECT_EQ(text(run(make_value, s.batch)),
            "value 1 n 6 [60..100] repeats 0 affine 100-8\n"
            "value 3 n 6 [0..1] repeats 3 0*4 1*2\n"
            "value 5 n 7 [3..7] repeats 2\n");
}

TEST(Value, StoresOnlyIfAskedFor) {
  Script s;
  store(s, 2, 9);
  load(s, 1, 9);
  EXPECT_EQ(text(run(make_value, s.batch)), "value 1 n 1 [9..9] repeats 0 9*1\n");
  EXPECT_EQ(text(run(make_value_all, s.batch)),
            "value 1 n 1 [9..9] repeats 0 9*1\nvalue 2 n 1 [9..9] repeats 0 9*1\n");
}

TEST(SilentStore, WritesWhatIsThere) {
  Script s;
  store(s, 2, 0x01020304);                  // unknown before
  store(s, 4, 0x01020304);                  // silent
  store(s, 6, 0x02, 0x102, 1);              // silent: a byte of it
  store(s, 8, 0x03, 0x102, 1);
  store(s, 10, 0x01020304);                 // the byte has changed
  load(s, 1, 0, 0x200, 8);
  store(s, 12, 0, 0x204, 2);                // silent: what was read there
  s.event(EventKind::external_store, 0x204, 1);
  store(s, 14, 0, 0x204, 2);                // no longer known
  s.store(16, 0x200, 8);                    // a store without a value
  store(s, 18, 0, 0x200, 8);
  EXPECT_EQ(text(run(make_silent_store, s.batch)),
            "silent_store 4 silent 1\nsilent_store 6 silent 1\nsilent_store 12 silent 1\n");
}

// Records of a loop are taken entry by entry, unless a site comes twice in them.
class ValueOfBlocks : public DecoderTest {};

TEST_F(ValueOfBlocks, AreTheSameAsOneByOne) {
  for (const bool twice : {false, true}) {
    TestModule m;
    m.function("f");
    m.site(MPRT_OP_LOAD, 8), m.site(MPRT_OP_LOAD, 8);
    const std::uint32_t other = twice ? 0 : 1;
    const auto b = m.block(4, {{0, 1, 0}, {0, 2, 0, 0, MPRT_OP_VALUE, 8},
                               {other, 1, 8}, {other, 3, 0, 0, MPRT_OP_VALUE, 8}});
    const auto c = m.block(3, {{1, 1, 8}, {1, 2, 5, 0, MPRT_OP_VALUE, 8}});
    load(m);
    Words words;
    Script one_by_one;
    const SiteId first = decoder_.units().all().back()->first_site;
    const auto say = [&](std::uint32_t site, std::uint64_t value) {
      testing::load(one_by_one, first + site, value, 0x100, 8);
    };
    for (std::uint64_t i = 0; i < 100; i++) {
      words.record(b, 0x1000, 8 * i, i / 40);
      say(0, 8 * i), say(other, i / 40);
      if (i % 30 == 29) words.record(c, 0x1000, i), say(1, i + 5);
    }
    decode(words);
    FakeProgram program;
    program.count(first, false), program.count(first + 1, false);
    const auto module = make_value(program);
    module->consume(batch_);
    EXPECT_EQ(text(finish(*module)), text(run(make_value, one_by_one.batch))) << twice;
  }
}

// The oracle keeps all values of a site, and memory as a map.
TEST(Value, RandomProgramsAgreeWithTheOracle) {
  for (std::uint64_t seed = 0; seed < 300; seed++) {
    std::mt19937_64 random(seed);
    Script s;
    std::map<SiteId, std::vector<std::uint64_t>> values;
    std::map<std::uint64_t, int> memory;
    std::map<SiteId, std::uint64_t> silent;
    for (int i = 0; i < 200; i++) {
      const auto site = static_cast<SiteId>(1 + random() % 10);
      const std::uint64_t width = 1u << site % 4, address = 0x1000 + random() % 24;
      const bool writes = site % 2 == 0;
      if (random() % 12 == 0) {
        s.event(EventKind::death, address, width);
        for (std::uint64_t b = 0; b < width; b++) memory.erase(address + b);
        continue;
      }
      if (writes && random() % 10 == 0) {
        s.store(site, address, width);
        for (std::uint64_t b = 0; b < width; b++) memory.erase(address + b);
        continue;
      }
      // Loads agree with what is known.
      std::uint64_t value = 0;
      bool same = true;
      for (std::uint64_t b = 0; b < width; b++) {
        const auto at = memory.find(address + b);
        std::uint64_t byte = random() % 2;
        if (at != memory.end() && (!writes || random() % 4)) byte = at->second;
        same = same && at != memory.end() && std::uint64_t(at->second) == byte;
        memory[address + b] = static_cast<int>(byte);
        value |= byte << 8 * b;
      }
      moved(s, writes, site, address, width, value);
      values[site].push_back(value);
      if (writes) silent[site] += same;
    }
    std::ostringstream expected;
    for (const auto& [site, list] : values) {
      std::map<std::uint64_t, int> set;
      std::size_t repeats = 0;
      bool affine = list.size() > 1;
      const unsigned bits = 8u << site % 4;
      const std::uint64_t mask = ~std::uint64_t{0} >> (64 - bits);
      for (std::size_t i = 0; i < list.size(); i++) {
        set[list[i]]++;
        repeats += i != 0 && list[i] == list[i - 1];
        affine = affine && ((list[i] - list[0] - i * (list[1] - list[0])) & mask) == 0;
      }
      expected << "value " << site << " n " << list.size() << " [" << set.begin()->first << ".."
               << set.rbegin()->first << "] repeats " << repeats;
      const std::uint64_t sign = std::uint64_t{1} << (bits - 1);
      const auto step =
          affine ? static_cast<std::int64_t>((((list[1] - list[0]) & mask) ^ sign) - sign) : 0;
      if (affine) expected << " affine " << list[0] << (step < 0 ? "" : "+") << step;
      if (set.size() <= 4)
        for (const auto& [value, n] : set) expected << ' ' << value << '*' << n;
      expected << '\n';
    }
    ASSERT_EQ(text(run(make_value_all, s.batch)), expected.str()) << "seed " << seed;
    expected.str("");
    for (const auto& [site, n] : silent)
      if (n != 0) expected << "silent_store " << site << " silent " << n << '\n';
    ASSERT_EQ(text(run(make_silent_store, s.batch)), expected.str()) << "seed " << seed;
  }
}

}  // namespace
}  // namespace memprof::backend::testing
