/* record_plan.cc - puts accesses into as few records as possible.
   SPDX-License-Identifier: GPL-3.0-or-later

   A block record stands at its last access and holds all accesses since the
   last place where a record had to end:

     1  x = p->a;            one record in front of 3: 1, 2, 3
     2  y = p->b;
     3  p->c = x + y;
     4  f ();                ends the record: f may write records, or not return
     5  z = *q;              the next record: 5

   An access that is complete only when its call has returned (the store of
   `*p = f ()', the string that strlen has read) stands behind the call.  The
   store of a compare-exchange has a record of its own that is emitted if the
   exchange succeeded.

   That a loop begins, iterates or ends (loop_events.cc) is an entry like an
   access: at the end of the preheader, at the start of the header and of a
   block behind the loop.

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
      are chosen on the way (record_emit.cc); the code that writes the record
      is there once.  Such a record ends with its block.
   3. Records leave loops: if the block behind the loop can also be reached
      otherwise, the copy on the edge says that the loop ends.  They enter a
      loop, and go round it, only if its header calls something, so that its
      record ends there; otherwise each iteration would pay.

     a = b[i];			one record in the header, as long as its call
     while (less (p[j - 1], a))	starts no other: { b[i], enter, iteration,
       ...			p[j - 1] }, or { iteration, p[j - 1] }

   On no path are there more records than without this, and the order of
   entries is the same.  */

#include "gcc-common.h"
#include "affine_ranges.h"
#include "local_objects.h"
#include "loop_events.h"
#include "memory_functions.h"
#include "options.h"
#include "record_plan.h"
#include "runtime_decls.h"

namespace memprof::plugin {

namespace {

/* What a block has first: an entry of a record, or what ends records.  */
enum block_lead : unsigned char
{
  LEAD_NOTHING,
  LEAD_ENTRY,
  LEAD_BOUNDARY
};

/* Where a record stands.  */
enum record_stand
{
  AT_START,			/* of the block: it has no access there */
  AT_STATEMENT,			/* in front of its last access */
  BEHIND_STATEMENT,
  AT_END			/* of the block */
};

/* Blocks without accesses that an open record passes through, at most.  */
const unsigned k_max_empty_blocks = 3;
/* Entries that a record takes into a loop, or from one iteration to the
   next.  */
const unsigned k_max_entering = 4;
/* Births of locals in the first record of a function.  */
const unsigned k_max_births = 6;
/* Predecessors of a block that takes records over.  */
const unsigned k_max_prefixes = 16;

class planner
{
public:
  planner (function *fun, const auto_vec<access_site> &sites,
	   unsigned first_site, const vec<loop_plan> &loops,
	   loop_bounds &bounds, local_births &births,
	   edge_places &places, auto_delete_vec<block_record> &records);

  /* Plans all blocks.  */
  void plan ();

private:
  block_lead find_lead (basic_block bb) const;
  unsigned end_of_sites (gimple *stmt, unsigned first) const;
  void plan_block (basic_block bb);
  void plan_statement (gimple *stmt);
  void plan_sites (gimple *stmt, unsigned end, bool after);
  void plan_external_stores (gcall *call);
  void plan_order (gcall *call);
  void add (const record_entry &entry, gimple *stmt, bool after,
	    gcall *if_exchanged);
  record_entry event (mprt_op op, class loop *loop) const;
  void add_event (mprt_op op, class loop *loop);
  bool births_here_p (basic_block bb) const;
  void add_births (basic_block bb);
  bool full_p () const;
  void start_record ();
  void close ();
  void close_at (gimple *place);
  bool has_boundary_p (basic_block bb) const;
  bool may_enter_p (class loop *loop) const;
  bool may_leave_open_p (basic_block bb) const;
  bool takes_over_p (edge e, unsigned empty_blocks);
  bool takes_prefixes_p (basic_block bb) const;
  void hand_over (basic_block bb);
  block_record *record_on (edge e);
  void take_over (basic_block bb);

