/* apply_versioning.cc - loops with a copy for the case that nothing overlaps.
   SPDX-License-Identifier: GPL-3.0-or-later

   Before:                          After, in effect:

     for (i = 0; i < n; i++)          if (a + n <= b || b + n <= a)  // bytes
       a[i] = b[i] + *k;                if (k is not in a[0 .. n))
					  t = *k, for (...) a[i] = b[i] + t;
				      else ... the loop as it was

   For each innermost loop that the profile saw running, and for the loops around
   it, which are worth it when it is entered often for few iterations:

     1. loop_versioner finds out what would have to be checked, and what that
        would allow.
     2. consumers/decide says yes or no from the dependence frequencies of the
        pairs of accesses, the trip count and the cost of the check.
     3. loop_versioner makes two loops of the one that gains most.

   Then GCC's loop motion runs, with which stores to a fixed place leave the
   fast loops, too: no other run of it stands before the vectoriser.

   A loop in which no store is in the way of anything needs no copy.  At -O2 GCC makes
   vectors of it only where the count is a suitable constant; where the profile says that
   entries are long, this pass requests vectors, too.

   Place: after memprof_use, before all loop optimisers.  At -O2, where GCC's
   cost model for vectors allows next to nothing, the fast loops are marked as
   if the user had asked for vectors, with the model that -O3 has.  */

#include "plugin/gcc-common.h"
#include "plugin/use/versioning/apply_versioning.h"
#include "plugin/use/match/loop_facts.h"
#include "plugin/use/versioning/loop_versioner.h"
#include "plugin/use/remarks.h"
#include "plugin/use/match/site_marks.h"
#include "plugin/use/veto.h"

namespace memprof::plugin {

namespace {

/* Loops of a nest that are copied together, at most.  */
const unsigned k_max_levels = 3;
/* How much more a check further out must gain: it fails more easily.  */
const double k_worth_a_level = 1.05;

/* The function at hand, when it has a loop whose copies shall be fused.  */
tree fused_loops_in;

class versioner
{
public:
  explicit versioner (function *fun)
    : fun_ (fun), profile_ (current_marks.profile_of (fun)), facts_ (fun)
  {}
  /* The number of loops versioned.  */
  unsigned run ();

private:
  bool consider (class loop *innermost);
  const decision_view *ask (const loop_versioner &candidate,
			    class loop *innermost, unsigned levels_out);
  const decision_view *say (class loop *innermost, const decide::VersioningCode &code,
			    const vec<memory_ref> &refs = vNULL);
  void refuse (class loop *innermost, const char *why);
  bool widen (class loop *innermost);

