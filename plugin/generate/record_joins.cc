/* record_joins.cc - records that go on in later blocks.
   SPDX-License-Identifier: GPL-3.0-or-later

   A record that is still open at the end of its block may go on in a later one
   (at COALESCE_RANGE):

     do				  b1   { match[n] }	b1 -> b2, b1 -> b3
       {			  b2   { match[0] }	b2 -> b3
	 if (match[n] == end	  b3   { prev[i] }
	     && match[0] == first)
	   return match;	One record in b3 instead of two or three:
	 i = prev[i];		from b1 { match[n], prev[i] }, from b2
       }			{ match[n], match[0], prev[i] }.
     while (i);

   1. Each block that follows either takes the record over, because it has an
      access before anything ends records (or is empty and leads to such
      blocks), or does not: then the record is written on the edge.  If no
      block takes it, it is written where its last access is.
   2. A block with several predecessors takes what arrives from each as a
      prefix.  The descriptor, which is a constant, and the words of the prefix
      are chosen on the path (record_emit.cc); the code that writes the record
      is there once.  Such a record ends with its block.
      An empty block that only joins some of the paths to it (GCC makes one where they
      bring the same values for its PHIs) is passed over: the prefixes are chosen
      before it.
   3. Records leave loops: if the block after the loop can also be reached
      otherwise, the copy on the edge says that the loop ends.  They enter a
      loop, and go round it, only if its header calls something, so that its
      record ends there; otherwise each iteration would pay.

     a = b[i];			one record in the header, as long as its call
     while (less (p[j - 1], a))	starts no other: { b[i], enter, iteration,
       ...			p[j - 1] }, or { iteration, p[j - 1] }

   On no path are there more records than without this, and the order of
   entries is the same.

   In sample mode records are rare, and a compilation counts: a record goes on only
   if each block that follows takes it over and none of them is reached otherwise.  */

#include "plugin/gcc-common.h"
#include "plugin/generate/loop_shape.h"
#include "plugin/options.h"
#include "plugin/generate/record_planner.h"

