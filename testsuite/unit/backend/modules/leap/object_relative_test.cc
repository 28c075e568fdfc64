// object_relative_test.cc - LEAP's streams and the frequencies from them.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/event/module.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "testsuite/unit/backend/random_program.h"

namespace memprof::backend::testing {
namespace {

TEST(ObjectRelative, SplitsBySiteAndGroup) {
  Script s;
  for (std::uint64_t i = 0; i < 4; i++) {
    s.access(EventKind::load, 1, 0x1000 + 8 * i, 8, 2, 0, 0x1000);
    s.access(EventKind::store, 2, 0x2000, 8, 5, static_cast<std::uint32_t>(i), 0x2000);
    s.access(EventKind::load, 1, 0x2000, 8, 0);  // unknown: no part
  }
  EXPECT_EQ(text(run(make_object_relative, s.batch)),
            "object_relative 1 2 n 4\n"
            "  v3 captured 4 : [0 0 0 | 0 8 3 * 4]\n"
            "  v2 captured 4 : [0 0 | 0 8 * 4]\n"
            "  v1 captured 4 : [0 | 8 * 4]\n"
            "  o1 captured 4 : [0 | 0 * 4]\n"
            "object_relative 2 5 n 4\n"
            "  v3 captured 4 : [0 0 1 | 1 0 3 * 4]\n"
            "  v2 captured 4 : [0 0 | 1 0 * 4]\n"
            "  v1 captured 4 : [0 | 0 * 4]\n"
            "  o1 captured 4 : [0 | 1 * 4]\n");
}

TEST(ObjectRelative, LeavesOutTheStack) {
  FakeProgram program;
  program.stack_group = 3;
  Script s;
  s.access(EventKind::load, 1, 0x1000, 8, 3, 0, 0x1000);
  program.count(s.batch);
  EXPECT_TRUE(run(make_object_relative, program, s.batch).object_relative.empty());
}

TEST(ObjectRelative, FrequencyOfTwoStores) {
  // Iterations 0..9 store through site 2, the others through 4.
  Script s;
  for (std::uint64_t i = 0; i < 100; i++) {
    s.access(EventKind::store, i < 10 ? 2 : 4, 0x1000 + 8 * i, 8, 1, 0, 0x1000);
    s.access(EventKind::load, 1, 0x1000 + 8 * i, 8, 1, 0, 0x1000);
  }
  const auto mdf = run(make_mdf, s.batch).mdf;
  ASSERT_EQ(mdf.size(), 2u);
  EXPECT_EQ(mdf[0].source, 4u);
  EXPECT_DOUBLE_EQ(mdf[0].est, 0.90);
  EXPECT_EQ(mdf[1].source, 2u);
  EXPECT_DOUBLE_EQ(mdf[1].est, 0.10);
  EXPECT_DOUBLE_EQ(mdf[1].lo, 0.10);
  EXPECT_DOUBLE_EQ(mdf[1].hi, 0.10);
  const auto p = run(make_object_relative, s.batch);
  EXPECT_TRUE(p.mdf.empty());
  const auto& st = p.object_relative[2];
  ASSERT_EQ(st.site, 4u);
  ASSERT_EQ(st.v3.lmads.size(), 1u);
  EXPECT_EQ(st.v3.lmads[0].start, (std::array<std::int64_t, 3>{0, 80, 20}));
  EXPECT_EQ(st.v3.lmads[0].stride, (std::array<std::int64_t, 3>{0, 8, 2}));
  EXPECT_EQ(st.v3.lmads[0].count, 90u);
}

TEST(ObjectRelative, AnyEarlierStoreCounts) {
  // Of any earlier store, not only the last one. The loads are two sites of one width each, l1 = 5, 7.
  Script s;
  auto at = [&s](EventKind kind, SiteId site, std::uint64_t offset, std::uint64_t w) {
    s.access(kind, site, 0x1000 + offset, w, 1, 0, 0x1000);
  };
  at(EventKind::store, 2, 0, 4);
  at(EventKind::store, 4, 0, 4);
  at(EventKind::load, 5, 0, 4);
  at(EventKind::load, 5, 4, 4);
  at(EventKind::store, 2, 4, 4);
  at(EventKind::load, 5, 4, 4);
  at(EventKind::load, 7, 0, 8);
  std::map<std::pair<feedback::Id, feedback::Id>, double> executions;
  for (const auto& row : run(make_mdf, s.batch).mdf)
    executions[{row.source, row.sink}] = row.est * (row.sink == 5 ? 3 : 1);
  EXPECT_DOUBLE_EQ((executions[{2, 5}] + executions[{2, 7}]) / 4, 0.75);
  EXPECT_DOUBLE_EQ((executions[{4, 5}] + executions[{4, 7}]) / 4, 0.50);
}

// The compressor of LEAP (Wu et al., CGO 2004), point by point, with every value kept.
template <int D>
std::string oracle_stream(const std::vector<std::array<std::int64_t, 3>>& points,
                          const std::array<int, D>& dims) {
  feedback::LmadStream<D> s;
  std::vector<std::array<std::int64_t, D>> dropped;
  for (const auto& point : points) {
    std::array<std::int64_t, D> v;
    for (int i = 0; i < D; i++) v[i] = point[dims[i]];
    if (dropped.empty()) {
      if (!s.lmads.empty()) {
        auto& c = s.lmads.back();
        std::array<std::int64_t, D> next;
        for (int i = 0; i < D; i++)
          next[i] = c.start[i] + static_cast<std::int64_t>(c.count) * c.stride[i];
        if (c.count == 1)
          for (int i = 0; i < D; i++) c.stride[i] = v[i] - c.start[i];
        if (c.count == 1 || next == v) {
          c.count++;
          s.captured++;
          continue;
        }
      }
      if (s.lmads.size() < 30) {
        s.lmads.push_back({v, {}, 1});
        s.captured++;
        continue;
      }
      s.overflow.t_closed = static_cast<std::uint64_t>(point[2]);
    }
    dropped.push_back(v);
  }
  s.overflow.count = dropped.size();
  for (int i = 0; i < D && !dropped.empty(); i++) {
    s.overflow.min[i] = s.overflow.max[i] = dropped[0][i];
    for (const auto& v : dropped) {
      s.overflow.min[i] = std::min(s.overflow.min[i], v[i]);
      s.overflow.max[i] = std::max(s.overflow.max[i], v[i]);
      s.overflow.granularity[i] = std::gcd(
          s.overflow.granularity[i],
          static_cast<std::uint64_t>(std::abs(v[i] - dropped[0][i])));
    }
  }
  feedback::Profile p;
  p.object_relative.emplace_back();
  if constexpr (D == 3) p.object_relative[0].v3 = s;
  if constexpr (D == 2) p.object_relative[0].v2 = s;
  if constexpr (D == 1) (dims[0] == 0 ? p.object_relative[0].o1 : p.object_relative[0].v1) = s;
  const std::string all = text(p);
  const char* name = D == 3 ? "  v3" : D == 2 ? "  v2" : dims[0] == 0 ? "  o1" : "  v1";
  const auto from = all.find(name);
  return all.substr(from, all.find('\n', from) + 1 - from);
}

// The streams of all sites and groups with the definitions.
feedback::Profile expect_agreement(const Trace& batch, std::uint64_t seed) {
  FakeProgram program;
  program.count(batch);
  program.stack_group = 4;
  std::map<std::pair<SiteId, GroupId>, std::vector<std::array<std::int64_t, 3>>> parts;
  for (const FlatEvent& e : expand(batch).events)
    if (e.kind <= EventKind::store && e.group != 0 && e.group != 4)
      parts[{e.site, e.group}].push_back({e.object, static_cast<std::int64_t>(e.address - e.base),
                                          static_cast<std::int64_t>(e.time)});
  std::ostringstream expected;
  for (const auto& [key, points] : parts)
    expected << "object_relative " << key.first << ' ' << key.second << " n " << points.size()
             << '\n'
             << oracle_stream<3>(points, {0, 1, 2}) << oracle_stream<2>(points, {0, 1})
             << oracle_stream<1>(points, {1}) << oracle_stream<1>(points, {0});
  const auto profile = run(make_object_relative, program, batch);
  EXPECT_EQ(difference(text(profile), expected.str()), "") << "seed " << seed;
  return profile;
}

TEST(ObjectRelative, RandomProgramsAgreeWithTheOracle) {
  std::size_t closed = 0, captured_all = 0;
  for (std::uint64_t seed = 0; seed < 600; seed++) {
    RandomProgram::Options options;
    options.events = seed % 4 == 0 ? 60 : 12;
    options.sites = 8;
    for (const auto& row :
         expect_agreement(RandomProgram(seed, options).make(), seed).object_relative)
      (row.v3.overflow.count ? closed : captured_all)++;
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
  EXPECT_GT(closed, 100u);
  EXPECT_GT(captured_all, 100u);
}

// A field of random nodes, now and then another one, until v1 closes or to the end; several
// accesses to a node, and ranges and rows inside one.
TEST(ObjectRelative, FieldsOfNodesAgreeWithTheOracle) {
  std::size_t fields = 0;
  for (std::uint64_t seed = 0; seed < 60; seed++) {
    std::mt19937_64 random(seed);
    const auto below = [&random](std::uint64_t n) { return random() % n; };
    Script s;
    for (int i = 0; i < 800; i++) {
      const auto object = static_cast<std::uint32_t>(below(200));
      const std::uint64_t base = 0x10000 + object * 0x100;
      const std::uint64_t field = below(10 + seed * 4) ? 24 : below(32) * 8;
      if (below(60) != 0) {
        for (std::uint64_t n = 1 + below(3); n != 0; n--)
          s.access(EventKind::load, 1, base + field, 8, 1, object, base);
        continue;
      }
      RangeAccess a{};
      a.site = 1;
      a.width = a.step = 8;
      a.count = 10;
      a.rows = 1 + below(2) * below(5);
      a.row_step = a.rows > 1 ? 16 : 0;
      if (below(2)) a.step = a.row_step = 0;
      a.group = 1;
      a.object = object;
      a.base = base;
      a.address = base + (a.step == 0 ? 24 : 8 * below(8));
      s.range(2, a.count, {a});
    }
    for (const auto& row : expect_agreement(s.batch, seed).object_relative)
      fields += row.v1.overflow.count == 0 && row.o1.overflow.count != 0;
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
  EXPECT_GT(fields, 5u);
}

TEST(ObjectRelative, ExactFrequenciesWhenNothingOverflows) {
  // No overflow: est equals the exact frequency.
  std::size_t pairs = 0;
  for (std::uint64_t seed = 0; seed < 400; seed++) {
    std::mt19937_64 random(seed);
    Script s;
    for (int i = 0; i < 40; i++) {
      const bool store = random() % 2;
      const auto site = static_cast<SiteId>(random() % 3 * 2 + 1 + store);
      const std::uint64_t w = site < 3 ? 4 : 8;
      s.access(store ? EventKind::store : EventKind::load, site,
               0x1000 + random() % 10 * 4, w, 1, static_cast<std::uint32_t>(random() % 2),
               0x1000);
    }
    // Which stores have ever written a byte of which object.
    std::map<std::pair<std::uint32_t, std::uint64_t>, std::set<SiteId>> writers;
    std::map<std::pair<SiteId, SiteId>, std::uint64_t> count;
    std::map<SiteId, std::uint64_t> n;
    for (const FlatEvent& e : s.batch.events) {
      std::set<SiteId> sources;
      for (std::uint64_t b = 0; b < e.width; b++) {
        auto& w = writers[{e.object, e.address + b}];
        if (e.kind == EventKind::store)
          w.insert(e.site);
        else
          sources.insert(w.begin(), w.end());
      }
      n[e.site]++;
      for (SiteId source : sources) count[{source, e.site}]++;
    }
    const auto profile = run(make_mdf, s.batch);
    std::map<std::pair<SiteId, SiteId>, double> est;
    for (const auto& row : profile.mdf) est[{row.source, row.sink}] = row.est;
    ASSERT_EQ(est.size(), count.size()) << "seed " << seed;
    for (const auto& [key, c] : count) {
      ASSERT_DOUBLE_EQ(est[key], static_cast<double>(c) / static_cast<double>(n[key.second]))
          << "seed " << seed;
      pairs++;
    }
  }
  EXPECT_GT(pairs, 1000u);
}

}  // namespace
}  // namespace memprof::backend::testing
