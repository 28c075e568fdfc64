// cost_rows.cc - what each access site costs, and where it stands: the rows of an export.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/cli/export/cost_rows.h"

#include <algorithm>
#include <unordered_map>

#include "consumers/cli/call_path.h"
#include "feedback/model.h"

namespace memprof::cli {

using feedback::Id;

std::optional<std::uint64_t> metric_of(const Costs& costs, std::string_view name) {
  if (name == "accesses") {
    std::uint64_t sum = costs[k_loads];
    feedback::add_count(sum, costs[k_stores]);
    return sum;
  }
  for (std::size_t i = 0; i < k_metrics; i++)
    if (name == k_cost_metrics[i].name) return costs[i];
  return std::nullopt;
}

std::vector<CostRow> cost_rows(const ProfileView& view) {
  std::vector<CostRow> rows;
  std::unordered_map<Id, std::size_t> index;
  for (const auto& ref : view.sites()) {
    index[ref.site->id] = rows.size();
    rows.push_back({&ref});
    const bool load = ref.site->kind == feedback::Access::load;
    rows.back().costs[load ? k_loads : k_stores] = ref.site->executions;
  }
  for (const feedback::Cache& r : view.profile().cache) {
    const auto at = index.find(r.site);
    if (at == index.end()) continue;
    const std::uint64_t misses[] = {r.l1, r.l2, r.llc, r.tlb};
    for (std::size_t i = 0; i < std::size(misses); i++)
      feedback::add_count(rows[at->second].costs[k_l1 + i], misses[i]);
  }
  return rows;
}

std::string leaf_name(const ProfileView::SiteRef& ref) {
  return std::string(kind_name(ref.site->kind)) + ' ' +
         (ref.site->expression.empty() ? "" : ref.site->expression + ' ') + ProfileView::where(ref);
}

std::vector<std::string> static_stack(const ProfileView& view, const ProfileView::SiteRef& ref) {
  std::vector<const ProfileView::LoopRef*> loops;  // innermost first
  for (Id id = ref.site->loop; id != feedback::k_none; id = loops.back()->loop->parent) {
    const auto* loop = view.loop(id);
    if (!loop) break;
    loops.push_back(loop);
  }
  std::vector<std::string> stack{view.profile().program.name, ref.module->file};
  const std::vector<PathStep> path = call_path(ref);
  for (const PathStep& step : path) {
    stack.push_back(*step.function);
    // The last function has all loops that are left: a loop of a header is shown in its caller.
    for (; !loops.empty() && (loops.back()->loop->frame == step.frame || &step == &path.back()); loops.pop_back())
      stack.push_back("loop " + ProfileView::where(*loops.back()));
  }
  stack.push_back(leaf_name(ref));
  return stack;
}

}  // namespace memprof::cli
