/* search_step.cc - the two places that a binary search may look at next.
   SPDX-License-Identifier: GPL-3.0-or-later

   Problem: a search in a large sorted array waits for each element that it compares with,
   because the comparison decides where the next one is.

     while (n > 0)
       {
	 half = n >> 1;
	 if (base[half] < key)
	   base += half + 1, n -= half + 1;
	 else
	   n = half;
       }

   Idea: before the element has come, both places are known that may be next.  Asking for
   both costs a line that is not needed, and one wait in two is spared:

	 half = n >> 1;
	 prefetch (&base[half + 1 + (n - half - 1 >> 1)]);   // if the comparison holds
	 prefetch (&base[half >> 1]);			     // if not
	 if (base[half] < key) ...

   How, for any such loop:

     1. The address depends on PHIs of the loop's header (base and n; also lo and hi).  In
	the next iteration each has the value that comes over the latch edge.
     2. That value is followed back to a choice: PHIs of one block where two ways meet, or
	conditional expressions, or arithmetic with the result of a comparison
	(base += half * (base[half] < key)).  The choice must depend on what is loaded.
     3. With the one or the other side put in, what remains is arithmetic on values that are
	known at the load.  It is copied, and the address computed from it.

   Two loops: where one side is the likelier one, GCC makes of it an inner loop, and of the other an
   outer one.  The ways are then the latch of the inner loop, which leaves the values of
   the outer one as they are, and that of the outer loop:

     for (;; base += half + 1, n -= half + 1)
       for (; n > 0; n = half)
	 if (half = n >> 1, base[half] < key) break;

   The walk is the same for the question whether all of this holds, and for the code; only
   in the second case statements are made.

   It takes a value on the way that is halved (or divided by more).  Without that, as in a merge
   of two lists, next places are as close to each other as ever, and the hardware sees them coming.

   Right for every input: nothing is loaded.  What is copied can neither trap nor overflow in
   a way that GCC may reason from.  On a way that the search does not take, or after its last
   step, an address may lie anywhere; a prefetch does not fault.

   There is no test of how much is left: the last steps ask for lines that are there already,
   which costs less than a branch that is mispredicted once per search.

   Not done: more than one step ahead (four places); choices of more than two ways, and
   those that follow each other.  */

#include "plugin/gcc-common.h"
#include "plugin/use/address/reference_parts.h"
#include "plugin/use/prefetch/search_step.h"

