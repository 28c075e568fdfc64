// extrapolate.cc - from what the bursts of sample mode saw to the whole run.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// One whole factor for all counts of a site keeps what must hold between them: the parts of
// a dependence add up to its count, no histogram has more than the site has
// executions. Shares, distances and classes stay as they are, and so do linear
// descriptors, which say what was seen.
#include "runtime/backend/profile/extrapolate.h"

namespace memprof::backend {

void extrapolate(feedback::Profile& p, const Factors& factors) {
  if (factors.all <= 1 && factors.sites.empty()) return;
  const auto grow = [](std::uint64_t by, auto&... counts) { ((counts *= by), ...); };
  p.run.loads = p.run.stores = 0;
  for (feedback::Module& module : p.modules)
    for (feedback::Function& function : module.functions) {
      for (feedback::Loop& loop : function.loops)
        grow(factors.of_loop(loop.id), loop.invocations, loop.iterations);
      for (feedback::Site& site : function.sites) {
        grow(factors.of_site(site.id), site.executions);
        (site.kind == feedback::Access::store ? p.run.stores : p.run.loads) += site.executions;
      }
    }
  p.run.accesses = p.run.loads + p.run.stores;
  for (feedback::Group& group : p.groups) grow(factors.all, group.accesses);
  for (feedback::Stride& row : p.strides) {
    const std::uint64_t by = factors.of_site(row.site);
    grow(by, row.executions, row.other, row.repeats, row.within_object.other);
    for (feedback::StrideCount& s : row.histogram) grow(by, s.count);
    for (feedback::StrideCount& s : row.within_object.histogram) grow(by, s.count);
  }
  for (feedback::Dependence& row : p.dependences) {
    const std::uint64_t by = factors.of_site(row.sink);
    grow(by, row.count, row.iters, row.intra, row.carried, row.no_loop,
         row.concurrent);
    for (auto& count : row.distance.histogram) grow(by, count);
  }
  for (feedback::InferredDependence& row : p.inferred_dependences)
    grow(factors.of_site(row.sink), row.count);
  for (feedback::PointsTo& row : p.points_to)
    for (auto& target : row.groups) grow(factors.of_site(row.site), target.count);
  for (feedback::Cache& row : p.cache)
    grow(factors.of_site(row.site), row.l1, row.l2, row.llc, row.tlb);
}

}  // namespace memprof::backend
