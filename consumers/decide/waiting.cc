// waiting.cc - how long a program waits for memory, and where: an estimate from the profile alone.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/decide/waiting.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

#include "feedback/model.h"

namespace memprof::decide {

using namespace feedback;

namespace {

// Instructions for each access of a loop.
constexpr double k_instructions_per_access = 3;

std::string_view without_tag(std::string_view type) {
  for (const std::string_view tag : {"struct ", "union ", "class "})
    if (type.starts_with(tag)) type.remove_prefix(tag.size());
  return type;
}

// Fields that point to records of their own type, by type and name.
using LinkFields = std::map<std::pair<std::string, std::string>, bool>;

LinkFields link_fields(const Profile& profile) {
  LinkFields links;
  for (const RecordType& type : profile.types)
    for (const Field& field : type.fields) {
      const std::string_view declared = without_tag(field.declaration);
      const std::string_view own = without_tag(type.name);
      links[{type.name, field.name}] =
          declared.starts_with(own) && declared.substr(own.size()).starts_with(" *");
    }
  return links;
}

class Model {
 public:
  Model(const Profile& profile, const CostModel& cost)
      : cost_(cost), links_(link_fields(profile)) {
    for (const Stride& row : profile.strides) strides_[row.site] = &row;
    for (const Module& module : profile.modules)
      for (const Function& function : module.functions)
        for (const Site& site : function.sites) {
          sites_[site.id] = &site;
          if (site.loop == k_none) continue;
          LoopSum& loop = loops_[site.loop];
          loop.accesses += static_cast<double>(site.executions);
          if (link_p(site)) loop.chased.insert(site.type);
        }
    for (const Cache& row : profile.cache)
      if (const Site* const s = site(row.site); s && s->loop != k_none) add_misses(row, *s);
  }

  const Site* site(Id id) const {
    const auto at = sites_.find(id);
    return at == sites_.end() ? nullptr : at->second;
  }

  // Share of the executions that go on by a stride that the hardware follows.
  double regular(const Site& site) const {
    const auto at = strides_.find(site.id);
    if (at == strides_.end()) return 0;
    const Stride& row = *at->second;
    std::uint64_t followed = 0;
    for (const StrideCount& s : row.histogram)
      if (s.count >= row.executions / 10 && std::abs(static_cast<double>(s.stride)) < cost_.page_bytes)
        add_count(followed, s.count);
    return row.executions ? std::min(1.0, static_cast<double>(followed) / static_cast<double>(row.executions)) : 0;
  }

  AccessPattern pattern(const Site& site) const {
    if (regular(site) > 0.5) return AccessPattern::regular;
    const auto loop = loops_.find(site.loop);
    const bool chased = loop != loops_.end() && loop->second.chased.contains(site.type);
    return site.kind == Access::load && chased ? AccessPattern::chase : AccessPattern::irregular;
  }

  // Misses that are under way at a time.
  double overlap(const Site& site) const {
    if (pattern(site) == AccessPattern::chase) return 1;
    const auto at = loops_.find(site.loop);
    if (at == loops_.end() || at->second.misses == 0) return 1;
    const double between = k_instructions_per_access * at->second.accesses / at->second.misses;
    return std::clamp(cost_.window_instructions / between, 1.0, cost_.window_misses);
  }

  // Cycles of misses of the levels, of which WALKS are of the TLB.
  double cycles(const Site& site, double l1, double l2, double llc, double tlb, double* walks) const {
    const double moved = llc * cost_.streamed_line_cycles * beyond_busy(site);
    const double followed = regular(site), parallel = overlap(site);
    *walks = tlb * cost_.tlb_miss_cycles / parallel;
    if (site.kind == Access::store) return moved + *walks;
    const double latency = l1 * cost_.l1_miss_cycles + l2 * cost_.l2_miss_cycles + llc * cost_.llc_miss_cycles;
    return followed * moved + (1 - followed) * std::max(latency / parallel, moved) + *walks;
  }

 private:
  struct LoopSum {
    double accesses = 0, misses = 0;
    double moved = 0;              // cycles in which lines are moved for regular accesses and stores
    std::set<std::string> chased;  // types of records that are followed by pointers
  };

  bool link_p(const Site& site) const {
    const auto link = links_.find({site.type, site.field});
    return site.kind == Access::load && link != links_.end() && link->second && regular(site) <= 0.5;
  }

  void add_misses(const Cache& row, const Site& site) {
    const double part = site.kind == Access::store ? 1 : regular(site);
    LoopSum& loop = loops_[site.loop];
    loop.misses += static_cast<double>(row.l2);
    loop.moved += part * static_cast<double>(row.llc) * cost_.streamed_line_cycles;
  }

  // Share of the time of moving lines in which the loop of SITE has nothing else to do.
  double beyond_busy(const Site& site) const {
    const auto at = loops_.find(site.loop);
    if (at == loops_.end() || at->second.moved == 0) return 1;
    return std::max(0.0, 1 - at->second.accesses / at->second.moved);
  }

  const CostModel& cost_;
  LinkFields links_;
  std::unordered_map<Id, const Site*> sites_;
  std::unordered_map<Id, const Stride*> strides_;
  std::unordered_map<Id, LoopSum> loops_;
};

}  // namespace

double Waiting::low() const {
  const double least = std::max(cycles - error, 0.0);
  return busy + least > 0 ? least / (busy + least) : 0;
}
double Waiting::high() const {
  const double most = cycles + error;
  return busy + most > 0 ? most / (busy + most) : 0;
}

Waiting waiting(const Profile& profile, const CostModel& cost) {
  const Model model(profile, cost);
  Waiting all;
  all.busy = static_cast<double>(profile.run.accesses);
  std::map<Id, SiteWaiting> sites;
  std::map<Id, double> most;  // of a group, by site
  double squares = 0;
  for (const Cache& row : profile.cache) {
    const Site* const site = model.site(row.site);
    if (!site) continue;
    const auto number = [](std::uint64_t n) { return static_cast<double>(n); };
    double walks, error_walks;
    const double cycles = model.cycles(*site, number(row.l1), number(row.l2), number(row.llc),
                                       number(row.tlb), &walks);
    const double error = model.cycles(*site, number(row.errors.l1), number(row.errors.l2),
                                      number(row.errors.llc), number(row.errors.tlb), &error_walks);
    SiteWaiting& sum = sites[row.site];
    sum.site = row.site;
    sum.pattern = model.pattern(*site);
    sum.cycles += cycles;
    sum.walks += walks;
    sum.error = std::hypot(sum.error, error);
    if (cycles > most[row.site]) {
      most[row.site] = cycles;
      sum.group = row.group;
    }
    all.cycles += cycles;
    squares += error * error;
  }
  all.error = std::sqrt(squares);
  for (const auto& [id, sum] : sites)
    if (sum.cycles > 0) all.sites.push_back(sum);
  std::ranges::stable_sort(all.sites, std::greater(), &SiteWaiting::cycles);
  return all;
}

}  // namespace memprof::decide