namespace memprof::plugin {

namespace {

/* More than this is no address computation but work.  */
const unsigned k_max_values = 48;
/* Names that are followed from a condition back to the load.  */
const unsigned k_max_names = 24;

bool
plain_type_p (tree type)
{
  return INTEGRAL_TYPE_P (type) || POINTER_TYPE_P (type);
}

/* Whether ASSIGN divides by a constant.  */

bool
halves_p (gassign *assign)
{
  const tree_code code = gimple_assign_rhs_code (assign);
  return (code == RSHIFT_EXPR || code == TRUNC_DIV_EXPR || code == EXACT_DIV_EXPR)
	 && TREE_CODE (gimple_assign_rhs2 (assign)) == INTEGER_CST;
}

} // anonymous namespace

search_step::search_step (gimple *stmt, tree ref, class loop *loop)
  : stmt_ (stmt), ref_ (byte_addressable (ref)), loop_ (loop), whole_ (loop)
{}

bool
search_step::search_p ()
{
  if (walk () && (join_ || code_ != ERROR_MARK))
    return true;
  if (split_p () && walk () && !join_ && code_ == ERROR_MARK)
    return true;
  whole_ = loop_;
  return false;
}

/* Begins with the way SIDE.  */

void
search_step::follow (bool side)
{
  side_ = side;
  values_ = 0;
  known_[AT_END].empty ();
  known_[NEXT].empty ();
}

/* Whether the address can be computed on both ways, and something is halved in it.  */

bool
search_step::walk ()
{
  failed_ = halves_ = false;
  join_ = nullptr;
  code_ = ERROR_MARK;
  for (bool side : { true, false })
    {
      follow (side);
      replace_in (ref_, NEXT);
    }
  return !failed_ && halves_;
}

/* Whether the search is two loops; then WHOLE_ is the outer one.  */

bool
search_step::split_p ()
{
  class loop *outer = loop_outer (loop_);
  if (outer == current_loops->tree_root || !outer->latch)
    return false;
  edge on = nullptr;
  for (edge e : get_loop_exit_edges (loop_))
    if (flow_bb_inside_loop_p (outer, e->dest))
      {
	if (on)
	  return false;
	on = e;
      }
  if (!on || !decides_p (on->src))
    return false;
  whole_ = outer;
  return true;
}

void
search_step::emit (gimple_seq *seq, tree *first, tree *second)
{
  seq_ = seq;
  for (bool side : { true, false })
    {
      follow (side);
      *(side ? first : second) = next_address ();
    }
}

tree
search_step::replace_names (tree *tp, int *walk_subtrees, void *data)
{
  search_step *self = static_cast<search_step *> (data);
  if (TREE_CODE (*tp) == SSA_NAME)
    {
      *tp = self->resolve (*tp, self->moment_);
      *walk_subtrees = 0;
    }
  else if (TYPE_P (*tp))
    *walk_subtrees = 0;
  return NULL_TREE;
}

/* EXPRESSION as it is WHEN.  */

tree
search_step::replace_in (tree expression, moment when)
{
  tree replaced = unshare_expr (expression);
  const moment before = moment_;
  moment_ = when;
  walk_tree (&replaced, replace_names, this, NULL);
  moment_ = before;
  return replaced;
}

/* The address in the next iteration, as an operand of a call.  */

tree
search_step::next_address ()
{
  tree moved = replace_in (ref_, NEXT);
  gimple_seq more = NULL;
  tree result = force_gimple_operand (address_of (moved), &more, true, NULL_TREE);
  gimple_seq_add_seq (seq_, more);
  return result;
}

tree
search_step::fail (tree name)
{
  failed_ = true;
  return name;
}

/* Whether what DEF defines is known before the load.  */

bool
search_step::available_p (gimple *def) const
{
  return def != stmt_ && stmt_dominates_stmt_p (def, stmt_);
}

/* Whether LOAD, whose value is known, loads from the same address in each iteration.  That
   the value is the same is likely, and enough for a prefetch.  */

bool
search_step::still_load_p (gassign *load) const
{
  bool still = !gimple_vdef (load) && available_p (load);
  for_each_name (gimple_assign_rhs1 (load), [&] (tree name, HOST_WIDE_INT) {
    basic_block bb = gimple_bb (SSA_NAME_DEF_STMT (name));
    still &= !bb || !flow_bb_inside_loop_p (whole_, bb);
  });
  return still;
}

/* Whether what is loaded decides on the relation of LHS and RHS.  */

bool
search_step::follows_load_p (tree lhs, tree rhs) const
{
  auto_vec<tree> names;
  hash_set<tree> seen;
  for (tree operand : { lhs, rhs })
    if (TREE_CODE (operand) == SSA_NAME)
      names.safe_push (operand);
  for (unsigned i = 0; i < names.length () && i < k_max_names; i++)
    {
      gimple *def = SSA_NAME_DEF_STMT (names[i]);
      if (def == stmt_)
	return true;
      basic_block bb = gimple_bb (def);
      if (!bb || !flow_bb_inside_loop_p (loop_, bb) || gimple_code (def) == GIMPLE_PHI)
	continue;
      ssa_op_iter it;
      tree operand;
      FOR_EACH_SSA_TREE_OPERAND (operand, def, it, SSA_OP_USE)
	if (!seen.add (operand))
	  names.safe_push (operand);
    }
  return false;
}

/* Whether what is loaded decides where control goes after BB.  */

bool
search_step::decides_p (basic_block bb) const
{
  gimple *last = last_statement (bb);
  gcond *condition = last ? dyn_cast<gcond *> (last) : nullptr;
  return condition
	 && follows_load_p (gimple_cond_lhs (condition), gimple_cond_rhs (condition));
}

/* Divides the edges into BB, all of them, into two ways: on those of one, its PHIs have
   the same values.  */

bool
search_step::two_ways (basic_block bb)
{
  auto same_values = [bb] (edge a, edge b) {
    for (gphi_iterator gsi = gsi_start_phis (bb); !gsi_end_p (gsi); gsi_next (&gsi))
      if (!virtual_operand_p (gimple_phi_result (gsi.phi ()))
	  && !operand_equal_p (PHI_ARG_DEF_FROM_EDGE (gsi.phi (), a),
			       PHI_ARG_DEF_FROM_EDGE (gsi.phi (), b), 0))
	return false;
    return true;
  };
  edge e;
  edge_iterator ei;
  ways_[0] = ways_[1] = nullptr;
  FOR_EACH_EDGE (e, ei, bb->preds)
    {
      if (!ways_[0] || same_values (e, ways_[0]))
	ways_[0] = ways_[0] ? ways_[0] : e;
      else if (!ways_[1] || same_values (e, ways_[1]))
	ways_[1] = ways_[1] ? ways_[1] : e;
      else
	return false;
    }
  return ways_[1];
}

/* Whether BB is where the two ways meet that what is loaded chooses from.  */

bool
search_step::join_at (basic_block bb)
{
  if (join_ || code_ != ERROR_MARK)
    return join_ == bb;
  if (bb->loop_father != loop_ || !dominated_by_p (CDI_DOMINATORS, bb, gimple_bb (stmt_)))
    return false;
  if (!decides_p (get_immediate_dominator (CDI_DOMINATORS, bb)) || !two_ways (bb))
    return false;
  join_ = bb;
  return true;
}

/* What the relation CODE of LHS and RHS is on the present side, as a constant of TYPE; null
   if it does not depend on what is loaded.  */

tree
search_step::chosen (tree_code code, tree lhs, tree rhs, tree type)
{
  if (!follows_load_p (lhs, rhs))
    return NULL_TREE;
  if (join_)
    return fail (NULL_TREE);
  if (code_ == ERROR_MARK)
    {
      code_ = code;
      lhs_ = lhs;
      rhs_ = rhs;
    }
  const bool same = operand_equal_p (lhs, lhs_, 0) && operand_equal_p (rhs, rhs_, 0);
  if (same && code == code_)
    return constant_boolean_node (side_, type);
  if (same && code == invert_tree_comparison (code_, HONOR_NANS (lhs)))
    return constant_boolean_node (!side_, type);
  return fail (NULL_TREE);
}

/* What NAME is WHEN on the present side.  */

tree
search_step::resolve (tree name, moment when)
{
  if (TREE_CODE (name) != SSA_NAME)
    return is_gimple_min_invariant (name) ? name : fail (name);
  gimple *def = SSA_NAME_DEF_STMT (name);
  basic_block bb = gimple_bb (def);
  if (!bb || !flow_bb_inside_loop_p (whole_, bb))
    return name;
  if (tree *found = known_[when].get (name))
    return *found;
  tree result;
  if (failed_ || SSA_NAME_OCCURS_IN_ABNORMAL_PHI (name)
      || !plain_type_p (TREE_TYPE (name)) || ++values_ > k_max_values)
    result = fail (name);
  else if (when == AT_END && available_p (def))
    result = name;
  else if (gphi *phi = dyn_cast<gphi *> (def))
    result = resolve_phi (phi, when);
  else if (gassign *assign = dyn_cast<gassign *> (def))
    result = resolve_assign (assign, when);
  else
    result = fail (name);
  known_[when].put (name, result);
  return result;
}

tree
search_step::resolve_phi (gphi *phi, moment when)
{
  if (whole_ != loop_)
    return resolve_phi_of_two (phi, when);
  if (gimple_bb (phi) == loop_->header)
    return resolve (PHI_ARG_DEF_FROM_EDGE (phi, loop_latch_edge (loop_)), AT_END);
  if (when == NEXT || !join_at (gimple_bb (phi)))
    return fail (gimple_phi_result (phi));
  return resolve (PHI_ARG_DEF_FROM_EDGE (phi, ways_[side_]), AT_END);
}

/* The same where the search is two loops.  */

tree
search_step::resolve_phi_of_two (gphi *phi, moment when)
{
  tree name = gimple_phi_result (phi);
  if (when == AT_END)
    return gimple_phi_num_args (phi) == 1 ? resolve (PHI_ARG_DEF (phi, 0), AT_END)
					  : fail (name);
  if (gimple_bb (phi) == loop_->header)
    return side_ ? resolve (PHI_ARG_DEF_FROM_EDGE (phi, loop_preheader_edge (loop_)), NEXT)
		 : resolve (PHI_ARG_DEF_FROM_EDGE (phi, loop_latch_edge (loop_)), AT_END);
  if (gimple_bb (phi) != whole_->header)
    return fail (name);
  return side_ ? resolve (PHI_ARG_DEF_FROM_EDGE (phi, loop_latch_edge (whole_)), AT_END)
	       : name;
}

tree
search_step::resolve_assign (gassign *assign, moment when)
{
  tree name = gimple_assign_lhs (assign);
  const tree_code code = gimple_assign_rhs_code (assign);
  if (gimple_vuse (assign))
    return when == NEXT && still_load_p (assign) ? name : fail (name);
  if (TREE_CODE_CLASS (code) == tcc_comparison && when == AT_END)
    if (tree constant = chosen (code, gimple_assign_rhs1 (assign),
				gimple_assign_rhs2 (assign), TREE_TYPE (name)))
      return constant;
  if (code == COND_EXPR)
    return when == AT_END ? resolve_condition (assign) : fail (name);
  if (gimple_could_trap_p (assign))
    return fail (name);
  halves_ |= halves_p (assign);
  return copy (assign, when);
}

/* ASSIGN is one of two values.  */

tree
search_step::resolve_condition (gassign *assign)
{
  tree test = gimple_assign_rhs1 (assign);
  tree side = COMPARISON_CLASS_P (test)
		? chosen (TREE_CODE (test), TREE_OPERAND (test, 0), TREE_OPERAND (test, 1),
			  boolean_type_node)
		: resolve (test, AT_END);
  if (!side || TREE_CODE (side) != INTEGER_CST)
    return fail (gimple_assign_lhs (assign));
  return resolve (integer_zerop (side) ? gimple_assign_rhs3 (assign)
				       : gimple_assign_rhs2 (assign),
		  AT_END);
}

/* The value of ASSIGN with its operands replaced.  */

tree
search_step::copy (gassign *assign, moment when)
{
  tree name = gimple_assign_lhs (assign);
  auto_vec<tree, 3> operands;
  bool same = true;
  for (unsigned i = 1; i < gimple_num_ops (assign); i++)
    {
      tree operand = gimple_op (assign, i);
      operands.safe_push (TREE_CODE (operand) == ADDR_EXPR ? replace_in (operand, when)
							   : resolve (operand, when));
      same &= operand_equal_p (operands.last (), operand, 0);
    }
  if (!seq_ || (same && available_p (assign)))
    return name;
  gassign *more = as_a<gassign *> (gimple_copy (assign));
  for (unsigned i = 1; i < gimple_num_ops (more); i++)
    gimple_set_op (more, i, unshare_expr (operands[i - 1]));
  tree result = make_ssa_name (TREE_TYPE (name), more);
  gimple_assign_set_lhs (more, result);
  gimple_seq_add_seq (seq_, defined_everywhere (more));
  return result;
}

} // namespace memprof::plugin
