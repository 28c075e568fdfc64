/* record_planner.h - which accesses share a record: the class that record_plan.h uses.
   SPDX-License-Identifier: GPL-3.0-or-later

   record_plan.cc plans each block, record_joins.cc the records that continue in later
   blocks.  */

#ifndef MEMPROF_RECORD_PLANNER_H
#define MEMPROF_RECORD_PLANNER_H

#include "plugin/generate/local_objects.h"
#include "plugin/generate/loop_events.h"

namespace memprof::plugin {

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
  AT_STATEMENT,			/* before its last access */
  AFTER_STATEMENT,
  AT_END			/* of the block */
};

/* Goes over a function block by block.  There is one open record at most.  */

class record_planner
{
public:
  record_planner (function *fun, const auto_vec<access_site> &sites,
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
  void plan_external_call (gcall *call);
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
  void find_joints ();
  bool joint_p (basic_block bb) const;
  void paths_to (basic_block bb, vec<edge> &paths) const;
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
  auto_vec<bool> joints_;	/* empty when no record goes on */
  /* Open records that the block after the edge takes over.  */
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

} // namespace memprof::plugin

#endif
