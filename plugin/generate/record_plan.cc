/* record_plan.cc - puts accesses into as few records as possible.
   SPDX-License-Identifier: GPL-3.0-or-later

   A block record stands at its last access and holds all accesses since the
   last place where a record had to end:

     1  x = p->a;            one record before 3: 1, 2, 3
     2  y = p->b;
     3  p->c = x + y;
     4  f ();                ends the record: f may write records, or not return
     5  z = *q;              the next record: 5

   An access that is complete only when its call has returned (the store of
   `*p = f ()', the string that strlen has read) stands after the call.  The
   store of a compare-exchange has a record of its own that is emitted if the
   exchange succeeded.

   That a loop begins, iterates or ends (loop_events.cc) is an entry like an
   access: at the end of the preheader, at the start of the header and of a
   block after the loop.

   A record that is still open at the end of its block may go on in a later one:
   record_joins.cc.  */

#include "plugin/gcc-common.h"
#include "plugin/generate/loop_shape.h"
#include "plugin/generate/local_objects.h"
#include "plugin/generate/loop_events.h"
#include "plugin/sites/external_calls.h"
#include "plugin/sites/memory_functions.h"
#include "plugin/sites/scattered_calls.h"
#include "plugin/options.h"
#include "plugin/generate/record_plan.h"
#include "plugin/generate/record_planner.h"
#include "plugin/generate/scattered_stores.h"
#include "plugin/generate/thread_order.h"
#include "plugin/tables/unit_tables.h"

namespace memprof::plugin {

namespace {

/* Births of locals in the first record of a function.  */
const unsigned k_max_births = 6;

} // anonymous namespace

record_planner::record_planner (function *fun,
				const auto_vec<access_site> &sites,
				unsigned first_site,
				const vec<loop_plan> &loops,
				loop_bounds &bounds, local_births &births,
				edge_places &places,
				auto_delete_vec<block_record> &records)
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
  if (options.coalesce >= COALESCE_RANGE)
    FOR_EACH_BB_FN (bb, fun)
      leads_[bb->index] = find_lead (bb);
}

/* The end of the sites of STMT, which start at FIRST.  */

unsigned
record_planner::end_of_sites (gimple *stmt, unsigned first) const
{
  while (first < sites_.length () && sites_[first].stmt == stmt)
    first++;
  return first;
}

block_lead
record_planner::find_lead (basic_block bb) const
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

void
record_planner::start_record ()
{
  open_ = new block_record;
  open_->loop = loop_;
  stand_ = AT_START;
}

/* Ends the open record, which then stands at its last entry.  */

void
record_planner::close ()
{
  if (!open_)
    return;
  gimple *place = stand_ == AT_START	   ? places_.at_start (bb_)
		  : stand_ == AT_STATEMENT ? places_.before (last_stmt_)
		  : stand_ == AT_END	   ? places_.at_end (bb_)
					   : places_.after (last_stmt_);
  if (seeded (fault::swapped_order) && open_->entries.length () > 1)
    {
      unsigned last = open_->entries.length () - 1;
      std::swap (open_->entries[last - 1], open_->entries[last]);
    }
  if (stand_ == AT_STATEMENT)
    open_->in_front_of = last_stmt_;
  close_at (place);
}

void
record_planner::close_at (gimple *place)
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
record_planner::full_p () const
{
  unsigned entries = open_->entries.length ();
  if (!open_->prefixes.is_empty ())
    entries += k_max_prefix_entries;
  return entries >= k_max_block_entries;
}

void
record_planner::add (const record_entry &entry, gimple *stmt, bool after,
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
    open_->entries.last ().after = places_.after (stmt);
  open_->if_exchanged = if_exchanged;
  open_->if_failed = entry.site && entry.site->if_failed_p;
  last_stmt_ = stmt;
  stand_ = after ? AFTER_STATEMENT : AT_STATEMENT;
  if (if_exchanged || (after && ends_block_p (stmt)))
    close ();
}