  function *fun_;
  const function_profile *profile_;
  loop_facts facts_;
};

const decide::Transformation k_versioning = decide::Transformation::versioning;

/* CANDIDATE, which a veto of each of REFS forbids.  */

decide::Candidate
with_vetoes (decide::Candidate candidate, const vec<memory_ref> &refs)
{
  for (const memory_ref &ref : refs)
    if (!candidate.veto)
      candidate.veto = vetoed_by (ref.stmt, k_versioning);
  return candidate;
}

const decision_view *
versioner::ask (const loop_versioner &candidate, class loop *innermost,
		unsigned levels_out)
{
  decide::VersioningCode code;
  code.obstacle = candidate.obstacle ();
  code.instructions = facts_.instructions (innermost);
  code.checks = candidate.checks ();
  code.hoisted = candidate.hoisted ();
  code.moved = candidate.moved ();
  code.lanes = candidate.lanes ();
  code.shared = candidate.shared ();
  decide::LoopOfSite loop;
  loop.ordinal = facts_.ordinal (innermost);
  loop.levels_out = levels_out;
  loop.pair_count = candidate.pairs ().length ();
  loop.pairs = candidate.pairs ().address ();
  const memory_ref *store = candidate.first_store ();
  const char *words
    = store->ordinal < 0 ? "access" : profile_expression (profile_, store->ordinal);
  return profile_decide_versioning (
    profile_,
    with_vetoes (candidate_at (store->stmt, words, k_versioning), candidate.refs ()), loop, code);
}

/* Where LOOP is: at its exit condition, or its first statement that has a place.  */

location_t
place_of (class loop *loop)
{
  gcond *exit = get_loop_exit_condition (loop);
  if (exit && gimple_has_location (exit))
    return gimple_location (exit);
  for (gimple_stmt_iterator gsi = gsi_start_bb (loop->header);
       !gsi_end_p (gsi); gsi_next (&gsi))
    if (gimple_has_location (gsi_stmt (gsi)))
      return gimple_location (gsi_stmt (gsi));
  return DECL_SOURCE_LOCATION (current_function_decl);
}

/* Decides on INNERMOST as a whole, of which the code is CODE and REFS are accesses, and says so.  */

const decision_view *
versioner::say (class loop *innermost, const decide::VersioningCode &code,
		const vec<memory_ref> &refs)
{
  const location_t where = place_of (innermost);
  decide::LoopOfSite loop;
  loop.ordinal = facts_.ordinal (innermost);
  const decision_view *decision
    = profile_decide_versioning (profile_,
				 with_vetoes (candidate_at (where, "loop", k_versioning), refs),
				 loop, code);
  emit_remark (dump_user_location_t::from_location_t (where), *decision);
  return decision;
}

/* Says that INNERMOST is not versioned, because the compiler sees no use in it or no way
   to do it: WHY.  */

void
versioner::refuse (class loop *innermost, const char *why)
{
  decide::VersioningCode code;
  code.obstacle = why;
  say (innermost, code);
}

/* Vector elements for LOOP as it is, in which no store is in the way; 1: none, or GCC
   decides by itself.  */

unsigned
lanes_as_it_is (class loop *loop, loop_memory *memory)
{
  if (!vectors_wanted_p () || flag_vect_cost_model == VECT_COST_MODEL_DYNAMIC
      || flag_vect_cost_model == VECT_COST_MODEL_UNLIMITED
      || optimize_loop_nest_for_size_p (loop))
    return 1;
  loop_counts counts;
  if (memory->obstacle () || !counts.find (loop))
    return 1;
  memory->find_ranges (counts);
  return likely_lanes (loop, *memory);
}

/* Requests vectors of INNERMOST, of which no copy is needed; whether it did.  */

bool
versioner::widen (class loop *innermost)
{
  decide::VersioningCode code;
  code.instructions = facts_.instructions (innermost);
  loop_memory memory (innermost);
  code.lanes = lanes_as_it_is (innermost, &memory);
  if (code.lanes < 2)
    return false;
  const decision_view *decision = say (innermost, code, memory.refs ());
  if (decision->take)
    {
      innermost->force_vectorize = true;
      cfun->has_force_vectorize_loops = true;
    }
  return true;
}

/* Whether a loop was versioned: INNERMOST or one around it.  */

bool
versioner::consider (class loop *innermost)
{
  const site_counts *counts = facts_.counts (innermost);
  if (!counts)
    return false;
  if (counts->loop_iterations < profile_min_loop_iterations (profile_))
    {
      refuse (innermost, nullptr);
      return false;
    }
  bool said = false;
  const char *why = nullptr;
  class loop *best = nullptr;
  unsigned best_level = 0;
  double best_gain = 0;
  class loop *loop = innermost;
  for (unsigned level = 0; level < k_max_levels; level++)
    {
      {
	loop_versioner candidate (loop, innermost);
	if (candidate.candidate_p ())
	  {
	    const decision_view *decision = ask (candidate, innermost, level);
	    if (decision->take
		&& decision->gain > best_gain * k_worth_a_level)
	      {
		best = loop;
		best_level = level;
		best_gain = decision->gain;
	      }
	    else if (level == 0 && !decision->take)
	      {
		emit_remark (candidate.first_store ()->stmt, *decision);
		said = true;
	      }
	  }
	else if (level == 0)
	  why = candidate.obstacle ();
      }
      class loop *outer = loop_outer (loop);
      if (!outer || outer == current_loops->tree_root || outer->inner != loop
	  || loop->next)
	break;
      loop = outer;
    }
  if (!best)
    {
      if (!said && (why || !widen (innermost)))
	refuse (innermost, why ? why
			       : "no store is in the way of a load, or what they "
				 "range over is not known before the loop");
      return false;
    }
  loop_versioner candidate (best, innermost);
  emit_remark (candidate.first_store ()->stmt,
	       *ask (candidate, innermost, best_level));
  candidate.version ();
  if (candidate.shared ())
    fused_loops_in = fun_->decl;
  return true;
}

unsigned
versioner::run ()
{
  auto_vec<class loop *> loops;
  for (auto loop : loops_list (fun_, LI_ONLY_INNERMOST))
    loops.safe_push (loop);
  unsigned versioned = 0;
  for (class loop *loop : loops)
    versioned += consider (loop);
  return versioned;
}

const pass_data versioning_pass_data
  = { GIMPLE_PASS, "memprof_versioning", OPTGROUP_LOOP, TV_NONE,
      PROP_ssa | PROP_cfg, 0, 0, 0, 0 };

/* What the command line says about loops that the user wants as vectors: the cost model, and -Wopenmp-simd, a
   warning where GCC makes none.  For functions with loops of ours, the model is ours and nothing is warned
   of: the user has asked for no vectors.  */
struct
{
  bool known;
  vect_cost_model cost_model;
  int warn;
} simd_options;

void
set_simd_options (bool vectors_before)
{
  simd_options = { true, flag_simd_cost_model, warn_openmp_simd };
  warn_openmp_simd = 0;
  if (!vectors_before)
    flag_simd_cost_model = VECT_COST_MODEL_DYNAMIC;
}

void
restore_simd_options ()
{
  if (!simd_options.known)
    return;
  flag_simd_cost_model = simd_options.cost_model;
  warn_openmp_simd = simd_options.warn;
  simd_options.known = false;
}

class versioning_pass : public gimple_opt_pass
{
public:
  explicit versioning_pass (gcc::context *context)
    : gimple_opt_pass (versioning_pass_data, context)
  {}

