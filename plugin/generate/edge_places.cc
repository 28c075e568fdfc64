/* edge_places.cc - places for code on edges and around statements.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "plugin/gcc-common.h"
#include "plugin/generate/edge_places.h"

namespace memprof::plugin {

bool
ends_block_p (gimple *stmt)
{
  return stmt_ends_bb_p (stmt)
	 || (is_gimple_call (stmt)
	     && (gimple_call_builtin_p (stmt, BUILT_IN_RETURN)
		 || gimple_call_flags (stmt) & ECF_NORETURN));
}

gimple *
edge_places::make ()
{
  gimple *place = gimple_build_nop ();
  places_.safe_push (place);
  return place;
}

edge_places::~edge_places ()
{
  release ();
}

void
edge_places::release ()
{
  for (gimple *place : places_)
    {
      gimple_stmt_iterator gsi = gsi_for_stmt (place);
      gsi_remove (&gsi, true);
    }
  places_.truncate (0);
}

gimple *
edge_places::before (gimple *stmt)
{
  gimple *place = make ();
  gimple_stmt_iterator gsi = gsi_for_stmt (stmt);
  gsi_insert_before (&gsi, place, GSI_SAME_STMT);
  return place;
}

gimple *
edge_places::at_start (basic_block bb)
{
  gimple *&last = last_at_start_.get_or_insert (bb);
  if (!last)
    return last = first_at_start (bb);
  gimple *place = make ();
  gimple_stmt_iterator gsi = gsi_for_stmt (last);
  gsi_insert_after (&gsi, place, GSI_SAME_STMT);
  return last = place;
}

gimple *
edge_places::first_at_start (basic_block bb)
{
  gimple *place = make ();
  gimple_stmt_iterator gsi = gsi_after_labels (bb);
  gsi_insert_before (&gsi, place, GSI_SAME_STMT);
  return place;
}

gimple *
edge_places::at_end (basic_block bb)
{
  gimple_stmt_iterator gsi = gsi_last_nondebug_bb (bb);
  if (!gsi_end_p (gsi) && ends_block_p (gsi_stmt (gsi)))
    return before (gsi_stmt (gsi));
  gimple *place = make ();
  gsi = gsi_last_bb (bb);
  gsi_insert_after (&gsi, place, GSI_NEW_STMT);
  return place;
}

gimple *
edge_places::after (gimple *stmt)
{
  if (ends_block_p (stmt))
    {
      edge e = find_fallthru_edge (gimple_bb (stmt)->succs);
      return e ? on (e) : nullptr;
    }
  gimple *place = make ();
  gimple *&last = last_after_.get_or_insert (stmt);
  gimple_stmt_iterator gsi = gsi_for_stmt (last ? last : stmt);
  gsi_insert_after (&gsi, place, GSI_SAME_STMT);
  last = place;
  return place;
}

gimple *
edge_places::on (edge e)
{
  if (e->flags & EDGE_ABNORMAL)
    return nullptr;
  gimple *place = make ();
  gimple *&last = last_on_.get_or_insert (e);
  if (last)
    {
      gimple_stmt_iterator gsi = gsi_for_stmt (last);
      gsi_insert_after (&gsi, place, GSI_SAME_STMT);
    }
  else
    {
      basic_block bb = split_edge (e);
      gimple_stmt_iterator gsi = gsi_after_labels (bb);
      gsi_insert_before (&gsi, place, GSI_SAME_STMT);
    }
  last = place;
  return place;
}

} // namespace memprof::plugin
