// stride_test.cc - strides: contract, closed form of ranges, slow oracle.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/event/module.h"

#include <algorithm>
#include <map>

#include "runtime/backend/base/fault.h"
#include "testsuite/unit/backend/random_program.h"

namespace memprof::backend::testing {
namespace {

using feedback::StrideClass;

Script offsets(SiteId site, std::uint64_t base, GroupId group, std::uint32_t object,
               const std::vector<std::uint64_t>& values, Script script = {}) {
  for (std::uint64_t v : values)
    script.access(EventKind::load, site, base + v, 8, group, object, base);
  return script;
}

TEST(Stride, CountsInsideOneObject) {
  // One object, offsets 0,8..56,100,7.
  const auto p = run(make_stride, offsets(1, 0x1000, 3, 0,
                                          {0, 8, 16, 24, 32, 40, 48, 56, 100, 7}).batch);
  ASSERT_EQ(p.strides.size(), 1u);
  const auto& row = p.strides[0];
  EXPECT_EQ(row.executions, 10u);
  EXPECT_EQ(row.within_object.dominant, 8);
  EXPECT_EQ(row.within_object.histogram[0].count, 7u);
  EXPECT_DOUBLE_EQ(row.within_object.share, 0.70);
  EXPECT_EQ(row.within_object.klass, StrideClass::ssst);
  EXPECT_EQ(row.dominant, 8);
  EXPECT_EQ(row.repeats, 6u);
  ASSERT_EQ(row.histogram.size(), 3u);
  EXPECT_EQ(row.histogram[1].stride, -93);  // equal counts: the smaller first
}

TEST(Stride, ExcludesStridesBetweenObjects) {
  // Two objects, offsets 0,8,16,24 each.
  Script s = offsets(1, 0x1000, 3, 0, {0, 8, 16, 24});
  s = offsets(1, 0x9000, 3, 1, {0, 8, 16, 24}, s);
  const auto p = run(make_stride, s.batch);
  const auto& row = p.strides[0];
  EXPECT_EQ(row.within_object.histogram[0].count, 6u);
  EXPECT_DOUBLE_EQ(row.within_object.share, 0.75);
  EXPECT_EQ(row.histogram.size(), 2u);
  EXPECT_EQ(row.histogram[1].stride, 0x9000 - 0x1018);
}

TEST(Stride, UnknownAddressesHaveNoObject) {
  const auto p = run(make_stride, offsets(1, 0x1000, 0, 0, {0, 8, 16, 24}).batch);
  EXPECT_TRUE(p.strides[0].within_object.histogram.empty());
  EXPECT_EQ(p.strides[0].dominant, 8);
}

TEST(Stride, ConstantAndSingleExecution) {
  Script s = offsets(1, 0x1000, 3, 0, {4, 4, 4, 4});
  s = offsets(2, 0x1000, 3, 0, {4}, s);
  const auto p = run(make_stride, s.batch);
  ASSERT_EQ(p.strides.size(), 1u) << "one execution has no stride and no row";
  EXPECT_EQ(p.strides[0].klass, StrideClass::constant);
}

// A loop of 100 iterations that represents 30; bursts have seen a tenth of its executions.
TEST(Stride, LoopsThatTellOfThemselvesSayMoreThanBursts) {
  FakeProgram program;
  program.count(1, false, 300);
  const auto module = make_stride(program);
  Batch batch;
  batch.loop_samples.push_back({{0x1000, 8, 100, 0x1000, 8, 1, 7, 0, false}, 30, 0});
  module->consume(batch);
  const feedback::Profile profile = finish(*module);
  ASSERT_EQ(profile.strides.size(), 1u);
  const feedback::Stride& row = profile.strides[0];
  EXPECT_EQ(row.executions, 300u);
  ASSERT_EQ(row.histogram.size(), 1u);
  EXPECT_EQ(row.histogram[0].stride, 8);
  EXPECT_EQ(row.histogram[0].count, 297u);
  EXPECT_EQ(row.within_object.histogram.size(), 1u);
  EXPECT_EQ(row.repeats, 294u);
  EXPECT_EQ(row.klass, StrideClass::ssst);
}

TEST(Stride, PhasedClass) {
  // Two strides, 5 executions each: top 0.5, top four 1.0, most repeat.
  Script s;
  s.time = 0;
  RangeAccess a{0x1000, 8, 50, 0x1000, 8, 1, 3, 0, false};
  RangeAccess b{0x2000, 16, 50, 0x1000, 8, 1, 3, 0, false};
  s.range(1, 50, {a}).range(1, 50, {b});
  const auto p = run(make_stride, s.batch);
  EXPECT_EQ(p.strides[0].klass, StrideClass::pmst);
  EXPECT_EQ(p.strides[0].repeats, 96u);
}

TEST(Stride, KeepsThreadsApart) {
  Script s;
  for (std::uint64_t i = 0; i < 20; i++) {
    s.thread = 0;
    s.load(1, 0x1000 + 8 * i, 8);
    s.thread = 1;
    s.load(1, 0x90000 + 8 * i, 8);
  }
  const auto p = run(make_stride, s.batch);
  ASSERT_EQ(p.strides[0].histogram.size(), 1u);
  EXPECT_EQ(p.strides[0].histogram[0].count, 38u);
}

TEST(Stride, NoneAcrossAGap) {
  const FakeProgram program = [] {
    FakeProgram p;
    for (int i = 0; i < 12; i++) p.count(1, false), p.count(5, false);
    return p;
  }();
  const auto module = make_stride(program);
  for (std::uint64_t burst = 0; burst < 3; burst++) {
    Script s;
    for (std::uint64_t i = 0; i < 4; i++) s.load(1, 0x1000 + 0x100 * burst + 8 * i, 8);
    if (burst != 1) s.load(5, 0x9000 + burst, 8);
    s.context(EventKind::gap, 0);
    module->consume(make_batch(s.batch));
  }
  const feedback::Profile p = finish(*module);
  ASSERT_EQ(p.strides.size(), 1u) << "one execution per burst has no stride";
  ASSERT_EQ(p.strides[0].histogram.size(), 1u);
  EXPECT_EQ(p.strides[0].histogram[0].stride, 8);
  EXPECT_EQ(p.strides[0].histogram[0].count, 9u);
}

TEST(Stride, ExactForTheFirst4096Distinct) {
  Script s;
  std::uint64_t address = 1 << 30;
  s.load(1, address, 1);
  for (std::uint64_t i = 1; i <= 5000; i++) s.load(1, address += i, 1);
  for (std::uint64_t i = 0; i < 10; i++) s.load(1, address += 4096, 1);
  for (std::uint64_t i = 0; i < 10; i++) s.load(1, address += 4097, 1);
  const auto p = run(make_stride, s.batch);
  const auto& row = p.strides[0];
  EXPECT_EQ(row.dominant, 4096);
  EXPECT_EQ(row.histogram[0].count, 11u);
  EXPECT_EQ(row.histogram.size(), 8u);
  // 4096 distinct ones less the 8 shown, 904 late ones, 10 late repetitions.
  EXPECT_EQ(row.other, 4096u - 8 + 904 + 10);
}

// Straight from the definition, with maps.
std::string oracle(const FakeProgram& program, const Trace& batch) {
  struct Last { std::uint64_t address; GroupId group; std::uint32_t object; };
  std::map<std::pair<SiteId, std::uint32_t>, std::vector<Last>> history;
  const Trace flat = expand(batch);
  for (const FlatEvent& e : flat.events)
    if (e.kind <= EventKind::store)
      history[{e.site, e.thread}].push_back({e.address, e.group, e.object});
  std::map<SiteId, std::map<std::int64_t, std::uint64_t>> all, within;
  std::map<SiteId, std::uint64_t> repeats;
  for (const auto& [key, h] : history)
    for (std::size_t i = 1; i < h.size(); i++) {
      const auto d = static_cast<std::int64_t>(h[i].address - h[i - 1].address);
      all[key.first][d]++;
      if (h[i].group && h[i].group == h[i - 1].group && h[i].object == h[i - 1].object)
        within[key.first][d]++;
      if (i > 1 && h[i - 1].address - h[i - 2].address == static_cast<std::uint64_t>(d))
        repeats[key.first]++;
    }
  std::ostringstream out;
  for (const auto& [site, counts] : all) {
    std::vector<std::pair<std::int64_t, std::int64_t>> order;
    for (const auto& [d, n] : counts) order.push_back({-static_cast<std::int64_t>(n), d});
    std::sort(order.begin(), order.end());
    std::uint64_t other = 0;
    for (std::size_t i = 8; i < order.size(); i++) other -= order[i].first;
    out << site << ' ' << program.executions(site) << ' ' << order[0].second << ' '
        << other << ' ' << repeats[site];
    for (std::size_t i = 0; i < order.size() && i < 8; i++)
      out << ' ' << order[i].second << '*' << -order[i].first;
    order.clear();
    for (const auto& [d, n] : within[site])
      order.push_back({-static_cast<std::int64_t>(n), d});
    std::sort(order.begin(), order.end());
    out << " within";
    for (std::size_t i = 0; i < order.size() && i < 8; i++)
      out << ' ' << order[i].second << '*' << -order[i].first;
    out << '\n';
  }
  return out.str();
}

std::string brief(const feedback::Profile& profile) {
  std::ostringstream out;
  for (const auto& r : profile.strides) {
    out << r.site << ' ' << r.executions << ' ' << r.dominant << ' ' << r.other << ' '
        << r.repeats;
    for (const auto& h : r.histogram) out << ' ' << h.stride << '*' << h.count;
    out << " within";
    for (const auto& h : r.within_object.histogram)
      out << ' ' << h.stride << '*' << h.count;
    out << '\n';
  }
  return out.str();
}

TEST(Stride, RandomProgramsAgreeWithTheOracle) {
  for (std::uint64_t seed = 0; seed < 1000; seed++) {
    RandomProgram::Options options;
    options.threads = 1 + seed % 3;
    const Trace batch = RandomProgram(seed, options).make();
    FakeProgram program;
    program.count(batch);
    const auto profile = run(make_stride, program, batch);
    ASSERT_EQ(difference(brief(profile), oracle(program, batch)), "") << "seed " << seed;
    ASSERT_EQ(difference(text(profile), text(run(make_stride, program, expand(batch)))), "")
        << "seed " << seed;
  }
}

TEST(Stride, FaultIsVisible) {
  const Trace batch = RandomProgram(1, {}).make();
  const std::string good = text(run(make_stride, batch));
  g_fault = Fault::stride_reset;
  const std::string bad = text(run(make_stride, batch));
  g_fault = Fault::none;
  EXPECT_NE(good, bad);
}

}  // namespace
}  // namespace memprof::backend::testing
