// inferred_dependences_test.cc - what bursts do not show, against brute force.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/modules/inferred_dependences.h"

#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "runtime/backend/modules/dependence.h"
#include "testsuite/unit/backend_testutil.h"

namespace memprof::backend::testing {
namespace {

class SampledProgram final : public FakeProgram {
 public:
  bool sampled() const override { return true; }
};

// All at the addresses of one object of 1 MB per serial number.
class Stream {
 public:
  Stream& at(EventKind kind, SiteId site, GroupId group, std::uint32_t object,
             std::uint64_t offset, std::uint64_t width) {
    const std::uint64_t base = base_of(group, object);
    script.access(kind, site, base + offset, width, group, object, base);
    return *this;
  }
  Stream& load(SiteId site, GroupId group, std::uint64_t offset, std::uint64_t width = 8) {
    return at(EventKind::load, site, group, 0, offset, width);
  }
  Stream& store(SiteId site, GroupId group, std::uint64_t offset, std::uint64_t width = 8) {
    return at(EventKind::store, site, group, 0, offset, width);
  }
  Stream& range(bool store, SiteId site, GroupId group, std::uint32_t object,
                std::uint64_t offset, std::int64_t step, std::uint64_t count,
                std::uint64_t width) {
    const std::uint64_t base = base_of(group, object);
    script.range(1, count, {{base + offset, step, count, base, width, site, group, object, store}});
    return *this;
  }
  Stream& burst() {
    script.context(EventKind::gap, 0);
    return *this;
  }
  static std::uint64_t base_of(GroupId group, std::uint32_t object) {
    return 0x7f0000000000 + (std::uint64_t{group} << 32) + (std::uint64_t{object} << 20);
  }
  feedback::Profile profile() const {
    SampledProgram program;
    program.count(script.batch);
    return profile(program);
  }
  // A gap ends a batch.
  feedback::Profile profile(const SampledProgram& program) const {
    const auto module = make_dependence(program);
    Trace burst{{}, script.batch.ranges, script.batch.accesses};
    std::uint64_t clock = 0;
    const auto consume = [&] {
      Batch batch = make_batch(burst);
      batch.clock = clock;
      clock += k_period;
      module->consume(batch);
      burst.events.clear();
    };
    for (const FlatEvent& e : script.batch.events) {
      burst.events.push_back(e);
      if (e.kind == EventKind::gap) consume();
    }
    consume();
    feedback::Profile profile;
    module->settle();
    module->finish(profile);
    return profile;
  }

