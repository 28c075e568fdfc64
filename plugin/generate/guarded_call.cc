/* guarded_call.cc - see guarded_call.h.
   SPDX-License-Identifier: GPL-3.0-or-later

     if (count >= 512)
       __mprt_loop_sample (...);		in a block of its own  */

#include "plugin/gcc-common.h"
#include "plugin/generate/guarded_call.h"
#include "plugin/sites/runtime_decls.h"

namespace memprof::plugin {

void
call_if (gimple *place, tree condition, tree function,
	 const vec<tree> &arguments)
{
  gimple_stmt_iterator gsi = gsi_for_stmt (place);
  basic_block then, join;
  gimple_stmt_iterator cond
    = create_cond_insert_point (&gsi, true, false, true, &then, &join);
  gsi_insert_after (&cond,
		    gimple_build_cond (NE_EXPR, condition, boolean_false_node,
				       NULL_TREE, NULL_TREE),
		    GSI_NEW_STMT);
  gcall *call = gimple_build_call_vec (function, arguments);
  gimple_stmt_iterator then_gsi = gsi_start_bb (then);
  gsi_insert_before (&then_gsi, call, GSI_SAME_STMT);
  cgraph_node::get (current_function_decl)
    ->create_edge (cgraph_node::get_create (function), call, then->count);
}

tree
many_p (gimple *place, tree count, unsigned HOST_WIDE_INT least)
{
  tree many = make_ssa_name (boolean_type_node);
  gimple_stmt_iterator gsi = gsi_for_stmt (place);
  gsi_insert_before (
    &gsi, gimple_build_assign (many, GE_EXPR, count, word_constant (least)),
    GSI_SAME_STMT);
  return many;
}

} // namespace memprof::plugin
