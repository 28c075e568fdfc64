// never_met_test.cc - pairs without a dependence: what `mdf' says holds for each pair.
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "testsuite/unit/backend/random_program.h"

namespace memprof::backend::testing {
namespace {

using feedback::Id;
using Pair = std::pair<Id, Id>;  // store, load

// All sites in loop 1 of a function, but the first two in a loop inside it.
feedback::Profile document(const FakeProgram& program) {
  feedback::Profile p;
  feedback::Function& f = p.modules.emplace_back().functions.emplace_back();
  for (const Id loop : {1u, 2u}) {
    f.loops.emplace_back().id = loop;
    if (loop == 2) f.loops.back().parent = 1;
  }
  for (SiteId site = 1; site <= program.sites(); site++) {
    if (program.executions(site) == 0) continue;
    feedback::Site& s = f.sites.emplace_back();
    s.id = site;
    s.kind = program.store_p(site) ? feedback::Access::store : feedback::Access::load;
    s.loop = site <= 2 ? 2 : 1;
    s.executions = program.executions(site);
  }
  return p;
}

feedback::Profile profile_of(const FakeProgram& program, const Trace& trace) {
  const auto module = make_mdf(program);
  module->consume(make_batch(trace));
  module->settle();
  feedback::Profile p = document(program);
  module->finish(p);
  return p;
}

// Executions of each load that read a byte of an object that the store had written.
std::map<Pair, std::uint64_t> exact(const Trace& trace) {
  std::map<std::tuple<GroupId, std::uint32_t, std::uint64_t>, std::set<Id>> writers;
  std::map<Pair, std::uint64_t> meetings;
  for (const FlatEvent& e : expand(trace).events) {
    if (e.kind != EventKind::load && e.kind != EventKind::store) continue;
    std::set<Id> met;
    for (std::uint64_t i = 0; i < e.width; i++) {
      std::set<Id>& cell = writers[{e.group, e.object, e.address - e.base + i}];
      if (e.kind == EventKind::store)
        cell.insert(e.site);
      else
        met.insert(cell.begin(), cell.end());
    }
    for (const Id store : met) meetings[{store, e.site}]++;
  }
  return meetings;
}

// What the tables say of each pair: lowest and highest share.
std::map<Pair, std::pair<double, double>> bounds(const feedback::Profile& p) {
  std::map<Pair, std::pair<double, double>> result;
  for (const feedback::Mdf& row : p.mdf) {
    EXPECT_LE(row.lo, row.est);
    EXPECT_LE(row.est, row.hi);
    EXPECT_TRUE(result.try_emplace({row.source, row.sink}, row.lo, row.hi).second);
  }
  for (const feedback::NeverMet& row : p.never_met)
    for (const Id sink : row.sinks)
      for (const Id source : row.sources) {
        EXPECT_TRUE(result.try_emplace({source, sink}, 0, row.hi).second);
        EXPECT_EQ(row.loop, sink <= 2 && source <= 2 ? 2u : 1u);
      }
  return result;
}

void expect_true(const RandomProgram::Options& options, unsigned programs) {
  for (unsigned seed = 0; seed < programs; seed++) {
    const Trace trace = RandomProgram(seed, options).make();
    FakeProgram program;
    program.stack_group = seed % 3 == 0 ? 3 : 0;
    program.count(trace);
    const auto said = bounds(profile_of(program, trace));
    const auto truth = exact(trace);
    std::map<Id, unsigned> unsaid;
    for (SiteId load = 1; load <= program.sites(); load++)
      for (SiteId store = 1; store <= program.sites(); store++) {
        const std::uint64_t all = program.executions(load);
        if (all == 0 || program.executions(store) == 0 || program.store_p(load) ||
            !program.store_p(store))
          continue;
        const auto row = said.find({store, load});
        if (row == said.end()) {
          unsaid[load]++;
          continue;
        }
        const auto met = truth.find({store, load});
        const double share = met == truth.end() ? 0
                                                : static_cast<double>(met->second) /
                                                      static_cast<double>(all);
        ASSERT_LE(row->second.first, share + 1e-9) << "seed " << seed << ' ' << store << "->" << load;
        ASSERT_GE(row->second.second, share - 1e-9) << "seed " << seed << ' ' << store << "->" << load;
      }
    // A pair is left out only if the load has four sources that are more frequent.
    for (const auto& [load, pairs] : unsaid) {
      unsigned sources = 0;
      for (const auto& [pair, bound] : said) sources += pair.second == load && bound.first > 0;
      ASSERT_GE(sources + pairs, 5u) << "seed " << seed << " load " << load;
    }
  }
}

TEST(NeverMet, HoldsForShortPrograms) { expect_true({}, 400); }

TEST(NeverMet, HoldsForStreamsThatClose) {
  RandomProgram::Options options;
  options.events = 60;  // at each of three levels of loops
  options.threads = 2;
  options.sites = 8;
  expect_true(options, 60);
  options.area = 6000;
  expect_true(options, 60);
}

// Objects of their own: nothing of two lists ever meets, and the rows are one for each bound.
TEST(NeverMet, LoadsWithTheSameStrangersShareARow) {
  Script s;
  for (std::uint64_t i = 0; i < 200; i++) {
    const std::uint64_t at = 0x1000 + 32 * (i * 7919 % 200);
    s.access(EventKind::load, 3, at, 8, 1, 0, 0x1000);
    s.access(EventKind::load, 5, at + 8, 8, 1, 0, 0x1000);
    s.access(EventKind::store, 4, at + 16, 8, 1, 0, 0x1000);
    s.access(EventKind::store, 6, 0x9000, 8, 2, 0, 0x9000);
    s.access(EventKind::load, 7, 0x9000, 8, 2, 0, 0x9000);
  }
  FakeProgram program;
  program.count(s.batch);
  const feedback::Profile p = profile_of(program, s.batch);
  ASSERT_EQ(p.mdf.size(), 1u);
  EXPECT_EQ(p.mdf[0].sink, 7u);
  ASSERT_EQ(p.never_met.size(), 2u);
  EXPECT_EQ(p.never_met[0].hi, 0);
  EXPECT_EQ(p.never_met[0].sinks, (std::vector<Id>{7}));
  EXPECT_EQ(p.never_met[0].sources, (std::vector<Id>{4}));
  EXPECT_EQ(p.never_met[1].hi, 0);
  EXPECT_EQ(p.never_met[1].sinks, (std::vector<Id>{3, 5}));
  EXPECT_EQ(p.never_met[1].sources, (std::vector<Id>{4, 6}));
}

// A load that the module could compare in part only.
TEST(NeverMet, WidthsThatVaryAreBoundedByAll) {
  Script s;
  s.access(EventKind::store, 4, 0x1000, 8, 1, 0, 0x1000);
  for (std::uint64_t width = 1; width <= 4; width++)
    s.access(EventKind::load, 3, 0x1100, width, 1, 0, 0x1000);
  FakeProgram program;
  program.count(s.batch);
  const feedback::Profile p = profile_of(program, s.batch);
  EXPECT_TRUE(p.mdf.empty());
  ASSERT_EQ(p.never_met.size(), 1u);
  EXPECT_EQ(p.never_met[0].hi, 1);
}

}  // namespace
}  // namespace memprof::backend::testing
