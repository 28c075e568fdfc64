/* wrapping_index.cc - affine addresses whose index may wrap around.
   SPDX-License-Identifier: GPL-3.0-or-later

     unsigned start, k;
     for (k = 0; k < n; k++)
       sum += x[start + k];		x is an array of 8-byte elements

   is not affine for GCC: start + k may exceed 32 bits and begin at 0 again.
   But its address in iteration k is known,

     x + (8 * start + 8 * k) mod (8 << 32)

   so a range record can describe it: the words x and 8 * start, the step 8 and
   the modulus.  The reader, which knows how many iterations there are, sees at
   once that nothing wraps, or else executes the range one by one.

   An address qualifies if GCC's affine sum of it has one element that changes
   in the loop, and that is the zero-extension of an induction variable.  */

#include "plugin/gcc-common.h"
#include "plugin/sites/runtime_decls.h"
#include "plugin/generate/wrapping_index.h"
#include "runtime/wire/record.h"

namespace memprof::plugin {

namespace {

/* The narrow unsigned value that VALUE, of 64 bits, extends, or null.  */

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

/* The element of SUM that is not invariant in LOOP, or -1 if there are none or
   several.  */

int
changing_element (const aff_tree &sum, class loop *loop)
{
  int result = -1;
  for (unsigned i = 0; i < sum.n; i++)
    {
      tree value = sum.elts[i].val;
      if (contains_abnormal_ssa_name_p (value))
	return -1;
      if (expr_invariant_in_loop_p (loop, value))
	continue;
      if (result >= 0)
	return -1;
      result = i;
    }
  return result;
}

/* Splits SUM, all of which is invariant, into the base and the offset of
   ENTRY.  */

void
set_base (aff_tree *sum, range_entry *entry)
{
  entry->constant = sum->offset.to_constant ().to_shwi ();
  sum->offset = 0;
  for (unsigned i = 0; i < sum->n; i++)
    {
      tree value = sum->elts[i].val;
      STRIP_NOPS (value);
      if (sum->elts[i].coef != 1 || !POINTER_TYPE_P (TREE_TYPE (value)))
	continue;
      entry->base = unshare_expr (value);
      aff_combination_remove_elt (sum, i);
      entry->offset = sum->n ? aff_combination_to_tree (sum) : NULL_TREE;
      return;
    }
  entry->base = aff_combination_to_tree (sum);
  entry->offset = NULL_TREE;
}

} // anonymous namespace

bool
find_wrapping_index (tree ref, gimple *stmt, class loop *loop,
		     name_expansions &expansions, range_entry *entry)
{
  poly_int64 size, position;
  tree offset;
  machine_mode mode;
  int no_sign, reversed, is_volatile;
  tree base = get_inner_reference (ref, &size, &position, &offset, &mode,
				   &no_sign, &reversed, &is_volatile);
  HOST_WIDE_INT bits;
  if (!position.is_constant (&bits) || bits % BITS_PER_UNIT)
    return false;
  widest_int constant = bits / BITS_PER_UNIT;
  if (TREE_CODE (base) == MEM_REF)
    {
      constant += mem_ref_offset (base).force_shwi ().to_constant ();
      base = TREE_OPERAND (base, 0);
    }
  else if (DECL_P (base))
    base = build_fold_addr_expr (base);
  else
    return false;

  aff_tree sum;
  expansions.sum (base, offset, &sum);
  int changing = sum.rest ? -1 : changing_element (sum, loop);
  if (changing < 0)
    return false;
  tree index = extended_value (sum.elts[changing].val);
  affine_iv iv;
  if (!index
      || !simple_iv (loop, gimple_bb (stmt)->loop_father, index, &iv, true)
      || contains_abnormal_ssa_name_p (iv.base)
      || contains_abnormal_ssa_name_p (iv.step)
      || !expr_invariant_in_loop_p (loop, iv.base)
      || !expr_invariant_in_loop_p (loop, iv.step))
    return false;
  tree type = TREE_TYPE (index);
  widest_int scale = sum.elts[changing].coef;
  widest_int modulus = wi::lshift (scale, TYPE_PRECISION (type));
  constant += sum.offset.to_constant ();
  if (wi::les_p (scale, 0) || wi::gts_p (modulus, MPRT_MAX_MODULUS)
      || !wi::fits_shwi_p (constant))
    return false;
  tree word = runtime ().word;
  entry->index
    = fold_build2 (MULT_EXPR, word,
		   fold_convert (word,
				 fold_convert (type, unshare_expr (iv.base))),
		   word_constant (scale.to_shwi ()));
  entry->modulus = modulus.to_shwi ();
  // Downwards is as good as far upwards.
  tree step = fold_convert (signed_type_for (type), unshare_expr (iv.step));
  entry->step = fold_build2 (MULT_EXPR, ssizetype, fold_convert (ssizetype, step),
			     build_int_cst (ssizetype, scale.to_shwi ()));
  aff_combination_remove_elt (&sum, changing);
  sum.offset = constant;
  set_base (&sum, entry);
  return true;
}

} // namespace memprof::plugin
