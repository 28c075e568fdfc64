/* unprofiled_body.cc - a second body for a function, which reports nothing.
   SPDX-License-Identifier: GPL-3.0-or-later

   Sample mode looks at bursts: short stretches of the run, far apart.  Between
   them the program must cost nothing, so it has two bodies for each function and
   tests only now and then which one goes on:

     f (p)				f (p)
     {					{
       record				  switch
       loop				  record	|  nothing
	 {				  loop
	   record			    {
	   p = p->next;			      switch
	 }				      record	|  nothing
       record				      p = ...	|  p = ...
     }					    }
					  record	|  nothing
					}

   A switch is a thread-local countdown:

     if (--__mprt_countdown < 0 && __mprt_burst ())  instrumented
     else					     plain

   During a burst the countdown stays negative, and the runtime says when it is
   over.  A loop without calls, with the loops in it, keeps the countdown in a register,
   which is read before the loop, and written where the unprofiled body leaves it or calls us.
   Where nothing can repeat (a function without loops and calls) a test of the sign
   is enough.  At the entry of another one a variable is subtracted, not 1:

     __mprt_countdown -= __memprof_entry_weight.7

   It is large at first, so the runtime is asked at the first entries (mprt_burst.cc).

   How: the function is instrumented as always.  Then

   1. the blocks where control may switch are cut after their PHI nodes: the
      entry, the headers of loops that report iterations (but for those of loops with calls in
      which another one is executed in each iteration, gen_pass.cc), and all blocks that
      are reached by exceptions, which can have only one copy.  The first parts,
      `joins', stay alone;
   2. all other blocks are copied, but for those that the bodies of a large function
      share (shared_blocks.cc), and each join ends in a switch between the
      block after it and its copy.  Edges into joins from either copy meet
      there, so loops stay loops, and no path of a copy leads into the other one
      but through a join;
   3. update_ssa makes PHI nodes in the joins for what lives there;
   4. the code that writes records is removed from the copies; what it computes
      is dead then.

   A function that calls setjmp has one body, which reports when there is a
   burst: two versions of a variable must not live there at the same time.

   Loops that one range record describes have no join: both bodies have their
   own, and can vectorise it.  There may be samples of them (loop_samples.h).  Small loops
   that are counted before them have a version without joins besides
   (quiet_loops.cc).  */

#include "plugin/gcc-common.h"
#include "plugin/generate/sample/unprofiled_body.h"
#include "plugin/generate/loop_shape.h"
#include "plugin/generate/sample/countdown.h"
#include "plugin/generate/sample/quiet_loops.h"
#include "plugin/generate/sample/strip_records.h"
#include "plugin/sites/quiet_copy.h"
#include "plugin/sites/runtime_decls.h"
#include "plugin/generate/sample/shared_blocks.h"

namespace memprof::plugin {

namespace {

/* How often a switch finds a burst, as far as GCC is concerned.  Instrumented code
   is made small, and stands with the function's cold parts.  */

profile_probability
rarely ()
{
  return profile_probability::never ();
}

class body_copier
{
public:
  explicit body_copier (function *fun)
    : fun_ (fun)
  {}
  ~body_copier ();

  void copy (const vec<burst_header> &headers);

private:
  /* Where control may switch.  */
  struct join_point
  {
    basic_block block;
    class loop *silent;		// the loop around that has a register, or null
  };

  void find_joins (const vec<burst_header> &headers);
  bool join_p (basic_block bb) const;
  void add_join (basic_block bb, class loop *silent);
  void copy_loops ();
  bool copy_blocks ();
  tree keep_countdown (class loop *loop);
  void add_switch (const join_point &join);
  void divide (edge e);
  void share ();
  void decide_on_quiet ();

