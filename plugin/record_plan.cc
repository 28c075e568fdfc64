/* record_plan.cc - puts the accesses of a block into as few records as possible.
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

   The first record of a loop header also says that an iteration starts, unless
   something ends records before its first access: then a record without
   entries says it.  */

#include "gcc-common.h"
#include "affine_ranges.h"
#include "memory_functions.h"
#include "options.h"
#include "record_plan.h"

namespace memprof::plugin {

namespace {

class planner
{
public:
  planner (const auto_vec<access_site> &sites, unsigned first_site,
	   const vec<loop_plan> &loops, edge_places &places,
	   auto_delete_vec<block_record> &records)
    : sites_ (sites), first_site_ (first_site), loops_ (loops),
      places_ (places), records_ (records)
  {}

  void plan_block (basic_block bb);
  void skip_block (basic_block bb);

private:
  void plan_statement (gimple *stmt);
  void plan_sites (gimple *stmt, unsigned end, bool after);
  void plan_external_stores (gcall *call);
  void plan_alloca (gcall *call);
  void add (const record_entry &entry, gimple *stmt, bool after,
	    gcall *if_exchanged);
  void start_record ();
  void close ();
  void close_at (gimple *place);
  void report_iteration (gimple *place);

  const auto_vec<access_site> &sites_;
  unsigned first_site_;
  const vec<loop_plan> &loops_;
  edge_places &places_;
  auto_delete_vec<block_record> &records_;

  class loop *loop_ = nullptr;
  bool iteration_pending_ = false;
  unsigned next_site_ = 0;
  block_record *open_ = nullptr;
  /* Where `open_' will stand: at, or behind, this statement.  */
  gimple *last_stmt_ = nullptr;
  bool last_after_ = false;
};

void
planner::start_record ()
{
  open_ = new block_record;
  open_->place = open_->in_front_of = nullptr;
  open_->loop = loop_;
  open_->iteration = iteration_pending_;
  open_->if_exchanged = nullptr;
  iteration_pending_ = false;
}

/* Ends the open record, which then stands at its last access.  */

void
planner::close ()
{
  if (!open_)
    return;
  gimple *place = last_after_ ? places_.after (last_stmt_)
			      : places_.before (last_stmt_);
  if ((options.faults & FAULT_SWAPPED_ORDER) && open_->entries.length () > 1)
    {
      unsigned last = open_->entries.length () - 1;
      std::swap (open_->entries[last - 1], open_->entries[last]);
    }
  if (!last_after_)
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

/* A record without accesses that only says that an iteration starts.  */

void
planner::report_iteration (gimple *place)
{
  gcc_assert (!open_);
  start_record ();
  close_at (place);
}

void
planner::add (const record_entry &entry, gimple *stmt, bool after,
	      gcall *if_exchanged)
{
  // What depends on a condition must not start an iteration.
  if (if_exchanged && iteration_pending_)
    report_iteration (places_.before (stmt));
  if (open_
      && (if_exchanged || options.coalesce == COALESCE_ACCESS
	  || open_->entries.length () >= k_max_block_entries))
    close ();
  if (!open_)
    start_record ();
  open_->entries.safe_push (entry);
  open_->if_exchanged = if_exchanged;
  last_stmt_ = stmt;
  last_after_ = after;
  if (if_exchanged || (after && stmt_ends_bb_p (stmt)))
    close ();
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
      entry.index = first_site_ + i;
      add (entry, stmt, after,
	   site.if_exchanged_p ? as_a<gcall *> (stmt) : nullptr);
    }
}

void
planner::plan_external_stores (gcall *call)
{
  for (const memory_function *row = first_memory_function (call); row;
       row = next_memory_function (row))
    if (row->op == MPRT_OP_EXTERNAL_STORE)
      {
	record_entry entry = {};
	entry.op = MPRT_OP_EXTERNAL_STORE;
	entry.call = call;
	entry.row = row;
	add (entry, call, true, nullptr);
      }
}

void
planner::plan_statement (gimple *stmt)
{
  unsigned end = next_site_;
  while (end < sites_.length () && sites_[end].stmt == stmt)
    end++;
  plan_sites (stmt, end, false);
  if (boundary_p (stmt) && !(options.faults & FAULT_LOST_CALLEE))
    {
      close ();
      if (iteration_pending_)
	report_iteration (places_.before (stmt));
    }
  plan_sites (stmt, end, true);
  if (gcall *call = dyn_cast<gcall *> (stmt))
    plan_external_stores (call);
  next_site_ = end;
}

/* BB belongs to a ranged loop: its sites have been dealt with.  */

void
planner::skip_block (basic_block bb)
{
  while (next_site_ < sites_.length ()
	 && gimple_bb (sites_[next_site_].stmt) == bb)
    next_site_++;
}

void
planner::plan_block (basic_block bb)
{
  loop_ = bb->loop_father;
  iteration_pending_ = loop_->header == bb && loops_[loop_->num].events;
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
  if (open_)
    close ();
  if (iteration_pending_)
    report_iteration (places_.at_start (bb));
}

} // anonymous namespace

void
plan_block_records (function *fun, const auto_vec<access_site> &sites,
		    unsigned first_site, const vec<loop_plan> &loops,
		    edge_places &places,
		    auto_delete_vec<block_record> &records)
{
  planner plan (sites, first_site, loops, places, records);
  // Planning adds blocks on edges; those hold no statements.
  basic_block bb;
  FOR_EACH_BB_FN (bb, fun)
    if (loops[bb->loop_father->num].ranged)
      plan.skip_block (bb);
    else
      plan.plan_block (bb);
}

} // namespace memprof::plugin