  opt_pass *
  clone () final override
  {
    return new versioning_pass (m_ctxt);
  }

  bool
  gate (function *fun) final override
  {
    fused_loops_in = NULL_TREE;
    restore_simd_options ();
    return optimize > 0 && !optimize_debug && current_marks.profile_of (fun)
	   && current_marks.longest_loop () > 0
	   && current_marks.longest_loop ()
		>= profile_min_loop_iterations (current_marks.profile_of (fun));
  }

  unsigned execute (function *fun) final override;
};

unsigned
versioning_pass::execute (function *fun)
{
  unsigned versioned = 0;
  bool vectors_before = fun->has_force_vectorize_loops;
  loop_optimizer_init (LOOPS_NORMAL | LOOPS_HAVE_RECORDED_EXITS);
  if (number_of_loops (fun) > 1)
    {
      calculate_dominance_info (CDI_DOMINATORS);
      rewrite_into_loop_closed_ssa (NULL, TODO_update_ssa);
      scev_initialize ();
      versioned = versioner (fun).run ();
      if (versioned && flag_tree_loop_im)
	loop_invariant_motion_in_fun (fun, true);
      scev_finalize ();
    }
  loop_optimizer_finalize ();
  if (fun->has_force_vectorize_loops && (versioned || !vectors_before))
    set_simd_options (vectors_before);
  return versioned ? TODO_update_ssa | TODO_cleanup_cfg : 0;
}

/* Runs GCC's unrolling of outer loops, which -O2 leaves out, where a nest of ours
   has a use for it.  */

void
override_gate (void *gate, void *)
{
  bool refused = OPTION_SET_P (flag_unroll_jam) && !flag_unroll_jam;
  if (current_pass && fused_loops_in && !refused
      && fused_loops_in == current_function_decl
      && !strcmp (current_pass->name, k_pass_unroll_and_jam))
    *static_cast<bool *> (gate) = true;
}

} // anonymous namespace

void
register_versioning_pass (const char *plugin_name)
{
  register_callback (plugin_name, PLUGIN_OVERRIDE_GATE, override_gate, NULL);
  insert_pass_after (plugin_name, new versioning_pass (g), k_pass_tsan);
}

} // namespace memprof::plugin
