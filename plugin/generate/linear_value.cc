/* linear_value.cc - values that are linear in the iterations of a loop.
   SPDX-License-Identifier: GPL-3.0-or-later

   For (i * n + 1) * 8, with i an int that goes up from 0 and n another,

     first 8, step 8 * (long) n

   GCC's scalar evolution gives up there: it must not assume that i * n + 1 is still
   what it would be if 0 * n and n were added up in int.  Here it may be assumed, as
   it is only asked for what the program computes: signed sums, differences and
   products that do not fit are undefined, so extended to 64 bits they are exact,
   and arithmetic modulo 2^64 is exact anyway.  Unsigned types that are narrower
   wrap around; of these only invariants count, and what GCC knows not to wrap.  */

#include "plugin/gcc-common.h"
#include "plugin/generate/linear_value.h"

namespace memprof::plugin {

namespace {

/* Names and operators to look at.  */
const unsigned k_most_steps = 64;

class linear_finder
{
public:
  explicit linear_finder (class loop *loop) : loop_ (loop) {}

  bool find (tree value, linear_value *result);

private:
  bool find_name (tree name, linear_value *result);
  bool find_sum (tree_code code, tree x, tree y, linear_value *result);
  bool find_operation (tree_code code, tree type, tree x, tree y,
		       linear_value *result);
  bool same_p (tree value) const { return same_in_loop_p (loop_, value); }

  class loop *loop_;
  unsigned steps_ = 0;
};

tree
extended (tree value)
{
  return fold_convert (sizetype, unshare_expr (value));
}

/* Whether arithmetic in TYPE is that of 64 bits, as far as it is defined.  */

bool
exact_p (tree type)
{
  return INTEGRAL_TYPE_P (type)
	 && (TYPE_PRECISION (type) == TYPE_PRECISION (sizetype)
	     || (TYPE_PRECISION (type) < TYPE_PRECISION (sizetype)
		 && TYPE_OVERFLOW_UNDEFINED (type)));
}

/* What GCC knows of NAME, which is defined in the loop.  */

bool
linear_finder::find_name (tree name, linear_value *result)
{
  tree chrec
    = instantiate_parameters (loop_, analyze_scalar_evolution (loop_, name));
  if (!exact_p (TREE_TYPE (name)))
    chrec = chrec_convert (sizetype, chrec, nullptr);
  if (!linear_chrec_p (loop_, chrec, &result->first, &result->step))
    return false;
  *result = { extended (result->first), extended (result->step) };
  return true;
}

/* X + Y, or X - Y.  */

bool
linear_finder::find_sum (tree_code code, tree x, tree y, linear_value *result)
{
  linear_value a, b;
  if (!find (x, &a) || !find (y, &b))
    return false;
  result->first = fold_build2 (code, sizetype, a.first, b.first);
  result->step = !b.step
		   ? a.step
		   : fold_build2 (code, sizetype,
				  a.step ? a.step : size_zero_node, b.step);
  return true;
}

bool
linear_finder::find_operation (tree_code code, tree type, tree x, tree y,
			       linear_value *result)
{
  linear_value b;
  switch (code)
    {
    CASE_CONVERT:
      // To a narrower type, or one without a sign, it may become another value.
      return INTEGRAL_TYPE_P (TREE_TYPE (x))
	     && TYPE_PRECISION (type) >= TYPE_PRECISION (TREE_TYPE (x))
	     && (TYPE_PRECISION (type) == TYPE_PRECISION (sizetype)
		 || (exact_p (type) && exact_p (TREE_TYPE (x))))
	     && find (x, result);
    case PLUS_EXPR:
    case MINUS_EXPR:
      return exact_p (type) && find_sum (code, x, y, result);
    case MULT_EXPR:
      if (same_p (x))
	std::swap (x, y);
      if (!exact_p (type) || !same_p (y) || !find (x, result) || !find (y, &b))
	return false;
      result->first = fold_build2 (MULT_EXPR, sizetype, result->first, b.first);
      if (result->step)
	result->step
	  = fold_build2 (MULT_EXPR, sizetype, result->step, b.first);
      return true;
    default:
      return false;
    }
}

bool
linear_finder::find (tree value, linear_value *result)
{
  if (++steps_ > k_most_steps)
    return false;
  if (same_p (value))
    {
      *result = { extended (value), NULL_TREE };
      return true;
    }
  if (TREE_CODE (value) != SSA_NAME)
    return (UNARY_CLASS_P (value) || BINARY_CLASS_P (value))
	   && find_operation (TREE_CODE (value), TREE_TYPE (value),
			      TREE_OPERAND (value, 0),
			      BINARY_CLASS_P (value) ? TREE_OPERAND (value, 1)
						     : NULL_TREE,
			      result);
  if (SSA_NAME_OCCURS_IN_ABNORMAL_PHI (value))
    return false;
  if (find_name (value, result))
    return true;
  gassign *def = dyn_cast<gassign *> (SSA_NAME_DEF_STMT (value));
  return def && gimple_num_ops (def) <= 3
	 && find_operation (gimple_assign_rhs_code (def), TREE_TYPE (value),
			    gimple_assign_rhs1 (def), gimple_assign_rhs2 (def),
			    result);
}

} // anonymous namespace

bool
same_in_loop_p (class loop *loop, tree value)
{
  return expr_invariant_in_loop_p (loop, value)
	 && !contains_abnormal_ssa_name_p (value);
}

bool
linear_chrec_p (class loop *loop, tree chrec, tree *first, tree *step)
{
  if (TREE_CODE (chrec) != POLYNOMIAL_CHREC
      || CHREC_VARIABLE (chrec) != static_cast<unsigned> (loop->num))
    return false;
  *first = CHREC_LEFT (chrec);
  *step = CHREC_RIGHT (chrec);
  return same_in_loop_p (loop, *first) && same_in_loop_p (loop, *step);
}

bool
linear_value_p (class loop *loop, tree value, linear_value *result)
{
  return INTEGRAL_TYPE_P (TREE_TYPE (value))
	 && TYPE_PRECISION (TREE_TYPE (value)) <= TYPE_PRECISION (sizetype)
	 && linear_finder (loop).find (value, result);
}

} // namespace memprof::plugin
