// co_access.cc - profiling module: which groups of small objects should share an arena.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Objects that are used together should lie together. An allocator can do that for objects that are
// allocated soon after each other, if it keeps all others out: by allocation site. Which sites
// belong together is a question of the sequence of visits, and what it would bring one of a
// cache. So this module keeps the visits (visit_trace.h) and in the end
//
//   1. takes the 16 groups with the most visits, of at least 1 % of them
//   2. counts for each pair of groups how often an object of the one is visited among the eight
//      objects visited before one of the other: their affinity
//   3. joins the two sets of groups with the highest affinity again and again, as long as it is 5 %
//      or more of the visits of the smaller one
//   4. for each set that came about, single groups first, plays the visits through a model of the
//      caches: with the objects where they were, and with those of the set in one arena
//      (arena_model.h)
//
//     entries, keys, texts: an entry and its key are visited together, a text hardly ever
//     rows    {entry}: 900,000 misses of L1 -> 640,000        {key}: 870,000 -> 600,000
//             {entry, key}: 1,770,000 -> 930,000
//
// The decision (consumers/decide/co_allocation.h) takes sets that are worth it and do not overlap.
//
// Single groups have a third figure: misses if their objects lay in the order in which they are
// visited. That is no work for an allocator, but a hint for the programmer.
//
// Papers: affinity of allocation contexts: Savage and Jones, HALO, CGO 2020, sections 4.1 and 4.2.
// Evaluation of a layout by a model of the cache before it is chosen: Chilimbi and Shaham, PLDI 2006,
// section 3.
#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "runtime/backend/event/module.h"
#include "runtime/backend/event/target_cursor.h"
#include "runtime/backend/modules/co_access/arena_model.h"
#include "runtime/backend/modules/co_access/visit_trace.h"

namespace memprof::backend {
namespace {

constexpr std::size_t k_most_groups = 16;
constexpr double k_min_share = 0.01;    // of the visits
constexpr double k_min_affinity = 0.05;  // of the visits of the smaller set
constexpr std::size_t k_window = 8;      // objects

using Set = std::vector<std::size_t>;  // numbers of groups in the trace

// How often objects of two groups are visited soon after each other.
class Affinity {
 public:
  explicit Affinity(const VisitTrace& trace) : groups_(trace.groups()), pairs_(groups_ * groups_) {
    std::array<std::uint32_t, k_window> recent{};  // objects plus one
    std::size_t next = 0;
    visits_.resize(groups_);
    for (std::size_t i = 0; i < trace.size(); i++) {
      const std::uint32_t object = trace[i].object;
      const std::uint32_t group = trace.objects()[object].group;
      visits_[group]++;
      if (std::find(recent.begin(), recent.end(), object + 1) != recent.end()) continue;
      // A group counts once for each visit, however many of its objects are in the window.
      std::array<std::uint32_t, k_window> seen{};
      std::size_t count = 0;
      for (const std::uint32_t other : recent) {
        if (other == 0) continue;
        const std::uint32_t of = trace.objects()[other - 1].group;
        if (of == group || std::find(seen.begin(), seen.begin() + count, of) != seen.begin() + count)
          continue;
        seen[count++] = of;
        pairs_[group * groups_ + of]++;
        pairs_[of * groups_ + group]++;
      }
      recent[next++ % k_window] = object + 1;
    }
  }

  // 0: too low.
  std::uint64_t between(const Set& a, const Set& b) const {
    std::uint64_t pairs = 0;
    for (const std::size_t g : a)
      for (const std::size_t h : b) pairs += pairs_[g * groups_ + h];
    const double visits = static_cast<double>(std::min(visits_of(a), visits_of(b)));
    return static_cast<double>(pairs) < k_min_affinity * visits ? 0 : pairs;
  }

 private:
  std::uint64_t visits_of(const Set& set) const {
    std::uint64_t sum = 0;
    for (const std::size_t g : set) sum += visits_[g];
    return sum;
  }

