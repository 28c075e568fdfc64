/* look_ahead.cc - the address that a load will have some iterations later.
   SPDX-License-Identifier: GPL-3.0-or-later

   Problem: to prefetch a[f (b[i])] for iteration i + d, the value of b[i + d]
   is needed, and whatever f computes from it.  The load of b[i + d] is one that
   the program does not perform at this time; it must not fault.

     for (i = 0; i < n; i++)              for (i = 0; i < n; i++)
       {                                    {
					      p = &b[i];
					      if (same_page (p, p + d))
						prefetch (&a[f (p[d])]);
	 x = a[f (b[i])];                     x = a[f (b[i])];
       }                                    }

   1. Each value that the address is computed from (address/value_graph.h) is STILL, LINEAR
      or LOADED.  Induction variables are LINEAR; arithmetic keeps track of the step in bytes,
      so that the address of the inner load can be moved by one addition.
   2. The address as a whole is AFFINE (nothing loaded in it; STRIDED, if the caller
      finds that it leaves out most lines), INDIRECT (one load of LINEAR address, the "index",
      and perhaps a second load, from the address that the index gives: a[b[c[i]]], see
      sure_loads.cc and seen_loads.cc), or LINKED (the value that it starts from changes in a
      manner that cannot be computed ahead: a pointer found in memory or passed by a caller).
   3. emit (), in look_ahead_code.cc, copies the values that are LINEAR or LOADED, with the
      induction variables moved d steps and the index load replaced by the guarded one.  Values
      that are STILL are used as they are.  They are available at the place of insertion,
      because the address of the load itself is computed from them.

   Entry of a loop: for

     for (u...) { first = b[u]; for (i = 0; ...; i++) x = a[first + i]; }

   the load is AFFINE in the inner loop, and its first address in each entry is
   INDIRECT in the outer one.  An induction variable of the inner loop is then
   the value that it starts with.

   The first node of a list is found in the same way: for

     for (i...) for (n = head[hash (key[i])]; n; n = n->next) x = n->value;

   n starts with a value that takes head's load, whatever it is afterwards.  The second node is
   the value that n has in the second iteration: what is loaded from the first node, where that
   is an element of an array (seen_loads.cc).

   Choices: x = a[r < 0 ? f (r) : g (r)] with r = b[i] has a PHI where the two paths of one
   branch meet.  Its value ahead is a conditional expression: both f and g are computed, which
   takes that neither can trap or loads.

   Rotated loads: GCC often loads b[i + 1] at the end of iteration i and hands it
   to the next one through a PHI.  The value of the PHI d iterations ahead is
   then what that load gets when it is moved d iterations, as seen from after
   the load; the prefetch goes there.  */

#include "plugin/gcc-common.h"
#include "plugin/use/prefetch/look_ahead.h"
#include "plugin/use/address/movable_reference.h"
#include "plugin/use/address/reference_parts.h"
#include "plugin/options.h"
#include "plugin/use/prefetch/seen_loads.h"
#include "plugin/use/prefetch/sure_loads.h"

