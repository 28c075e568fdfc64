/* strip_records.cc - sample mode: removes records from the unprofiled body.
   SPDX-License-Identifier: GPL-3.0-or-later

   Statements that write records, or ask whether there is room, have effects, so GCC keeps
   them.  Here they go.  A result that other statements use becomes a constant:

     limit = room_limit;		limit = 1;
     if (cursor < limit)		if (0 < 1)

   What computed the words of the records is dead then, and GCC removes it.  */

#include "plugin/gcc-common.h"
#include "plugin/generate/sample/strip_records.h"
#include "plugin/generate/record_code.h"
#include "plugin/sites/runtime_decls.h"

namespace memprof::plugin {

void
switch_off_samples (basic_block bb)
{
  for (gimple_stmt_iterator gsi = gsi_start_bb (bb); !gsi_end_p (gsi);
       gsi_next (&gsi))
    {
      // What is left below 0 is compared with it: the call is taken out all the same.
      while (!gsi_end_p (gsi) && gimple_assign_single_p (gsi_stmt (gsi))
	     && counts_work_p (gsi_stmt (gsi)))
	{
	  gimple *store = gsi_stmt (gsi);
	  unlink_stmt_vdef (store);
	  gsi_remove (&gsi, true);
	  release_defs (store);
	}
      if (gsi_end_p (gsi))
	break;
      if (sample_call_p (gsi_stmt (gsi)))
	if (gcond *cond = safe_dyn_cast<gcond *> (last_statement (single_pred (bb))))
	  {
	    gimple_cond_make_false (cond);
	    update_stmt (cond);
	  }
      if (!counts_work_p (gsi_stmt (gsi)))
	continue;
      gasm *code = as_a<gasm *> (gsi_stmt (gsi));
      tree negative = TREE_VALUE (gimple_asm_output_op (code, 0));
      gimple *instead = gimple_build_assign (negative, boolean_false_node);
      unlink_stmt_vdef (code);
      gsi_replace (&gsi, instead, false);
      SSA_NAME_DEF_STMT (negative) = instead;
    }
}

void
strip_records (basic_block bb)
{
  for (gimple_stmt_iterator gsi = gsi_start_bb (bb); !gsi_end_p (gsi);)
    {
      gimple *stmt = gsi_stmt (gsi);
      if (!serves_records_p (stmt))
	{
	  gsi_next (&gsi);
	  continue;
	}
      tree result = gimple_get_lhs (stmt);
      if (gasm *code = dyn_cast<gasm *> (stmt))
	if (gimple_asm_noutputs (code) != 0)
	  result = TREE_VALUE (gimple_asm_output_op (code, 0));
      unlink_stmt_vdef (stmt);
      if (result && TREE_CODE (result) == SSA_NAME && !has_zero_uses (result))
	{
	  // A test for room that never fails: 0 < 1; no ticket is needed: 0 >= 0.
	  tree value = build_int_cst (
	    TREE_TYPE (result), gimple_assign_single_p (stmt)
				  && room_limit_p (gimple_assign_rhs1 (stmt)));
	  gimple_stmt_iterator here = gsi_for_stmt (stmt);
	  gsi_remove (&here, true);
	  gimple *instead = gimple_build_assign (result, value);
	  SSA_NAME_DEF_STMT (result) = instead;
	  if (gsi_end_p (here))
	    {
	      gsi = gsi_last_bb (bb);
	      gsi_insert_after (&gsi, instead, GSI_NEW_STMT);
	      break;
	    }
	  gsi_insert_before (&here, instead, GSI_SAME_STMT);
	  gsi = here;
	  continue;
	}
      gsi_remove (&gsi, true);
      release_defs (stmt);
    }
}

} // namespace memprof::plugin