  static constexpr std::uint64_t k_period = 100;  // from burst to burst
  Script script;
};

using Rows = std::map<std::pair<feedback::Id, feedback::Id>, std::uint64_t>;

Rows rows_of(const feedback::Profile& profile) {
  Rows rows;
  for (const feedback::InferredDependence& r : profile.inferred_dependences)
    rows[{r.source, r.sink}] = r.count;
  return rows;
}

// The example of the header.
TEST(InferredDependences, AreSharedOutOverTheStoresToThePlace) {
  Stream s;
  for (std::uint32_t node = 0; node < 100; node++) {
    s.at(EventKind::store, node < 90 ? 1 : 5, 7, node, 0, 8);
    s.at(EventKind::store, 2, 7, node, 8, 8);
  }
  for (int i = 0; i < 200; i++) s.at(EventKind::load, 3, 7, 95, 0, 8);
  s.burst();
  for (std::uint32_t i = 0; i < 800; i++) s.at(EventKind::load, 3, 7, 100 + i % 100, 0, 8);
  const feedback::Profile p = s.profile();
  EXPECT_EQ(rows_of(p), (Rows{{{1, 3}, 720}, {{5, 3}, 80}}));
  EXPECT_DOUBLE_EQ(p.inferred_dependences[0].frequency, 0.72);
  EXPECT_EQ(p.sections, (std::vector<std::string>{"inferred_dependences"}));
}

// 3 must not read what 1 stores. Where it may read little of what is there, nobody has stored
// what it reads: 1 word of 5 and 0.01 of 99 by nobody.
TEST(InferredDependences, AreOfStoresThatMayBeRead) {
  for (const SiteId most : {SiteId{1}, SiteId{5}}) {
    Stream s;
    for (std::uint32_t node = 0; node < 100; node++)
      s.at(EventKind::store, node < 99 ? most : 6 - most, 7, node, 0, 8);
    s.burst();
    for (std::uint32_t i = 0; i < 1000; i++) s.at(EventKind::load, 3, 7, 100 + i % 100, 0, 8);
    SampledProgram program;
    program.apart = {{1, 3}};
    program.count(s.script.batch);
    const std::uint64_t wanted = most == 1 ? 502 : 999;
    EXPECT_EQ(rows_of(s.profile(program)), (Rows{{{5, 3}, wanted}})) << most;
  }
}

// Words that bursts have stored to speak for themselves, and for others like them.
TEST(InferredDependences, ComeFromWhoStoredToTheWord) {
  Stream s;
  for (std::uint32_t node = 0; node < 100; node++)
    s.at(EventKind::store, node < 90 ? 1 : 5, 7, node, 0, 8);
  s.burst();
  for (std::uint32_t i = 0; i < 16; i++) s.at(EventKind::load, 3, 7, 95, 0, 2);
  s.burst();
  for (std::uint32_t i = 0; i < 16; i++) s.at(EventKind::load, 3, 7, 100, 0, 2);
  // 16 have met 5's. Of the others, places say 9 to 1, which counts as 3 of 3 + 16 words.
  EXPECT_EQ(rows_of(s.profile()), (Rows{{{1, 3}, 2}, {{5, 3}, 29}}));
}

TEST(InferredDependences, HaveNoRowsBelowOnePercentAndNoneForWhatWasMeasured) {
  Stream s;
  for (std::uint32_t node = 0; node < 1000; node++)
    s.at(EventKind::store, node < 995 ? 1 : 2, 7, node, 0, 8);
  s.store(4, 9, 0).burst();
  for (int i = 0; i < 1000; i++) s.at(EventKind::load, 3, 7, 1000, 0, 8);
  for (int i = 0; i < 10; i++) s.store(4, 9, 0).load(5, 9, 0);
  EXPECT_EQ(rows_of(s.profile()), (Rows{{{1, 3}, 995}}));
}

TEST(InferredDependences, BelongToSampleMode) {
  Stream s;
  s.store(1, 7, 0).burst().load(2, 7, 0);
  EXPECT_EQ(rows_of(s.profile()), (Rows{{{1, 2}, 1}}));
  const feedback::Profile full = run(make_dependence, s.script.batch);
  EXPECT_TRUE(full.inferred_dependences.empty());
  EXPECT_TRUE(full.sections.empty());
}

// Sites of one block have one column; here n->key and n->next, stored by 1 and 2.
TEST(InferredDependences, KnowTheMembersOfAConvoy) {
  const Convoy convoy{{{1, 8, 0, 0}, {2, 8, 8, 1}}, 0, 9, 16};
  Stream stores, loads;
  SampledProgram program;
  for (std::uint32_t node = 0; node < 10; node++) stores.at(EventKind::store, 1, 7, node, 0, 8);
  stores.burst();
  for (int i = 0; i < 100; i++) loads.load(3, 7, 0).load(4, 7, 8);
  program.count(stores.script.batch);
  program.count(2, true, 10);
  program.count(loads.script.batch);
  Batch burst = make_batch(stores.script.batch);
  ASSERT_EQ(burst.columns.size(), 1u);
  burst.columns[0].convoy = &convoy;
  const auto module = make_dependence(program);
  module->consume(burst);
  module->consume(make_batch(loads.script.batch));
  feedback::Profile p;
  module->settle();
  module->finish(p);
  EXPECT_EQ(rows_of(p), (Rows{{{1, 3}, 100}, {{2, 4}, 100}}));
}

// What a burst writes over is not there for others.
TEST(InferredDependences, ComeFromTheLastStoreOfABurst) {
  Stream s;
  for (int i = 0; i < 50; i++) s.store(1, 7, 0).store(2, 7, 0);
  s.burst().load(3, 7, 0);
  EXPECT_EQ(rows_of(s.profile()), (Rows{{{2, 3}, 1}}));
}

TEST(InferredDependences, FadeFromBurstToBurst) {
  Stream s;
  for (std::uint32_t node = 0; node < 1000; node++) s.at(EventKind::store, 1, 7, node, 0, 4);
  for (int burst = 0; burst < 16; burst++) s.burst().store(2, 7, 0, 4);
  s.burst();
  for (int i = 0; i < 100; i++) s.at(EventKind::load, 3, 7, 1000, 0, 4);
  // 1000 * 0.6^16 of 2.5 and that.
  EXPECT_EQ(rows_of(s.profile()), (Rows{{{1, 3}, 10}, {{2, 3}, 89}}));
}

TEST(InferredDependences, KnowWhatLiesInOneBlockApart) {
  Stream s;
  s.range(true, 1, 7, 0, 0, 4, 20000, 4).range(true, 2, 7, 0, 160000, 4, 20000, 4).burst();
  for (std::uint64_t i = 0; i < 100; i++) s.load(3, 7, 60000 + i * 4, 4);
  for (std::uint64_t i = 0; i < 100; i++) s.load(4, 7, 200000 + i * 4, 4);
  // Nobody has stored here: long ranges would have come here, too.
  for (std::uint64_t i = 0; i < 100; i++) s.load(5, 7, 1000000 + i * 4, 4);
  EXPECT_EQ(rows_of(s.profile()), (Rows{{{1, 3}, 100}, {{2, 4}, 100}}));
}

// Of a region that nobody has stored to, what is true of the whole.
TEST(InferredDependences, AreTheSameInAllOfAnArray) {
  Stream s;
  for (std::uint64_t i = 0; i < 100; i++) s.store(1, 7, 60000 + i * 4, 4);
  s.burst();
  for (std::uint64_t i = 0; i < 100; i++) s.load(5, 7, 1000000 + i * 4, 4);
  EXPECT_EQ(rows_of(s.profile()), (Rows{{{1, 5}, 100}}));
}

// Every other line of a table has been stored to, and others are read.
TEST(InferredDependences, AreNotOfWhatNobodyHasStored) {
  const auto at = [](std::uint64_t line, std::uint64_t word) { return 4096 + line * 64 + word * 4; };
  Stream s;
  for (std::uint64_t burst = 0; burst < 16; burst++, s.burst())
    for (std::uint64_t i = 0; i < 32; i++) s.store(1, 7, at(burst * 4 + i / 16 * 2, i % 16), 4);
  for (std::uint64_t i = 0; i < 16; i++) s.load(3, 7, at(63 - i * 4, 15 - i), 4);
  // At most 512 and a quarter of 1024 + 1024 words: 5 of 16.
  EXPECT_EQ(rows_of(s.profile()), (Rows{{{1, 3}, 5}}));
}

Rows rows_of(const SampledProgram& program, const std::vector<Batch>& batches) {
  const auto module = make_dependence(program);
  for (const Batch& batch : batches) module->consume(batch);
  feedback::Profile profile;
  module->settle();
  module->finish(profile);
  return rows_of(profile);
}

// The first burst sees all that there was until then, the second one a tenth.
TEST(InferredDependences, WeighBurstsByWhatTheyStandFor) {
  Stream first, second, third;
  first.range(true, 2, 7, 0, 4096, 64, 100, 4).burst();
  second.range(true, 4, 7, 0, 4096, 64, 100, 4).burst();
  third.range(false, 3, 7, 0, 4096, 64, 100, 4).burst();
  SampledProgram program;
  std::vector<Batch> bursts;
  std::uint64_t times = 1;
  for (const Stream* s : {&first, &second, &third}) {
    program.count(s->script.batch);
    Batch& burst = bursts.emplace_back(make_batch(s->script.batch));
    burst.times = std::exchange(times, 10);
    burst.clock += 100;
  }
  // 100 words, which fade to 60, and 1000.
  EXPECT_EQ(rows_of(program, bursts), (Rows{{{2, 3}, 5}, {{4, 3}, 94}}));
}

// What is told of before the burst S, which has site 2 elsewhere.
Rows rows_behind(const std::vector<Batch::Witness>& witnesses, Stream& s) {
  s.store(2, 8, 0);
  SampledProgram program;
  program.count(s.script.batch);
  std::vector<Batch> batches;
  batches.emplace_back(make_batch(Trace{})).witnesses = witnesses;
  batches.emplace_back(make_batch(s.script.batch)).clock = 100;
  return rows_of(program, batches);
}

// Half of what is read is there since a memcpy, half since read(), which has no row.
TEST(InferredDependences, KnowWhatLongCallsHaveDone) {
  const std::uint64_t n = 8192, base = Stream::base_of(7, 0);
  Stream s;
  for (std::uint64_t i = 0; i < 200; i++) s.load(3, 7, n + i * 80, 4);
  const Rows rows =
      rows_behind({{{base + n, 0, 1, base, n, 2, 7, 0, true}, 1, 10},
                   {{base + 2 * n, 0, 1, base, n, k_no_site, 7, 0, true}, 1, 20}},
                  s);
  ASSERT_EQ(rows.size(), 1u);
  // As only some loads of a burst are looked at.
  EXPECT_NEAR(static_cast<double>(rows.at({2, 3})), 100, 8);
}

// A loop that stores 300 bytes in each iteration.
TEST(InferredDependences, KnowWhatLoopsOfWideStoresHaveDone) {
  const std::uint64_t base = Stream::base_of(7, 0);
  Stream s;
  for (std::uint64_t i = 0; i < 10; i++) s.load(3, 7, 300 * 400 + i * 4, 4);
  EXPECT_EQ(rows_behind({{{base, 400, 600, base, 300, 2, 7, 0, true}, 1, 10}}, s),
            (Rows{{{2, 3}, 10}}));
}

// Of two sites that take turns in all of an array, the one that was there last; in the first 512
// bytes of a large object, too, which are no fields.
TEST(InferredDependences, KnowWhoWasInAnArrayLast) {
  for (const std::uint32_t bytes : {512u, 40000u}) {
    Stream loads;
    SampledProgram program;
    std::vector<Batch> bursts;
    std::uint64_t clock = 0;
    for (const SiteId site : {1u, 2u, 1u, 2u}) {
      Stream s;
      for (std::uint32_t object = 0; object < 2; object++)
        for (std::uint64_t i = 0; i < 100; i++)
          s.at(EventKind::store, site + 10 * object, 7, object, i * 400, 4);
      s.burst();
      program.count(s.script.batch);
      bursts.emplace_back(make_batch(s.script.batch)).clock = clock += 100;
      bursts.back().times = 400;
    }
    for (std::uint64_t i = 0; i < 10; i++) loads.load(3, 7, 64 + i * 16, 4);
    program.count(loads.script.batch);
    bursts.emplace_back(make_batch(loads.script.batch)).clock = clock + 100;
    for (Batch& burst : bursts)
      for (Target& target : burst.targets) target.object_bytes = bytes;
    const Rows rows = rows_of(program, bursts);
    if (bytes > 512)
      EXPECT_EQ(rows, (Rows{{{2, 3}, 10}}));
    else
      EXPECT_TRUE(rows.empty()) << "fields that nobody has stored to";
  }
}

// Of many arrays the first ones are told apart.
TEST(InferredDependences, TellSomeArraysOfAGroupApart) {
  Stream s;
  for (std::uint32_t array = 0; array < InferredDependences::k_max_objects + 2; array++)
    s.range(true, 1 + array, 7, array, 4096, 8, 100, 8);
  s.burst();
  s.range(false, 30, 7, 3, 4096, 8, 100, 8).range(false, 31, 7, 17, 4096, 8, 100, 8);
  EXPECT_EQ(rows_of(s.profile()),
            (Rows{{{4, 30}, 100}, {{17, 31}, 50}, {{18, 31}, 50}}));
}

TEST(InferredDependences, HaveRoomForSoManyPlacesOfASite) {
  constexpr auto k_groups = static_cast<GroupId>(InferredDependences::k_max_places / 256);
  Stream s;
  for (GroupId group = 1; group <= 2 * k_groups; group++)
    for (std::uint64_t field = 0; field < 256; field++) s.store(100, group, field * 2, 2);
  s.burst();
  for (GroupId group = 1; group <= 2 * k_groups; group++)
    for (std::uint64_t field = 0; field < 256; field++)
      s.at(EventKind::load, 3, group, 1, field * 2, 2);
  EXPECT_EQ(rows_of(s.profile()), (Rows{{{100, 3}, InferredDependences::k_max_places}}));
}

// What the header says, word by word and burst by burst; who was the last to store to a word, and
// who to an array, have oracles of their own (last_writers_test.cc, array_history_test.cc). No
// range is long.
class Oracle {
 public:
  explicit Oracle(const ProgramInfo& program)
      : program_(program), last_(program), history_(program) {}

