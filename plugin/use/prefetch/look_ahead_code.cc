/* look_ahead_code.cc - the code that computes an address some iterations ahead.
   SPDX-License-Identifier: GPL-3.0-or-later

   The second half of look_ahead.cc: copies what was found to move, with the
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
#include "plugin/use/prefetch/look_ahead.h"
#include "plugin/use/address/movable_reference.h"
#include "plugin/options.h"
#include "plugin/use/prefetch/seen_loads.h"
#include "plugin/use/prefetch/sure_loads.h"
#include "plugin/target/target.h"

namespace memprof::plugin {

tree
look_ahead::emit (unsigned distance, HOST_WIDE_INT stride, tree vuse,
		  gimple_seq *seq)
{
  distance_ = distance;
  vuse_ = vuse;
  seq_ = seq;
  if (shape_ == decide::Shape::linked || shape_ == decide::Shape::strided)
    {
      tree now = gimplify (address_of (unshare_expr (ref_)));
      return gimplify (fold_build_pointer_plus_hwi (now, stride * distance));
    }
  return gimplify (address_ahead (ref_));
}

/* EXPRESSION as an operand of a call, its computation appended.  */

tree
look_ahead::gimplify (tree expression)
{
  gimple_seq more = NULL;
  tree result = force_gimple_operand (expression, &more, true, NULL_TREE);
  gimple_seq_add_seq (seq_, more);
  return result;
}

tree
look_ahead::replace_names (tree *tp, int *walk_subtrees, void *data)
{
  look_ahead *self = static_cast<look_ahead *> (data);
  if (TREE_CODE (*tp) == SSA_NAME)
    {
      *tp = self->ahead (*tp);
      *walk_subtrees = 0;
    }
  else if (TYPE_P (*tp))
    *walk_subtrees = 0;
  return NULL_TREE;
}

/* The address of REF with every name in it moved ahead.  */

tree
look_ahead::address_ahead (tree ref)
{
  tree moved = unshare_expr (ref);
  walk_tree (&moved, replace_names, this, NULL);
  return address_of (moved);
}

/* The value of NAME in the iteration that is looked at.  */

tree
look_ahead::ahead (tree name)
{
  value *known = values_.get (name);
  if (!known || known->kind == STILL)
    return name;
  if (tree *done = ahead_.get (name))
    return *done;
  gimple *def = SSA_NAME_DEF_STMT (name);
  tree moved;
  // A PHI in a circle of rotated loads would lead here again.
  ahead_.put (name, name);
  if (gphi *phi = dyn_cast<gphi *> (def))
    moved = ahead_phi (phi);
  else if (def == index_)
    moved = ahead_load ();
  else if (def == second_)
    moved = ahead_second ();
  else
    moved = ahead_copy (as_a<gassign *> (def));
  ahead_.put (name, moved);
  return moved;
}

tree
look_ahead::ahead_phi (gphi *phi)
{
  tree name = gimple_phi_result (phi);
  if (gimple_bb (phi) != loop_->header
      && !(entry_ && gimple_bb (phi) == entry_->header))
    return ahead_choice (phi);
  if (gimple_bb (phi) != loop_->header)
    {
      tree start = PHI_ARG_DEF_FROM_EDGE (phi, loop_preheader_edge (entry_));
      tree first = TREE_CODE (start) == SSA_NAME ? ahead (start) : unshare_expr (start);
      return phi == walk_.node ? ahead_next (first) : first;
    }
  value moves = *values_.get (name);
  if (moves.kind == LOADED)
    return ahead (PHI_ARG_DEF_FROM_EDGE (phi, loop_latch_edge (loop_)));
  tree type = TREE_TYPE (name);
  tree wide = unsigned_type_for (type);
  // After a rotated load, the present iteration is the next one's start.
  tree distance
    = build_int_cst (wide, moves.step * HOST_WIDE_INT (distance_ + rotated_));
  return gimplify (
    fold_convert (type, fold_build2 (PLUS_EXPR, wide,
				     fold_convert (wide, name), distance)));
}

/* The value of a PHI where two ways meet: both, and the condition.  */

tree
look_ahead::ahead_choice (gphi *phi)
{
  edge on_true, on_false;
  gcond *condition = chosen_by (phi, &on_true, &on_false);
  auto moved = [this] (tree part) {
    return TREE_CODE (part) == SSA_NAME ? ahead (part) : unshare_expr (part);
  };
  tree test = gimplify (build2 (gimple_cond_code (condition), boolean_type_node,
				moved (gimple_cond_lhs (condition)),
				moved (gimple_cond_rhs (condition))));
  tree first = moved (PHI_ARG_DEF_FROM_EDGE (phi, on_true));
  tree second = moved (PHI_ARG_DEF_FROM_EDGE (phi, on_false));
  tree result = make_ssa_name (TREE_TYPE (gimple_phi_result (phi)));
  gimple_seq_add_stmt (seq_, gimple_build_assign (result, COND_EXPR, test, first,
						  second));
  return result;
}

/* The bytes to go ahead from NOW, the address of the index load of WIDTH bytes:
   all that way if every byte lies on the page of NOW, which is guarded.  With a
   second load, as far as the loop will get for certain.  */

