// never_met.cc - the pairs of each loop that `mdf' compared and that never met.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// To move a load over stores takes pairs without a dependence. That a pair has no row
// in `mdf' does not say so: it may be one of the less frequent sources, or not have been
// compared. So these pairs are written, too, as lists for each loop (feedback/never_met.h).
//
// All pairs of an outermost loop are looked at, each is put to its innermost common loop:
//
//     for (...) {             loop 1: a[i] and s, a[i] and b[j]
//       s = a[i];
//       for (...) b[j] += c;  loop 2: c and b[j]  (b[j] itself has met)
//     }
#include <algorithm>
#include <map>

#include "feedback/never_met.h"
#include "runtime/backend/base/parallel.h"
#include "runtime/backend/modules/leap/mdf.h"

namespace memprof::backend {
namespace {

using feedback::Id;
using feedback::k_none;
using feedback::Site;

// An outermost loop with more pairs is left out: nothing is known of them then.
constexpr std::size_t k_most_pairs = 4'000'000;

struct Nest {
  const feedback::Function* function = nullptr;
  std::vector<const Site*> loads, stores;
};

std::vector<Nest> nests_of(const std::vector<const feedback::Function*>& functions,
                           const MdfResult& result, const std::set<Id>& unknown) {
  std::vector<Nest> nests;
  for (const feedback::Function* function : functions) {
    std::map<Id, Id> outermost;
    std::map<Id, Nest> of_loop;
    for (const feedback::Loop& loop : function->loops) {
      const auto around = outermost.find(loop.parent);
      outermost[loop.id] = around == outermost.end() ? loop.id : around->second;
    }
    for (const Site& site : function->sites) {
      const auto loop = outermost.find(site.loop);
      if (loop == outermost.end() || unknown.contains(site.id)) continue;
      Nest& nest = of_loop[loop->second];
      if (site.kind == feedback::Access::store)
        nest.stores.push_back(&site);
      else if (!result.skipped.contains(site.id))
        nest.loads.push_back(&site);
    }
    for (auto& [loop, nest] : of_loop) {
      nest.function = function;
      if (!nest.loads.empty() && !nest.stores.empty() &&
          nest.loads.size() <= k_most_pairs / nest.stores.size())
        nests.push_back(std::move(nest));
    }
  }
  return nests;
}

std::vector<feedback::NeverMet> rows_of(const Nest& nest, const MdfSites& sites,
                                        const MdfResult& result) {
  static const std::vector<Id> none;
  std::map<Id, Id> parents;
  for (const feedback::Loop& loop : nest.function->loops) parents[loop.id] = loop.parent;
  const auto parent = [&parents](Id loop) { return parents[loop]; };
  std::map<Id, feedback::StrangersOfLoop> pairs;
  for (const Site* load : nest.loads) {
    const auto found = result.met.find(load->id);
    const std::vector<Id>& met = found == result.met.end() ? none : found->second;
    for (const Site* store : nest.stores) {
      if (std::binary_search(met.begin(), met.end(), store->id)) continue;
      const double bound = static_cast<double>(sites.possible(store->id, load->id)) /
                           static_cast<double>(load->executions);
      const Id loop = feedback::innermost_common(load->loop, store->loop, parent);
      pairs[loop][load->id].emplace_back(store->id, feedback::level_of(std::min(bound, 1.0)));
    }
  }
  std::vector<feedback::NeverMet> rows;
  for (const auto& [loop, of_loop] : pairs) add_rows(rows, loop, of_loop);
  return rows;
}

}  // namespace

std::vector<feedback::NeverMet> never_met(const std::vector<const feedback::Function*>& functions,
                                          const MdfSites& sites, const MdfResult& result,
                                          const std::set<Id>& unknown) {
  const std::vector<Nest> nests = nests_of(functions, result, unknown);
  std::vector<std::vector<feedback::NeverMet>> rows(nests.size());
  const auto find_rows = [&](std::size_t i) { rows[i] = rows_of(nests[i], sites, result); };
  // To start TBB takes a few milliseconds.
  if (nests.size() < 64)
    for (std::size_t i = 0; i < nests.size(); i++) find_rows(i);
  else
    parallel_for(nests.size(), find_rows);
  std::vector<feedback::NeverMet> all;
  for (auto& of_nest : rows)
    for (feedback::NeverMet& row : of_nest) all.push_back(std::move(row));
  return all;
}

}  // namespace memprof::backend