  Rows rows(const Trace& trace, const SampledProgram& program, const feedback::Profile& measured) {
    for (const FlatEvent& e : trace.events)
      if (e.kind == EventKind::gap)
        end_burst();
      else if (e.kind == EventKind::range)
        for (const RangeAccess& a : trace.accesses_of(trace.ranges[e.index]))
          for (std::uint64_t k = 0; k < a.count; k++)
            now_.push_back({a.address + k * static_cast<std::uint64_t>(a.step), e.time, a.base,
                            a.width, a.site, a.group, a.object, 0, 0,
                            a.store ? EventKind::store : EventKind::load});
      else
        now_.push_back(e);
    end_burst();
    for (const auto& [place, load, weight] : waiting_)
      share_out(shared_, load, place, weight);
    last_.settle(clock_ - Stream::k_period, 1);
    correct();
    Rows rows;
    for (const auto& [pair, share] : shared_) {
      double unmet = static_cast<double>(program.executions(pair.second));
      for (const feedback::Dependence& r : measured.dependences)
        if (r.sink == pair.second) unmet -= static_cast<double>(r.count);
      const auto n = static_cast<std::uint64_t>(std::max(unmet, 0.0) * share / seen_[pair.second]);
      if (pair.first != 0 && n != 0 && n * 100 >= program.executions(pair.second)) rows[pair] = n;
    }
    return rows;
  }

