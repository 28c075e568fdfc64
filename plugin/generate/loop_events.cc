/* loop_events.cc - reports where loops begin and end.
   SPDX-License-Identifier: GPL-3.0-or-later

   If a profiling module needs it, a loop that holds a reported access or a call,
   itself or in a loop inside it, and that no range record describes, reports

     ENTER      at the end of its preheader,
     ITERATION  in its header (record_plan.cc),
     EXIT       on each edge that leaves it; if the block after has only such
		edges, at its start.

   These are entries of block records, among the accesses, as far as
   record_plan.cc can do that; otherwise records of their own on the edges.

   An edge may leave several loops at once: one EXIT of the outermost is enough,
   since a reader closes what is inside.  Exception edges are split like others.
   An abnormal edge (computed goto) cannot hold code; the reader finds out when
   the next event belongs to a loop further out.

   A callee that throws or calls longjmp leaves its loops, and those of functions
   in between, through no edge.  So where control can arrive that way, at landing
   pads and after setjmp, a function reports

     RESUME     with its frame address and the innermost loop around.

   ENTER names the frame too if the loop holds a call.

   The default dependences, of loads on stores, are satisfied with less than all
   loops (MPRT_CARRYING_LOOPS): a loop without loads has none that could depend on
   something, a loop without stores none that a load in it could depend on, if
   nothing in it lets other code run or another thread be heard.

     while (p->key != key)		no events
       p = p->next;
     for (; p; p = p->next)		events: the load of p->sum may depend on
       sum (p), p->sum += x;		the store of another iteration

   If a profiling module needs it, a function says with FUNCTION_ENTER and its
   frame that it begins, and with FUNCTION_EXIT that it returns.  If pointers are
   reported as well, these records hold those that it is passed and returns.  */

#include "plugin/gcc-common.h"
#include "plugin/generate/loop_shape.h"
#include "plugin/generate/loop_events.h"
#include "plugin/options.h"
#include "plugin/tables/unit_tables.h"

