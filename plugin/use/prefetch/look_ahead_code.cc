/* look_ahead_code.cc - the code that computes an address some iterations ahead.
   SPDX-License-Identifier: GPL-3.0-or-later

   The second half of look_ahead.cc: copies the values that were found to move, with the
   induction variables moved and the index load replaced by a guarded one.

   The page guard: memory is mapped by pages of at least 4 KB.  What is read,
   first to last byte, must lie on the page of the present iteration's access,
   which the program performs before it comes here; otherwise nothing is read
   and nothing prefetched.  No bound of b needs to be known.  What is read beyond
   the end of b is garbage, and only a prefetch, which cannot fault, is done with
   it.  The guard is a branch, which is predicted well: it goes the other way at
   the ends of pages only, and what follows need not wait for it.

   The copies never overflow in a way that GCC may reason from: induction
   variables move in unsigned arithmetic and copied operations are rewritten to
   it.  A copied division has the divisor of the original, which was divided
   by before.  */

#include "plugin/gcc-common.h"
#include "plugin/use/address/movable_reference.h"
#include "plugin/use/address/value_copy.h"
#include "plugin/use/prefetch/look_ahead.h"
#include "plugin/options.h"
#include "plugin/use/prefetch/seen_loads.h"
#include "plugin/use/prefetch/sure_loads.h"
#include "plugin/target/target.h"

namespace memprof::plugin {

/* What each value is in the iteration that is looked at.  */

class ahead_code : value_fold<tree>
{
public:
  ahead_code (look_ahead &findings, distance_ahead distance, tree vuse, gimple_seq *seq)
    : value_fold (findings.loop_, NULL_TREE), of_ (findings), distance_ (distance), vuse_ (vuse), seq_ (seq)
  {}

  tree address_of_moved (tree ref);
  tree append (tree expression) { return append_operand (expression, seq_); }
  tree distance (tree type, HOST_WIDE_INT times);
  address_ahead result ();

private:
  auto moved () { return [this] (tree name) { return meaning (name); }; }

  tree constant (tree value) final { return unshare_expr (value); }
  tree outside (tree name) final { return name; }
  tree opaque (tree name, opaque_reason) final { return name; }
  // A PHI in a circle of rotated loads leads to itself again.
  tree pending (tree name) final { return name; }
  tree carried (gphi *phi) final;
  tree choice (gphi *phi) final;
  tree operation (gassign *assign) final { return append_copy (copy_of (assign, moved ()), seq_); }
  tree load (gassign *assign) final { return assign == of_.index_ ? index_load () : second_load (); }
  bool
  outside_p (tree name) final
  {
    const motion *moves = of_.known (name);
    return !moves || moves->kind == STILL;
  }

  tree index_load ();
  tree second_load ();
  tree second_node (tree first);
  tree seen_place ();
  tree load_from (tree from, tree ref);
  HOST_WIDE_INT furthest_bytes () const;
  tree bytes_ahead (tree now, HOST_WIDE_INT width);
  tree sure_bytes ();
  void guard_by (gcond *guard);
  void only_if (tree condition);