 private:
  using Place = std::tuple<GroupId, std::uint32_t, std::string>;

  static Place place(const FlatEvent& e, std::uint64_t word) {
    const std::uint64_t offset = word * 2 - e.base;
    if (offset < 512) return {e.group, ~0u, "field " + std::to_string(offset / 2)};
    double from = 512, to = 640;
    while (static_cast<double>(offset) >= to) {
      // 512, 640, 768, 896, 1024, 1280, ...
      const double power = std::exp2(std::floor(std::log2(to)));
      from = to;
      to += power / 4;
    }
    return {e.group, e.object,
            "from " + std::to_string(from) + " residue " + std::to_string(offset / 2 % 32)};
  }
  static bool array(const Place& p) { return !std::get<2>(p).starts_with("field"); }
  static Place whole(Place p) {
    std::get<2>(p).erase(0, std::get<2>(p).find("residue"));
    return p;
  }
  template <typename Fn>
  static void words(const FlatEvent& e, Fn fn) {
    for (std::uint64_t w = e.address / 2; w <= (e.address + e.width - 1) / 2; w++) fn(w);
  }
  // Of a load's, the first of each two, with how many there are.
  template <typename Fn>
  static void looked_at(const FlatEvent& e, Fn fn) {
    const std::uint64_t end = (e.address + e.width - 1) / 2 + 1;
    for (std::uint64_t w = e.address / 2; w < end; w += 2)
      fn(w, static_cast<int>(std::min<std::uint64_t>(2, end - w)));
  }

