/* hot_function.cc - functions in which the program spends its time get GCC's options for measured code.
   SPDX-License-Identifier: GPL-3.0-or-later

   Before, at -O2:		     After, if force () has 52 % of the accesses and its loop
				     15 iterations per entry, in effect:

     void force (sim *s)	       __attribute__ ((optimize ("tree-vectorize", "unroll-loops", ...)))
     {				       void force (sim *s)
       for (i ...)		       {
	 ...				 for (i ...)	// estimated: 15 iterations
     }					   ...
				       }

   1. consumers/decide says yes or no from what the profile says about the function.
   2. Each loop with executed sites gets its iterations per entry, as GCC does where it reads a profile of
      its own: passes choose by them what is worth its code.
   3. The function gets the options for loops that -fprofile-use switches on, but for those that the command
      line or an attribute of the function names.

   Place: where sites are matched, which is after inlining and before the loop optimisers.  The options are those of
   the function alone, as with GCC's attribute `optimize', and what is inlined into it has them as well.  The level
   of optimisation stays, and no option here changes what a program computes.

   Late warnings are switched off: a loop that is peeled or a vector makes GCC warn of what cannot
   happen (sites/late_passes.cc).  */

#include "plugin/gcc-common.h"
#include "plugin/options.h"
#include "plugin/sites/late_passes.h"
#include "plugin/use/address/movable_reference.h"
#include "plugin/use/loops/hot_function.h"
#include "plugin/use/match/loop_facts.h"
#include "plugin/use/match/site_marks.h"
#include "plugin/use/remarks.h"

namespace memprof::plugin {

namespace {

/* Whether one of SITES is in a named address space, which GCC's vectoriser may lose.  */

bool
other_space_p (const auto_vec<access_site> &sites)
{
  for (const access_site &site : sites)
    if (site.ref && address_obstacle (site.ref) == REFERENCE_OTHER_SPACE)
      return true;
  return false;
}

const char *
obstacle_of (function *fun, const auto_vec<access_site> &sites)
{
  if (flag_branch_probabilities || flag_auto_profile)
    return "GCC has a profile of its own";
  if (optimize < 2 || optimize_debug)
    return "it is compiled without -O2";
  if (optimize_function_for_size_p (fun))
    return "it is compiled for size";
  if (other_space_p (sites))
    return "it accesses a named address space";
  return nullptr;
}

/* GCC counts executions of the latch, which are one less per entry.  */

void
set_iterations (class loop *loop, const site_counts &counts)
{
  const uint64_t entries = MAX (counts.loop_invocations, 1);
  const uint64_t latch = counts.loop_iterations > entries ? counts.loop_iterations - entries : 0;
  loop->nb_iterations_estimate = (latch + entries / 2) / entries;
  if (loop->any_upper_bound
      && wi::ltu_p (loop->nb_iterations_upper_bound, loop->nb_iterations_estimate))
    loop->nb_iterations_estimate = loop->nb_iterations_upper_bound;
  loop->any_estimate = true;
}

/* The options of FUN, with those for measured loops.  */

tree
options_of_hot_loops ()
{
  gcc_options wanted = global_options, named = global_options_set;
#define WANT(FLAG, VALUE)                                                      \
  do                                                                           \
    if (!named.x_##FLAG)                                                       \
      wanted.x_##FLAG = VALUE, named.x_##FLAG = (decltype (named.x_##FLAG)) 1; \
  while (0)
  // The umbrella of the next two, which does not count as naming them.
  if (!named.x_flag_tree_vectorize || flag_tree_vectorize)
    {
      WANT (flag_tree_loop_vectorize, 1);
      WANT (flag_tree_slp_vectorize, 1);
    }
  WANT (flag_vect_cost_model, VECT_COST_MODEL_DYNAMIC);
  WANT (flag_unroll_loops, 1);
  WANT (flag_peel_loops, 1);
  WANT (flag_split_loops, 1);
  WANT (flag_unswitch_loops, 1);
  WANT (flag_predictive_commoning, 1);
  WANT (flag_version_loops_for_strides, 1);
  WANT (flag_tree_loop_distribution, 1);
  WANT (flag_loop_interchange, 1);
  WANT (flag_unroll_jam, 1);
  WANT (flag_gcse_after_reload, 1);
#undef WANT
  return build_optimization_node (&wanted, &named);
}

/* Gives FUN the processor's options that its own ones entail: -funroll-loops takes back -munroll-only-small-loops,
   which some processors have at -O2 since GCC 13.  Where GCC goes on to a function with the same node of such
   options, it does not restore them, and would unroll all loops there.  */

void
keep_processor_options (function *fun)
{
  DECL_FUNCTION_SPECIFIC_TARGET (fun->decl)
    = build_target_option_node (&global_options, &global_options_set);
}

} // anonymous namespace

void
optimize_hot_function (function *fun, const auto_vec<access_site> &sites)
{
  decide::FunctionCode code;
  code.obstacle = obstacle_of (fun, sites);
  const location_t where = DECL_SOURCE_LOCATION (fun->decl);
  const decision_view *decision
    = profile_decide_hot_function (current_marks.profile_of (fun),
				   definition_candidate (where, current_function_name (),
							 decide::Transformation::hot_functions),
				   code);
  emit_remark (dump_user_location_t::from_location_t (where), *decision);
  if (!decision->take)
    return;
  loop_facts facts (fun);
  for (auto loop : loops_list (fun, 0))
    if (const site_counts *counts = facts.counts (loop);
	counts && !seeded (fault::guessed_iterations))
      set_iterations (loop, *counts);
  set_optimization (fun, options_of_hot_loops ());
  omit_late_warnings (fun->decl);
}

void
set_optimization (function *fun, tree node)
{
  DECL_FUNCTION_SPECIFIC_OPTIMIZATION (fun->decl) = node;
  // Makes them the current ones.
  set_cfun (fun, true);
  keep_processor_options (fun);
}

} // namespace memprof::plugin
