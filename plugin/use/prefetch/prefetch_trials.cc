/* prefetch_trials.cc - which prefetches are measured together.
   SPDX-License-Identifier: GPL-3.0-or-later

   Each prefetch has a nest that is long enough (tuned_nest::around).  A nest in another one is a part
   of that, so all prefetches of the outer one are on and off at a time:

     for (u...)				prefetch of degree[next[u]]: the loop of u
       for (e...) sum += a[b[e]];	prefetch of a[b[e]]: too short by itself, so the loop of u

   What is counted are iterations of the deepest loop with a prefetch.  */

#include "plugin/gcc-common.h"
#include "plugin/use/prefetch/prefetch_trials.h"
#include "runtime/wire/tune_cell.h"

namespace memprof::plugin {

namespace {

/* Level of a nest without the library: what was decided, or off.  */
const unsigned k_as_decided = 2, k_off = 0;

/* Copies NEST, for those of PLANS whose nest is it.  */

tuned_nest *
make_nest (class loop *nest, const vec<prefetch_plan *> &plans)
{
  bool sure = false, distances = false;
  double gain = 0;
  const prefetch_plan *deepest = plans[0];
  auto_vec<location_t> places;
  for (const prefetch_plan *plan : plans)
    {
      places.safe_push (gimple_location (plan->stmt));
      sure |= !plan->decision->unsure;
      distances |= plan->several_distances_p ();
      gain = MAX (gain, plan->decision->gain);
      if (loop_depth (plan->loop) > loop_depth (deepest->loop))
	deepest = plan;
    }
  tuned_nest *made = new tuned_nest (nest, deepest->loop);
  made->version (sure ? k_as_decided : k_off, gain, distances, places);
  return made;
}

} // anonymous namespace

void
make_nests (const vec<prefetch_plan *> &plans, vec<tuned_nest *> *nests)
{
  auto_vec<class loop *> around;
  for (const prefetch_plan *plan : plans)
    around.safe_push (plan->decision->trial ? plan->measurable : nullptr);
  for (class loop *&mine : around)
    for (class loop *other : around)
      if (mine && other && flow_loop_nested_p (other, mine))
	mine = other;
  for (unsigned i = 0; i < plans.length (); i++)
    {
      auto_vec<prefetch_plan *> same;
      for (unsigned j = 0; j < plans.length (); j++)
	if (around[i] && around[j] == around[i] && !plans[j]->nest)
	  same.safe_push (plans[j]);
      if (same.is_empty ())
	continue;
      tuned_nest *nest = make_nest (around[i], same);
      nests->safe_push (nest);
      for (prefetch_plan *plan : same)
	plan->nest = nest;
    }
}

} // namespace memprof::plugin
