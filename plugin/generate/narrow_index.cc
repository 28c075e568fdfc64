/* narrow_index.cc - indices of narrow unsigned types, which may wrap around.
   SPDX-License-Identifier: GPL-3.0-or-later

     unsigned i;
     c1 = block[i];  i++;  c2 = block[i];

   The two addresses are a constant apart unless i + 1 is 0, and GCC's affine
   sums have (sizetype) i and (sizetype) (i + 1) as different elements.  Both
   indices are one variable plus a constant, modulo 2^32.  */

#include "plugin/gcc-common.h"
#include "plugin/generate/narrow_index.h"
#include "runtime/wire/record.h"

namespace memprof::plugin {

namespace {

/* The most terms of a sum.  */
const unsigned k_max_bits = 32;

/* The operation that computes VALUE, a name or an expression, and its operands.  */

tree_code
operation (tree value, tree *first, tree *second)
{
  *first = *second = NULL_TREE;
  if (TREE_CODE (value) == SSA_NAME)
    {
      gimple *def = SSA_NAME_DEF_STMT (value);
      if (!is_gimple_assign (def))
	return ERROR_MARK;
      *first = gimple_assign_rhs1 (def);
      *second = gimple_assign_rhs2 (def);
      return gimple_assign_rhs_code (def);
    }
  if (!BINARY_CLASS_P (value) && !UNARY_CLASS_P (value))
    return ERROR_MARK;
  *first = TREE_OPERAND (value, 0);
  if (BINARY_CLASS_P (value))
    *second = TREE_OPERAND (value, 1);
  return TREE_CODE (value);
}

/* Follows the variable of INDEX back as long as it is the sum of another and a
   constant.  */

void
split_constants (narrow_index *index)
{
  // A chain of `i++' without a loop must not make this quadratic.
  for (int steps = 0; steps < 64; steps++)
    {
      tree from, constant;
      tree_code code = operation (index->variable, &from, &constant);
      if (code == PLUS_EXPR && cst_and_fits_in_hwi (constant))
	index->addend += int_cst_value (constant);
      else if (!CONVERT_EXPR_CODE_P (code) || !INTEGRAL_TYPE_P (TREE_TYPE (from))
	       || TYPE_PRECISION (TREE_TYPE (from)) != index->bits)
	break;
      index->variable = from;
    }
  index->addend = sext_hwi (index->addend, index->bits);
}

} // anonymous namespace

tree
extended_value (tree value)
{
  for (int steps = 0; steps < 4; steps++)
    {
      tree inner;
      if (CONVERT_EXPR_P (value))
	inner = TREE_OPERAND (value, 0);
      else if (TREE_CODE (value) == SSA_NAME
	       && is_gimple_assign (SSA_NAME_DEF_STMT (value))
	       && CONVERT_EXPR_CODE_P (
		 gimple_assign_rhs_code (SSA_NAME_DEF_STMT (value))))
	inner = gimple_assign_rhs1 (SSA_NAME_DEF_STMT (value));
      else
	return NULL_TREE;
      tree type = TREE_TYPE (inner);
      if (!INTEGRAL_TYPE_P (type) || TREE_CODE (type) == BOOLEAN_TYPE)
	return NULL_TREE;
      if (TYPE_PRECISION (type) < POINTER_SIZE)
	return TYPE_UNSIGNED (type) ? inner : NULL_TREE;
      value = inner;
    }
  return NULL_TREE;
}

bool
take_narrow_index (aff_tree *sum, narrow_index *index)
{
  int found = -1;
  for (unsigned i = 0; i < sum->n; i++)
    if (tree value = extended_value (sum->elts[i].val))
      {
	if (found >= 0)
	  return false;
	found = i;
	index->value = value;
      }
  if (found < 0 || contains_abnormal_ssa_name_p (index->value))
    return false;
  widest_int scale = sum->elts[found].coef;
  index->bits = TYPE_PRECISION (TREE_TYPE (index->value));
  if (wi::les_p (scale, 0) || wi::gts_p (scale, MPRT_MAX_SCALE)
      || index->bits > k_max_bits)
    return false;
  index->scale = scale.to_shwi ();
  index->variable = index->value;
  index->addend = 0;
  split_constants (index);
  if (contains_abnormal_ssa_name_p (index->variable))
    return false;
  aff_combination_remove_elt (sum, found);
  return true;
}

} // namespace memprof::plugin
