/* site_marks.cc - which statement of the function at hand is which site.
   SPDX-License-Identifier: GPL-3.0-or-later

   An assignment can hold a load and a store of the same ordinals' function, so
   the maps exist once for loads and once for stores.  The pointers in a mark
   may be stale by the time of a look-up: GCC frees statements and SSA names
   and gives their memory to new ones.  So a look-up by address also compares
   the left side, the location and the mode; what is wrong after that can only
   make a prefetch superfluous, never the program different.  */

#include "plugin/gcc-common.h"
#include "plugin/sites/source_place.h"
#include "plugin/use/address/reference_parts.h"
#include "plugin/use/match/site_marks.h"

namespace memprof::plugin {

site_marks current_marks;

void
site_marks::start (function *fun, const function_profile *profile)
{
  decl_ = fun->decl;
  profile_ = profile;
  longest_loop_ = 0;
  loads_.truncate (0);
  for (unsigned load = 0; load < 2; load++)
    {
      by_stmt_[load].empty ();
      by_location_[load].empty ();
    }
}

void
site_marks::add (gimple *stmt, tree ref, unsigned ordinal, bool load)
{
  site_mark mark;
  mark.ordinal = ordinal;
  mark.load = load;
  mark.counts = profile_site (profile_, ordinal);
  longest_loop_ = MAX (longest_loop_, mark.counts.loop_iterations);
  mark.lhs = gimple_get_lhs (stmt);
  mark.location = gimple_location (stmt);
  mark.place = source_place (stmt);
  mark.mode = TYPE_MODE (TREE_TYPE (ref));
  by_stmt_[load].put (stmt, mark);
  if (load)
    loads_.safe_push (mark);
  if (LOCATION_LOCUS (mark.location) <= BUILTINS_LOCATION)
    return;
  bool known;
  place &there = by_location_[load].get_or_insert (mark.location, &known);
  there.ambiguous = known;
  there.mark = mark;
}

void
site_marks::add_other_load (gimple *stmt, unsigned ordinal)
{
  site_mark mark = {};
  mark.ordinal = ordinal;
  mark.load = true;
  mark.counts = profile_site (profile_, ordinal);
  mark.location = gimple_location (stmt);
  mark.place = source_place (stmt);
  loads_.safe_push (mark);
}

const site_mark *
site_marks::find (gimple *stmt, tree ref, bool load) const
{
  return find (stmt, TYPE_MODE (TREE_TYPE (ref)), load);
}

const site_mark *
site_marks::find_scalar (gimple *stmt, tree ref, bool load) const
{
  machine_mode mode = TYPE_MODE (TREE_TYPE (ref));
  const site_mark *mark = find (stmt, mode, load);
  return mark || !VECTOR_MODE_P (mode) ? mark : find (stmt, GET_MODE_INNER (mode), load);
}

const site_mark *
site_marks::find (gimple *stmt, machine_mode mode, bool load) const
{
  site_marks *self = const_cast<site_marks *> (this);
  location_t location = gimple_location (stmt);
  site_mark *mark = self->by_stmt_[load].get (stmt);
  if (mark && mark->lhs == gimple_get_lhs (stmt) && mark->location == location
      && mark->mode == mode)
    return mark;
  if (LOCATION_LOCUS (location) <= BUILTINS_LOCATION)
    return nullptr;
  place *there = self->by_location_[load].get (location);
  return there && !there->ambiguous && there->mark.mode == mode ? &there->mark
								: nullptr;
}

const function_profile *
site_marks::profile_of (function *fun) const
{
  return decl_ == fun->decl ? profile_ : nullptr;
}

void
list_marked_loads (function *fun, vec<gimple *> *loads)
{
  basic_block bb;
  FOR_EACH_BB_FN (bb, fun)
    for (gimple_stmt_iterator gsi = gsi_start_bb (bb); !gsi_end_p (gsi); gsi_next (&gsi))
      {
	gimple *stmt = gsi_stmt (gsi);
	tree ref = accessed_reference (stmt, true);
	if (!ref || TREE_CODE (gimple_assign_lhs (stmt)) != SSA_NAME || gimple_has_volatile_ops (stmt))
	  continue;
	const site_mark *mark = current_marks.find (stmt, ref, true);
	if (mark && mark->counts.executions)
	  loads->safe_push (stmt);
      }
}

} // namespace memprof::plugin
