/* loop_shape.cc - what control can do in a loop, and how often it does.
   SPDX-License-Identifier: GPL-3.0-or-later

   One record can represent several accesses only if nothing between them can write records,
   or leave in a way that is not an ordinary edge.  A boundary is a statement that can: a
   call of code that may be instrumented, may not return, or orders threads; an asm that
   clobbers memory.  No boundaries are the calls that the compiler expands itself and those
   of a few functions that only compute.  */

#include "plugin/gcc-common.h"
#include "plugin/generate/loop_shape.h"
#include "plugin/generate/thread_order.h"
#include "plugin/sites/memory_functions.h"
#include "plugin/sites/runtime_decls.h"

namespace memprof::plugin {

namespace {

/* Whether FUNCTION, a built-in, only computes, or only reads and writes memory
   that its arguments tell.  Not strings: finding out how long they are takes
   code, and a record that goes on in several blocks would repeat it.  */

bool
plain_builtin_p (gcall *call, built_in_function function)
{
  switch (function)
    {
    case BUILT_IN_PREFETCH:
    case BUILT_IN_UNREACHABLE:
    case BUILT_IN_ASSUME_ALIGNED:
    case BUILT_IN_BCMP:
    case BUILT_IN_BCOPY:
    case BUILT_IN_BZERO:
    case BUILT_IN_MEMCMP:
    case BUILT_IN_MEMCMP_EQ:
    case BUILT_IN_MEMCPY:
    case BUILT_IN_MEMMOVE:
    case BUILT_IN_MEMPCPY:
    case BUILT_IN_MEMSET:
      return true;
    default:
      break;
    }
  // Mathematical functions may set errno, but nothing else.
  if (!mathfn_built_in_type (gimple_call_combined_fn (call)))
    return false;
  for (unsigned i = 0; i < gimple_call_num_args (call); i++)
    if (POINTER_TYPE_P (TREE_TYPE (gimple_call_arg (call, i))))
      return false;
  return true;
}

/* Calls of functions that the compiler itself implements, or that are known
   to run no instrumented code.  */

bool
harmless_call_p (gcall *call)
{
  atomic_order order = atomic_order_of (call);
  if (order.release || order.acquire)
    return false;
  if (gimple_call_internal_p (call))
    return true;
  tree decl = gimple_call_fndecl (call);
  if (!decl || stmt_could_throw_p (cfun, call))
    return false;
  // The program may have its own.
  if (cgraph_node *node = cgraph_node::get (decl))
    if (node->definition)
      return false;
  // __errno_location, __ctype_b_loc and the like.
  if ((gimple_call_flags (call) & ECF_CONST) && DECL_IN_SYSTEM_HEADER (decl)
      && (gimple_call_flags (call) & ECF_LEAF))
    return true;
  if (!gimple_call_builtin_p (call))
    return false;
  if (!gimple_call_builtin_p (call, BUILT_IN_NORMAL))
    // Machine-specific built-ins are instructions.
    return fndecl_built_in_p (decl, BUILT_IN_MD);
  atomic_access atomic;
  return (gimple_call_flags (call) & ECF_CONST)
	 || atomic_access_p (call, &atomic)
	 || plain_builtin_p (call, DECL_FUNCTION_CODE (decl));
}

} // anonymous namespace

bool
boundary_p (gimple *stmt)
{
  if (gcall *call = dyn_cast<gcall *> (stmt))
    return !harmless_call_p (call);
  if (gasm *assembly = dyn_cast<gasm *> (stmt))
    return gimple_asm_volatile_p (assembly)
	   || gimple_asm_clobbers_memory_p (assembly);
  return false;
}

bool
any_complex_p (vec<edge, va_gc> *edges)
{
  edge e;
  edge_iterator ei;
  FOR_EACH_EDGE (e, ei, edges)
    if (e->flags & EDGE_COMPLEX)
      return true;
  return false;
}

bool
closed_loop_p (class loop *loop)
{
  basic_block *body = get_loop_body (loop);
  bool ok = true;
  for (unsigned i = 0; i < loop->num_nodes && ok; i++)
    {
      ok = !(body[i]->flags & BB_IRREDUCIBLE_LOOP)
	   && !any_complex_p (body[i]->succs);
      for (gimple_stmt_iterator gsi = gsi_start_nondebug_bb (body[i]);
	   ok && !gsi_end_p (gsi); gsi_next_nondebug (&gsi))
	ok = !boundary_p (gsi_stmt (gsi)) && !guard_look_p (gsi_stmt (gsi));
    }
  free (body);
  return ok;
}

tree
header_executions (class loop *loop)
{
  edge exit = single_exit (loop);
  tree_niter_desc niter;
  if (!exit || !number_of_iterations_exit (loop, exit, &niter, false)
      || !integer_onep (niter.assumptions)
      || chrec_contains_undetermined (niter.niter)
      || contains_abnormal_ssa_name_p (niter.niter) || contains_abnormal_ssa_name_p (niter.may_be_zero)
      || TYPE_PRECISION (TREE_TYPE (niter.niter)) > 64)
    return NULL_TREE;
  tree word = runtime ().word;
  tree count = fold_build2 (PLUS_EXPR, word,
			    fold_convert (word, unshare_expr (niter.niter)),
			    word_constant (1));
  if (!integer_zerop (niter.may_be_zero))
    count = fold_build3 (COND_EXPR, word, unshare_expr (niter.may_be_zero),
			 word_constant (1), count);
  return count;
}

} // namespace memprof::plugin