namespace memprof::plugin {

namespace {

/* More than this is no address computation but work.  */
const unsigned k_max_values = 48;

const char k_other_space[] = "the address is in a named address space";

/* Why the index cannot be what LOAD loads, or null.  */

const char *
index_obstacle (gassign *load)
{
  const char *const words[]
    = { nullptr, "the index is in a named address space", "the index is volatile",
	"the index is a bit-field", "the index is a view of bytes in another order" };
  tree ref = gimple_assign_rhs1 (load);
  if ((gimple_has_volatile_ops (load) || gimple_vdef (load))
      && !seeded (fault::volatile_access))
    return words[REFERENCE_VOLATILE];
  const reference_obstacle obstacle = load_obstacle (ref);
  const bool whole = tree_fits_uhwi_p (TYPE_SIZE_UNIT (TREE_TYPE (ref)))
		     && byte_addressable (ref) == ref;
  return words[obstacle == REFERENCE_MOVABLE && !whole ? REFERENCE_PART : obstacle];
}

/* Why LOAD, whose address takes the index, cannot be done ahead, or null.  */

const char *
second_obstacle (gassign *load)
{
  tree ref = gimple_assign_rhs1 (load);
  if (address_obstacle (ref) != REFERENCE_MOVABLE)
    return k_other_space;
  return gimple_has_volatile_ops (load) || gimple_vdef (load)
	     || load_obstacle (ref) != REFERENCE_MOVABLE || byte_addressable (ref) != ref
	   ? "the second load is volatile or of a bit-field"
	   : nullptr;
}

} // anonymous namespace

look_ahead::look_ahead (gimple *stmt, tree ref, class loop *loop,
			class loop *entry, const list_walk &second)
  : value_fold (loop, k_still, k_max_values), stmt_ (stmt), ref_ (byte_addressable (ref)),
    loop_ (loop), entry_ (entry), walk_ (second)
{
  classify ();
  if (address_obstacle (ref) != REFERENCE_MOVABLE)
    obstruct (k_other_space);
}

void
look_ahead::make_search ()
{
  shape_ = decide::Shape::search;
  obstacle_ = address_obstacle (ref_) != REFERENCE_MOVABLE ? k_other_space : nullptr;
}

/* The shape of the address, or what makes it unsuitable.  */

void
look_ahead::classify ()
{
  const motion address = reference (ref_);
  if (address.kind == LOADED)
    {
      shape_ = decide::Shape::indirect;
      if (rotated_)
	check_rotated ();
      if (rotated_ && second_)
	obstruct ("the address takes several loads, one from the other");
      const list_walk walk = entry_ ? find_list_walk (entry_) : list_walk{};
      from_start_ = second_ && walk.node && part_of_node_p (walk, ref_)
		    && SSA_NAME_DEF_STMT (walk.start) == second_;
      return;
    }
  if (address.kind == LINEAR && address.step_known && !entry_)
    step_ = address.step;
  if (address.kind == STILL)
    {
      // Linked if it starts from a pointer; the obstacles to looking ahead do
      // not matter then, because the profile knows the distance in bytes.
      tree base = get_base_address (ref_);
      bool pointer = TREE_CODE (base) == MEM_REF
		     && TREE_CODE (TREE_OPERAND (base, 0)) == SSA_NAME;
      if (pointer && (moving_ || !loop_))
	{
	  shape_ = decide::Shape::linked;
	  obstacle_ = nullptr;
	}
    }
}

bool
look_ahead::candidate_p () const
{
  return shape_ != decide::Shape::affine
	 && !(shape_ == decide::Shape::linked && entry_);
}

void
look_ahead::obstruct (const char *why)
{
  if (!obstacle_)
    obstacle_ = why;
}

/* After a rotated index load, every value that the address takes as it is must
   be there already.  */

void
look_ahead::check_rotated ()
{
  for (auto entry : all ())
    {
      basic_block bb = gimple_bb (SSA_NAME_DEF_STMT (entry.first));
      if (entry.second.kind == STILL && bb
	  && !dominated_by_p (CDI_DOMINATORS, gimple_bb (index_), bb))
	obstruct ("the address takes a value that is not known early enough");
    }
}

/* NAME keeps its present value.  Seen from the entry of a loop, it must have
   one there.  */

motion
look_ahead::still (tree name)
{
  if (inside_p (name))
    {
      moving_ = true;
      if (entry_ && flow_bb_inside_loop_p (entry_, gimple_bb (SSA_NAME_DEF_STMT (name))))
	obstruct ("the first address of the inner loop is computed in it");
    }
  return k_still;
}

motion
look_ahead::constant (tree value)
{
  if (!is_gimple_min_invariant (value))
    obstruct ("the address takes an operation that is not understood");
  return k_still;
}

motion
look_ahead::opaque (tree name, opaque_reason why)
{
  if (why == opaque_reason::abnormal)
    obstruct ("the address depends on a value live across an abnormal edge");
  if (why == opaque_reason::too_many)
    obstruct ("the address takes too many operations");
  return still (name);
}

/* A value of only one side of a choice is not known on the other side; for values of a rotated
   load, see check_rotated.  */

motion
look_ahead::found (tree name, motion moves)
{
  if (moves.kind == STILL && !open_ && inside_p (name)
      && !dominated_by_p (CDI_DOMINATORS, gimple_bb (stmt_),
			  gimple_bb (SSA_NAME_DEF_STMT (name))))
    obstruct ("the address takes a value that is only known on some paths");
  return moves;
}

motion
look_ahead::carried (gphi *phi)
{
  tree name = gimple_phi_result (phi);
  affine_iv iv;
  if (gimple_bb (phi) == loop_->header)
    return simple_iv (loop_, loop_, name, &iv, false) && tree_fits_shwi_p (iv.step)
	     ? motion{ LINEAR, true, tree_to_shwi (iv.step) }
	     : rotated (phi);
  if (!entry_ || gimple_bb (phi) != entry_->header)
    return still (name);
  // Starts with the value that comes over the preheader edge.  That the PHI has to be replaced
  // by that value makes the PHI LINEAR even when the value is STILL.
  motion first = meaning (PHI_ARG_DEF_FROM_EDGE (phi, loop_preheader_edge (entry_)));
  if (first.kind == STILL)
    first.kind = LINEAR;
  return phi == walk_.node ? second_node (first) : first;
}

motion
look_ahead::choice (gphi *phi)
{
  tree name = gimple_phi_result (phi);
  edge on_true, on_false;
  gcond *condition = chosen_by (phi, &on_true, &on_false);
  if (!condition || !INTEGRAL_TYPE_P (TREE_TYPE (gimple_cond_lhs (condition)))
      || (!INTEGRAL_TYPE_P (TREE_TYPE (name)) && !POINTER_TYPE_P (TREE_TYPE (name))))
    return still (name);
  motion_kind kind = STILL;
  for (tree part : { gimple_cond_lhs (condition), gimple_cond_rhs (condition),
		     PHI_ARG_DEF_FROM_EDGE (phi, on_true),
		     PHI_ARG_DEF_FROM_EDGE (phi, on_false) })
    kind = MAX (kind, meaning (part).kind);
  return kind == STILL ? still (name) : motion{ kind, false, 0 };
}

/* PHI of the loop's header, no induction variable: is its next value loaded
   from an address that can be moved ahead?  */

motion
look_ahead::rotated (gphi *phi)
{
  tree name = gimple_phi_result (phi);
  tree next = PHI_ARG_DEF_FROM_EDGE (phi, loop_latch_edge (loop_));
  if (open_ || TREE_CODE (next) != SSA_NAME)
    return still (name);
  open_ = phi;
  met_open_ = false;
  const motion result = meaning (next);
  open_ = nullptr;
  if (result.kind != LOADED)
    return still (name);
  if (met_open_)
    obstruct ("the address depends on a value carried round the loop");
  rotated_ = true;
  return result;
}

motion
look_ahead::load (gassign *assign)
{
  const motion address = reference (gimple_assign_rhs1 (assign));
  if (address.kind == LOADED)
    return second_load (assign);
  if (address.kind == STILL)
    return still (gimple_assign_lhs (assign));
  if (const char *why = index_obstacle (assign))
    obstruct (why);
  if (!address.step_known || address.step == 0)
    obstruct ("the index does not advance by a constant");
  if (index_ && index_ != assign)
    obstruct ("the address takes two index loads");
  // What is loaded now is on the page that is guarded, so it must be loaded now.
  if (!open_ && !dominated_by_p (CDI_DOMINATORS, gimple_bb (stmt_), gimple_bb (assign)))
    obstruct ("the index is not loaded in each iteration");
  if (entry_ && flow_bb_inside_loop_p (entry_, gimple_bb (assign)))
    obstruct ("the index is loaded in the inner loop");
  index_ = assign;
  index_step_ = address.step;
  return { LOADED, false, 0 };
}

/* The node after the first one of a list, which starts with what moves as FIRST.  */

motion
look_ahead::second_node (motion first)
{
  const char *why = nullptr;
  if (first.kind != LOADED || rotated_ || open_)
    why = "the list does not start where an index says";
  else if (second_)
    why = "the second node is known by the first, which may not be there yet";
  else if (!(why = second_obstacle (walk_.next))
	   && !(sure_ = first_nodes_of_one_object (loop_, entry_, walk_)))
    why = "first nodes are not known to be in one array, or to be there in each iteration";
  if (why)
    obstruct (why);
  second_ = walk_.next;
  among_seen_ = true;
  return { LOADED, false, 0 };
}

/* ASSIGN loads from an address that takes the index.  */

motion
look_ahead::second_load (gassign *assign)
{
  const char *why = nullptr;
  if (second_ || open_ || rotated_ || !index_
      || (entry_ && flow_bb_inside_loop_p (entry_, gimple_bb (assign))))
    why = "the address takes several loads, one from the other";
  else if (!(why = second_obstacle (assign)))
    {
      iterations_ = sure_iterations (loop_, index_, index_step_, assign, &why);
      among_seen_ = why
		    && loads_one_object_p (loop_, assign,
					   entry_ ? entry_->header : gimple_bb (stmt_));
      if (among_seen_)
	why = nullptr;
    }
  if (why)
    obstruct (why);
  second_ = assign;
  return { LOADED, false, 0 };
}

/* The motion of the address of REF, with its step in bytes.  */

motion
look_ahead::reference (tree ref)
{
  motion sum = k_still;
  for_each_name (ref, [&] (tree name, HOST_WIDE_INT scale) {
    const motion part = meaning (name);
    sum.kind = MAX (sum.kind, part.kind);
    if (part.kind == LINEAR && part.step != 0 && scale == 0)
      sum.step_known = false;
    sum.step_known &= part.step_known;
    sum.step += part.step * scale;
  });
  return sum;
}

motion
look_ahead::operation (gassign *assign)
{
  const tree_code code = gimple_assign_rhs_code (assign);
  tree type = TREE_TYPE (gimple_assign_lhs (assign));
  if (code == ADDR_EXPR)
    return reference (TREE_OPERAND (gimple_assign_rhs1 (assign), 0));
  motion operands[3] = { k_still, k_still, k_still };
  motion_kind kind = STILL;
  for (unsigned i = 1; i < gimple_num_ops (assign) && i <= 3; i++)
    {
      operands[i - 1] = meaning (gimple_op (assign, i));
      kind = MAX (kind, operands[i - 1].kind);
    }
  if (kind == STILL)
    return still (gimple_assign_lhs (assign));
  const bool same_divisor
    = (code == TRUNC_MOD_EXPR || code == TRUNC_DIV_EXPR || code == EXACT_DIV_EXPR)
      && INTEGRAL_TYPE_P (type) && TYPE_UNSIGNED (type) && operands[1].kind == STILL;
  if (gimple_could_trap_p (assign) && !same_divisor)
    obstruct ("the address takes an operation that may trap");
  return combine (assign, operands);
}

/* The motion of ASSIGN's value from the motions of its operands.  */

motion
look_ahead::combine (gassign *assign, const motion *operands)
{
  const motion &a = operands[0], &b = operands[1];
  tree second = gimple_num_ops (assign) > 2 ? gimple_op (assign, 2) : NULL_TREE;
  const motion_kind kind = MAX (MAX (a.kind, b.kind), operands[2].kind);
  if (kind == LOADED || !a.step_known || !b.step_known)
    return { kind, false, 0 };
  const bool constant = second && tree_fits_shwi_p (second);
  switch (gimple_assign_rhs_code (assign))
    {
    case SSA_NAME:
    CASE_CONVERT:
      return { kind, true, a.step };
    case PLUS_EXPR:
    case POINTER_PLUS_EXPR:
      return { kind, true, a.step + b.step };
    case MINUS_EXPR:
      return { kind, true, a.step - b.step };
    case MULT_EXPR:
      if (constant)
	return { kind, true, a.step * tree_to_shwi (second) };
      break;
    case LSHIFT_EXPR:
      if (constant && IN_RANGE (tree_to_shwi (second), 0, 31))
	return { kind, true, a.step * (HOST_WIDE_INT_1 << tree_to_shwi (second)) };
      break;
    default:
      break;
    }
  // Anything else of values that do not move, such as i & mask with the start
  // value of an inner loop, does not move either.
  return { kind, a.step == 0 && b.step == 0 && operands[2].step == 0, 0 };
}

} // namespace memprof::plugin
