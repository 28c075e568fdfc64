// extrapolate.cc - from what the bursts of sample mode saw to the whole run.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// One whole factor for all counts of a site keeps what must hold between them: the parts of
// a dependence add up to its count, no histogram has more than the site has
// executions. Shares, distances and classes stay as they are, and so do linear
// descriptors, which say what was seen. What is scaled in each table is in its file
// (feedback/table.h).
#include "runtime/backend/profile/extrapolate.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>
#include <utility>

#include "feedback/error_sum.h"
#include "feedback/row_ids.h"

namespace memprof::backend {
namespace {

// A group has the accesses of its sites. Each site has a factor of its own, and that of the whole run is larger
// than most where a few sites make most accesses outside of bursts; so groups are added up again. The
// errors of sites in one loop go the same way, those of different loops do not.
void scale_groups(feedback::Profile& p, const Factors& factors) {
  std::unordered_map<feedback::Id, const feedback::Site*> sites;
  for (const feedback::Module& module : p.modules)
    for (const feedback::Function& function : module.functions)
      for (const feedback::Site& site : function.sites) sites[site.id] = &site;
  std::map<feedback::Id, std::uint64_t> accesses;
  std::map<feedback::Id, feedback::ErrorSum> errors;
  for (const feedback::PointsTo& row : p.points_to) {
    const auto site = sites.find(row.site);
    for (const feedback::PointsTo::Target& target : row.groups) {
      accesses[target.group] += target.count;
      if (site != sites.end())
        errors[target.group].add(site->second->loop, site->second->error * static_cast<double>(target.count));
    }
  }
  for (feedback::Group& group : p.groups) {
    group.accesses = p.points_to.empty() ? group.accesses * factors.all : accesses[group.id];
    if (group.accesses != 0)
      group.error = errors[group.id].half_width() / static_cast<double>(group.accesses);
  }
}

// A loop is entered at most once in each iteration of the loop around it.
void fit_loops(feedback::Function& function) {
  std::unordered_map<feedback::Id, feedback::Loop*> by_id;
  for (feedback::Loop& loop : function.loops) by_id[loop.id] = &loop;
  for (auto loop = function.loops.rbegin(); loop != function.loops.rend(); ++loop) {
    const auto around = by_id.find(loop->parent);
    if (around == by_id.end()) continue;
    const double least = static_cast<double>(loop->invocations) *
                         std::max(1 - loop->invocations_error, 0.0);
    feedback::Loop& outer = *around->second;
    if (least <= static_cast<double>(outer.iterations)) continue;
    outer.iterations = static_cast<std::uint64_t>(least);
    outer.invocations = std::max<std::uint64_t>(outer.invocations, 1);
  }
}

}  // namespace

void extrapolate(feedback::Profile& p, const Factors& factors) {
  if (factors.all <= 1 && factors.sites.empty()) return;
  p.run.loads = p.run.stores = 0;
  for (feedback::Module& module : p.modules)
    for (feedback::Function& function : module.functions) {
      for (feedback::Loop& loop : function.loops)
        feedback::grow(factors.of_loop(loop.id), loop.invocations, loop.iterations);
      fit_loops(function);
      for (feedback::Site& site : function.sites) {
        feedback::grow(factors.of_site(site.id), site.executions);
        (site.kind == feedback::Access::store ? p.run.stores : p.run.loads) += site.executions;
      }
    }
  p.run.accesses = p.run.loads + p.run.stores;
  feedback::for_each_table(p, [&](feedback::Section, auto& rows) {
    for (auto& row : rows) scale(row, factors);
  });
  scale_groups(p, factors);
}

}  // namespace memprof::backend
