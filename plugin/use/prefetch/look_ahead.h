/* look_ahead.h - the address that a load will have some iterations later.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_LOOK_AHEAD_H
#define MEMPROF_LOOK_AHEAD_H

#include "plugin/use/address/reference_parts.h"
#include "plugin/use/address/value_graph.h"
#include "plugin/use/bridge.h"
#include "plugin/use/prefetch/list_walk.h"

namespace memprof::plugin {

/* What a value does from one iteration to the next.  */
enum motion_kind
{
  STILL,  // keeps the present value: invariant, or not known in advance
  LINEAR, // advances by a constant
  LOADED  // comes from a load whose address is LINEAR
};
struct motion
{
  motion_kind kind;
  bool step_known;
  HOST_WIDE_INT step; // LINEAR
};
inline constexpr motion k_still = { STILL, true, 0 };

/* How many iterations ahead: NEAREST, times FACTOR, a number of at most k_most_factor; null:
   NEAREST.  */
struct distance_ahead
{
  HOST_WIDE_INT nearest;
  tree factor = NULL_TREE;
};
inline constexpr HOST_WIDE_INT k_most_factor = 4;

/* An address some iterations ahead, as look_ahead::emit has computed it.  */
struct address_ahead
{
  tree address;
  /* What follows GUARD_PLACE in the sequence may be performed only if GUARD holds, which is in
     no sequence; null: always.  */
  gcond *guard = nullptr;
  gimple *guard_place = nullptr;
  /* The sequence belongs after this statement; null: before the load that is prefetched.  */
  gimple *after = nullptr;
};

/* How the address of one load changes in a loop; see look_ahead.cc.  */
class look_ahead : value_fold<motion>
{
public:
  /* The load STMT of REF, seen from LOOP: the innermost loop around STMT, or null when there is
     none.  With ENTRY, a loop in LOOP that holds STMT: the address in the first iteration of
     ENTRY.  With SECOND, the list that ENTRY walks: the address in the second iteration.  */
  look_ahead (gimple *stmt, tree ref, class loop *loop, class loop *entry,
	      const list_walk &second = {});

  /* Whether the address varies at all, so that it is worth a decision.  */
  bool candidate_p () const;

  decide::Shape shape () const { return shape_; }
  /* AFFINE: the bytes that the address advances per iteration; 0: not known.  */
  HOST_WIDE_INT step () const { return step_; }
  /* AFFINE: most lines are left out, so that the hardware sees no stream.  */
  void make_strided () { shape_ = decide::Shape::strided; }
  /* AFFINE or LINKED: the next address is one of two that are known (search_step.cc).  */
  void make_search ();
  const char *obstacle () const { return obstacle_; }
  /* INDIRECT: the load to be moved ahead and the bytes that its address
     advances per iteration.  */
  gimple *index () const { return index_; }
  HOST_WIDE_INT index_step () const { return index_step_; }
  /* INDIRECT: the load after which the code of emit () belongs: an index that is loaded for the
     next iteration, or the pointer to the first node of a list (empty lists of the present
     iteration do not count then).  Null: the code belongs before the prefetched load.  */
  gimple *after () const { return rotated_ ? index_ : from_start_ ? second_ : nullptr; }
  /* INDIRECT: between the index and the address is another load.  */
  bool staged_p () const { return second_; }

  /* Appends to *SEQ what computes the address DISTANCE iterations (INDIRECT) or STRIDE times that
     in bytes (LINKED, STRIDED) ahead; VUSE is the state of memory where *SEQ will be
     inserted.  */
  address_ahead emit (distance_ahead distance, HOST_WIDE_INT stride, tree vuse, gimple_seq *seq);

private:
  friend class ahead_code;

  motion constant (tree value) final;
  motion outside (tree) final { return k_still; }
  motion carried (gphi *phi) final;
  motion choice (gphi *phi) final;
  motion operation (gassign *assign) final;
  motion load (gassign *assign) final;
  motion opaque (tree name, opaque_reason why) final;
  void met_again (gimple *def) final { met_open_ |= def == open_; }
  motion found (tree name, motion moves) final;

  void classify ();
  motion rotated (gphi *phi);
  motion second_load (gassign *assign);
  motion second_node (motion first);
  motion reference (tree ref);
  motion combine (gassign *assign, const motion *operands);
  motion still (tree name);
  void obstruct (const char *why);
  void check_rotated ();

  gimple *stmt_;
  tree ref_;
  class loop *loop_, *entry_;
  list_walk walk_;
  decide::Shape shape_ = decide::Shape::affine;
  const char *obstacle_ = nullptr;
  HOST_WIDE_INT step_ = 0;
  gassign *index_ = nullptr;
  HOST_WIDE_INT index_step_ = 0;
  // A load whose address comes from the index, and how often the loop's latch is executed then.
  gassign *second_ = nullptr;
  tree iterations_ = NULL_TREE;
  // It is not certain that the loop will perform the second load: see seen_loads.cc.
  bool among_seen_ = false;
  // The list has a first node whose address second_ loads.
  bool from_start_ = false;
  // Of a list: the load that shows where first nodes are.
  gassign *sure_ = nullptr;
  // Some value is STILL but changes from iteration to iteration.
  bool moving_ = false;
  bool rotated_ = false;
  // The PHI of a rotated load that is being looked at, and whether it was met again.
  gphi *open_ = nullptr;
  bool met_open_ = false;
};

} // namespace memprof::plugin

#endif