  std::size_t groups_;
  std::vector<std::uint64_t> pairs_, visits_;
};

// Groups worth a look, as sets of one, the most visited first.
std::vector<Set> single_groups(const VisitTrace& trace) {
  std::vector<Set> sets;
  for (std::size_t g = 0; g < trace.groups(); g++)
    if (trace.visits_of(g) != 0 && static_cast<double>(trace.visits_of(g)) >=
                                       k_min_share * static_cast<double>(trace.visits()))
      sets.push_back({g});
  std::stable_sort(sets.begin(), sets.end(), [&](const Set& a, const Set& b) {
    return trace.visits_of(a[0]) > trace.visits_of(b[0]);
  });
  if (sets.size() > k_most_groups) sets.resize(k_most_groups);
  return sets;
}

// SETS, and those that come about when sets with a high affinity are joined.
std::vector<Set> joined(std::vector<Set> sets, const Affinity& affinity) {
  std::vector<Set> all = sets;
  for (;;) {
    std::uint64_t best = 0;
    std::size_t left = 0, right = 0;
    for (std::size_t i = 0; i < sets.size(); i++)
      for (std::size_t j = i + 1; j < sets.size(); j++)
        if (const std::uint64_t a = affinity.between(sets[i], sets[j]); a > best)
          best = a, left = i, right = j;
    if (best == 0) return all;
    sets[left].insert(sets[left].end(), sets[right].begin(), sets[right].end());
    all.push_back(sets[left]);
    sets.erase(sets.begin() + static_cast<std::ptrdiff_t>(right));
  }
}

class CoAccessModule final : public Module {
 public:
  explicit CoAccessModule(const ProgramInfo& program) : program_(program) {}

  void consume(const Batch& batch) override {
    cursor_.for_each(batch, [&](const Event& e, std::uint64_t width, const AccessTarget& target) {
      switch (e.kind) {
        case EventKind::load:
        case EventKind::store:
          if (target.group != 0)
            trace_.access(target.group, target.object, e.address - target.base,
                          e.kind == EventKind::load && program_.pointer_p(e.site));
          break;
        case EventKind::birth: {
          const Target& born = batch.targets[e.index];
          if (program_.group_kind(born.group) == feedback::GroupKind::heap)
            trace_.birth(born.group, born.object, e.address, width);
          break;
        }
        case EventKind::death: {
          const Target& dead = batch.targets[e.index];
          trace_.death(dead.group, dead.object);
          break;
        }
        default: break;
      }
    });
  }

  void settle() override {
    if (trace_.size() == 0) return;
    const ArenaModel model(trace_, geometry_for(program_));
    const std::vector<feedback::CoAccess::Misses>& before = model.before();
    for (const Set& set : joined(single_groups(trace_), Affinity(trace_)))
      rows_.push_back(row(set, model, before));
  }

  void finish(feedback::Profile& profile) override {
    for (feedback::CoAccess& row : rows_) profile.co_access.push_back(std::move(row));
  }

 private:
  using Misses = feedback::CoAccess::Misses;

  feedback::CoAccess row(const Set& set, const ArenaModel& model,
                         const std::vector<Misses>& before) const {
    feedback::CoAccess row;
    ArenaModel::Chosen chosen(trace_.groups());
    std::uint64_t visits = 0;
    Misses sum;
    for (const std::size_t g : set) {
      chosen[g] = true;
      row.groups.push_back({trace_.group(g), trace_.visits_of(g)});
      visits += trace_.visits_of(g);
      sum.l1 += before[g].l1;
      sum.l2 += before[g].l2;
      sum.llc += before[g].llc;
    }
    row.before = scaled(sum, visits);
    row.after = scaled(model.arena(chosen), visits);
    if (set.size() == 1) row.ordered = scaled(model.ordered(set[0]), visits);
    return row;
  }

  // From the visits that were kept to all; never more than VISITS.
  Misses scaled(const Misses& m, std::uint64_t visits) const {
    const double by = static_cast<double>(trace_.visits()) / static_cast<double>(trace_.size());
    const auto grow = [&](std::uint64_t count, std::uint64_t most) {
      return std::min(static_cast<std::uint64_t>(static_cast<double>(count) * by + 0.5), most);
    };
    Misses out;
    out.l1 = grow(m.l1, visits);
    out.l2 = grow(m.l2, out.l1);
    out.llc = grow(m.llc, out.l2);
    return out;
  }

  const ProgramInfo& program_;
  TargetCursor cursor_;
  VisitTrace trace_;
  std::vector<feedback::CoAccess> rows_;
};

}  // namespace

std::unique_ptr<Module> make_co_access(const ProgramInfo& program) {
  return std::make_unique<CoAccessModule>(program);
}

}  // namespace memprof::backend
