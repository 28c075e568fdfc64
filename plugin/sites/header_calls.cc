/* header_calls.cc - calls of functions of system headers that were not inlined.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "plugin/gcc-common.h"
#include "plugin/sites/header_calls.h"

namespace memprof::plugin {

void
find_header_calls (function *fun, auto_vec<gcall *> &calls)
{
  basic_block bb;
  FOR_EACH_BB_FN (bb, fun)
    for (gimple_stmt_iterator gsi = gsi_start_nondebug_bb (bb); !gsi_end_p (gsi);
	 gsi_next_nondebug (&gsi))
      if (gcall *call = dyn_cast<gcall *> (gsi_stmt (gsi)))
	if (tree callee = gimple_call_fndecl (call))
	  if (in_system_header_at (DECL_SOURCE_LOCATION (callee)) && !fndecl_built_in_p (callee))
	    if (cgraph_node *node = cgraph_node::get (callee); node && node->definition)
	      calls.safe_push (call);
}

} // namespace memprof::plugin