  void end_burst() {
    std::map<Place, std::map<SiteId, double>> stored;
    std::map<std::uint64_t, const FlatEvent*> last;
    for (const FlatEvent& e : now_)
      if (e.kind == EventKind::store)
        words(e, [&](std::uint64_t w) {
          const FlatEvent*& l = last[w];
          if (!l || std::pair(e.time, e.site) >= std::pair(l->time, l->site)) l = &e;
        });
    for (const FlatEvent& e : now_)
      if (e.kind == EventKind::store) words(e, [&](std::uint64_t w) { note_extent(e, w); });
    std::set<std::pair<GroupId, std::uint32_t>> stored_to;
    for (const auto& [w, e] : last) {
      if (array(place(*e, w))) {
        arrays_[{e->group, e->object}].stores++;
        stored_to.insert({e->group, e->object});
      }
      stored[place(*e, w)][e->site]++;
      if (array(place(*e, w))) stored[whole(place(*e, w))][e->site]++;
    }
    for (const auto& array : stored_to) arrays_[array].seen++;
    for (const auto& [p, sites] : stored) {
      for (auto& [site, n] : left_[p]) n *= 0.6;
      for (const auto& [site, n] : sites) left_[p][site] += n;
    }
    std::map<SiteId, int> executions;
    for (const FlatEvent& e : now_) {
      if (e.kind != EventKind::load) continue;
      const int number = ++executions[e.site];
      const int weight = number <= 16 ? 1 : number % 16 == 0 ? 16 : 0;
      if (weight == 0) continue;
      bool met = false;
      looked_at(e, [&](std::uint64_t w, int n) {
        bool before = false;
        for (const FlatEvent& s : now_)
          if (s.kind == EventKind::store && s.time < e.time)
            words(s, [&](std::uint64_t own) { before |= own == w; });
        if (before && last[w]->time < e.time)
          last_.near(e.site, last[w]->site, where(*last[w], w), weight * n);
        met |= before;
      });
      if (met || ask_history(e, weight)) continue;
      looked_at(e, [&](std::uint64_t w, int n) {
        seen_[e.site] += weight * n;
        note_extent(e, w);
        const Place p = place(e, w);
        const LastWriters::Where at = where(e, w);
        if (last_.load(e.site, w, at, clock_, static_cast<std::uint64_t>(weight * n)))
          return;
        if (left_.contains(p))
          share_out(unmet_[{at.group, at.part, std::get<1>(p)}], e.site, p, weight * n);
        else
          waiting_.emplace_back(p, e.site, weight * n);
      });
    }
    for (const auto& [w, e] : last) {
      last_.store(w, e->site, where(*e, w), clock_, 1);
      if (array(place(*e, w)))
        history_.store({e->group, e->object}, {w, w + 1, 1, 1u << w % 32, e->site}, clock_, 1);
    }
    for (const auto& [array, of] : arrays_) written_[array] = written(array.first, array.second);
    clock_ += Stream::k_period;
    now_.clear();
  }
  bool ask_history(const FlatEvent& e, int weight) {
    const std::uint64_t first = e.address / 2, n = (e.address + e.width - 1) / 2 - first + 1;
    if (!array(place(e, first))) return false;
    note_extent(e, first);
    const auto shares = history_.ask(e.site, {e.group, e.object}, first, clock_,
                                     last_.seen(first, where(e, first)));
    for (const auto& [site, share] : shares)
      shared_[{site, e.site}] += weight * static_cast<double>(n) * share *
                                 written_[{e.group, e.object}];
    if (!shares.empty()) seen_[e.site] += weight * static_cast<double>(n);
    return !shares.empty();
  }
  using Shared = std::map<std::pair<feedback::Id, feedback::Id>, double>;
  void share_out(Shared& shared, SiteId load, Place p, int weight) {
    if (!left_.contains(p) && array(p)) p = whole(p);
    if (!left_.contains(p)) return;
    const auto may_read = [&](SiteId site) { return program_.may_alias(load, site); };
    constexpr SiteId k_nobody = 0;
    std::map<SiteId, double> amounts;
    double all = 0;
    for (const auto& [site, n] : left_[p]) {
      if (!may_read(site) && array(p)) continue;
      const double amount = may_read(site) ? n : 0.01 * n;
      amounts[may_read(site) ? site : k_nobody] += amount;
      all += amount;
    }
    for (const auto& [site, amount] : amounts) shared[{site, load}] += weight * amount / all;
  }
  static LastWriters::Where where(const FlatEvent& e, std::uint64_t word) {
    const std::uint64_t offset = word * 2 - e.base;
    return {e.group, e.object,
            offset < 512 ? static_cast<std::uint32_t>(offset / 2) : LastWriters::k_array};
  }
  struct Array {
    double words = 0, stores = 0, seen = 0;
  };
  void note_extent(const FlatEvent& e, std::uint64_t word) {
    const std::uint64_t offset = std::max(word * 2, e.base) - e.base;
    if (offset < 512) return;
    double& words = arrays_[{e.group, e.object}].words;
    words = std::max(words, std::floor(static_cast<double>(offset) / 2) + 1);
  }
  double written(GroupId group, std::uint32_t object) {
    const auto it = arrays_.find({group, object});
    if (it == arrays_.end() || it->second.seen == 0) return 1;
    const Array& a = it->second;
    return std::min(1.0, (a.stores + a.stores / std::sqrt(a.seen)) / a.words);
  }
  // What loads have met elsewhere.
  void correct() {
    for (const auto& [loads, answer] : last_.answers())
      for (const auto& [site, n] : answer.sources) shared_[{site, loads.load}] += n;
    for (const auto& [where, shared] : unmet_) {
      std::map<feedback::Id, double> words;
      const auto& [group, part, object] = where;
      const double part_written = written(group, object);
      for (const auto& [pair, n] : shared) words[pair.second] += n * part_written;
      for (const auto& [load, n] : words) {
        const auto it = last_.answers().find({load, group, part});
        const double met = it == last_.answers().end() ? 0 : it->second.words;
        for (const auto& [pair, share] : shared)
          if (pair.second == load) shared_[pair] += share * part_written * 3 / (3 + met);
        if (met != 0)
          for (const auto& [site, share] : it->second.sources)
            shared_[{site, load}] += n * met / (3 + met) * share / met;
      }
    }
  }

