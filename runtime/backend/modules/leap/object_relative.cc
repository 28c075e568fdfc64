// object_relative.cc - LEAP: per site and group, the accesses as LMADs.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The stream of object-relative tuples (site, group, object, offset, time) is
// split by site and then by group (vertical decomposition, Wu et al., CGO 2004,
// section 4.1).  Each part is compressed four times:
//
//   v3 (object, offset, time)   dependence frequencies
//   v2 (object, offset)         captured share, strides
//   v1 (offset)                 layout inside an object
//   o1 (object)                 order of the objects
//
// Accesses to the stack and to unknown addresses take no part.
#include <algorithm>
#include <array>
#include <deque>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runtime/backend/base/per_site.h"
#include "runtime/backend/event/module.h"
#include "runtime/backend/modules/leap/access_streams.h"
#include "runtime/backend/modules/leap/mdf.h"

namespace memprof::backend {
namespace {

constexpr std::uint64_t k_max_mdf_width = 64;  // see mdf.h

// The states of a few groups of a site, direct mapped.
struct SiteCache {
  static constexpr std::size_t k_ways = 4;
  std::array<GroupId, k_ways> group{};
  std::array<AccessStreams*, k_ways> streams{};  // null: this group takes no part
};

// Collects the streams of a program.
class LeapModule : public Module {
 public:
  explicit LeapModule(const ProgramInfo& program) : program_(program) {}

  void consume(const Batch& batch) override;

 protected:
  // At the end, once: calls fn(row, streams, site) for each (site, group) that the document has,
  // in their order, whatever the order of first accesses.
  template <typename Fn>
  void for_rows(Fn&& fn);

  const ProgramInfo& program_;

 private:
  AccessStreams* streams_of(SiteId site, GroupId group, std::uint64_t width) {
    SiteCache& cache = sites_[site];
    const std::size_t way = group % SiteCache::k_ways;
    if (cache.group[way] != group) {
      cache.group[way] = group;
      cache.streams[way] = look_up(site, group, width);
    }
    return cache.streams[way];
  }

  AccessStreams* look_up(SiteId site, GroupId group, std::uint64_t width) {
    if (program_.group_kind(group) == feedback::GroupKind::stack) return nullptr;
    auto [place, made] = by_key_.try_emplace(std::uint64_t{site} << 32 | group);
    if (made) place->second = &all_.emplace_back(width);
    return place->second;
  }

  static void range(AccessStreams& streams, const Batch& batch, std::uint32_t number);

  PerSite<SiteCache> sites_;
  std::unordered_map<std::uint64_t, AccessStreams*> by_key_;
  std::deque<AccessStreams> all_;
};

void LeapModule::consume(const Batch& batch) {
  const auto add = [&](const Column& column) {
    GroupId group = 0;
    AccessStreams* streams = nullptr;  // of the group
    const auto stretch = [&](const Item* items, std::uint32_t n) {
      const Target& target = batch.targets[items->target];
      if (target.group != group) {
        group = target.group;
        streams = group == 0 ? nullptr : streams_of(column.site, group, target.width);
      }
      if (streams) streams->add(items, n, target, batch.time);
    };
    Batch::for_chunks(column, [&](const Item* items, std::uint32_t n, bool mixed) {
      if (!mixed) {
        stretch(items, n);
        return;
      }
      for (const Item* const end = items + n; items < end;) {
        if ((items->target & k_range_item) != 0) {
          const std::uint32_t access = items->target - k_range_item;
          const RangeAccess& a = batch.accesses[access];
          AccessStreams* of_range = a.group == 0 ? nullptr : streams_of(column.site, a.group, a.width);
          if (of_range) range(*of_range, batch, access);
          items++;
          continue;
        }
        const auto left = static_cast<std::uint32_t>(end - items);
        std::uint32_t k = streams ? streams->add_nodes(batch, group, items, left) : 0;
        if (k == 0) {
          k = Batch::same_target(items, left);
          stretch(items, k);
        }
        items += k;
      }
    });
  };
  batch.for_columns(add, [this](SiteId site) { sites_.prefetch(site); });
}

void LeapModule::range(AccessStreams& streams, const Batch& batch,
                                 std::uint32_t number) {
  const RangeAccess& a = batch.accesses[number];
  const Range& range = batch.ranges[a.range];
  const auto accesses = batch.accesses_of(range);
  const bool whole = range.per_iteration == 0;
  const std::uint64_t i = whole ? number - range.first : a.before;
  const std::uint64_t size = whole ? accesses.size() : range.per_iteration;
  // The last iteration is earlier by the accesses before this one that it lacks.
  std::uint64_t skipped = 0;
  if (whole && a.count == range.count)
    for (std::size_t j = 0; j < i; j++) skipped += accesses[j].count < range.count;
  const bool odd_last = skipped != 0;
  const std::uint64_t regular = a.count - odd_last;
  const std::uint64_t time = range.first_time + i;
  const auto offset = static_cast<std::int64_t>(a.address - a.base);
  streams.add_rows(a.object, offset, a.step, regular, a.row_step, a.rows, time, size, a.width);
  if (odd_last) {
    const std::uint64_t last =
        a.address - a.base + (a.count - 1) * static_cast<std::uint64_t>(a.step);
    streams.add_rows(a.object, static_cast<std::int64_t>(last), 0, 1, 0, 1,
                     time + (a.count - 1) * size - skipped, 0, a.width);
  }
}

template <typename Fn>
void LeapModule::for_rows(Fn&& fn) {
  const std::map<std::uint64_t, AccessStreams*> ordered(by_key_.begin(), by_key_.end());
  for (const auto& [key, streams] : ordered) {
    const auto site = static_cast<SiteId>(key >> 32);
    const feedback::Id site_id = program_.site_id(site);
    const feedback::Id group_id = program_.group_id(static_cast<GroupId>(key));
    if (site_id == feedback::k_none || group_id == feedback::k_none) continue;
    feedback::ObjectRelative row = streams->row();
    row.site = site_id;
    row.group = group_id;
    fn(std::move(row), *streams, site);
  }
}

class ObjectRelativeModule final : public LeapModule {
 public:
  using LeapModule::LeapModule;

