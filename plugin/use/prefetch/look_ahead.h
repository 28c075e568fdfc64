/* look_ahead.h - the address that a load will have some iterations later.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_LOOK_AHEAD_H
#define MEMPROF_LOOK_AHEAD_H

#include "plugin/use/bridge.h"
#include "plugin/use/prefetch/call_site.h"
#include "plugin/use/prefetch/list_walk.h"
#include "plugin/use/address/reference_parts.h"
#include "plugin/use/prefetch/seen_loads.h"

namespace memprof::plugin {

/* How one load's address comes about in a loop; see look_ahead.cc.  */
class look_ahead
{
public:
  /* The load STMT of REF, seen from LOOP: the innermost loop around it, or
     null when there is none.  With ENTRY, a loop in LOOP that holds STMT, the
     address of the first iteration of ENTRY is meant; with SECOND, the list that ENTRY walks,
     that of the second one.  With CALLED, STMT is a call, and the load is one of the function
     called.  */
  look_ahead (gimple *stmt, tree ref, class loop *loop, class loop *entry,
	      const called_load *called = nullptr, const list_walk &second = {});

  /* Whether the address varies at all, so that it is worth a decision.  */
  bool candidate_p () const;

  decide::Shape shape () const { return shape_; }
  /* AFFINE: the bytes that the address advances per iteration; 0: nothing that is
     known.  */
  HOST_WIDE_INT step () const { return step_; }
  /* AFFINE: too few of the lines that are stepped over are loaded for the hardware
     to take them for a stream.  */
  void make_strided () { shape_ = decide::Shape::strided; }
  /* AFFINE or LINKED: it is one of two that are known (search_step.cc).  */
  void make_search ();
  const char *obstacle () const { return obstacle_; }
  /* INDIRECT: the load to be moved ahead and the bytes that its address
     advances per iteration.  */
  gimple *index () const { return index_; }
  HOST_WIDE_INT index_step () const { return index_step_; }
  /* INDIRECT: the load that what emit() has made belongs after, and not before the load that
     is meant: the index, which is loaded for the next iteration, or that of the pointer to the
     first node of a list (empty lists of the present iteration do not count then).  Null: none.  */
  gimple *after () const;
  /* LOAD, or what emit() has put after it.  */
  gimple *last_of (gimple *load) const
  { return seen_.high && load == second_ ? SSA_NAME_DEF_STMT (seen_.high) : load; }
  /* INDIRECT: between the index and the address is another load.  */
  bool staged_p () const { return second_; }

  /* Statements that compute the address DISTANCE iterations (INDIRECT) or
     STRIDE * DISTANCE bytes (LINKED, STRIDED) ahead go to the end of *SEQ; VUSE is the
     state of memory where they will be inserted.  Returns the address.  */
  tree emit (unsigned distance, HOST_WIDE_INT stride, tree vuse,
	     gimple_seq *seq);
  /* The condition under which what comes after guard_place () in that sequence
     may be performed; null: always.  It is in no sequence.  */
  gcond *guard () const { return guard_; }
  gimple *guard_place () const { return guard_place_; }

private:
  /* What a value does from one iteration to the next.  */
  enum motion
  {
    STILL,  // keeps the present value: invariant, or not known in advance
    LINEAR, // advances by a constant
    LOADED  // comes from a load whose address is LINEAR
  };
  struct value
  {
    motion kind;
    bool step_known;
    HOST_WIDE_INT step; // LINEAR
  };

  void classify ();
  value visit (tree name);
  value visit_phi (gphi *phi);
  value visit_rotated (gphi *phi);
  value visit_choice (gphi *phi);
  value visit_load (gassign *load);
  value visit_second (gassign *load);
  value visit_next (value first);
  value visit_arithmetic (gassign *assign);
  value visit_reference (tree ref);
  value combine (gassign *assign, const value *operands);
  value still (tree name);
  void obstruct (const char *why);
  void check_rotated ();

  tree ahead (tree name);
  tree ahead_phi (gphi *phi);
  tree ahead_choice (gphi *phi);
  tree ahead_load ();
  tree ahead_second ();
  tree ahead_next (tree first);
  tree ahead_seen ();
  tree load_from (tree from, tree ref);
  tree guarded_move (tree now, HOST_WIDE_INT width);
  tree ahead_copy (gassign *assign);
  void only_if (tree condition);
  static tree replace_names (tree *tp, int *walk_subtrees, void *data);
  tree address_ahead (tree ref);
  tree gimplify (tree expression);

  gimple *stmt_;
  tree ref_;
  class loop *loop_, *entry_;
  const called_load *called_;
  list_walk walk_;
  decide::Shape shape_ = decide::Shape::affine;
  const char *obstacle_ = nullptr;
  HOST_WIDE_INT step_ = 0;
  gimple *index_ = nullptr;
  HOST_WIDE_INT index_step_ = 0;
  // A load whose address comes from the index, and how often the loop's latch
  // is executed then.
  gimple *second_ = nullptr;
  tree iterations_ = NULL_TREE;
  // It is not certain that the loop will perform it: see seen_loads.cc.
  bool among_seen_ = false;
  // The list has a first node whose address second_ loads.
  bool from_start_ = false;
  // Of a list: the load that shows where first nodes are.
  gassign *sure_ = nullptr;
  // Some value is STILL but changes from iteration to iteration.
  bool moving_ = false;
  bool rotated_ = false;
  // The PHI of a rotated load that is being visited, and whether it was met.
  gphi *open_ = nullptr;
  bool met_open_ = false;
  hash_map<tree, value> values_;

  // While emitting:
  hash_map<tree, tree> ahead_;
  unsigned distance_ = 0;
  tree vuse_ = NULL_TREE;
  gimple_seq *seq_ = nullptr;
  gcond *guard_ = nullptr;
  gimple *guard_place_ = nullptr;
  seen_places seen_ = {};
};

} // namespace memprof::plugin

#endif