  look_ahead &of_;
  distance_ahead distance_;
  tree vuse_;
  gimple_seq *seq_;
  gcond *guard_ = nullptr;
  gimple *guard_place_ = nullptr;
  seen_places seen_ = {};
};

address_ahead
look_ahead::emit (distance_ahead distance, HOST_WIDE_INT stride, tree vuse, gimple_seq *seq)
{
  ahead_code code (*this, distance, vuse, seq);
  address_ahead result = {};
  if (shape_ == decide::Shape::linked || shape_ == decide::Shape::strided)
    {
      tree now = code.append (address_of (unshare_expr (ref_)));
      result.address = code.append (fold_build_pointer_plus (now, code.distance (sizetype, stride)));
    }
  else
    {
      tree address = code.append (code.address_of_moved (ref_));
      result = code.result ();
      result.address = address;
    }
  return result;
}

/* TIMES the distance, in TYPE, which is unsigned.  */

tree
ahead_code::distance (tree type, HOST_WIDE_INT times)
{
  tree nearest = build_int_cst (type, distance_.nearest * times);
  if (!distance_.factor)
    return nearest;
  return append (fold_build2 (MULT_EXPR, type, fold_convert (type, distance_.factor), nearest));
}

address_ahead
ahead_code::result ()
{
  gimple *after = of_.after ();
  if (after && seen_.high && after == of_.second_)
    after = SSA_NAME_DEF_STMT (seen_.high);
  return { NULL_TREE, guard_, guard_place_, after };
}

/* The address of REF with every name in it moved ahead.  */

tree
ahead_code::address_of_moved (tree ref)
{
  return address_of (with_names_replaced (ref, moved ()));
}

tree
ahead_code::carried (gphi *phi)
{
  class loop *loop = of_.loop_;
  if (gimple_bb (phi) != loop->header)
    {
      tree first = meaning (PHI_ARG_DEF_FROM_EDGE (phi, loop_preheader_edge (of_.entry_)));
      return phi == of_.walk_.node ? second_node (first) : first;
    }
  tree name = gimple_phi_result (phi);
  const motion moves = *of_.known (name);
  if (moves.kind == LOADED)
    return meaning (PHI_ARG_DEF_FROM_EDGE (phi, loop_latch_edge (loop)));
  tree type = TREE_TYPE (name);
  tree wide = unsigned_type_for (type);
  // After a rotated load, the present iteration is the start of the next one.
  tree ahead = fold_build2 (PLUS_EXPR, wide, fold_convert (wide, name), distance (wide, moves.step));
  if (of_.rotated_)
    ahead = fold_build2 (PLUS_EXPR, wide, ahead, build_int_cst (wide, moves.step));
  return append (fold_convert (type, ahead));
}

/* Both values, and the condition.  */

tree
ahead_code::choice (gphi *phi)
{
  edge on_true, on_false;
  gcond *condition = chosen_by (phi, &on_true, &on_false);
  tree test = append (build2 (gimple_cond_code (condition), boolean_type_node,
			      meaning (gimple_cond_lhs (condition)),
			      meaning (gimple_cond_rhs (condition))));
  tree first = meaning (PHI_ARG_DEF_FROM_EDGE (phi, on_true));
  tree second = meaning (PHI_ARG_DEF_FROM_EDGE (phi, on_false));
  tree result = make_ssa_name (TREE_TYPE (gimple_phi_result (phi)));
  gimple_seq_add_stmt (seq_, gimple_build_assign (result, COND_EXPR, test, first,
						  second));
  return result;
}

/* With a second load: as many bytes ahead as the loop will get for certain.  */

tree
ahead_code::sure_bytes ()
{
  tree left = remaining_iterations (of_.loop_, of_.iterations_);
  tree type = TREE_TYPE (left);
  tree steps = append (fold_build2 (MIN_EXPR, type, left, distance (type, 1)));
  return append (fold_build2 (MULT_EXPR, sizetype, fold_convert (sizetype, steps),
			      build_int_cst (sizetype, of_.index_step_)));
}

/* How far the index load goes ahead at most.  */

HOST_WIDE_INT
ahead_code::furthest_bytes () const
{
  return absu_hwi (of_.index_step_) * distance_.nearest * (distance_.factor ? k_most_factor : 1);
}

/* The bytes to go ahead from NOW, the address of the index load of WIDTH bytes:
   the whole distance if every byte lies on the page of NOW, which is guarded.  */

tree
ahead_code::bytes_ahead (tree now, HOST_WIDE_INT width)
{
  const bool sure = of_.second_ && !of_.among_seen_;
  const bool unguarded = seeded (sure ? fault::after_the_end : fault::other_pages);
  if (sure && !unguarded)
    return sure_bytes ();
  tree bytes = distance (sizetype, of_.index_step_);
  if (unguarded)
    return bytes;
  // The decision keeps d steps within a part of the page.
  const HOST_WIDE_INT page = processor::k_least_page_bytes;
  gcc_assert (furthest_bytes () + width <= page);
  // A condition on the low bits of the present address.
  tree word = unsigned_type_for (TREE_TYPE (now));
  tree low = append (fold_build2 (BIT_AND_EXPR, word, fold_convert (word, now),
				  build_int_cst (word, page - 1)));
  const bool up = of_.index_step_ > 0;
  tree_code code = up ? LT_EXPR : GE_EXPR;
  tree move = distance (word, absu_hwi (of_.index_step_));
  tree edge_of_page
    = append (up ? fold_build2 (MINUS_EXPR, word, build_int_cst (word, page - width + 1), move) : move);
  if (of_.sure_ && !seeded (fault::nothing_seen))
    only_if (append (build2 (BIT_AND_EXPR, boolean_type_node,
			     build2 (code, boolean_type_node, low, edge_of_page),
			     build2 (NE_EXPR, boolean_type_node, seen_.high,
				     build_zero_cst (TREE_TYPE (seen_.high))))));
  else
    guard_by (gimple_build_cond (code, low, edge_of_page, NULL_TREE, NULL_TREE));
  return bytes;
}

/* What follows is performed if GUARD holds.  */

void
ahead_code::guard_by (gcond *guard)
{
  guard_ = guard;
  guard_place_ = gimple_seq_last_stmt (*seq_);
}

/* What follows is performed if CONDITION is 1; null: in any case.  */

void
ahead_code::only_if (tree condition)
{
  if (!condition)
    return;
  tree same = make_ssa_name (boolean_type_node);
  gimple_seq_add_stmt (seq_, gimple_build_assign (same, condition));
  guard_by (gimple_build_cond (NE_EXPR, same, boolean_false_node, NULL_TREE, NULL_TREE));
}

/* The value of REF's type at the address FROM.  */

tree
ahead_code::load_from (tree from, tree ref)
{
  tree loaded = make_ssa_name (TYPE_MAIN_VARIANT (TREE_TYPE (ref)));
  // May alias everything: it can be an element that somebody writes.
  tree guarded = plain_reference (TREE_TYPE (ref), from);
  TREE_THIS_NOTRAP (guarded) = 1;
  same_byte_order (guarded, ref);
  append_load (gimple_build_assign (loaded, guarded), vuse_, seq_);
  return loaded;
}

/* The index load, moved.  */

tree
ahead_code::index_load ()
{
  tree ref = gimple_assign_rhs1 (of_.index_);
  if (of_.sure_)
    seen_ = note_first_nodes (of_.loop_, of_.entry_, of_.walk_, of_.sure_);
  tree now = append (address_of (unshare_expr (ref)));
  tree offset = bytes_ahead (now, tree_to_uhwi (TYPE_SIZE_UNIT (TREE_TYPE (ref))));
  tree from = append (fold_build_pointer_plus (now, offset));
  return load_from (from, ref);
}

/* The address of the second load, or the nearest of those from which it has loaded.  */

tree
ahead_code::seen_place ()
{
  tree there = append (address_of_moved (gimple_assign_rhs1 (of_.second_)));
  if (!of_.sure_)
    seen_ = note_seen_places (of_.loop_, of_.second_);
  tree word = TREE_TYPE (seen_.low);
  tree place = fold_convert (word, there);
  if (!seeded (fault::unseen_places))
    place = fold_build2 (MIN_EXPR, word, fold_build2 (MAX_EXPR, word, place, seen_.low),
			 seen_.high);
  return append (fold_convert (TREE_TYPE (there), place));
}

/* The second load, from the address that the moved index gives.  */

tree
ahead_code::second_load ()
{
  tree ref = gimple_assign_rhs1 (of_.second_);
  if (of_.among_seen_)
    return load_from (seen_place (), ref);
  ref = with_names_replaced (ref, moved ());
  tree loaded = make_ssa_name (TYPE_MAIN_VARIANT (TREE_TYPE (ref)));
  append_load (gimple_build_assign (loaded, ref), vuse_, seq_);
  return loaded;
}

/* The node after FIRST.  */

tree
ahead_code::second_node (tree first)
{
  assume (gimple_phi_result (of_.walk_.node), first);
  return load_from (seen_place (), gimple_assign_rhs1 (of_.second_));
}

} // namespace memprof::plugin