  void settle() override {
    for_rows([this](feedback::ObjectRelative row, const AccessStreams&, SiteId) {
      drop_useless_lmads(row.v3);
      drop_useless_lmads(row.v2);
      drop_useless_lmads(row.v1);
      drop_useless_lmads(row.o1);
      rows_.push_back(std::move(row));
    });
  }
  void finish(feedback::Profile& profile) override {
    std::move(rows_.begin(), rows_.end(), std::back_inserter(profile.object_relative));
  }

 private:
  std::vector<feedback::ObjectRelative> rows_;
};

// Estimates from the streams, before any of their LMADs are dropped.
class MdfModule final : public LeapModule {
 public:
  MdfModule(const ProgramInfo& program, const MdfLimits& limits)
      : LeapModule(program), limits_(limits) {}

  void settle() override {
    for_rows([&](feedback::ObjectRelative row, const AccessStreams& streams, SiteId site) {
      const std::uint64_t width = streams.width() <= k_max_mdf_width ? streams.width() : 0;
      rows_.push_back(std::move(row));
      accesses_.push_back({nullptr, width, program_.executions(site), program_.store_p(site)});
    });
    for (std::size_t i = 0; i < accesses_.size(); i++) accesses_[i].row = &rows_[i];
    result_ = estimate_mdf(accesses_, limits_);
  }

  void finish(feedback::Profile& profile) override {
    MdfSites sites(accesses_);
    std::vector<const feedback::Function*> functions;
    std::set<feedback::Id> unknown;
    for (const feedback::Module& module : profile.modules)
      for (const feedback::Function& function : module.functions) {
        functions.push_back(&function);
        for (const feedback::Site& site : function.sites) {
          sites.note_site(site.id, site.executions);
          if (program_.covered_site(site.id)) unknown.insert(site.id);
        }
      }
    profile.never_met = never_met(functions, sites, result_, unknown);
    profile.mdf.insert(profile.mdf.end(), result_.rows.begin(), result_.rows.end());
    profile.sections.emplace_back("never_met");
  }

 private:
  const MdfLimits limits_;
  std::vector<feedback::ObjectRelative> rows_;
  std::vector<MdfAccess> accesses_;
  MdfResult result_;
};

}  // namespace

std::unique_ptr<Module> make_object_relative(const ProgramInfo& program) {
  return std::make_unique<ObjectRelativeModule>(program);
}
std::unique_ptr<Module> make_mdf(const ProgramInfo& program) {
  return make_mdf(program, MdfLimits());
}
std::unique_ptr<Module> make_mdf(const ProgramInfo& program, const MdfLimits& limits) {
  return std::make_unique<MdfModule>(program, limits);
}

}  // namespace memprof::backend