namespace memprof::plugin {

namespace {

/* Marks LOOP and all around it.  */

void
mark_events (class loop *loop, auto_vec<loop_plan> &loops)
{
  for (; loop_outer (loop) && !loops[loop->num].events;
       loop = loop_outer (loop))
    loops[loop->num].events = true;
}

/* Marks the loops around SITES, or only those that can carry flow dependences if
   no more is needed.  Loops with calls are marked elsewhere.  */

void
mark_loops_of_sites (function *fun, const auto_vec<access_site> &sites,
		     auto_vec<loop_plan> &loops)
{
  const unsigned load = 1, store = 2, both = load | store;
  const bool all = options.events & MPRT_LOOPS || options.mode == MODE_SAMPLE;
  auto_vec<unsigned> kinds;
  kinds.safe_grow_cleared (number_of_loops (fun), true);
  for (const access_site &site : sites)
    {
      unsigned kind = all || site.atomic_p || site.volatile_p ? both
		      : site.kind == MPRT_OP_STORE		   ? store
								   : load;
      class loop *loop = gimple_bb (site.stmt)->loop_father;
      for (; loop_outer (loop); loop = loop_outer (loop))
	{
	  kinds[loop->num] |= kind;
	  if (kinds[loop->num] == both)
	    mark_events (loop, loops);
	}
    }
}

/* The innermost loop with events that holds BB, or the function's root.  */

class loop *
loop_with_events (basic_block bb, const vec<loop_plan> &loops)
{
  class loop *loop = bb->loop_father;
  while (loop_outer (loop) && !loops[loop->num].events)
    loop = loop_outer (loop);
  return loop;
}

/* The outermost loop with events that E leaves, or null.  */

class loop *
outermost_left (edge e, const vec<loop_plan> &loops)
{
  class loop *result = nullptr;
  for (class loop *loop = e->src->loop_father;
       loop_outer (loop) && !flow_bb_inside_loop_p (loop, e->dest);
       loop = loop_outer (loop))
    if (loops[loop->num].events)
      result = loop;
  return result;
}

} // anonymous namespace

void
plan_loops (function *fun, const auto_vec<access_site> &sites,
	    const auto_delete_vec<range_record> &ranges,
	    auto_vec<loop_plan> &loops)
{
  loops.safe_grow_cleared (number_of_loops (fun), true);
  const bool wanted = options.events & (MPRT_LOOPS | MPRT_CARRYING_LOOPS);
  if (wanted)
    mark_loops_of_sites (fun, sites, loops);
  basic_block bb;
  FOR_EACH_BB_FN (bb, fun)
    if (!loops[bb->loop_father->num].calls)
      for (gimple_stmt_iterator gsi = gsi_start_nondebug_bb (bb);
	   !gsi_end_p (gsi); gsi_next_nondebug (&gsi))
	if (is_gimple_call (gsi_stmt (gsi)) && boundary_p (gsi_stmt (gsi)))
	  {
	    if (wanted)
	      mark_events (bb->loop_father, loops);
	    for (class loop *loop = bb->loop_father; loop_outer (loop);
		 loop = loop_outer (loop))
	      loops[loop->num].calls = true;
	    break;
	  }
  for (range_record *range : ranges)
    {
      loops[range->loop->num].ranged = true;
      loops[range->loop->num].events = false;
      for (const nest_level &level : range->around)
	{
	  loop_plan &plan = loops[level.loop->num];
	  plan.nested = plan.events;
	  plan.ranged = true;
	  plan.events = false;
	}
    }
  // Rows in the order of the loops' numbers; a row may precede its parent's.
  unsigned row = unit_tables::next_loop ();
  for (class loop *loop : loops_list (fun, 0))
    loops[loop->num].row = 0;
  for (unsigned number = 1; number < number_of_loops (fun); number++)
    if (get_loop (fun, number))
      loops[number].row = row++;
  for (unsigned number = 1; number < number_of_loops (fun); number++)
    if (class loop *loop = get_loop (fun, number))
      {
	class loop *outer = loop_outer (loop);
	unit_tables::add_loop (loop_location (loop), loop_outer (outer)
						      ? loops[outer->num].row
						      : MPRT_NONE);
      }
}

/* Finds the edges that end loops, and the blocks after them that have no
   other edges.  */

void
loop_bounds::find_exits (function *fun, const vec<loop_plan> &loops)
{
  basic_block bb;
  FOR_EACH_BB_FN (bb, fun)
    {
      class loop *common = nullptr;
      bool all = bb->loop_father->header != bb;
      edge e;
      edge_iterator ei;
      FOR_EACH_EDGE (e, ei, bb->preds)
	{
	  class loop *left = outermost_left (e, loops);
	  if (!left || (e->flags & EDGE_COMPLEX) || (common && common != left))
	    all = false;
	  else
	    common = left;
	}
      if (all && common)
	at_start_.put (bb, common);
      else
	FOR_EACH_EDGE (e, ei, bb->preds)
	  if (class loop *left = outermost_left (e, loops))
	    {
	      number_.put (e, exits_.length ());
	      exits_.safe_push ({ e, left, false });
	    }
    }
}

void
loop_bounds::find_begins (function *fun, const vec<loop_plan> &loops)
{
  for (class loop *loop : loops_list (fun, 0))
    if (loops[loop->num].events)
      {
	basic_block bb = loop_preheader_edge (loop)->src;
	gimple *last = bb->index >= NUM_FIXED_BLOCKS ? last_statement (bb) : nullptr;
	if (bb->index >= NUM_FIXED_BLOCKS && !(last && ends_block_p (last))
	    && !loops[bb->loop_father->num].ranged)
	  at_end_.put (bb, loop);
	else
	  begins_.safe_push (loop);
      }
}

void
loop_bounds::find (function *fun, const vec<loop_plan> &loops)
{
  find_exits (fun, loops);
  find_begins (fun, loops);
}

void
plan_loop_events (function *fun, const vec<loop_plan> &loops,
		  const loop_bounds &bounds, edge_places &places,
		  auto_vec<loop_event> &events)
{
  struct arrival
  {
    basic_block bb;
    gimple *call;
    class loop *loop;
  };
  // First: places are added to edges below, which must not be seen.
  auto_vec<arrival> arrivals;
  basic_block bb;
  if (options.events & (MPRT_LOOPS | MPRT_CARRYING_LOOPS | MPRT_FUNCTIONS))
    FOR_EACH_BB_FN (bb, fun)
      {
	if (bb_has_eh_pred (bb))
	  arrivals.safe_push ({ bb, nullptr, loop_with_events (bb, loops) });
	for (gimple_stmt_iterator gsi = gsi_start_nondebug_bb (bb);
	     !gsi_end_p (gsi); gsi_next_nondebug (&gsi))
	  if (is_gimple_call (gsi_stmt (gsi))
	      && gimple_call_flags (gsi_stmt (gsi)) & ECF_RETURNS_TWICE)
	    arrivals.safe_push ({ bb, gsi_stmt (gsi),
				  loop_with_events (bb, loops) });
      }
  for (const loop_bounds::exit_edge &exit : bounds.exits_)
    if (!exit.reported)
      if (gimple *place = places.on (exit.e))
	events.safe_push ({ place, MPRT_OP_EXIT, false, exit.loop, false,
			    false, NULL_TREE });
  for (class loop *loop : bounds.begins_)
    events.safe_push ({ places.on (loop_preheader_edge (loop)), MPRT_OP_ENTER,
			false, loop, loops[loop->num].calls, false, NULL_TREE });
  for (const arrival &a : arrivals)
    if (gimple *place = a.call ? places.after (a.call)
			       : places.first_at_start (a.bb))
      events.safe_push ({ place, MPRT_OP_ENTER, true, a.loop, true, false,
			  NULL_TREE });
}

/* The pointer that the return statement at the end of BB returns in a register, if
   pointers are reported, or null.  */

static tree
returned_pointer (basic_block bb)
{
  greturn *last = safe_dyn_cast<greturn *> (last_statement (bb));
  tree value = last ? gimple_return_retval (last) : NULL_TREE;
  return options.events & MPRT_POINTERS && value
	     && POINTER_TYPE_P (TREE_TYPE (value))
	     && (TREE_CODE (value) == SSA_NAME || is_gimple_min_invariant (value))
	   ? value
	   : NULL_TREE;
}

gimple *
function_start (function *fun, edge_places &places)
{
  return options.events & MPRT_FUNCTIONS
	   ? places.on (single_succ_edge (ENTRY_BLOCK_PTR_FOR_FN (fun)))
	   : nullptr;
}

void
plan_function_events (function *fun, gimple *start, edge_places &places,
		      auto_vec<loop_event> &events)
{
  if (!start)
    return;
  class loop *root = loops_for_fn (fun)->tree_root;
  events.safe_push ({ start, MPRT_OP_FUNCTION_ENTER, false, root, true,
		      false, NULL_TREE });
  edge e;
  edge_iterator ei;
  FOR_EACH_EDGE (e, ei, EXIT_BLOCK_PTR_FOR_FN (fun)->preds)
    if (!(e->flags & EDGE_COMPLEX))
      events.safe_push ({ places.at_end (e->src), MPRT_OP_FUNCTION_EXIT, false,
			  root, false, false, returned_pointer (e->src) });
}

} // namespace memprof::plugin