record_entry
record_planner::event (mprt_op op, class loop *loop) const
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
record_planner::add_event (mprt_op op, class loop *loop)
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
    open_->entries.last ().after = places_.at_end (bb_);
}

/* Whether the record of BB says that the locals are born.  */

bool
record_planner::births_here_p (basic_block bb) const
{
  return bb == births_.where && bb->loop_father->header != bb
	 && births_.entries.length () <= k_max_births;
}

void
record_planner::add_births (basic_block bb)
{
  for (record_entry &birth : births_.entries)
    {
      if (open_ && full_p ())
	close ();
      if (!open_)
	start_record ();
      birth.after = places_.at_start (bb);
      open_->entries.safe_push (birth);
    }
  births_.entries.truncate (0);
}

/* Adds the sites of STMT, which end before END, that are complete before it or
   (AFTER) after it.  */

void
record_planner::plan_sites (gimple *stmt, unsigned end, bool after)
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
record_planner::plan_external_stores (gcall *call)
{
  if (!(options.events & MPRT_EXTERNAL_STORES))
    return;
  // The records that the runtime writes come after what was recorded so far.
  if (scattered_function_of (call))
    if (gimple *place = places_.after (call))
      {
	close ();
	tell_scattered_stores (call, place);
      }
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

/* If CALL is of a function that is not seen, says that it was called and what it was
   passed.  */

void
record_planner::plan_external_call (gcall *call)
{
  if (!(options.events & MPRT_EXTERNAL_STORES) || !external_call_p (call))
    return;
  record_entry entry = {};
  entry.op = MPRT_OP_EXTERNAL_CALL;
  entry.call = call;
  entry.index = unit_tables::add_callee (gimple_call_fndecl (call), 0);
  entry.bytes = size_int (MPRT_EXTERNAL_CALL);
  add (entry, call, true, nullptr);
  for (unsigned i = 0; i < gimple_call_num_args (call); i++)
    if (writable_memory memory = writable_argument (call, i); memory.address)
      {
	entry.local = memory.address;
	entry.bytes = size_int (memory.bytes);
	add (entry, call, true, nullptr);
      }
}

/* If CALL orders accesses between threads, tells the runtime: after what has
   been recorded so far, and before what follows.  */

void
record_planner::plan_order (gcall *call)
{
  atomic_order order = atomic_order_of (call);
  for (bool afterwards : { false, true })
    {
      if (!(afterwards ? order.acquire : order.release))
	continue;
      gimple *place = afterwards ? places_.after (call) : places_.before (call);
      if (!place)
	continue;
      gimple_stmt_iterator gsi = gsi_for_stmt (place);
      tell_order (&gsi);
    }
}

void
record_planner::plan_statement (gimple *stmt)
{
  unsigned end = end_of_sites (stmt, next_site_);
  plan_sites (stmt, end, false);
  if (boundary_p (stmt) && !seeded (fault::lost_callee))
    close ();
  if (gcall *call = dyn_cast<gcall *> (stmt))
    plan_order (call);
  plan_sites (stmt, end, true);
  if (gcall *call = dyn_cast<gcall *> (stmt))
    {
      plan_external_stores (call);
      plan_external_call (call);
    }
  next_site_ = end;
}

void
record_planner::plan_block (basic_block bb)
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
  // Places after statements must not be walked.
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
record_planner::plan ()
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
  find_joints ();
  for (unsigned i = end - count; i < end; i++)
    {
      basic_block bb = BASIC_BLOCK_FOR_FN (fun_, blocks[i]);
      if (!loops_[bb->loop_father->num].ranged)
	plan_block (bb);
    }
}

void
plan_block_records (function *fun, const auto_vec<access_site> &sites,
		    unsigned first_site, const vec<loop_plan> &loops,
		    loop_bounds &bounds, local_births &births,
		    edge_places &places,
		    auto_delete_vec<block_record> &records)
{
  record_planner (fun, sites, first_site, loops, bounds, births, places,
		  records)
    .plan ();
}

} // namespace memprof::plugin