  function *fun_;
  const auto_vec<access_site> &sites_;
  unsigned first_site_;
  const vec<loop_plan> &loops_;
  loop_bounds &bounds_;
  local_births &births_;
  edge_places &places_;
  auto_delete_vec<block_record> &records_;

  /* By number of the blocks that there were before places were made.  */
  auto_vec<unsigned> first_site_of_;
  auto_vec<int> order_;
  auto_vec<block_lead> leads_;
  /* Open records that the block behind the edge takes over.  */
  hash_map<edge, block_record *> handed_;
  /* For headers whose record has prefixes, that of the latch.  */
  hash_map<basic_block, record_prefix *> latch_prefix_;

  class loop *loop_ = nullptr;
  basic_block bb_ = nullptr;
  unsigned next_site_ = 0;
  block_record *open_ = nullptr;
  /* Where `open_' will stand, and its last access in this block.  */
  record_stand stand_ = AT_START;
  gimple *last_stmt_ = nullptr;
};

planner::planner (function *fun, const auto_vec<access_site> &sites,
		  unsigned first_site, const vec<loop_plan> &loops,
		  loop_bounds &bounds, local_births &births,
		  edge_places &places, auto_delete_vec<block_record> &records)
  : fun_ (fun), sites_ (sites), first_site_ (first_site), loops_ (loops),
    bounds_ (bounds), births_ (births), places_ (places), records_ (records)
{
  unsigned blocks = last_basic_block_for_fn (fun);
  first_site_of_.safe_grow_cleared (blocks, true);
  for (unsigned i = sites.length (); i-- > 0;)
    first_site_of_[gimple_bb (sites[i].stmt)->index] = i;
  order_.safe_grow_cleared (blocks, true);
  leads_.safe_grow_cleared (blocks, true);
  basic_block bb;
  if (options.coalesce == COALESCE_RANGE)
    FOR_EACH_BB_FN (bb, fun)
      leads_[bb->index] = find_lead (bb);
}

/* The end of the sites of STMT, which start at FIRST.  */

unsigned
planner::end_of_sites (gimple *stmt, unsigned first) const
{
  while (first < sites_.length () && sites_[first].stmt == stmt)
    first++;
  return first;
}

block_lead
planner::find_lead (basic_block bb) const
{
  class loop *loop = bb->loop_father;
  if (bounds_.ended_at_start (bb)
      || (births_here_p (bb) && !births_.entries.is_empty ())
      || (loop->header == bb && loops_[loop->num].events))
    return LEAD_ENTRY;
  unsigned first = first_site_of_[bb->index];
  gimple *access = nullptr;
  if (first < sites_.length () && gimple_bb (sites_[first].stmt) == bb)
    access = sites_[first].stmt;
  for (gimple_stmt_iterator gsi = gsi_start_nondebug_bb (bb);
       !gsi_end_p (gsi); gsi_next_nondebug (&gsi))
    {
      gimple *stmt = gsi_stmt (gsi);
      if (stmt == access)
	for (unsigned i = first; i < end_of_sites (stmt, first); i++)
	  if (!sites_[i].after_p)
	    return LEAD_ENTRY;
      if (boundary_p (stmt))
	return LEAD_BOUNDARY;
      if (stmt == access)
	return LEAD_ENTRY;
    }
  return bounds_.begun_at_end (bb) ? LEAD_ENTRY : LEAD_NOTHING;
}

bool
planner::has_boundary_p (basic_block bb) const
{
  for (gimple_stmt_iterator gsi = gsi_start_nondebug_bb (bb);
       !gsi_end_p (gsi); gsi_next_nondebug (&gsi))
    if (boundary_p (gsi_stmt (gsi)))
      return true;
  return false;
}

void
planner::start_record ()
{
  open_ = new block_record;
  open_->loop = loop_;
  stand_ = AT_START;
}

/* Ends the open record, which then stands at its last entry.  */

void
planner::close ()
{
  if (!open_)
    return;
  gimple *place = stand_ == AT_START	   ? places_.at_start (bb_)
		  : stand_ == AT_STATEMENT ? places_.before (last_stmt_)
		  : stand_ == AT_END	   ? places_.at_end (bb_)
					   : places_.after (last_stmt_);
  if ((options.faults & FAULT_SWAPPED_ORDER) && open_->entries.length () > 1)
    {
      unsigned last = open_->entries.length () - 1;
      std::swap (open_->entries[last - 1], open_->entries[last]);
    }
  if (stand_ == AT_STATEMENT)
    open_->in_front_of = last_stmt_;
  close_at (place);
}

void
planner::close_at (gimple *place)
{
  open_->place = place;
  // Without a place the access never happens: its call does not return.
  if (place)
    records_.safe_push (open_);
  else
    delete open_;
  open_ = nullptr;
}

/* Whether `open_' has no room for another entry.  */

bool
planner::full_p () const
{
  unsigned entries = open_->entries.length ();
  if (!open_->prefixes.is_empty ())
    entries += k_max_prefix_entries;
  return entries >= k_max_block_entries;
}

void
planner::add (const record_entry &entry, gimple *stmt, bool after,
	      gcall *if_exchanged)
{
  if (open_
      && (if_exchanged || full_p ()
	  || (options.coalesce == COALESCE_ACCESS && last_stmt_)))
    close ();
  if (!open_)
    start_record ();
  open_->entries.safe_push (entry);
  if (after)
    open_->entries.last ().behind = places_.after (stmt);
  open_->if_exchanged = if_exchanged;
  open_->if_failed = entry.site && entry.site->if_failed_p;
  last_stmt_ = stmt;
  stand_ = after ? BEHIND_STATEMENT : AT_STATEMENT;
  if (if_exchanged || (after && stmt_ends_bb_p (stmt)))
    close ();
}

record_entry
planner::event (mprt_op op, class loop *loop) const
{
  record_entry entry = {};
  entry.op = op;
  entry.loop = loop;
  entry.index = loops_[loop->num].row;
  return entry;
}

/* Adds that LOOP begins at the end of the block, or that it iterates or ends at
   its start.  */

void
planner::add_event (mprt_op op, class loop *loop)
{
  if (open_ && full_p ())
    close ();
  if (!open_)
    start_record ();
  open_->entries.safe_push (event (op, loop));
  if (op != MPRT_OP_ENTER)
    return;
  stand_ = AT_END;
  if (loops_[loop->num].calls)
    open_->entries.last ().behind = places_.at_end (bb_);
}

/* Whether the record of BB says that the locals are born.  */

bool
planner::births_here_p (basic_block bb) const
{
  return bb == births_.where && bb->loop_father->header != bb
	 && births_.entries.length () <= k_max_births;
}

void
planner::add_births (basic_block bb)
{
  for (record_entry &birth : births_.entries)
    {
      if (open_ && full_p ())
	close ();
      if (!open_)
	start_record ();
      birth.behind = places_.at_start (bb);
      open_->entries.safe_push (birth);
    }
  births_.entries.truncate (0);
}

/* Adds the sites of STMT, which end before END, that are complete before it or
   (AFTER) behind it.  */

void
planner::plan_sites (gimple *stmt, unsigned end, bool after)
{
  for (unsigned i = next_site_; i < end; i++)
    {
      const access_site &site = sites_[i];
      if (site.after_p != after)
	continue;
      record_entry entry = {};
      entry.op = site.kind;
      entry.site = &site;
      entry.index = first_site_ + site.ordinal;
      add (entry, stmt, after,
	   site.if_exchanged_p || site.if_failed_p ? as_a<gcall *> (stmt)
						   : nullptr);
    }
}

void
planner::plan_external_stores (gcall *call)
{
  if (!(options.events & MPRT_EXTERNAL_STORES))
    return;
  for (const memory_function *row = first_memory_function (call); row;
       row = next_memory_function (row))
    if (row->op == MPRT_OP_EXTERNAL_STORE
	// strtol (text, NULL, 10) writes nothing.
	&& !(row->address == ADDRESS_ARG
	     && integer_zerop (gimple_call_arg (call, row->argument))))
      {
	record_entry entry = {};
	entry.op = MPRT_OP_EXTERNAL_STORE;
	entry.call = call;
	entry.row = row;
	add (entry, call, true, nullptr);
      }
}

/* If CALL orders accesses between threads, tells the runtime: behind what has
   been recorded so far, and in front of what follows.  */

void
planner::plan_order (gcall *call)
{
  atomic_order order = atomic_order_of (call);
  for (bool behind : { false, true })
    {
      if (!(behind ? order.acquire : order.release))
	continue;
      gimple *place = behind ? places_.after (call) : places_.before (call);
      if (!place)
	continue;
      gcall *tell = gimple_build_call (runtime ().order, 0);
      gimple_stmt_iterator gsi = gsi_for_stmt (place);
      gsi_insert_before (&gsi, tell, GSI_SAME_STMT);
      cgraph_node::get (current_function_decl)
	->create_edge (cgraph_node::get_create (runtime ().order), tell,
		       gimple_bb (tell)->count);
    }
}

void
planner::plan_statement (gimple *stmt)
{
  unsigned end = end_of_sites (stmt, next_site_);
  plan_sites (stmt, end, false);
  if (boundary_p (stmt) && !(options.faults & FAULT_LOST_CALLEE))
    close ();
  if (gcall *call = dyn_cast<gcall *> (stmt))
    plan_order (call);
  plan_sites (stmt, end, true);
  if (gcall *call = dyn_cast<gcall *> (stmt))
    plan_external_stores (call);
  next_site_ = end;
}

/* Whether what is open at the end of BB can be written on each edge behind
   it.  */

bool
planner::may_leave_open_p (basic_block bb) const
{
  if (options.coalesce != COALESCE_RANGE || EDGE_COUNT (bb->succs) > 2)
    return false;
  edge e;
  edge_iterator ei;
  FOR_EACH_EDGE (e, ei, bb->succs)
    if ((e->flags & EDGE_COMPLEX) || e->dest == EXIT_BLOCK_PTR_FOR_FN (fun_))
      return false;
  gimple *last = last_stmt (bb);
  return !last || !stmt_ends_bb_p (last) || gimple_code (last) == GIMPLE_COND
	 || gimple_code (last) == GIMPLE_SWITCH;
}

/* Whether all edges to BB can choose a prefix before BB is planned, or, from a
   latch, will choose an empty one.  */

bool
planner::takes_prefixes_p (basic_block bb) const
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

/* Whether the open record can be a prefix in the header of LOOP, which says
   that an iteration begins.  */

bool
planner::may_enter_p (class loop *loop) const
{
  return loops_[loop->num].events && open_->entries.length () <= k_max_entering
	 && has_boundary_p (loop->header) && takes_prefixes_p (loop->header);
}

/* Whether a record that is open at E can go on behind it, through at most
   EMPTY_BLOCKS blocks without accesses.  */

bool
planner::takes_over_p (edge e, unsigned empty_blocks)
{
  basic_block bb = e->dest;
  if ((e->flags & EDGE_COMPLEX) || bb == EXIT_BLOCK_PTR_FOR_FN (fun_)
      || unsigned (bb->index) >= leads_.length ()
      // The range record of a loop stands on the edges around it.
      || loops_[bb->loop_father->num].ranged)
    return false;
  if (bb->loop_father->header == bb)
    return e->src != bb->loop_father->latch
	     ? may_enter_p (bb->loop_father)
	     : latch_prefix_.get (bb)
		 && open_->entries.length () <= k_max_entering;
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

/* BB ends, perhaps while a record is open: hands it to the blocks behind, or
   ends it.  If edges that end loops can hand that over, a record begins.  */

void
planner::hand_over (basic_block bb)
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
  if (takers.is_empty () && !fresh)
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
planner::record_on (edge e)
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

/* Goes on with the records that the blocks in front of BB have handed over.
 */

void
planner::take_over (basic_block bb)
{
  edge e;
  edge_iterator ei;
  bool any = false;
  FOR_EACH_EDGE (e, ei, bb->preds)
    any |= handed_.get (e) != nullptr;
  if (!any)
    return;
  stand_ = AT_START;
  if (single_pred_p (bb))
    {
      open_ = *handed_.get (single_pred_edge (bb));
      return;
    }
  start_record ();
  auto_vec<edge, k_max_prefixes> preds;
  FOR_EACH_EDGE (e, ei, bb->preds)
    preds.safe_push (e);
  for (edge pred : preds)
    {
      record_prefix *prefix = new record_prefix;
      // No iteration shall choose for what is behind its loop.
      prefix->place = flow_bb_inside_loop_p (pred->src->loop_father, bb)
			? places_.at_end (pred->src)
			: places_.on (pred);
      if (block_record **handed = handed_.get (pred))
	{
	  prefix->entries.safe_splice ((*handed)->entries);
	  delete *handed;
	}
      if (loop_->header == bb && pred->src == loop_->latch)
	latch_prefix_.put (bb, prefix);
      open_->prefixes.safe_push (prefix);
    }
}

void
planner::plan_block (basic_block bb)
{
  bb_ = bb;
  loop_ = bb->loop_father;
  next_site_ = first_site_of_[bb->index];
  last_stmt_ = nullptr;
  take_over (bb);
  if (births_here_p (bb))
    add_births (bb);
  if (class loop *ended = bounds_.ended_at_start (bb))
    add_event (MPRT_OP_EXIT, ended);
  if (loop_->header == bb && loops_[loop_->num].events)
    add_event (MPRT_OP_ITERATION, loop_);
  gimple *next = nullptr;
  // Places behind statements must not be walked.
  for (gimple_stmt_iterator gsi = gsi_start_nondebug_bb (bb);
       !gsi_end_p (gsi); gsi = next ? gsi_for_stmt (next) : gsi_none ())
    {
      gimple_stmt_iterator following = gsi;
      gsi_next_nondebug (&following);
      next = gsi_end_p (following) ? nullptr : gsi_stmt (following);
      plan_statement (gsi_stmt (gsi));
    }
  if (class loop *begun = bounds_.begun_at_end (bb))
    add_event (MPRT_OP_ENTER, begun);
  hand_over (bb);
}

void
planner::plan ()
{
  auto_vec<int> blocks;
  blocks.safe_grow (n_basic_blocks_for_fn (fun_), true);
  unsigned count
    = pre_and_rev_post_order_compute_fn (fun_, nullptr, blocks.address (),
					 false);
  // The order ends at the end of the array, which has room for all blocks.
  unsigned end = n_basic_blocks_for_fn (fun_) - NUM_FIXED_BLOCKS;
  for (unsigned i = end - count; i < end; i++)
    order_[blocks[i]] = i;
  for (unsigned i = end - count; i < end; i++)
    {
      basic_block bb = BASIC_BLOCK_FOR_FN (fun_, blocks[i]);
      if (!loops_[bb->loop_father->num].ranged)
	plan_block (bb);
    }
}

} // anonymous namespace

void
plan_block_records (function *fun, const auto_vec<access_site> &sites,
		    unsigned first_site, const vec<loop_plan> &loops,
		    loop_bounds &bounds, local_births &births,
		    edge_places &places,
		    auto_delete_vec<block_record> &records)
{
  planner (fun, sites, first_site, loops, bounds, births, places, records)
    .plan ();
}

} // namespace memprof::plugin
