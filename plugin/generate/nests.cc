/* nests.cc - affine loops in loops that do nothing else.
   SPDX-License-Identifier: GPL-3.0-or-later

   Before:                            After:

     for (i = 0; i < n; i++)            record { NEST, count n, a moves by 800
       for (j = 0; j < m; j++)                   { RANGE, count m, start a } }
	 a[i][j] = 0;                     loops as they were

   The inner loop has a range record already (affine_ranges.cc), with a count that
   is known before it.  The loop around it qualifies when

   1. the inner loop is the only one in it, and each of its iterations executes it
      once, the last one, too; or all of them do if an invariant condition holds
      (m > 0), and otherwise none;
   2. it has no access of its own that writes records, and nothing in it can emit a
      record or leave in a way that is not its one exit;
   3. how often it iterates is known before it;
   4. what the inner loop's record needs is invariant in it, but for the starts of
      the accesses, each of which moves by an invariant step.  With an index that
      may wrap around it does not.

   Then the same is tried with the next loop around.  The starts become those of
   the first iteration.  */

#include "plugin/gcc-common.h"
#include "plugin/generate/loop_shape.h"
#include "plugin/generate/linear_value.h"
#include "plugin/generate/nests.h"
#include "runtime/wire/record.h"

namespace memprof::plugin {

namespace {

class nest_finder
{
public:
  nest_finder (function *fun, const auto_vec<access_site> &sites)
  {
    has_sites_.safe_grow_cleared (number_of_loops (fun), true);
    for (const access_site &site : sites)
      has_sites_[gimple_bb (site.stmt)->loop_father->num] = true;
  }

  bool add_level (range_record &range) const;

private:
  bool executes_once_p (class loop *outer, class loop *inner,
			tree *inner_if) const;

