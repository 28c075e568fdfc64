// inferred_dependences_oracle_test.cc - what bursts do not show, against brute force.
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "runtime/backend/modules/sampled/array_history.h"
#include "runtime/backend/modules/sampled/last_writers.h"
#include "testsuite/unit/backend/modules/sampled/inferred_dependences_testutil.h"

namespace memprof::backend::testing {
namespace {

// What the header says, word by word and burst by burst; the last stores to a word, and
// those to an array, have oracles of their own (last_writers_test.cc, array_history_test.cc). No
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
      std::set<std::uint64_t> unmet;
      words(e, [&](std::uint64_t w) {
        seen_[e.site] += weight;
        if (w != e.address / 2 && w % 4 != 0) return;
        note_extent(e, w);
        const auto n = static_cast<unsigned>(
            std::min((e.address + e.width - 1) / 2, w | 3) - w + 1);
        const std::uint32_t found = last_.load(e.site, {w, n}, where(e, w), clock_,
                                               static_cast<std::uint64_t>(weight));
        for (unsigned i = 0; i < n; i++)
          if ((found >> i & 1) == 0) unmet.insert(w + i);
      });
      words(e, [&](std::uint64_t w) {
        const std::uint64_t from = w < 4 || e.address / 2 > w - w % 4 ? e.address / 2 : w - w % 4;
        // Of two, the first one that has met nothing represents both.
        if (!unmet.contains(w) || ((w - from) % 2 == 1 && unmet.contains(w - 1))) return;
        const int n = (w - from) % 2 == 0 && w % 4 != 3 && unmet.contains(w + 1) ? 2 : 1;
        note_extent(e, w);
        const Place p = place(e, w);
        const LastWriters::Where at = where(e, w);
        if (left_.contains(p))
          share_out(unmet_[{at.group, at.part, std::get<1>(p)}], e.site, p, weight * n);
        else
          waiting_.emplace_back(p, e.site, weight * n);
      });
    }
    for (const auto& [w, e] : last) {
      if (array(place(*e, w)))
        history_.store({e->group, e->object}, {w, w + 1, 1, 1u << w % 32, e->site}, clock_, 1);
      const auto alike = [&, &e = e](std::uint64_t other) {
        const auto it = last.find(other);
        return it != last.end() && it->second->site == e->site &&
               it->second->group == e->group && it->second->object == e->object;
      };
      if (w % 4 != 0 && alike(w - 1)) continue;
      unsigned n = 1;
      while ((w + n) % 4 != 0 && alike(w + n)) n++;
      last_.store({w, n}, e->site, where(*e, w), clock_, 1);
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
    constexpr SiteId k_no_writer = 0;
    std::map<SiteId, double> amounts;
    double all = 0;
    for (const auto& [site, n] : left_[p]) {
      if (!may_read(site) && array(p)) continue;
      const double amount = may_read(site) ? n : 0.01 * n;
      amounts[may_read(site) ? site : k_no_writer] += amount;
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
        auto it = last_.answers().find({load, group, part});
        if (it == last_.answers().end() && part != LastWriters::k_array && part >= 2)
          it = last_.answers().find({load, group, part - 2});
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
