// points_to.cc - how often each site accesses each group of objects.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Counts executions per (site, group).  Accesses to no known object are not
// counted here; they remain visible as executions of the site.
//
// Most sites move between very few groups, so a site keeps four of them (direct
// mapped) with the counts that are not yet in its table; a change of group in
// one of the four puts its count there.  A range is one addition per access.
//
// Sample mode: executions of a site that no burst saw are dealt out as what its loops and long calls
// report between bursts (Batch::loop_samples).
#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <unordered_map>

#include "runtime/backend/base/fault.h"
#include "runtime/backend/base/per_site.h"
#include "runtime/backend/event/module.h"

namespace memprof::backend {
namespace {

struct Pending {
  GroupId group = 0;
  std::uint64_t count = 0;  // executions in `group', not yet in the table
};

using Counts = std::unordered_map<GroupId, std::uint64_t>;

struct SiteGroups {
  std::array<Pending, 4> pending;
  GroupId previous = 0;  // last group that needed a new place in `pending'
  Counts counts;
};

class PointsToModule final : public Module {
 public:
  explicit PointsToModule(const ProgramInfo& program) : program_(program) {}

  void consume(const Batch& batch) override {
    const auto count_column = [&](const Column& column) {
      SiteGroups& state = sites_[column.site];
      GroupId group = 0;
      std::uint64_t count = 0;
      const auto more = [&](GroupId of, std::uint64_t n) {
        if (of != group) {
          if (count != 0) add(state, group, count);
          group = of;
          count = 0;
        }
        count += n;
      };
      Batch::for_chunks(column, [&](const Item* items, std::uint32_t n, bool mixed) {
        if (!mixed) {
          more(batch.group_of(*items), n);
          return;
        }
        for (const Item& item : std::span(items, n)) {
          const bool range = (item.target & k_range_item) != 0;
          more(batch.group_of(item),
               range ? batch.accesses[item.target - k_range_item].executions() : 1);
        }
      });
      if (count != 0) add(state, group, count);
    };
    batch.for_columns(count_column, [this](SiteId site) { sites_.prefetch(site); });
    for (const Batch::LoopSample& sample : batch.loop_samples)
      if (sample.access.group != 0 && sample.access.site != k_no_site)
        reported_[sample.access.site][sample.access.group] +=
            static_cast<double>(std::max<std::uint64_t>(sample.times, 1)) *
            static_cast<double>(sample.access.executions());
  }

  void finish(feedback::Profile& profile) override {
    sites_.for_each([](SiteId, SiteGroups& state) {
      for (Pending& pending : state.pending) flush(state, pending);
    });
    for (SiteId site = 1; site <= program_.sites(); site++) {
      const feedback::Id id = program_.site_id(site);
      if (id == feedback::k_none) continue;
      // Several groups of the run may be one group of the document.
      std::map<feedback::Id, std::uint64_t> by_id;
      for (const auto& [group, count] : counts_of(site))
        if (feedback::Id g = program_.group_id(group); g != feedback::k_none)
          by_id[g] += count;
      if (by_id.empty()) continue;
      feedback::PointsTo row;
      row.site = id;
      for (const auto& [group, count] : by_id) row.groups.push_back({group, count});
      profile.points_to.push_back(std::move(row));
    }
  }

 private:
  // What SITE accesses, if only by what another site does.
  Counts counts_of(SiteId site) const {
    const CoveredSite* covered = program_.covered_site(site);
    if (covered && covered->address) return {{covered->group, program_.executions(site)}};
    if (covered) site = covered->by;
    const SiteGroups* state = sites_.find(site);
    return state && !state->counts.empty() ? state->counts : reported(site);
  }

  Counts reported(SiteId site) const {
    const auto it = reported_.find(site);
    if (it == reported_.end()) return {};
    double all = 0;
    for (const auto& [group, count] : it->second) all += count;
    Counts counts;
    for (const auto& [group, count] : it->second)
      counts[group] = static_cast<std::uint64_t>(
          static_cast<double>(program_.executions(site)) * (count / all));
    return counts;
  }

  static void add(SiteGroups& state, GroupId group, std::uint64_t count) {
    Pending& pending = state.pending[group % state.pending.size()];
    if (pending.group == group)
      pending.count += count;
    else
      replace(state, pending, group, count);
  }

  static void replace(SiteGroups& state, Pending& pending, GroupId group,
                      std::uint64_t count) {
    flush(state, pending);
    pending = {group, count};
    if (g_fault == Fault::group_mix && state.previous != 0) {
      state.counts[state.previous] += count;
      pending.count = 0;
    }
    state.previous = group;
  }

  static void flush(SiteGroups& state, Pending& pending) {
    if (pending.group != 0 && pending.count != 0)
      state.counts[pending.group] += pending.count;
    pending.count = 0;
  }

  const ProgramInfo& program_;
  PerSite<SiteGroups> sites_;
  std::unordered_map<SiteId, std::map<GroupId, double>> reported_;  // between bursts
};

}  // namespace

std::unique_ptr<Module> make_points_to(const ProgramInfo& program) {
  return std::make_unique<PointsToModule>(program);
}

}  // namespace memprof::backend
