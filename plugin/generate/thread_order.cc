/* thread_order.cc - tells the runtime where a function synchronises threads.
   SPDX-License-Identifier: GPL-3.0-or-later

   Atomics and fences call __mprt_order, which takes a ticket (ring.h): before a
   release, after an acquire.  The guard of a local static is an atomic that is
   looked at far too often for that:

     if (!__atomic_load (&guard, acquire))	each time
       if (__cxa_guard_acquire (&guard))	the runtime takes tickets
	 {
	   make it;
	   __cxa_guard_release (&guard);	with one before this
	 }
     use it;

   A thread that finds the static made needs one ticket after the maker's, at
   any time since.  The runtime keeps the last ticket that a maker has taken, and
   that of each thread.  So after the look stands

     if (__mprt_last_ticket < __mprt_guard_ticket)
       __mprt_order ();

   A thread makes this call at most once for each static that any thread makes; mostly
   it has taken another ticket in between.  While there is one thread, both are 0.

   A thread that executes a second look found the static made at the first one, or
   made it.  So a look that is dominated by another look at the same guard needs
   nothing, unless making the static can fail and the function goes on.  */

#include "plugin/gcc-common.h"
#include "plugin/sites/access_sites.h"
#include "plugin/sites/memory_functions.h"
#include "plugin/sites/runtime_decls.h"
#include "plugin/generate/thread_order.h"

namespace memprof::plugin {

/* The pass's own flag of statements: a look that another one dominates.  */
constexpr plf_mask k_second_look = GF_PLF_1;

/* Whether a constructor of a local static can throw in this function.  */

static bool
making_fails_p ()
{
  basic_block bb;
  FOR_EACH_BB_FN (bb, cfun)
    for (gimple_stmt_iterator gsi = gsi_start_nondebug_bb (bb); !gsi_end_p (gsi);
	 gsi_next_nondebug (&gsi))
      if (gcall *call = dyn_cast<gcall *> (gsi_stmt (gsi)))
	if (tree callee = gimple_call_fndecl (call))
	  if (id_equal (DECL_NAME (callee), "__cxa_guard_abort"))
	    return true;
  return false;
}

void
find_guard_looks (const vec<access_site> &all)
{
  hash_map<tree, vec<gimple *>> first_looks;
  auto_vec<gimple *> second_looks;
  for (const access_site &site : all)
    if (tree guard = site.atomic_p ? guard_looked_at (site.stmt) : NULL_TREE)
      {
	vec<gimple *> &first = first_looks.get_or_insert (guard);
	bool second = false;
	for (gimple *look : first)
	  second |= dominated_by_p (CDI_DOMINATORS, gimple_bb (site.stmt),
				    gimple_bb (look));
	gimple_set_plf (site.stmt, k_second_look, false);
	(second ? second_looks : first).safe_push (site.stmt);
      }
  for (auto entry : first_looks)
    entry.second.release ();
  if (!second_looks.is_empty () && !making_fails_p ())
    for (gimple *look : second_looks)
      gimple_set_plf (look, k_second_look, true);
}

bool
guard_look_p (gimple *stmt)
{
  return guard_looked_at (stmt) && !gimple_plf (stmt, k_second_look);
}

void
tell_order (gimple_stmt_iterator *gsi)
{
  tree decl = runtime ().order;
  gcall *tell = gimple_build_call (decl, 0);
  gsi_insert_before (gsi, tell, GSI_SAME_STMT);
  cgraph_node::get (current_function_decl)
    ->create_edge (cgraph_node::get_create (decl), tell,
		   gimple_bb (tell)->count);
}

void
tell_guard_look (gimple *place)
{
  const runtime_decls &rt = runtime ();
  gimple_stmt_iterator gsi = gsi_for_stmt (place);
  tree made = make_ssa_name (rt.word), own = make_ssa_name (rt.word);
  for (gimple *load : { gimple_build_assign (made, rt.guard_ticket),
			gimple_build_assign (own, rt.last_ticket) })
    gsi_insert_before (&gsi, load, GSI_SAME_STMT);
  basic_block then, join;
  gimple_stmt_iterator cond
    = create_cond_insert_point (&gsi, true, false, true, &then, &join);
  gsi_insert_after (&cond,
		    gimple_build_cond (LT_EXPR, own, made, NULL_TREE,
				       NULL_TREE),
		    GSI_NEW_STMT);
  gimple_stmt_iterator here = gsi_start_bb (then);
  tell_order (&here);
}

} // namespace memprof::plugin
