/* loop_facts.cc - what loops cost and what waits for a loaded value.
   SPDX-License-Identifier: GPL-3.0-or-later

   Where the profile counted something, its counts replace GCC's guesses: how
   often an inner loop runs per iteration of an outer one, and how often a
   branch goes to which side (from the executions of a site after it).

   What waits for a value: the processor executes ahead of a load that misses,
   as far as its window reaches, unless later instructions need the value:

     - a branch on it that is predicted wrongly: all that was done ahead is
       thrown away.  A branch taken with share p is predicted wrongly in about
       min (p, 1 - p) of its executions (no better without a pattern).  One that
       only chooses between two integers, with at most one operation in front,
       becomes a conditional move later and is never predicted;
     - a call that gets it: calls branch;
     - a load that takes its address from it (chained): that one waits and
       starts when this one is done; what waits for it is found in turn.  A
       store may wait as long as it likes.  */

#include "plugin/gcc-common.h"
#include "plugin/use/address/reference_parts.h"
#include "plugin/use/match/loop_facts.h"
#include "plugin/use/match/site_marks.h"

namespace memprof::plugin {

namespace {

/* Uses of a value that are followed.  */
const unsigned k_max_uses = 40;
/* Of a branch about which nothing is known: it depends on data from memory.  */
const double k_unknown_branch = 0.5;

/* Whether GCC will make a conditional move of the branch at the end of BB: one
   side goes straight to where the other leads to, which does one cheap operation
   at most, and one value is merged there.  Processors move integers so.  */

bool
conditional_move_p (basic_block bb)
{
  if (EDGE_COUNT (bb->succs) != 2)
    return false;
  for (edge direct : { EDGE_SUCC (bb, 0), EDGE_SUCC (bb, 1) })
    {
      edge other = EDGE_SUCC (bb, direct == EDGE_SUCC (bb, 0) ? 1 : 0);
      basic_block side = other->dest;
      if (!single_pred_p (side) || !single_succ_p (side)
	  || single_succ (side) != direct->dest)
	continue;
      unsigned operations = 0, merged = 0;
      for (gimple_stmt_iterator gsi = gsi_start_nondebug_after_labels_bb (side);
	   !gsi_end_p (gsi); gsi_next_nondebug (&gsi))
	{
	  gimple *stmt = gsi_stmt (gsi);
	  if (!is_gimple_assign (stmt) || gimple_vuse (stmt)
	      || gimple_could_trap_p (stmt))
	    operations = 2;
	  else
	    // The instruction that computes extends on the way.
	    operations
	      += !CONVERT_EXPR_CODE_P (gimple_assign_rhs_code (stmt));
	}
      for (gphi_iterator gsi = gsi_start_phis (direct->dest); !gsi_end_p (gsi);
	   gsi_next (&gsi))
	{
	  gphi *phi = gsi.phi ();
	  tree type = TREE_TYPE (gimple_phi_result (phi));
	  if (virtual_operand_p (gimple_phi_result (phi))
	      || operand_equal_p (PHI_ARG_DEF_FROM_EDGE (phi, direct),
				  PHI_ARG_DEF_FROM_EDGE (phi,
							 single_succ_edge (side)),
				  0))
	    continue;
	  merged += INTEGRAL_TYPE_P (type) || POINTER_TYPE_P (type) ? 1 : 2;
	}
      return operations <= 1 && merged <= 1;
    }
  return false;
}

} // anonymous namespace

loop_facts::loop_facts (function *fun) : fun_ (fun)
{
  basic_block bb;
  FOR_EACH_BB_FN (bb, fun)
    for (gimple_stmt_iterator gsi = gsi_start_bb (bb); !gsi_end_p (gsi);
	 gsi_next (&gsi))
      for (bool load : { false, true })
	{
	  gimple *stmt = gsi_stmt (gsi);
	  tree ref = accessed_reference (stmt, load);
	  const site_mark *mark
	    = ref ? current_marks.find (stmt, ref, load) : nullptr;
	  if (!mark)
	    continue;
	  uint64_t &most = by_block_.get_or_insert (bb->index);
	  most = MAX (most, mark->counts.executions);
	  if (bb->loop_father && mark->counts.loop_iterations)
	    {
	      by_loop_.put (bb->loop_father->num, mark->counts);
	      site_of_loop_.put (bb->loop_father->num, mark->ordinal);
	    }
	}
  instructions (nullptr);
  for (auto loop : loops_list (fun, 0))
    instructions (loop);
}

const site_counts *
loop_facts::counts (class loop *loop)
{
  return by_loop_.get (loop->num);
}

unsigned
loop_facts::ordinal (class loop *loop)
{
  return *site_of_loop_.get (loop->num);
}

const uint64_t *
loop_facts::executions (basic_block bb)
{
  return by_block_.get (bb->index);
}

double
loop_facts::instructions (class loop *loop)
{
  bool known;
  double &sum = instructions_.get_or_insert (loop ? loop->num : 0, &known);
  if (!known)
    sum = estimate (loop);
  return sum;
}

double
loop_facts::estimate (class loop *loop)
{
  basic_block entry = loop ? loop->header : ENTRY_BLOCK_PTR_FOR_FN (fun_);
  const site_counts *outer = loop ? counts (loop) : nullptr;
  double sum = 0;
  basic_block bb;
  FOR_EACH_BB_FN (bb, fun_)
    {
      if (loop && !flow_bb_inside_loop_p (loop, bb))
	continue;
      double work = 0;
      for (gimple_stmt_iterator gsi = gsi_start_bb (bb); !gsi_end_p (gsi);
	   gsi_next (&gsi))
	work += estimate_num_insns (gsi_stmt (gsi), &eni_time_weights);
      // How often per iteration: within its own loop by GCC's estimate, from
      // loop to loop by the counts, if there are any.
      class loop *own = bb->loop_father;
      const site_counts *inner
	= outer && own && own != loop ? counts (own) : nullptr;
      basic_block base = inner ? own->header : entry;
      double share = 1;
      if (bb->count.initialized_p () && base->count.initialized_p ()
	  && base->count.nonzero_p ())
	share = bb->count.to_sreal_scale (base->count).to_double ();
      if (inner)
	share *= double (inner->loop_iterations) / outer->loop_iterations;
      sum += work * share;
    }
  return sum;
}

/* How often the branch at the end of BB, on the value of LOAD, is predicted
   wrongly.  */

double
loop_facts::branch_waits (gimple *load, basic_block bb)
{
  if (conditional_move_p (bb))
    return 0;
  const uint64_t *all = executions (bb);
  if (!all && bb != gimple_bb (load))
    return k_unknown_branch;
  uint64_t whole = all ? *all : 0;
  if (bb == gimple_bb (load))
    if (const site_mark *mark
	= current_marks.find (load, gimple_assign_rhs1 (load), true))
      whole = mark->counts.executions;
  if (!whole)
    return k_unknown_branch;
  edge e;
  edge_iterator ei;
  FOR_EACH_EDGE (e, ei, bb->succs)
    if (single_pred_p (e->dest))
      if (const uint64_t *some = executions (e->dest))
	{
	  double share = MIN (1.0, double (*some) / whole);
	  return MIN (share, 1 - share);
	}
  return k_unknown_branch;
}

double
loop_facts::waits (gimple *load, class loop *loop, bool *chained)
{
  auto_vec<tree> names;
  hash_set<tree> seen;
  double most = 0;
  *chained = false;
  names.safe_push (gimple_assign_lhs (load));
  for (unsigned i = 0; i < names.length () && i < k_max_uses; i++)
    {
      imm_use_iterator it;
      use_operand_p use;
      FOR_EACH_IMM_USE_FAST (use, it, names[i])
	{
	  gimple *stmt = USE_STMT (use);
	  basic_block bb = gimple_bb (stmt);
	  if (is_gimple_debug (stmt)
	      || (loop && !flow_bb_inside_loop_p (loop, bb)))
	    continue;
	  if (gimple_code (stmt) == GIMPLE_COND
	      || gimple_code (stmt) == GIMPLE_SWITCH)
	    {
	      most = MAX (most, branch_waits (load, bb));
	      continue;
	    }
	  if (is_gimple_call (stmt))
	    return 1;
	  tree result = NULL_TREE;
	  if (gphi *phi = dyn_cast<gphi *> (stmt))
	    result = gimple_phi_result (phi);
	  else if (is_gimple_assign (stmt) && !gimple_vdef (stmt))
	    {
	      result = gimple_assign_lhs (stmt);
	      *chained |= gimple_vuse (stmt) != NULL_TREE;
	    }
	  if (result && TREE_CODE (result) == SSA_NAME && !seen.add (result))
	    names.safe_push (result);
	}
    }
  return most;
}

} // namespace memprof::plugin
