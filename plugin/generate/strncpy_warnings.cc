/* strncpy_warnings.cc - no warnings of strncpy calls that records separate from the end.
   SPDX-License-Identifier: GPL-3.0-or-later

   -Wstringop-truncation, which is part of -Wall, does not warn of

	strncpy (s->name, from, sizeof s->name - 1);
	s->name[sizeof s->name - 1] = 0;

   because the statement after the call stores to the destination.  In an instrumented
   function a record is between the two, and GCC would warn.  So the warning is suppressed
   for such calls before records are added.  */

#include "plugin/gcc-common.h"
#include "plugin/generate/strncpy_warnings.h"

namespace memprof::plugin {

namespace {

bool
bounded_copy_p (gimple *stmt)
{
  if (!gimple_call_builtin_p (stmt, BUILT_IN_NORMAL))
    return false;
  switch (DECL_FUNCTION_CODE (gimple_call_fndecl (stmt)))
    {
    case BUILT_IN_STRNCPY:
    case BUILT_IN_STPNCPY:
    case BUILT_IN_STRNCPY_CHK:
    case BUILT_IN_STPNCPY_CHK:
      return true;
    default:
      return false;
    }
}

/* The statement that is executed after the one of GSI, or null.  */

gimple *
next_statement (gimple_stmt_iterator gsi)
{
  basic_block bb = gsi_bb (gsi);
  gsi_next_nondebug (&gsi);
  if (gsi_end_p (gsi) && single_succ_p (bb))
    gsi = gsi_start_nondebug_after_labels_bb (single_succ (bb));
  return gsi_end_p (gsi) ? nullptr : gsi_stmt (gsi);
}

} // anonymous namespace

void
suppress_strncpy_warnings (function *fun)
{
  basic_block bb;
  FOR_EACH_BB_FN (bb, fun)
    for (gimple_stmt_iterator gsi = gsi_start_bb (bb); !gsi_end_p (gsi);
	 gsi_next (&gsi))
      if (bounded_copy_p (gsi_stmt (gsi)))
	{
	  gimple *next = next_statement (gsi);
	  if (next && gimple_store_p (next) && gimple_assign_single_p (next)
	      && integer_zerop (gimple_assign_rhs1 (next)))
	    suppress_warning (gsi_stmt (gsi), OPT_Wstringop_truncation);
	}
}

} // namespace memprof::plugin