  function *fun_;
  auto_vec<join_point> joins_;
  auto_vec<basic_block> blocks_;
  basic_block *copies_ = nullptr;
  hash_set<class loop *> innermost_;	// of loops that were copied whole
  bool counts_ = false;		// its switches count down
  hash_map<class loop *, tree> kept_;	// their registers
  hash_set<basic_block> shared_;
  quiet_loops quiet_;
  tree burst_;			// whether this is the instrumented body, in shared blocks
};

body_copier::~body_copier ()
{
  XDELETEVEC (copies_);
}

bool
body_copier::join_p (basic_block bb) const
{
  for (const join_point &join : joins_)
    if (join.block == bb)
      return true;
  return false;
}

/* Cuts BB after its labels and PHI nodes.  */

void
body_copier::add_join (basic_block bb, class loop *silent)
{
  if (join_p (bb))
    return;
  edge after = split_block_after_labels (bb);
  joins_.safe_push ({ after->src, silent });
}

void
body_copier::find_joins (const vec<burst_header> &headers)
{
  auto_vec<basic_block> more;
  basic_block bb;
  FOR_EACH_BB_FN (bb, fun_)
    if (any_complex_p (bb->preds))
      more.safe_push (bb);
  auto_vec<class loop *> silent;	// that lie in no other one
  for (const burst_header &header : headers)
    {
      class loop *around = nullptr;
      for (class loop *loop : silent)
	if (flow_bb_inside_loop_p (loop, header.header))
	  around = loop;
      class loop *own = header.header->loop_father;
      if (!around && header.silent && plain_edges_p (own))
	{
	  around = own;
	  silent.safe_push (own);
	}
      add_join (header.header, around);
    }
  for (basic_block arrival : more)
    add_join (arrival, nullptr);
  edge entry = single_succ_edge (ENTRY_BLOCK_PTR_FOR_FN (fun_));
  if (join_p (entry->dest))	// a loop of computed gotos: something to copy between
    split_edge (entry);
  joins_.safe_push ({ split_edge (entry), nullptr });
}

/* BB is in an innermost loop of the unprofiled body, which has more iterations than GCC
   guesses, nine.  Otherwise registers go to what the loops around need for
   records and the countdown, and the loop's own values to the stack.  */

void
favour (basic_block bb)
{
  const int k_times = 4;
  bb->count = bb->count.apply_scale (k_times, 1);
  if (EDGE_COUNT (bb->succs) != 2)
    return;
  edge leaves = EDGE_SUCC (bb, 0), stays = EDGE_SUCC (bb, 1);
  if (flow_bb_inside_loop_p (bb->loop_father, leaves->dest))
    std::swap (leaves, stays);
  if (flow_bb_inside_loop_p (bb->loop_father, leaves->dest))
    return;
  leaves->probability = leaves->probability.apply_scale (1, k_times);
  stays->probability = leaves->probability.invert ();
}

/* Gives loops that will be copied whole a loop for the copy.  */

void
body_copier::copy_loops ()
{
  auto_vec<class loop *> all;
  for (class loop *loop : loops_list (fun_, 0))
    all.safe_push (loop);
  for (class loop *loop : all)
    if (!join_p (loop->header))
      {
	class loop *outer = loop_outer (loop);
	class loop *copy = get_loop_copy (outer);
	copy = duplicate_loop (loop, copy ? copy : outer);
	if (!loop->inner)
	  innermost_.add (copy);
      }
}

/* Copies what is no join.  False if it cannot be copied.  */

bool
body_copier::copy_blocks ()
{
  hash_set<basic_block> joins;
  for (const join_point &join : joins_)
    joins.add (join.block);
  find_shared_blocks (fun_, joins, shared_);
  basic_block bb;
  FOR_EACH_BB_FN (bb, fun_)
    if (!joins.contains (bb) && !shared_.contains (bb))
      blocks_.safe_push (bb);
  unsigned count = blocks_.length ();
  if (!can_copy_bbs_p (blocks_.address (), count))
    return false;
  copy_loops ();
  copies_ = XNEWVEC (basic_block, count);
  copy_bbs (blocks_.address (), count, copies_, nullptr, 0, nullptr, nullptr,
	    EXIT_BLOCK_PTR_FOR_FN (fun_)->prev_bb, false);
  add_phi_args_after_copy (copies_, count, nullptr);
  // The unprofiled body is the more like plain code.
  for (basic_block block : blocks_)
    suppress_warnings (block);
  return true;
}

/* Puts STMT on E.  */

void
insert_on (edge e, gimple *stmt)
{
  gimple_stmt_iterator gsi = gsi_start_bb (split_edge (e));
  gsi_insert_after (&gsi, stmt, GSI_NEW_STMT);
}

/* Returns a variable that holds the countdown in LOOP.  */

tree
body_copier::keep_countdown (class loop *loop)
{
  tree countdown = runtime ().countdown;
  bool known;
  tree &kept = kept_.get_or_insert (loop, &known);
  if (known)
    return kept;
  kept = create_tmp_reg (TREE_TYPE (countdown), "countdown");
  auto_vec<edge> entries, exits;
  edge e;
  edge_iterator ei;
  FOR_EACH_EDGE (e, ei, loop->header->preds)
    if (!flow_bb_inside_loop_p (loop, e->src))
      entries.safe_push (e);
  for (unsigned i = 0; i < blocks_.length (); i++)
    if (flow_bb_inside_loop_p (loop, copies_[i]))
      FOR_EACH_EDGE (e, ei, copies_[i]->succs)
	if (!flow_bb_inside_loop_p (loop, e->dest))
	  exits.safe_push (e);
  for (edge entry : entries)
    insert_on (entry, gimple_build_assign (kept, countdown));
  for (edge exit : exits)
    insert_on (exit, gimple_build_assign (countdown, kept));
  return kept;
}

/* Makes JOIN, before a block that was copied, choose; before a shared one,
   it only says which body this is.  */

void
body_copier::add_switch (const join_point &point)
{
  const runtime_decls &rt = runtime ();
  tree type = TREE_TYPE (rt.countdown);
  basic_block join = point.block;
  tree kept = point.silent ? keep_countdown (point.silent) : NULL_TREE;
  tree weight = NULL_TREE;
  edge recorded = single_succ_edge (join);
  basic_block instrumented = recorded->dest;
  const bool shared = shared_.contains (instrumented);
  basic_block plain = shared ? instrumented : get_bb_copy (instrumented);
  gimple_stmt_iterator gsi = gsi_last_bb (join);
  if (!gsi_end_p (gsi))
    gsi_next (&gsi);
  auto append = [&] (gimple *stmt) {
    gsi_insert_before (&gsi, stmt, GSI_SAME_STMT);
  };
  if (kept)
    {
      if (counts_)
	append (gimple_build_assign (kept, PLUS_EXPR, kept,
				     build_minus_one_cst (type)));
      append (gimple_build_cond (LT_EXPR, kept, build_zero_cst (type),
				 NULL_TREE, NULL_TREE));
    }
  else
    {
      tree minus = counts_ ? build_one_cst (type) : NULL_TREE;
      if (counts_ && single_pred (join) == ENTRY_BLOCK_PTR_FOR_FN (fun_))
	{
	  weight = make_entry_weight ();
	  minus = make_ssa_name (type);
	  append (gimple_build_assign (minus, weight));
	}
      tree negative = count_down (gsi, rt.countdown, minus);
      if (shared)
	append (gimple_build_assign (burst_, negative));
      if (shared && !counts_)
	return;
      append (gimple_build_cond (NE_EXPR, negative, boolean_false_node,
				 NULL_TREE, NULL_TREE));
    }
  basic_block ask = counts_ ? split_edge (recorded) : nullptr;
  edge past = make_edge (join, plain, EDGE_FALSE_VALUE);
  past->probability = rarely ().invert ();
  recorded->flags &= ~EDGE_FALLTHRU;
  recorded->flags |= EDGE_TRUE_VALUE;
  recorded->probability = rarely ();
  if (!ask)
    return;
  ask->count = profile_count::zero ();
  gsi = gsi_last_bb (ask);
  tree on = ask_for_burst (gsi, weight);
  if (shared)
    {
      append (gimple_build_assign (burst_, on));
      return;
    }
  if (kept)
    append (gimple_build_assign (kept, rt.countdown));
  append (gimple_build_cond (NE_EXPR, on, boolean_false_node, NULL_TREE,
			     NULL_TREE));
  edge yes = single_succ_edge (ask);
  yes->flags &= ~EDGE_FALLTHRU;
  yes->flags |= EDGE_TRUE_VALUE;
  yes->probability = profile_probability::likely ();
  edge no = make_edge (ask, plain, EDGE_FALSE_VALUE);
  no->probability = yes->probability.invert ();
}

/* E leads from a shared block to one that was copied: each body goes on in its own.  */

void
body_copier::divide (edge e)
{
  basic_block instrumented = e->dest, plain = get_bb_copy (instrumented);
  basic_block fork = split_edge (e);
  edge yes = single_succ_edge (fork);
  gimple_stmt_iterator gsi = gsi_last_bb (fork);
  gsi_insert_after (&gsi,
		    gimple_build_cond (NE_EXPR, burst_, boolean_false_node,
				       NULL_TREE, NULL_TREE),
		    GSI_NEW_STMT);
  yes->flags &= ~EDGE_FALLTHRU;
  yes->flags |= EDGE_TRUE_VALUE;
  yes->probability = rarely ();
  edge no = make_edge (fork, plain, EDGE_FALSE_VALUE);
  no->probability = yes->probability.invert ();
  gphi_iterator copied = gsi_start_phis (plain);
  for (gphi_iterator phi = gsi_start_phis (instrumented); !gsi_end_p (phi);
       gsi_next (&phi), gsi_next (&copied))
    add_phi_arg (copied.phi (), PHI_ARG_DEF_FROM_EDGE (phi.phi (), yes), no,
		 gimple_phi_arg_location_from_edge (phi.phi (), yes));
}

/* Leads the bodies into shared blocks and out of them.  */

void
body_copier::share ()
{
  auto_vec<basic_block> shared;	// in the function's order, so that every compilation is the same
  basic_block block;
  FOR_EACH_BB_FN (block, fun_)
    if (shared_.contains (block))
      shared.safe_push (block);
  auto_vec<edge> in, out;
  edge e;
  edge_iterator ei;
  for (basic_block bb : shared)
    {
      guard_records (bb, burst_);
      FOR_EACH_EDGE (e, ei, bb->succs)
	if (e->dest != EXIT_BLOCK_PTR_FOR_FN (fun_) && get_bb_copy (e->dest))
	  out.safe_push (e);
    }
  for (unsigned i = 0; i < blocks_.length (); i++)
    for (basic_block bb : { blocks_[i], copies_[i] })
      FOR_EACH_EDGE (e, ei, bb->succs)
	if (shared_.contains (e->dest))
	  in.safe_push (e);
  for (edge into : in)
    {
      bool plain = get_bb_original (into->src);
      insert_on (into,
		 gimple_build_assign (burst_, plain ? boolean_false_node
						    : boolean_true_node));
    }
  for (edge from : out)
    divide (from);
}

/* Only the unprofiled body has quiet loops, and counts for them where it has the countdown.  */

void
body_copier::decide_on_quiet ()
{
  for (basic_block test : quiet_.tests ())
    {
      if (shared_.contains (test))
	continue;
      quiet_.forbid (test);
      for (auto kept : kept_)
	if (flow_bb_inside_loop_p (kept.first, get_bb_copy (test)))
	  quiet_.use_register (get_bb_copy (test), kept.second);
    }
}

void
body_copier::copy (const vec<burst_header> &headers)
{
  counts_ = !headers.is_empty ();
  basic_block bb;
  FOR_EACH_BB_FN (bb, fun_)
    for (gimple_stmt_iterator gsi = gsi_start_nondebug_bb (bb);
	 !gsi_end_p (gsi) && !counts_; gsi_next_nondebug (&gsi))
      counts_ = is_gimple_call (gsi_stmt (gsi)) && boundary_p (gsi_stmt (gsi));
  quiet_.make (headers);
  for (basic_block quiet : quiet_.blocks ())
    strip_records (quiet);
  find_joins (headers);
  initialize_original_copy_tables ();
  bool copied = copy_blocks ();
  if (copied)
    {
      burst_ = create_tmp_reg (boolean_type_node, "burst");
      for (const join_point &join : joins_)
	add_switch (join);
      share ();
      decide_on_quiet ();
      for (auto kept : kept_)
	for (unsigned i = 0; i < blocks_.length (); i++)
	  if (flow_bb_inside_loop_p (kept.first, copies_[i]))
	    show_countdown (copies_[i], kept.second);
    }
  free_original_copy_tables ();
  if (!copied)
    return;
  for (basic_block b : blocks_)
    b->count = profile_count::zero ();
  free_dominance_info (CDI_DOMINATORS);
  free_dominance_info (CDI_POST_DOMINATORS);
  update_ssa (TODO_update_ssa);
  for (unsigned i = 0; i < blocks_.length (); i++)
    {
      switch_off_samples (blocks_[i]);
      strip_records (copies_[i]);
      if (innermost_.contains (copies_[i]->loop_father))
	favour (copies_[i]);
    }
  cgraph_edge::rebuild_edges ();
  loops_state_set (LOOPS_NEED_FIXUP);
}

} // anonymous namespace

/* Short loops of unprofiled bodies lie elsewhere than in the plain program, and whether they take one
   more line of decoded instructions can be a fifth of their time.  */

void
align_unprofiled_loops ()
{
  if (optimize >= 2 && !optimize_size && flag_align_loops && !str_align_loops)
    str_align_loops = "32";
}

void
add_unprofiled_body (function *fun, const vec<burst_header> &headers)
{
  if (!fun->calls_setjmp && !fun->has_nonlocal_label)
    body_copier (fun).copy (headers);
}

} // namespace memprof::plugin
