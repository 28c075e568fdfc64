/* byte_range.cc - the bytes that an access in a loop ranges over.
   SPDX-License-Identifier: GPL-3.0-or-later

   The address of an affine access is, in iteration k, start + k * step.  With
   `count' executions of the latch, k goes from 0 to count, so that

     low    = start + min (0, step * count)
     length = |step| * count + size

   in each loop of a nest, one upon the other.  An access that is not affine may
   still have bounds: a[x] is within a if a is an array of known size, p[c & 63]
   within p[0] .. p[63].  An access under a condition, or after an early exit,
   is counted as if it were always performed: its range is too large, never too
   small.

   Wrapping.  Addresses and lengths are computed modulo 2^64, where every
   operation is exact as long as no length reaches 2^64.  So

   - step * count must not overflow: a constant step bounds count, by one
     comparison, or by none if count is of a narrow type; a variable one is
     compared with 2^31 and count as well;
   - two ranges are compared as arcs of a circle: they have no byte in common
     exactly if neither starts within the other,

       low_b - low_a >= length_a  and  low_a - low_b >= length_b

     which is right for ranges that wrap round the end of the address space, and
     for no length of 0, which does not occur.

   Counts come from GCC's analysis of an exit that is tested in every iteration.
   The loop may leave earlier by another one.  The analysis may say "if n is a
   multiple of 4" or "no iteration if n <= 0": that becomes a condition of the
   check; in its absence the count is unknown, and the loop runs as it was.  */

#include "plugin/gcc-common.h"
#include "plugin/use/address/byte_range.h"
#include "plugin/options.h"

