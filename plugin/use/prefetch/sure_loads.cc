/* sure_loads.cc - loads that a loop will perform for certain.
   SPDX-License-Identifier: GPL-3.0-or-later

   Problem: to prefetch a[b[c[i]]] for iteration i + d, b[c[i + d]] has to be
   loaded now.  That c[i + d] is mapped is not enough: beyond the end of c, or
   before it gets its value, it is garbage, and a load from b[garbage] faults.
   Bounds that the profile saw do not hold in another run.  But a load that the
   program performs later in any case, from the same address, cannot fault now:

     for (i = 0; i < n; i++)              left = n - 1;
       {                                  for (i = 0; i < n; i++, left--)
					    {
					      k = min (left, d);
					      prefetch (&a[b[c[i + k]]]);
	 x = a[b[c[i]]];                      x = a[b[c[i]]];
       }                                    }

   That takes:

     - one exit, and a count that is known when the loop starts;
     - an address of c[i] that is certainly linear, without wrapping round, and
       of b[c[i]] that depends on nothing else in the loop;
     - both loads in each iteration, before the exit test (GCC copies the
       test of a loop before the loop, so that most loops are of this kind);
     - nothing else that could end the loop: a call that may not return, an exception, an
       inner loop that does not end;
     - no store to c between now and then: stores in the loop must differ from
       it in the objects that pointers point to, or in type.  Where they write
       within an object does not count: that is known for one iteration only.

   What b[c[i + d]] holds may change: only a prefetch is done with it.  */

#include "plugin/gcc-common.h"
#include "plugin/options.h"
#include "plugin/use/address/movable_reference.h"
#include "plugin/use/address/value_graph.h"
#include "plugin/use/prefetch/sure_loads.h"

namespace memprof::plugin {

namespace {

/* Whether a store to STORED, in any iteration, may change what a load from
   LOADED, in any other, gets.  */

bool
may_write_p (tree stored, tree loaded)
{
  if (flag_strict_aliasing
      && !alias_sets_conflict_p (get_alias_set (stored),
				 get_alias_set (loaded)))
    return false;
  auto pointer_of = [] (tree base) {
    return TREE_CODE (base) == MEM_REF
	       && TREE_CODE (TREE_OPERAND (base, 0)) == SSA_NAME
	     ? TREE_OPERAND (base, 0)
	     : NULL_TREE;
  };
  tree a = get_base_address (stored), b = get_base_address (loaded);
  if (!a || !b)
    return true;
  tree p = pointer_of (a), q = pointer_of (b);
  if (p && q)
    return ptr_derefs_may_alias_p (p, q);
  if (DECL_P (a) && DECL_P (b))
    return a == b;
  // One of each: no pointer refers to an object whose address is not taken.
  tree decl = DECL_P (a) ? a : b;
  return !DECL_P (decl) || is_global_var (decl) || may_be_aliased (decl);
}

/* Whether the address of LOAD depends on nothing in LOOP but what INDEX loads.  */

bool
depends_on_index_only_p (class loop *loop, gimple *index, gimple *load)
{
  auto_vec<tree> names;
  tree name;
  ssa_op_iter it;
  FOR_EACH_SSA_TREE_OPERAND (name, load, it, SSA_OP_USE)
    names.safe_push (name);
  auto other = [index] (gimple *def) {
    return def == index					     ? on_the_way::stop
	   : !is_gimple_assign (def) || gimple_vuse (def)    ? on_the_way::found
							     : on_the_way::follow;
  };
  return !computed_from_p (loop, names, other);
}

/* Whether control comes to what follows STMT, and STMT has no effect but on memory.  Calls that only
   compute return.  */

bool
goes_on_p (gimple *stmt)
{
  const int flags = is_gimple_call (stmt) ? gimple_call_flags (stmt) : ECF_CONST;
  const bool computes = (flags & (ECF_CONST | ECF_PURE)) && !(flags & ECF_LOOPING_CONST_OR_PURE);
  return (computes || gimple_call_builtin_p (stmt, BUILT_IN_PREFETCH) || seeded (fault::left_loops))
	 && gimple_code (stmt) != GIMPLE_ASM
	 && (!gimple_has_volatile_ops (stmt) || gimple_clobber_p (stmt))
	 && !stmt_could_throw_p (cfun, stmt);
}

/* Why LOOP may not come to its exit because of STMT, or INDEX not load what its memory holds
   before STMT; null: neither is so.  */

const char *
disturbance_by (gimple *stmt, gimple *index)
{
  if (is_gimple_debug (stmt))
    return nullptr;
  if (!goes_on_p (stmt))
    return "the address takes two loads, one from the other, and the "
	   "loop may be left between";
  if (is_gimple_assign (stmt) && gimple_vdef (stmt) && !seeded (fault::index_stores)
      && (address_obstacle (gimple_assign_lhs (stmt)) != REFERENCE_MOVABLE
	  || may_write_p (gimple_assign_lhs (stmt), gimple_assign_rhs1 (index))))
    return "the address takes two loads, one from the other, and a "
	   "store may change the first";
  return nullptr;
}

/* The same because of anything in LOOP.  */

const char *
disturbance (class loop *loop, gimple *index)
{
  for (class loop *inner = loop->inner; inner; inner = inner->next)
    if ((inner->inner || !finite_loop_p (inner))
	&& !seeded (fault::endless_loops))
      return "the address takes two loads, one from the other, and an inner "
	     "loop may not end";
  const char *result = nullptr;
  all_statements_p (loop, [&] (gimple *stmt) {
    result = disturbance_by (stmt, index);
    return !result;
  });
  return result;
}

} // anonymous namespace

tree
sure_iterations (class loop *loop, gimple *index, HOST_WIDE_INT step,
		 gimple *second, const char **obstacle)
{
  edge exit = single_exit (loop);
  class tree_niter_desc count;
  *obstacle = "the address takes two loads, one from the other, and the number "
	      "of iterations is not known";
  if (!exit || !just_once_each_iteration_p (loop, exit->src)
      || !number_of_iterations_exit (loop, exit, &count, false)
      || !integer_zerop (count.may_be_zero)
      || !expr_invariant_in_loop_p (loop, count.niter))
    return NULL_TREE;
  *obstacle = "the address takes two loads, one from the other, and not every "
	      "iteration performs both";
  for (gimple *load : { index, second })
    if ((gimple_bb (load)->loop_father != loop
	 || !dominated_by_p (CDI_DOMINATORS, exit->src, gimple_bb (load)))
	&& !seeded (fault::some_iterations))
      return NULL_TREE;
  *obstacle = "the address takes two loads, one from the other, and more that "
	      "changes in the loop";
  innermost_loop_behavior behavior;
  tree ref = gimple_assign_rhs1 (index);
  if ((!depends_on_index_only_p (loop, index, second)
       && !seeded (fault::other_terms))
      || !dr_analyze_innermost (&behavior, ref, loop, index)
      || !tree_fits_shwi_p (behavior.step)
      || tree_to_shwi (behavior.step) != step)
    return NULL_TREE;
  *obstacle = disturbance (loop, index);
  return *obstacle ? NULL_TREE : count.niter;
}

tree
remaining_iterations (class loop *loop, tree iterations)
{
  gimple_stmt_iterator at;
  bool after;
  standard_iv_increment_position (loop, &at, &after);
  return add_loop_variable (unshare_expr (iterations),
			    build_all_ones_cst (TREE_TYPE (iterations)), loop,
			    &at, after);
}

} // namespace memprof::plugin