tree
look_ahead::guarded_move (tree now, HOST_WIDE_INT width)
{
  HOST_WIDE_INT move = index_step_ * HOST_WIDE_INT (distance_);
  tree bytes = build_int_cst (sizetype, move);
  const bool sure = second_ && !among_seen_;
  if (seeded (sure ? fault::after_the_end : fault::other_pages))
    return bytes;
  if (sure)
    {
      if (called_ && !seeded (fault::call_ways))
	only_if (called_->site->condition (*called_->load));
      tree left = remaining_iterations (loop_, iterations_);
      tree type = TREE_TYPE (left);
      tree steps = gimplify (fold_build2 (MIN_EXPR, type, left,
					  build_int_cst (type, distance_)));
      return gimplify (fold_build2 (MULT_EXPR, sizetype,
				    fold_convert (sizetype, steps),
				    build_int_cst (sizetype, index_step_)));
    }
  // The decision keeps d steps within a part of the page.
  gcc_assert (absu_hwi (move) + width <= processor::k_least_page_bytes);
  // A condition on the low bits of the present address.
  tree word = unsigned_type_for (TREE_TYPE (now));
  tree low = gimplify (fold_build2 (BIT_AND_EXPR, word,
				    fold_convert (word, now),
				    build_int_cst (word, processor::k_least_page_bytes - 1)));
  tree_code code = move > 0 ? LT_EXPR : GE_EXPR;
  HOST_WIDE_INT bound = move > 0 ? processor::k_least_page_bytes - move - width + 1 : -move;
  tree edge_of_page = build_int_cst (word, bound);
  if (sure_ && !seeded (fault::nothing_seen))
    only_if (gimplify (build2 (BIT_AND_EXPR, boolean_type_node,
			       build2 (code, boolean_type_node, low, edge_of_page),
			       build2 (NE_EXPR, boolean_type_node, seen_.high,
				       build_zero_cst (TREE_TYPE (seen_.high))))));
  else
    {
      guard_ = gimple_build_cond (code, low, edge_of_page, NULL_TREE, NULL_TREE);
      guard_place_ = gimple_seq_last_stmt (*seq_);
    }
  return bytes;
}

/* What follows is performed if CONDITION is 1; null: in any case.  */

void
look_ahead::only_if (tree condition)
{
  if (!condition)
    return;
  tree same = make_ssa_name (boolean_type_node);
  gimple_seq_add_stmt (seq_, gimple_build_assign (same, condition));
  guard_ = gimple_build_cond (NE_EXPR, same, boolean_false_node, NULL_TREE,
			      NULL_TREE);
  guard_place_ = gimple_seq_last_stmt (*seq_);
}

/* The value of REF's type at the address FROM.  */

tree
look_ahead::load_from (tree from, tree ref)
{
  tree type = TREE_TYPE (ref);
  // May alias everything: it can be an element that somebody writes.
  tree any = build_pointer_type_for_mode (char_type_node, ptr_mode, true);
  tree access = build_aligned_type (type, BITS_PER_UNIT);
  tree loaded = make_ssa_name (TYPE_MAIN_VARIANT (type));
  tree guarded = build2 (MEM_REF, access, from, build_int_cst (any, 0));
  TREE_THIS_NOTRAP (guarded) = 1;
  same_byte_order (guarded, ref);
  gassign *load = gimple_build_assign (loaded, guarded);
  gimple_set_vuse (load, vuse_);
  suppress_warning (load);
  gimple_seq_add_stmt (seq_, load);
  return loaded;
}

/* The index load, moved.  */

tree
look_ahead::ahead_load ()
{
  tree ref = gimple_assign_rhs1 (index_);
  if (sure_)
    seen_ = note_first_nodes (loop_, entry_, walk_, sure_);
  tree now = gimplify (address_of (unshare_expr (ref)));
  tree offset
    = guarded_move (now, tree_to_uhwi (TYPE_SIZE_UNIT (TREE_TYPE (ref))));
  tree from = gimplify (fold_build_pointer_plus (now, offset));
  return load_from (from, ref);
}

/* The second load, from a place among those that it has loaded from.  */

tree
look_ahead::ahead_seen ()
{
  tree ref = gimple_assign_rhs1 (second_);
  tree there = gimplify (address_ahead (ref));
  if (!sure_)
    seen_ = note_seen_places (loop_, second_);
  tree word = TREE_TYPE (seen_.low);
  tree place = fold_convert (word, there);
  if (!seeded (fault::unseen_places))
    place = fold_build2 (MIN_EXPR, word, fold_build2 (MAX_EXPR, word, place, seen_.low),
			 seen_.high);
  return gimplify (fold_convert (TREE_TYPE (there), place));
}

/* The second load, from the address that the moved index gives.  */

tree
look_ahead::ahead_second ()
{
  if (among_seen_)
    return load_from (ahead_seen (), gimple_assign_rhs1 (second_));
  tree ref = unshare_expr (gimple_assign_rhs1 (second_));
  walk_tree (&ref, replace_names, this, NULL);
  tree loaded = make_ssa_name (TYPE_MAIN_VARIANT (TREE_TYPE (ref)));
  gassign *load = gimple_build_assign (loaded, ref);
  gimple_set_vuse (load, vuse_);
  suppress_warning (load);
  gimple_seq_add_stmt (seq_, load);
  return loaded;
}

/* The node after FIRST.  */

tree
look_ahead::ahead_next (tree first)
{
  ahead_.put (gimple_phi_result (walk_.node), first);
  return load_from (ahead_seen (), gimple_assign_rhs1 (second_));
}

tree
look_ahead::ahead_copy (gassign *assign)
{
  gassign *copy = as_a<gassign *> (gimple_copy (assign));
  for (unsigned i = 1; i < gimple_num_ops (copy); i++)
    {
      tree op = unshare_expr (gimple_op (copy, i));
      walk_tree (&op, replace_names, this, NULL);
      gimple_set_op (copy, i, op);
    }
  tree lhs = gimple_assign_lhs (assign);
  tree result = make_ssa_name (TREE_TYPE (lhs), copy);
  gimple_assign_set_lhs (copy, result);
  gimple_seq_add_seq (seq_, defined_everywhere (copy));
  return result;
}

} // namespace memprof::plugin
