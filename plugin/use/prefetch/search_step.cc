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

   Idea: before the element has come, both places are known that may be next.  Prefetching
   both costs a line that is not needed, and saves one wait in two:

	 half = n >> 1;
	 prefetch (&base[half + 1 + (n - half - 1 >> 1)]);   // if the comparison holds
	 prefetch (&base[half >> 1]);			     // if not
	 if (base[half] < key) ...

   How, for any such loop:

     1. The address depends on PHIs of the loop's header (base and n; also lo and hi).  In
	the next iteration each has the value that comes over the latch edge.
     2. That value is followed back to a choice: PHIs of one block where two paths meet, or
	conditional expressions, or arithmetic with the result of a comparison
	(base += half * (base[half] < key)).  The choice must depend on what is loaded.
     3. With the one or the other side put in, what remains is arithmetic on values that are
	known at the load.  It is copied, and the address computed from it.

   Two loops: where one side is likelier, GCC makes an inner loop of it, and an outer loop of the
   other side.  The two paths are then the latch of the inner loop, which leaves the values of the
   outer loop as they are, and the latch of the outer loop:

     for (;; base += half + 1, n -= half + 1)
       for (; n > 0; n = half)
	 if (half = n >> 1, base[half] < key) break;

   search_value is the same for the question whether all of this holds, and for the code: without
   a sequence, no statements are made.

   Some value of the address must be halved (or divided by more).  Otherwise, as in a merge
   of two lists, next places are as close to each other as ever, and the hardware sees them coming.

   Right for every input: nothing is loaded.  What is copied can neither trap nor overflow in
   a manner that GCC may reason from.  On a path that the search does not take, or after its last
   step, an address may lie anywhere; a prefetch does not fault.

   There is no test of how much is left: the last steps prefetch lines that are in the cache already,
   which costs less than a branch that is mispredicted once per search.

   Not done: more than one step ahead (four places); choices of more than two paths, and
   choices that follow each other.  */

#include "plugin/gcc-common.h"
#include "plugin/use/address/reference_parts.h"
#include "plugin/use/address/value_copy.h"
#include "plugin/use/address/value_graph.h"
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

/* Whether the address can be computed on both paths, and something is halved in it.  */

bool
search_step::walk ()
{
  failed_ = halves_ = false;
  join_ = nullptr;
  code_ = ERROR_MARK;
  for (bool side : { true, false })
    next_reference (side, nullptr);
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
  for (bool side : { true, false })
    {
      tree moved = next_reference (side, seq);
      *(side ? first : second) = append_operand (address_of (moved), seq);
    }
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
  for (tree operand : { lhs, rhs })
    if (TREE_CODE (operand) == SSA_NAME)
      names.safe_push (operand);
  auto loaded = [this] (gimple *def) {
    return def == stmt_				? on_the_way::found
	   : gimple_code (def) == GIMPLE_PHI	? on_the_way::stop
						: on_the_way::follow;
  };
  return computed_from_p (loop_, names, loaded, k_max_names);
}

/* Whether what is loaded decides where control goes after BB.  */

bool
search_step::decides_p (basic_block bb) const
{
  gcond *condition = branch_of (bb);
  return condition
	 && follows_load_p (gimple_cond_lhs (condition), gimple_cond_rhs (condition));
}

/* Divides the edges into BB, all of them, into two paths: on those of one, its PHIs have
   the same values.  */

bool
search_step::two_paths (basic_block bb)
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
  paths_[0] = paths_[1] = nullptr;
  FOR_EACH_EDGE (e, ei, bb->preds)
    {
      if (!paths_[0] || same_values (e, paths_[0]))
	paths_[0] = paths_[0] ? paths_[0] : e;
      else if (!paths_[1] || same_values (e, paths_[1]))
	paths_[1] = paths_[1] ? paths_[1] : e;
      else
	return false;
    }
  return paths_[1];
}

/* Whether BB is where the two paths meet that what is loaded chooses from.  */

bool
search_step::join_at (basic_block bb)
{
  if (join_ || code_ != ERROR_MARK)
    return join_ == bb;
  if (bb->loop_father != loop_ || !dominated_by_p (CDI_DOMINATORS, bb, gimple_bb (stmt_)))
    return false;
  if (!decides_p (get_immediate_dominator (CDI_DOMINATORS, bb)) || !two_paths (bb))
    return false;
  join_ = bb;
  return true;
}

/* What values become on one side of the choice: at the end of the present iteration, or in the
   next iteration.  */

class search_value : value_fold<tree>
{
  auto values () { return [this] (tree name) { return meaning (name); }; }

public:
  /* On SIDE, at the end; with AT_END, which are the values there, in the next iteration.  */
  search_value (search_step &of, bool side, gimple_seq *seq, search_value *at_end = nullptr)
    : value_fold (of.whole_, NULL_TREE, k_max_values), of_ (of), side_ (side), seq_ (seq), at_end_ (at_end)
  {}

  tree in (tree expression) { return with_names_replaced (expression, values ()); }

private:
  tree constant (tree value) final
  { return is_gimple_min_invariant (value) ? value : fail (value); }
  tree outside (tree name) final { return name; }
  tree opaque (tree name, opaque_reason) final { return fail (name); }
  tree pending (tree name) final { return name; }
  tree carried (gphi *phi) final;
  tree choice (gphi *phi) final;
  tree load (gassign *assign) final;
  tree operation (gassign *assign) final;
  bool outside_p (tree name) final
  { return !inside_p (name) || (!at_end_ && of_.available_p (SSA_NAME_DEF_STMT (name))); }
  tree found (tree name, tree value) final
  { return inside_p (name) && !plain_type_p (TREE_TYPE (name)) ? fail (name) : value; }