  const ProgramInfo& program_;
  std::vector<FlatEvent> now_;
  std::map<Place, std::map<SiteId, double>> left_;
  std::vector<std::tuple<Place, SiteId, int>> waiting_;
  std::map<std::tuple<GroupId, std::uint32_t, std::uint32_t>, Shared> unmet_;
  std::map<std::pair<GroupId, std::uint32_t>, Array> arrays_;
  std::map<std::pair<GroupId, std::uint32_t>, double> written_;  // after the last burst
  LastWriters last_;
  ArrayHistory history_;
  std::uint64_t clock_ = 0;
  std::map<SiteId, double> seen_;
  Shared shared_;
};

TEST(InferredDependences, AgreeWithBruteForce) {
  std::mt19937_64 random(7);
  const auto below = [&random](std::uint64_t n) { return random() % n; };
  std::size_t rows = 0;
  for (int round = 0; round < 200; round++) {
    Stream s;
    for (std::uint64_t i = 0, n = 40 + below(160); i < n; i++) {
      const bool store = below(2);
      const auto site = static_cast<SiteId>(1 + 2 * below(4) + store);
      const auto group = static_cast<GroupId>(1 + below(2));
      const auto object = static_cast<std::uint32_t>(below(3));
      const std::uint64_t offset = below(2) ? below(8) * 4 : below(2) ? below(40) * 4 : below(5000);
      const std::uint64_t width = below(9) ? std::uint64_t{1} << below(4) : below(128) + 1;
      const std::int64_t steps[] = {8, 4, -4, 12, -24, 0, 100, 1};
      if (below(6) == 0)
        s.range(store, site, group, object, 2000 + offset, steps[below(8)], 1 + below(64), 8);
      else
        s.at(store ? EventKind::store : EventKind::load, site, group, object, offset, width);
      if (below(5) == 0) s.burst();
    }
    SampledProgram program;
    for (SiteId store = 2; store <= 8; store += 2)
      if (below(4) == 0) program.apart.insert(std::minmax<SiteId>(store, 1 + 2 * below(4)));
    program.count(s.script.batch);
    const feedback::Profile p = s.profile(program);
    const Rows expected = Oracle(program).rows(s.script.batch, program, p), found = rows_of(p);
    rows += found.size();
    // Rounding, at most.
    for (const Rows& some : {expected, found})
      for (const auto& [pair, count] : some) {
        const auto value = [&pair = pair](const Rows& r) {
          return r.contains(pair) ? static_cast<double>(r.at(pair)) : 0;
        };
        ASSERT_NEAR(value(found), value(expected), 1.01)
            << "round " << round << ": " << pair.first << "->" << pair.second;
      }
  }
  EXPECT_GT(rows, 1000u);
}

}  // namespace
}  // namespace memprof::backend::testing
