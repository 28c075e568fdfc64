/* early_iterations.cc - iterations that are reported before the loop's header.
   SPDX-License-Identifier: GPL-3.0-or-later

   The header of an interpreter's loop holds nothing but the computed goto to the
   code of the next instruction, in which no record can go on:

     loop: goto *next;		   { iteration }	a record of its own
     add:  *a += *b;
	   next = table[*++pc];	   { a, b, pc, table }
	   goto loop;

   So the blocks that lead to such a header say at their end that it iterates,
   where a record is open as a rule, and the header is left as short as GCC needs
   to copy it to each of these blocks later:

     add:  *a += *b;
	   next = table[*++pc];	   { a, b, pc, table, iteration }
	   goto loop;

   Between the two places nothing is executed that anyone could see.  */

#include "plugin/gcc-common.h"
#include "plugin/generate/loop_shape.h"
#include "plugin/options.h"
#include "plugin/generate/record_planner.h"

namespace memprof::plugin {

namespace {

/* Whether what is added at the end of BB comes after all that BB does.  */

bool
open_end_p (basic_block bb)
{
  gimple *last = single_succ_p (bb) ? last_statement (bb) : nullptr;
  return single_succ_p (bb) && !(last && ends_block_p (last));
}

} // anonymous namespace

/* Whether the header of LOOP has nothing to report but the iteration, which no
   later block can take over, and all ways to it can.  */

bool
record_planner::iterates_early_p (class loop *loop)
{
  basic_block header = loop->header, latch = loop->latch;
  if (!loops_[loop->num].events || !latch || loops_[loop->num].ranged
      || EDGE_COUNT (header->preds) != 2 || may_leave_open_p (header)
      || has_boundary_p (header) || births_here_p (header)
      || bounds_.ended_at_start (header) || bounds_.begun_at_end (header)
      || any_complex_p (header->preds) || any_complex_p (latch->preds))
    return false;
  basic_block front = loop_preheader_edge (loop)->src;
  if (bounds_.begun_at_end (front) != loop || !open_end_p (front)
      || latch == header || !open_end_p (latch)
      || leads_[latch->index] != LEAD_NOTHING)
    return false;
  unsigned first = first_site_of_[header->index];
  if (first < sites_.length () && gimple_bb (sites_[first].stmt) == header)
    return false;
  edge e;
  edge_iterator ei;
  FOR_EACH_EDGE (e, ei, latch->preds)
    if (e->src->loop_father != loop || e->src == header)
      return false;
  return true;
}

/* Finds such loops, and the ways to them.  */

void
record_planner::find_early_iterations ()
{
  early_.safe_grow_cleared (number_of_loops (fun_), true);
  iterates_behind_.safe_grow_cleared (last_basic_block_for_fn (fun_), true);
  // Sample mode begins and ends bursts in headers.
  if (options.coalesce < COALESCE_RANGE || options.mode != MODE_FULL)
    return;
  for (class loop *loop : loops_list (fun_, 0))
    if (iterates_early_p (loop))
      {
	early_[loop->num] = true;
	iterates_behind_[loop_preheader_edge (loop)->src->index] = loop;
	edge e;
	edge_iterator ei;
	FOR_EACH_EDGE (e, ei, loop->latch->preds)
	  if (open_end_p (e->src))
	    iterates_behind_[e->src->index] = loop;
	  else
	    iterates_on_.safe_push (e);
      }
}

/* At the end of the block: adds that a loop iterates after it, if one does.  */

void
record_planner::add_early_iteration ()
{
  class loop *loop = iterates_behind_[bb_->index];
  if (!loop)
    return;
  bool fresh = !open_;
  add_event (MPRT_OP_ITERATION, loop);
  if (fresh || open_->entries.length () == 1)
    stand_ = AT_END;
}

/* When all blocks are planned: the same on edges from blocks that have others,
   as records of their own.  */

void
record_planner::add_iterations_on_edges ()
{
  for (edge e : iterates_on_)
    {
      start_record ();
      open_->loop = e->src->loop_father;
      open_->entries.safe_push (event (MPRT_OP_ITERATION, open_->loop));
      close_at (places_.on (e));
    }
}

} // namespace memprof::plugin
