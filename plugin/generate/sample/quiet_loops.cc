/* quiet_loops.cc - sample mode: loops that are over before the next burst.
   SPDX-License-Identifier: GPL-3.0-or-later

   In a short loop the countdown (unprofiled_body.cc) is a good part of what there is to do.  If it
   is known before the loop how often its header is executed, and the loop is an innermost
   one without calls, there are two of it, one of which neither asks nor reports:

     for (e = first; e < end; e++)	n = end - first + 1, at least 1
       {				if (countdown >= n)
	 if (--countdown < 0) ...	  {
	 sum += value[e]			    countdown -= n;
		* x[column[e]];		    for (e = first; e < end; e++)
       }				      sum += value[e] * x[column[e]];
					  }
					else
					  the loop as it was

   During a burst the countdown is negative, so the instrumented body never has the quiet
   version, and what is counted is the same.  */

#include "plugin/gcc-common.h"
#include "plugin/generate/loop_shape.h"
#include "plugin/generate/sample/quiet_loops.h"
#include "plugin/generate/record_writer.h"
#include "plugin/sites/runtime_decls.h"

namespace memprof::plugin {

namespace {

/* Statements of a loop that is worth another version: in larger ones the countdown is little, and
   text has its limit.  */
const unsigned k_small = 20;

bool
small_p (class loop *loop)
{
  unsigned statements = 0;
  basic_block *body = get_loop_body (loop);
  for (unsigned i = 0; i < loop->num_nodes; i++)
    for (gimple_stmt_iterator gsi = gsi_start_nondebug_bb (body[i]);
	 !gsi_end_p (gsi); gsi_next_nondebug (&gsi))
      statements++;
  free (body);
  return statements <= k_small;
}

} // anonymous namespace

bool
plain_edges_p (class loop *loop)
{
  bool plain = true;
  basic_block *body = get_loop_body (loop);
  for (unsigned i = 0; i < loop->num_nodes && plain; i++)
    plain = !any_complex_p (body[i]->preds) && !any_complex_p (body[i]->succs);
  free (body);
  return plain;
}

tree
quiet_executions (class loop *loop)
{
  return loop->inner || !plain_edges_p (loop) || !small_p (loop)
	   ? NULL_TREE
	   : header_executions (loop);
}

void
quiet_loops::version (const burst_header &header)
{
  const runtime_decls &rt = runtime ();
  tree type = TREE_TYPE (rt.countdown), less = make_ssa_name (type);
  class loop *loop = header.header->loop_father;
  basic_block front = split_edge (loop_preheader_edge (loop));
  gimple_stmt_iterator gsi = gsi_last_bb (front);
  gimple *place = gimple_build_nop ();
  gsi_insert_after (&gsi, place, GSI_NEW_STMT);
  tree n = force_word (place, header.executions);
  // Below 0 if N does not fit, or is no number of iterations.
  tree left = make_ssa_name (type), places = make_ssa_name (rt.word);
  tree rest = make_ssa_name (rt.word), either = make_ssa_name (rt.word);
  tree with_sign = make_ssa_name (long_long_integer_type_node);
  for (gimple *stmt :
       { gimple_build_assign (left, rt.countdown),
	 gimple_build_assign (places, NOP_EXPR, left),
	 gimple_build_assign (rest, MINUS_EXPR, places, n),
	 gimple_build_assign (less, NOP_EXPR, rest),
	 gimple_build_assign (either, BIT_IOR_EXPR, rest, n),
	 gimple_build_assign (with_sign, NOP_EXPR, either) })
    gsi_insert_before (&gsi, stmt, GSI_SAME_STMT);
  gsi_remove (&gsi, true);
  basic_block test;
  class loop *quiet
    = loop_version (loop,
		    build2 (LT_EXPR, boolean_type_node, with_sign,
			    build_zero_cst (TREE_TYPE (with_sign))),
		    &test, profile_probability::unlikely (),
		    profile_probability::likely (),
		    profile_probability::unlikely (),
		    profile_probability::likely (), true);
  gcc_assert (quiet);
  if (dump_file)
    fprintf (dump_file, "memprof: loop %d has a quiet version\n", loop->num);
  basic_block begin = split_edge (loop_preheader_edge (quiet));
  gsi = gsi_last_bb (begin);
  gsi_insert_after (&gsi, gimple_build_assign (rt.countdown, less),
		    GSI_NEW_STMT);
  tests_.safe_push (front);
  if (test != front)
    tests_.safe_push (test);
  tests_.safe_push (begin);
  basic_block *body = get_loop_body (quiet);
  for (unsigned i = 0; i < quiet->num_nodes; i++)
    blocks_.safe_push (body[i]);
  free (body);
}

void
quiet_loops::make (const vec<burst_header> &headers)
{
  auto_vec<burst_header> counted;
  for (const burst_header &header : headers)
    if (header.executions && can_duplicate_loop_p (header.header->loop_father))
      counted.safe_push (header);
  if (counted.is_empty ())
    return;
  calculate_dominance_info (CDI_DOMINATORS);
  initialize_original_copy_tables ();
  for (const burst_header &header : counted)
    version (header);
  free_original_copy_tables ();
  update_ssa (TODO_update_ssa);
}

/* The version with questions is the one of the true edge.  */

void
quiet_loops::forbid (basic_block bb)
{
  if (gcond *cond = safe_dyn_cast<gcond *> (last_statement (bb)))
    {
      gimple_cond_make_true (cond);
      update_stmt (cond);
    }
}

void
quiet_loops::use_register (basic_block bb, tree kept)
{
  tree countdown = runtime ().countdown;
  for (gimple_stmt_iterator gsi = gsi_start_bb (bb); !gsi_end_p (gsi);
       gsi_next (&gsi))
    {
      gassign *assign = dyn_cast<gassign *> (gsi_stmt (gsi));
      if (!assign || !gimple_assign_single_p (assign))
	continue;
      if (gimple_assign_rhs1 (assign) == countdown)
	gimple_assign_set_rhs1 (assign, kept);
      else if (gimple_assign_lhs (assign) == countdown)
	{
	  unlink_stmt_vdef (assign);
	  gimple_assign_set_lhs (assign, kept);
	}
      else
	continue;
      gimple_set_has_volatile_ops (assign, false);
      update_stmt (assign);
    }
}

} // namespace memprof::plugin