  tree fail (tree name);
  tree chosen (tree_code code, tree lhs, tree rhs, tree type);
  tree conditional (gassign *assign);
  tree copy (gassign *assign);

  search_step &of_;
  bool side_;
  gimple_seq *seq_;
  search_value *at_end_;
};

/* The reference in the next iteration on SIDE; what computes it is appended to *SEQ, if that is
   not null.  */

tree
search_step::next_reference (bool side, gimple_seq *seq)
{
  search_value at_end (*this, side, seq), next (*this, side, seq, &at_end);
  return next.in (ref_);
}

tree
search_value::fail (tree name)
{
  of_.failed_ = true;
  return name;
}

/* What the relation CODE of LHS and RHS is on the present side, as a constant of TYPE; null
   if it does not depend on what is loaded.  */

tree
search_value::chosen (tree_code code, tree lhs, tree rhs, tree type)
{
  if (!of_.follows_load_p (lhs, rhs))
    return NULL_TREE;
  if (of_.join_)
    return fail (NULL_TREE);
  if (of_.code_ == ERROR_MARK)
    {
      of_.code_ = code;
      of_.lhs_ = lhs;
      of_.rhs_ = rhs;
    }
  const bool same = operand_equal_p (lhs, of_.lhs_, 0) && operand_equal_p (rhs, of_.rhs_, 0);
  if (same && code == of_.code_)
    return constant_boolean_node (side_, type);
  if (same && code == invert_tree_comparison (of_.code_, HONOR_NANS (lhs)))
    return constant_boolean_node (!side_, type);
  return fail (NULL_TREE);
}

tree
search_value::carried (gphi *phi)
{
  class loop *loop = of_.loop_, *whole = of_.whole_;
  auto from_before = [phi] (class loop *l) {
    return PHI_ARG_DEF_FROM_EDGE (phi, loop_preheader_edge (l));
  };
  auto from_latch = [phi] (class loop *l) {
    return PHI_ARG_DEF_FROM_EDGE (phi, loop_latch_edge (l));
  };
  tree name = gimple_phi_result (phi);
  if (!at_end_)
    return fail (name);
  if (gimple_bb (phi) == loop->header)
    return whole != loop && side_ ? meaning (from_before (loop))
				  : at_end_->meaning (from_latch (loop));
  if (gimple_bb (phi) != whole->header)
    return fail (name);
  return side_ ? at_end_->meaning (from_latch (whole)) : name;
}

tree
search_value::choice (gphi *phi)
{
  if (!at_end_ && of_.whole_ != of_.loop_ && gimple_phi_num_args (phi) == 1)
    return meaning (PHI_ARG_DEF (phi, 0));
  return !at_end_ && of_.whole_ == of_.loop_ && of_.join_at (gimple_bb (phi))
	   ? meaning (PHI_ARG_DEF_FROM_EDGE (phi, of_.paths_[side_]))
	   : fail (gimple_phi_result (phi));
}

tree
search_value::load (gassign *assign)
{
  tree name = gimple_assign_lhs (assign);
  return at_end_ && of_.still_load_p (assign) ? name : fail (name);
}

tree
search_value::operation (gassign *assign)
{
  tree name = gimple_assign_lhs (assign);
  const tree_code code = gimple_assign_rhs_code (assign);
  if (TREE_CODE_CLASS (code) == tcc_comparison && !at_end_)
    if (tree constant = chosen (code, gimple_assign_rhs1 (assign),
				gimple_assign_rhs2 (assign), TREE_TYPE (name)))
      return constant;
  if (code == COND_EXPR)
    return at_end_ ? fail (name) : conditional (assign);
  if (gimple_could_trap_p (assign))
    return fail (name);
  of_.halves_ |= halves_p (assign);
  return copy (assign);
}

/* ASSIGN is one of two values.  */

tree
search_value::conditional (gassign *assign)
{
  tree test = gimple_assign_rhs1 (assign);
  tree side = COMPARISON_CLASS_P (test)
		? chosen (TREE_CODE (test), TREE_OPERAND (test, 0), TREE_OPERAND (test, 1),
			  boolean_type_node)
		: meaning (test);
  if (!side || TREE_CODE (side) != INTEGER_CST)
    return fail (gimple_assign_lhs (assign));
  return meaning (integer_zerop (side) ? gimple_assign_rhs3 (assign)
				       : gimple_assign_rhs2 (assign));
}

/* The value of ASSIGN with its operands replaced.  */

tree
search_value::copy (gassign *assign)
{
  bool same = true;
  auto value_of = [&] (tree operand) {
    tree value = meaning (operand);
    same &= value == operand;
    return value;
  };
  for (unsigned i = 1; i < gimple_num_ops (assign); i++)
    if (tree operand = gimple_op (assign, i); TREE_CODE (operand) == ADDR_EXPR)
      with_names_replaced (operand, value_of);
    else
      value_of (operand);
  if (!seq_ || (same && of_.available_p (assign)))
    return gimple_assign_lhs (assign);
  return append_copy (copy_of (assign, values ()), seq_);
}

} // namespace memprof::plugin
