// extrapolate.cc - from what the bursts of sample mode saw to the whole run.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// One whole factor for all counts keeps what must hold between them: the parts of
// a dependence add up to its count, no histogram has more than the site has
// executions. Shares, distances and classes stay as they are, and so do linear
// descriptors, which say what was seen.
#include "runtime/backend/extrapolate.h"

namespace memprof::backend {

void extrapolate(feedback::Profile& p, std::uint64_t factor) {
  if (factor <= 1) return;
  const auto grow = [factor](auto&... counts) { ((counts *= factor), ...); };
  grow(p.run.accesses, p.run.loads, p.run.stores);
  for (feedback::Module& module : p.modules)
    for (feedback::Function& function : module.functions) {
      for (feedback::Loop& loop : function.loops) grow(loop.invocations, loop.iterations);
      for (feedback::Site& site : function.sites) grow(site.executions);
    }
  for (feedback::Group& group : p.groups) grow(group.accesses);
  for (feedback::Stride& row : p.strides) {
    grow(row.executions, row.other, row.repeats, row.within_object.other);
    for (feedback::StrideCount& s : row.histogram) grow(s.count);
    for (feedback::StrideCount& s : row.within_object.histogram) grow(s.count);
  }
  for (feedback::Dependence& row : p.dependences) {
    grow(row.count, row.iters, row.intra, row.carried);
    for (auto& count : row.distance.histogram) grow(count);
  }
  for (feedback::InferredDependence& row : p.inferred_dependences) grow(row.count);
  for (feedback::PointsTo& row : p.points_to)
    for (auto& target : row.groups) grow(target.count);
  for (feedback::Cache& row : p.cache) grow(row.l1, row.l2, row.llc, row.tlb);
}

}  // namespace memprof::backend