  /* By loop number.  */
  auto_vec<bool> has_sites_;
};

/* The condition on which E, which leaves a block of LOOP with several successors, is
   taken, if that is the same in all iterations, or null.  */

tree
invariant_condition (class loop *loop, edge e)
{
  gcond *cond = safe_dyn_cast<gcond *> (last_statement (e->src));
  if (!cond || e->src->loop_father != loop)
    return NULL_TREE;
  tree lhs = gimple_cond_lhs (cond), rhs = gimple_cond_rhs (cond);
  tree type = TREE_TYPE (lhs);
  if (!(INTEGRAL_TYPE_P (type) || POINTER_TYPE_P (type))
      || !same_in_loop_p (loop, lhs) || !same_in_loop_p (loop, rhs))
    return NULL_TREE;
  tree_code code = gimple_cond_code (cond);
  if (e->flags & EDGE_FALSE_VALUE)
    code = invert_tree_comparison (code, false);
  return fold_build2 (code, boolean_type_node, lhs, rhs);
}

/* Whether each iteration of OUTER executes INNER, which is all that is in it, once,
   if *INNER_IF is null or holds.  */

bool
nest_finder::executes_once_p (class loop *outer, class loop *inner,
			      tree *inner_if) const
{
  *inner_if = NULL_TREE;
  edge exit = single_exit (outer);
  if (!exit || exit->flags & EDGE_COMPLEX || !outer->latch
      || outer->inner != inner || inner->next || has_sites_[outer->num]
      || exit->src->loop_father != outer || !closed_loop_p (outer))
    return false;
  auto always_p = [&] (basic_block bb) {
    return dominated_by_p (CDI_DOMINATORS, exit->src, bb)
	   && dominated_by_p (CDI_DOMINATORS, outer->latch, bb);
  };
  // Backwards to what is executed in any case.
  edge e = loop_preheader_edge (inner);
  while (!always_p (e->dest))
    {
      if (!single_succ_p (e->src)
	  && (*inner_if || !(*inner_if = invariant_condition (outer, e))))
	return false;
      if (always_p (e->src))
	return true;
      if (!single_pred_p (e->src))
	return false;
      e = single_pred_edge (e->src);
    }
  return true;
}

/* Takes from BASE, a pointer, what is added to it in LOOP and adds that to *OFFSET, which
   may be null.  */

tree
split_base (class loop *loop, tree base, tree *offset)
{
  while (!expr_invariant_in_loop_p (loop, base))
    {
      STRIP_NOPS (base);
      tree pointer = NULL_TREE, more = NULL_TREE;
      if (TREE_CODE (base) == POINTER_PLUS_EXPR)
	{
	  pointer = TREE_OPERAND (base, 0);
	  more = TREE_OPERAND (base, 1);
	}
      else if (TREE_CODE (base) == SSA_NAME)
	if (gassign *def = dyn_cast<gassign *> (SSA_NAME_DEF_STMT (base)))
	  if (gimple_assign_rhs_code (def) == POINTER_PLUS_EXPR)
	    {
	      pointer = gimple_assign_rhs1 (def);
	      more = gimple_assign_rhs2 (def);
	    }
      if (!pointer)
	break;
      base = pointer;
      more = fold_convert (sizetype, unshare_expr (more));
      *offset = *offset ? fold_build2 (PLUS_EXPR, sizetype,
				       fold_convert (sizetype, *offset), more)
			: more;
    }
  return base;
}

/* Whether BASE, a pointer, moves by *STEP bytes in each iteration of LOOP, or, if that
   is null, stays where it is.  It becomes what it is in the first one.  */

bool
find_base_step (class loop *loop, tree *base, tree *step)
{
  *step = NULL_TREE;
  if (same_in_loop_p (loop, *base))
    return true;
  tree chrec
    = instantiate_parameters (loop, analyze_scalar_evolution (loop, *base));
  if (!linear_chrec_p (loop, chrec, base, step))
    return false;
  *step = fold_convert (sizetype, *step);
  return true;
}

/* Makes ENTRY, which LEVEL loops around the affine one describe, that of the first
   iteration of OUTER.  */

bool
move_entry (range_entry &entry, class loop *outer, unsigned level)
{
  if (entry.index || !expr_invariant_in_loop_p (outer, entry.step))
    return false;
  for (unsigned i = 0; i < level; i++)
    if (entry.outer_steps[i]
	&& !expr_invariant_in_loop_p (outer, entry.outer_steps[i]))
      return false;
  tree step;
  linear_value offset = {};
  entry.base = split_base (outer, entry.base, &entry.offset);
  if (!find_base_step (outer, &entry.base, &step)
      || (entry.offset && !linear_value_p (outer, entry.offset, &offset)))
    return false;
  entry.base = unshare_expr (entry.base);
  entry.offset = offset.first;
  if (entry.offset && tree_fits_shwi_p (entry.offset))
    {
      entry.constant += tree_to_shwi (entry.offset);
      entry.offset = NULL_TREE;
    }
  if (step && offset.step)
    step = fold_build2 (PLUS_EXPR, sizetype, step, offset.step);
  else if (offset.step)
    step = offset.step;
  entry.outer_steps[level]
    = step ? fold_convert (ssizetype, unshare_expr (step)) : NULL_TREE;
  return true;
}

/* Words that a record with ENTRIES and LEVELS loops around needs at most.  */

unsigned
words_of_nest (const vec<range_entry> &entries, unsigned levels)
{
  // Header and count.
  unsigned words = 2 + 2 * levels;
  for (const range_entry &entry : entries)
    {
      words += words_of (entry);
      for (unsigned i = 0; i < levels; i++)
	words += entry.outer_steps[i] && !tree_fits_shwi_p (entry.outer_steps[i]);
    }
  return words;
}

/* Makes RANGE describe one more loop around it.  False: that cannot be.  */

bool
nest_finder::add_level (range_record &range) const
{
  const unsigned level = range.around.length ();
  class loop *inner = range.outermost (), *outer = loop_outer (inner);
  tree inner_if;
  if (!range.count || level == k_max_nest || !loop_outer (outer)
      || !executes_once_p (outer, inner, &inner_if)
      || !expr_invariant_in_loop_p (outer, range.count))
    return false;
  for (const nest_level &other : range.around)
    if (!expr_invariant_in_loop_p (outer, other.count)
	|| (other.inner_if && !expr_invariant_in_loop_p (outer, other.inner_if)))
      return false;
  tree count = header_executions (outer);
  if (!count)
    return false;
  auto_vec<range_entry> moved;
  for (const range_entry &entry : range.entries)
    {
      moved.safe_push (entry);
      if (!move_entry (moved.last (), outer, level))
	return false;
    }
  if (words_of_nest (moved, level + 1) > MPRT_MAX_RECORD_WORDS)
    return false;
  range.entries.truncate (0);
  range.entries.safe_splice (moved);
  range.around.safe_push ({ outer, count, inner_if });
  return true;
}

} // anonymous namespace

bool
same_outer_steps_p (const range_entry &x, const range_entry &y)
{
  for (unsigned i = 0; i < k_max_nest; i++)
    {
      tree a = x.outer_steps[i], b = y.outer_steps[i];
      if (a != b && !(a && b && operand_equal_p (a, b, 0)))
	return false;
    }
  return true;
}

void
find_nests (function *fun, const auto_vec<access_site> &sites,
	    auto_delete_vec<range_record> &ranges)
{
  nest_finder finder (fun, sites);
  for (range_record *range : ranges)
    while (finder.add_level (*range))
      continue;
}

} // namespace memprof::plugin