namespace memprof::plugin {

namespace {

/* Lengths of one level; three levels of it stay below 2^63.  */
const unsigned k_length_bits = 60;
/* Of both factors, where the step is not constant.  */
const unsigned k_factor_bits = 30;
/* Ranges that are so near each other that nothing between matters.  */
const HOST_WIDE_INT k_near = 64;

/* For walk_tree: what would take branches to compute.  */

tree
find_branch (tree *tp, int *, void *)
{
  switch (TREE_CODE (*tp))
    {
    case COND_EXPR:
    case TRUTH_ANDIF_EXPR:
    case TRUTH_ORIF_EXPR:
      return *tp;
    default:
      return NULL_TREE;
    }
}

/* Whether EXPRESSION can be computed, by operations alone, before LOOP.  */

bool
fixed_in_p (tree expression, class loop *loop)
{
  return expression && !tree_contains_chrecs (expression, NULL)
	 && expr_invariant_in_loop_p (loop, expression)
	 && !walk_tree_without_duplicates (&expression, find_branch, NULL);
}

/* EXPRESSION as a number of bytes, which wraps.  What is signed and narrower does
   not, in what the program performs; so the wide sum of its parts is meant.  */

tree
in_bytes (tree expression)
{
  tree type = TREE_TYPE (expression);
  tree_code code = TREE_CODE (expression);
  if (CONVERT_EXPR_CODE_P (code) && INTEGRAL_TYPE_P (type)
      && TYPE_PRECISION (type) == TYPE_PRECISION (sizetype))
    return in_bytes (TREE_OPERAND (expression, 0));
  if ((code == PLUS_EXPR || code == MINUS_EXPR || code == MULT_EXPR)
      && INTEGRAL_TYPE_P (type) && TYPE_OVERFLOW_UNDEFINED (type)
      && TYPE_PRECISION (type) < TYPE_PRECISION (sizetype))
    return fold_build2 (code, sizetype, in_bytes (TREE_OPERAND (expression, 0)),
			in_bytes (TREE_OPERAND (expression, 1)));
  return fold_convert (sizetype, unshare_expr (expression));
}

} // anonymous namespace

bool
loop_counts::find_one (class loop *inner, class loop *outermost)
{
  auto_vec<edge> exits = get_loop_exit_edges (inner);
  for (edge e : exits)
    {
      class tree_niter_desc desc;
      if (!dominated_by_p (CDI_DOMINATORS, inner->latch, e->src)
	  || (e->flags & EDGE_COMPLEX)
	  || !number_of_iterations_exit_assumptions (inner, e, &desc, NULL)
	  || !fixed_in_p (desc.niter, outermost)
	  || !INTEGRAL_TYPE_P (TREE_TYPE (desc.niter))
	  || TYPE_PRECISION (TREE_TYPE (desc.niter)) > TYPE_PRECISION (sizetype)
	  || !fixed_in_p (desc.assumptions, outermost)
	  || !fixed_in_p (desc.may_be_zero, outermost)
	  || integer_zerop (desc.assumptions)
	  || integer_nonzerop (desc.may_be_zero))
	continue;
      entries_.safe_push ({ inner, unshare_expr (desc.niter) });
      if (seeded (fault::count_conditions))
	return true;
      if (!integer_onep (desc.assumptions))
	conditions_.safe_push (unshare_expr (desc.assumptions));
      // Then there is one iteration, and no use in more than the plain loop.
      if (!integer_zerop (desc.may_be_zero))
	conditions_.safe_push (
	  fold_build1 (TRUTH_NOT_EXPR, boolean_type_node,
		       fold_convert (boolean_type_node,
				     unshare_expr (desc.may_be_zero))));
      return true;
    }
  return false;
}

bool
loop_counts::find (class loop *loop)
{
  for (class loop *inner = loop->inner; inner; inner = inner->inner)
    if (inner->next || !find_one (inner, loop))
      return false;
  return find_one (loop, loop);
}

tree
loop_counts::count (class loop *inner) const
{
  for (const entry &e : entries_)
    if (e.loop == inner)
      return e.count;
  return NULL_TREE;
}

/* Sets start_, first_ and last_ to what REF cannot leave, if its address has a
   base that is fixed in LOOP.  */

bool
byte_range::find_bounded (tree ref, class loop *loop)
{
  poly_int64 offset, size, max_size;
  bool reverse;
  tree base = get_ref_base_and_extent (ref, &offset, &size, &max_size, &reverse);
  HOST_WIDE_INT first, bits;
  if (!base || !offset.is_constant (&first) || !max_size.is_constant (&bits)
      || bits <= 0 || first % BITS_PER_UNIT || bits % BITS_PER_UNIT)
    return false;
  levels_ = 0;
  bounded_ = true;
  first_ = first / BITS_PER_UNIT;
  last_ = first_ + bits / BITS_PER_UNIT;
  if (DECL_P (base))
    {
      start_ = in_bytes (build_fold_addr_expr (base));
      return true;
    }
  if (TREE_CODE (base) != MEM_REF)
    return false;
  tree pointer = TREE_OPERAND (base, 0);
  poly_int64 displacement;
  HOST_WIDE_INT more;
  if (!mem_ref_offset (base).to_shwi (&displacement)
      || !displacement.is_constant (&more) || absu_hwi (more) > INT_MAX)
    return false;
  first_ += more;
  last_ += more;
  if (fixed_in_p (pointer, loop))
    {
      start_ = in_bytes (pointer);
      return true;
    }
  // A fixed pointer and an offset with few bits that can be set.
  gassign *sum = TREE_CODE (pointer) == SSA_NAME
		   ? dyn_cast<gassign *> (SSA_NAME_DEF_STMT (pointer))
		   : nullptr;
  if (!sum || gimple_assign_rhs_code (sum) != POINTER_PLUS_EXPR
      || !fixed_in_p (gimple_assign_rhs1 (sum), loop)
      || TREE_CODE (gimple_assign_rhs2 (sum)) != SSA_NAME)
    return false;
  wide_int most = get_nonzero_bits (gimple_assign_rhs2 (sum));
  if (!wi::fits_uhwi_p (most) || wi::gtu_p (most, INT_MAX))
    return false;
  if (!seeded (fault::no_bounds))
    last_ += most.to_uhwi ();
  start_ = in_bytes (gimple_assign_rhs1 (sum));
  return true;
}

bool
byte_range::find_fixed (tree ref, class loop *loop)
{
  tree size = TYPE_SIZE_UNIT (TREE_TYPE (ref));
  if (!size || !tree_fits_shwi_p (size) || integer_zerop (size))
    return false;
  if (!find_bounded (ref, loop) || last_ - first_ != tree_to_shwi (size))
    {
      levels_ = 0;
      first_ = 0;
      last_ = tree_to_shwi (size);
      start_ = in_bytes (build_fold_addr_expr (unshare_expr (ref)));
    }
  bounded_ = false;
  return true;
}

/* Splits EXPRESSION into what it is in the first iteration of LOOP, *FIRST, and
   what it advances by, *STEP: both as numbers of bytes.  A narrower number must
   not wrap: a signed one does not in what the program performs.  */

static bool
split_step (tree expression, class loop *loop, tree *first, tree *step)
{
  tree type = TREE_TYPE (expression);
  *step = ssize_int (0);
  *first = in_bytes (expression);
  if (fixed_in_p (expression, loop))
    return true;
  if (!POINTER_TYPE_P (type)
      && !(INTEGRAL_TYPE_P (type)
	   && (TYPE_PRECISION (type) == TYPE_PRECISION (sizetype)
	       || (TYPE_PRECISION (type) < TYPE_PRECISION (sizetype)
		   && TYPE_OVERFLOW_UNDEFINED (type)))))
    return false;
  tree firsts[2], steps[2];
  switch (TREE_CODE (expression))
    {
    case SSA_NAME:
      {
	affine_iv iv;
	if (!simple_iv (loop, loop, expression, &iv, true)
	    || !fixed_in_p (iv.base, loop) || !fixed_in_p (iv.step, loop))
	  return false;
	*first = in_bytes (iv.base);
	*step = fold_convert (ssizetype, in_bytes (iv.step));
	return true;
      }
    CASE_CONVERT:
      return split_step (TREE_OPERAND (expression, 0), loop, first, step);
    case PLUS_EXPR:
    case POINTER_PLUS_EXPR:
    case MINUS_EXPR:
      {
	for (unsigned i : { 0, 1 })
	  if (!split_step (TREE_OPERAND (expression, i), loop, &firsts[i],
			   &steps[i]))
	    return false;
	tree_code code
	  = TREE_CODE (expression) == MINUS_EXPR ? MINUS_EXPR : PLUS_EXPR;
	*first = fold_build2 (code, sizetype, firsts[0], firsts[1]);
	*step = fold_build2 (code, ssizetype, steps[0], steps[1]);
	return true;
      }
    case MULT_EXPR:
      {
	tree factor = TREE_OPERAND (expression, 1);
	if (TREE_CODE (factor) != INTEGER_CST
	    || !split_step (TREE_OPERAND (expression, 0), loop, &firsts[0],
			    &steps[0]))
	  return false;
	*first = fold_build2 (MULT_EXPR, sizetype, firsts[0], in_bytes (factor));
	*step = fold_build2 (MULT_EXPR, ssizetype, steps[0],
			     fold_convert (ssizetype, factor));
	return true;
      }
    default:
      return false;
    }
}

bool
byte_range::find (gimple *stmt, tree ref, class loop *loop,
		  const loop_counts &counts)
{
  class loop *inner = gimple_bb (stmt)->loop_father;
  tree size = TYPE_SIZE_UNIT (TREE_TYPE (ref));
  if (!size || !tree_fits_shwi_p (size) || !IN_RANGE (tree_to_shwi (size), 1, INT_MAX))
    return false;
  innermost_loop_behavior b;
  memset ((void *) &b, 0, sizeof b);
  if (!dr_analyze_innermost (&b, ref, inner, stmt)
      || !tree_fits_shwi_p (b.init)
      || absu_hwi (tree_to_shwi (b.init)) > INT_MAX)
    return find_bounded (ref, loop);
  levels_ = 0;
  bounded_ = false;
  first_ = tree_to_shwi (b.init);
  last_ = first_ + tree_to_shwi (size);
  tree parts[] = { unshare_expr (b.base_address), unshare_expr (b.offset) };
  tree step = fold_convert (ssizetype, b.step);
  for (;; inner = loop_outer (inner))
    {
      if (!integer_zerop (step))
	{
	  tree count = counts.count (inner);
	  if (!count || levels_ == k_max_levels || !fixed_in_p (step, loop))
	    return find_bounded (ref, loop);
	  level_[levels_++] = { inner, unshare_expr (step), count };
	}
      if (inner == loop)
	break;
      // From the point of view of the next loop the start moves.
      tree first[2], more[2];
      for (unsigned i : { 0, 1 })
	{
	  if (!split_step (parts[i], loop_outer (inner), &first[i], &more[i]))
	    return find_bounded (ref, loop);
	  parts[i] = first[i];
	}
      step = fold_build2 (PLUS_EXPR, ssizetype, more[0], more[1]);
    }
  if (!fixed_in_p (parts[0], loop) || !fixed_in_p (parts[1], loop))
    return find_bounded (ref, loop);
  tree start = fold_build2 (PLUS_EXPR, sizetype, in_bytes (parts[0]),
			    in_bytes (parts[1]));
  start_ = start;
  return true;
}

bool
byte_range::starts_like_p (const byte_range &other) const
{
  return operand_equal_p (start_, other.start_, 0);
}

bool
byte_range::moves_like_p (const byte_range &other) const
{
  if (levels_ != other.levels_ || bounded_ != other.bounded_)
    return false;
  for (unsigned i = 0; i < levels_; i++)
    if (!operand_equal_p (level_[i].step, other.level_[i].step, 0)
	|| level_[i].count != other.level_[i].count)
      return false;
  return true;
}

bool
byte_range::same_p (const byte_range &other) const
{
  return first_ == other.first_ && last_ == other.last_
	 && starts_like_p (other) && moves_like_p (other);
}

bool
byte_range::merge (const byte_range &other)
{
  if (!starts_like_p (other) || !moves_like_p (other))
    return false;
  if (other.first_ > last_ + (levels_ ? k_near : 0)
      || first_ > other.last_ + (levels_ ? k_near : 0))
    return false;
  first_ = MIN (first_, other.first_);
  last_ = MAX (last_, other.last_);
  return true;
}

bool
byte_range::still_p (class loop *loop) const
{
  for (unsigned i = 0; i < levels_; i++)
    if (level_[i].loop == loop)
      return false;
  return !bounded_;
}

HOST_WIDE_INT
byte_range::step (class loop *loop) const
{
  for (unsigned i = 0; i < levels_; i++)
    if (level_[i].loop == loop && tree_fits_shwi_p (level_[i].step))
      return tree_to_shwi (level_[i].step);
  return 0;
}

void
byte_range::emit (gimple_seq *seq, vec<tree> *conditions, tree *low,
		  tree *length) const
{
  tree least = fold_build2 (PLUS_EXPR, sizetype, unshare_expr (start_),
			    size_int (first_));
  tree bytes = size_int (last_ - first_
			 - seeded (fault::short_range));
  for (unsigned i = 0; i < levels_; i++)
    {
      tree type = TREE_TYPE (level_[i].count);
      tree count = emit_expression (level_[i].count, seq);
      tree wide = fold_convert (sizetype, count);
      bool constant = tree_fits_shwi_p (level_[i].step);
      HOST_WIDE_INT by = constant ? tree_to_shwi (level_[i].step) : 0;
      unsigned bits = constant
			? k_length_bits - ceil_log2 (absu_hwi (by))
			: k_factor_bits;
      tree limit = build_int_cst (sizetype, HOST_WIDE_INT_1U << bits);
      if (TYPE_PRECISION (type) > bits
	  && !seeded (fault::length_overflow))
	conditions->safe_push (
	  emit_expression (fold_build2 (LE_EXPR, boolean_type_node, wide, limit),
			   seq));
      if (constant)
	{
	  tree span = fold_build2 (MULT_EXPR, sizetype, wide,
				   size_int (absu_hwi (by)));
	  span = emit_expression (span, seq);
	  bytes = fold_build2 (PLUS_EXPR, sizetype, bytes, span);
	  if (by < 0 && !seeded (fault::upwards))
	    least = fold_build2 (MINUS_EXPR, sizetype, least, span);
	  continue;
	}
      tree step = emit_expression (in_bytes (level_[i].step), seq);
      // -limit <= step <= limit.
      tree shifted = fold_build2 (PLUS_EXPR, sizetype, step, limit);
      conditions->safe_push (emit_expression (
	fold_build2 (LE_EXPR, boolean_type_node, shifted,
		     build_int_cst (sizetype, HOST_WIDE_INT_1U << (bits + 1))),
	seq));
      tree span = emit_expression (fold_build2 (MULT_EXPR, sizetype, step, wide),
				   seq);
      tree signed_span = fold_convert (ssizetype, span);
      tree back = emit_expression (fold_build2 (MIN_EXPR, ssizetype, signed_span,
						ssize_int (0)),
				   seq);
      back = fold_convert (sizetype, back);
      tree ahead = emit_expression (fold_build2 (MAX_EXPR, ssizetype, signed_span,
						 ssize_int (0)),
				    seq);
      ahead = fold_convert (sizetype, ahead);
      least = fold_build2 (PLUS_EXPR, sizetype, least, back);
      bytes = fold_build2 (PLUS_EXPR, sizetype, bytes,
			   fold_build2 (MINUS_EXPR, sizetype, ahead, back));
    }
  *low = emit_expression (least, seq);
  *length = emit_expression (bytes, seq);
}

tree
emit_expression (tree expression, gimple_seq *seq)
{
  gimple_seq more = NULL;
  tree result = force_gimple_operand (unshare_expr (expression), &more, true,
				      NULL_TREE);
  // Computed where the program may not come to compute it: an overflow there
  // must not let GCC conclude anything.
  while (!gimple_seq_empty_p (more))
    {
      gimple_stmt_iterator first = gsi_start (more);
      gimple *stmt = gsi_stmt (first);
      gsi_remove (&first, false);
      gimple_seq_add_seq (seq, defined_everywhere (stmt));
    }
  return result;
}

tree
emit_and (tree a, tree b, gimple_seq *seq)
{
  if (!a || !b)
    return a ? a : b;
  return emit_expression (fold_build2 (BIT_AND_EXPR, boolean_type_node,
				       fold_convert (boolean_type_node, a),
				       fold_convert (boolean_type_node, b)),
			  seq);
}

tree
emit_disjoint (tree low_a, tree length_a, tree low_b, tree length_b,
	       gimple_seq *seq)
{
  tree after = fold_build2 (MINUS_EXPR, sizetype, low_b, low_a);
  tree before = fold_build2 (MINUS_EXPR, sizetype, low_a, low_b);
  tree one = emit_expression (fold_build2 (GE_EXPR, boolean_type_node, after,
					   length_a),
			      seq);
  tree other = emit_expression (fold_build2 (GE_EXPR, boolean_type_node, before,
					     length_b),
				seq);
  if (seeded (fault::one_sided))
    return one;
  return emit_and (one, other, seq);
}

} // namespace memprof::plugin