namespace memprof::plugin {

namespace {

/* Blocks without accesses that an open record passes through, at most.  */
const unsigned k_max_empty_blocks = 3;
/* Entries that a record takes into a loop, or from one iteration to the
   next.  */
const unsigned k_max_entering = 4;
/* Predecessors of a block that takes records over.  */
const unsigned k_max_prefixes = 16;

} // anonymous namespace

bool
record_planner::has_boundary_p (basic_block bb) const
{
  for (gimple_stmt_iterator gsi = gsi_start_nondebug_bb (bb);
       !gsi_end_p (gsi); gsi_next_nondebug (&gsi))
    if (boundary_p (gsi_stmt (gsi)))
      return true;
  return false;
}

/* Whether what is open at the end of BB can be written on each edge after
   it.  */

bool
record_planner::may_leave_open_p (basic_block bb) const
{
  if (options.coalesce < COALESCE_RANGE || EDGE_COUNT (bb->succs) > 2)
    return false;
  edge e;
  edge_iterator ei;
  FOR_EACH_EDGE (e, ei, bb->succs)
    if ((e->flags & EDGE_COMPLEX) || e->dest == EXIT_BLOCK_PTR_FOR_FN (fun_))
      return false;
  gimple *last = last_statement (bb);
  return !last || !ends_block_p (last) || gimple_code (last) == GIMPLE_COND
	 || gimple_code (last) == GIMPLE_SWITCH;
}

/* Whether all edges to BB can choose a prefix before BB is planned, or, from a
   latch, will choose an empty one.  */

bool
record_planner::takes_prefixes_p (basic_block bb) const
{
  if (EDGE_COUNT (bb->preds) > k_max_prefixes)
    return false;
  edge e;
  edge_iterator ei;
  FOR_EACH_EDGE (e, ei, bb->preds)
    if ((e->flags & EDGE_COMPLEX) || e->src == ENTRY_BLOCK_PTR_FOR_FN (fun_)
	// Blocks that hold places are new.
	|| (unsigned (e->src->index) < order_.length ()
	    && order_[e->src->index] >= order_[bb->index]
	    && !(bb->loop_father->header == bb
		 && bb->loop_father->latch == e->src)))
      return false;
  return true;
}

/* Finds the blocks that are passed over: b4 in

     b1 -> b4, b2 -> b4, b4 -> b5 { prev[i] }, b3 -> b5 */

void
record_planner::find_joints ()
{
  if (options.coalesce < COALESCE_RANGE || options.mode == MODE_SAMPLE)
    return;
  joints_.safe_grow_cleared (leads_.length (), true);
  basic_block bb;
  FOR_EACH_BB_FN (bb, fun_)
    if (leads_[bb->index] == LEAD_NOTHING && single_succ_p (bb)
	&& !single_pred_p (bb))
      {
	edge out = single_succ_edge (bb);
	basic_block to = out->dest;
	joints_[bb->index]
	  = !(out->flags & EDGE_COMPLEX) && to != EXIT_BLOCK_PTR_FOR_FN (fun_)
	    && to->loop_father == bb->loop_father
	    && bb->loop_father->header != bb && bb->loop_father->header != to
	    && !loops_[bb->loop_father->num].ranged
	    && leads_[to->index] == LEAD_ENTRY && !single_pred_p (to)
	    && takes_prefixes_p (bb) && takes_prefixes_p (to)
	    && EDGE_COUNT (bb->preds) + EDGE_COUNT (to->preds) <= k_max_prefixes;
      }
}

bool
record_planner::joint_p (basic_block bb) const
{
  return unsigned (bb->index) < joints_.length () && joints_[bb->index];
}

/* Appends the edges on which control comes to BB, those to a block that is passed over
   instead of the one from it.  */

void
record_planner::paths_to (basic_block bb, vec<edge> &paths) const
{
  edge e, path;
  edge_iterator ei, joining;
  FOR_EACH_EDGE (e, ei, bb->preds)
    if (joint_p (e->src))
      FOR_EACH_EDGE (path, joining, e->src->preds)
	paths.safe_push (path);
    else
      paths.safe_push (e);
}

/* Whether the open record can be a prefix in the header of LOOP, which says
   that an iteration begins.  */

bool
record_planner::may_enter_p (class loop *loop) const
{
  return loops_[loop->num].events && open_->entries.length () <= k_max_entering
	 && has_boundary_p (loop->header) && takes_prefixes_p (loop->header);
}

/* Whether a record that is open at E can go on after it, through at most
   EMPTY_BLOCKS blocks without accesses.  */

bool
record_planner::takes_over_p (edge e, unsigned empty_blocks)
{
  basic_block bb = e->dest;
  if ((e->flags & EDGE_COMPLEX) || bb == EXIT_BLOCK_PTR_FOR_FN (fun_)
      || unsigned (bb->index) >= leads_.length ()
      // The range record of a loop stands on the edges around it.
      || loops_[bb->loop_father->num].ranged
      || (options.mode == MODE_SAMPLE && !single_pred_p (bb)))
    return false;
  if (bb->loop_father->header == bb)
    return e->src != bb->loop_father->latch
	     ? may_enter_p (bb->loop_father)
	     : latch_prefix_.get (bb)
		 && open_->entries.length () <= k_max_entering;
  if (joint_p (bb))
    return open_->entries.length () < k_max_prefix_entries;
  switch (leads_[bb->index])
    {
    case LEAD_ENTRY:
      return single_pred_p (bb) ? !full_p ()
				// The end of a loop may be added.
				: open_->entries.length ()
				      < k_max_prefix_entries
				    && takes_prefixes_p (bb);
    case LEAD_BOUNDARY:
      return false;
    case LEAD_NOTHING:
      break;
    }
  if (empty_blocks == 0 || !single_pred_p (bb) || !may_leave_open_p (bb))
    return false;
  edge next;
  edge_iterator ei;
  FOR_EACH_EDGE (next, ei, bb->succs)
    if (takes_over_p (next, empty_blocks - 1))
      return true;
  return false;
}

/* BB ends, perhaps while a record is open: hands it to the blocks after, or
   ends it.  If edges that end loops can hand that over, a record begins.  */

void
record_planner::hand_over (basic_block bb)
{
  if (open_ && (!open_->prefixes.is_empty () || open_->if_exchanged))
    {
      close ();
      return;
    }
  if (!may_leave_open_p (bb))
    {
      close ();
      return;
    }
  bool fresh = !open_;
  if (fresh)
    start_record ();
  auto_vec<edge, 2> takers, others;
  edge e;
  edge_iterator ei;
  FOR_EACH_EDGE (e, ei, bb->succs)
    if (!fresh || bounds_.ended_on (e))
      (takes_over_p (e, k_max_empty_blocks) ? takers : others).safe_push (e);
  if (!fresh
      && (takers.is_empty ()
	  || (options.mode == MODE_SAMPLE && !others.is_empty ())))
    {
      close ();
      return;
    }
  for (edge taker : takers)
    if (taker->src == taker->dest->loop_father->latch
	&& taker->dest == taker->dest->loop_father->header)
      // The header has been planned before.
      (*latch_prefix_.get (taker->dest))
	->entries.safe_splice (open_->entries);
    else
      handed_.put (taker, record_on (taker));
  if (!fresh)
    for (edge other : others)
      {
	block_record *record = record_on (other);
	record->place = places_.on (other);
	records_.safe_push (record);
      }
  delete open_;
  open_ = nullptr;
}

/* A copy of the open record for E, on which a loop may end.  */

block_record *
record_planner::record_on (edge e)
{
  gcc_assert (open_->prefixes.is_empty ());
  block_record *copy = new block_record;
  copy->entries.safe_splice (open_->entries);
  copy->loop = open_->loop;
  if (class loop *ended = bounds_.ended_on (e))
    {
      copy->entries.safe_push (event (MPRT_OP_EXIT, ended));
      bounds_.set_reported (e);
    }
  return copy;
}

/* Goes on with the records that the blocks before BB have handed over.
 */

void
record_planner::take_over (basic_block bb)
{
  if (joint_p (bb))
    return;
  // Here, because places make new edges.
  auto_vec<edge, k_max_prefixes> paths;
  paths_to (bb, paths);
  bool any = false;
  for (edge path : paths)
    any |= handed_.get (path) != nullptr;
  if (!any)
    return;
  stand_ = AT_START;
  if (single_pred_p (bb))
    {
      open_ = *handed_.get (single_pred_edge (bb));
      return;
    }
  start_record ();
  for (edge pred : paths)
    {
      record_prefix *prefix = new record_prefix;
      // No iteration shall choose for what is after its loop.
      prefix->place = flow_bb_inside_loop_p (pred->src->loop_father, bb)
			? places_.at_end (pred->src)
			: places_.on (pred);
      if (block_record **handed = handed_.get (pred))
	{
	  prefix->entries.safe_splice ((*handed)->entries);
	  delete *handed;
	}
      if (loop_->header == bb && pred->src == loop_->latch)
	{
	  prefix->latch = true;
	  latch_prefix_.put (bb, prefix);
	}
      open_->prefixes.safe_push (prefix);
    }
}

} // namespace memprof::plugin
