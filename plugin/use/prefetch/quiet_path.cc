/* quiet_path.cc - what a function does on one path through it.
   SPDX-License-Identifier: GPL-3.0-or-later

   Conditions on the arguments give the path: of each of these branches only one side is
   followed.  For look_up (g, SORTED, k) in

     if (kind == SORTED)  { i = row[k]; }
     else		  { for (i = 0; keys[i] != k; i++); log_it (k); }
     out->x = g[i].x;

   with the condition kind == SORTED, there is no call and no loop, and the only store is
   one through `out'.

   A path is quiet if all blocks on it are: no calls but of functions that only compute,
   no assembly, nothing volatile, nothing that throws, and no loop that may not end.  */

#include "plugin/gcc-common.h"
#include "plugin/options.h"
#include "plugin/use/prefetch/quiet_path.h"

namespace memprof::plugin {

/* The number of FUN's parameter whose value on entry NAME is; -1: none.  */

int
parameter_number (function *fun, tree name)
{
  if (TREE_CODE (name) != SSA_NAME || !SSA_NAME_IS_DEFAULT_DEF (name))
    return -1;
  int number = 0;
  for (tree p = DECL_ARGUMENTS (fun->decl); p; p = DECL_CHAIN (p), number++)
    if (p == SSA_NAME_VAR (name))
      return number;
  return -1;
}

bool
goes_on_p (function *fun, gimple *stmt, bool calls_return)
{
  const int flags = is_gimple_call (stmt) ? gimple_call_flags (stmt) : ECF_CONST;
  const bool computes = (flags & (ECF_CONST | ECF_PURE)) && !(flags & ECF_LOOPING_CONST_OR_PURE);
  return (computes || calls_return)
	 && gimple_code (stmt) != GIMPLE_ASM
	 && (!gimple_has_volatile_ops (stmt) || gimple_clobber_p (stmt))
	 && !stmt_could_throw_p (fun, stmt);
}

namespace {

const unsigned k_max_callee_stores = 32;

/* The edge that leaves BB if CONDITIONS hold; null: any of its edges.  */

edge
edge_on (basic_block bb, const vec<callee_condition> &conditions)
{
  gimple *last = last_statement (bb);
  for (const callee_condition &condition : conditions)
    if (last == condition.branch)
      {
	edge if_true, if_false;
	extract_true_false_edges_from_block (bb, &if_true, &if_false);
	return condition.holds ? if_true : if_false;
      }
  return nullptr;
}

bool
quiet_p (function *fun, gimple *stmt, vec<callee_store> *stores)
{
  if (is_gimple_debug (stmt) || gimple_clobber_p (stmt))
    return true;
  if (!goes_on_p (fun, stmt, seeded (fault::left_calls)))
    return false;
  if (!gimple_vdef (stmt) || is_gimple_call (stmt))
    return true;
  tree stored = is_gimple_assign (stmt) ? gimple_assign_lhs (stmt) : NULL_TREE;
  tree base = stored ? get_base_address (stored) : NULL_TREE;
  if (!base || stores->length () >= k_max_callee_stores)
    return false;
  if (DECL_P (base) && auto_var_in_fn_p (base, fun->decl))
    return true;
  int parameter = TREE_CODE (base) == MEM_REF
		    ? parameter_number (fun, TREE_OPERAND (base, 0))
		    : -1;
  stores->safe_push ({ parameter, get_alias_set (stored) });
  return true;
}

} // anonymous namespace

bool
quiet_path_p (function *fun, const vec<callee_condition> &conditions,
	     vec<callee_store> *stores)
{
  auto_vec<basic_block> blocks;
  hash_set<basic_block> seen;
  auto reach = [&] (basic_block bb) {
    if (bb != EXIT_BLOCK_PTR_FOR_FN (fun) && !seen.add (bb))
      blocks.safe_push (bb);
  };
  reach (single_succ (ENTRY_BLOCK_PTR_FOR_FN (fun)));
  for (unsigned i = 0; i < blocks.length (); i++)
    {
      basic_block bb = blocks[i];
      class loop *root = loops_for_fn (fun)->tree_root;
      for (class loop *l = bb->loop_father; l != root; l = loop_outer (l))
	if (!finite_loop_p (l))
	  return false;
      for (gimple_stmt_iterator gsi = gsi_start_bb (bb); !gsi_end_p (gsi);
	   gsi_next (&gsi))
	if (!quiet_p (fun, gsi_stmt (gsi), stores))
	  return false;
      edge only = edge_on (bb, conditions), e;
      edge_iterator ei;
      FOR_EACH_EDGE (e, ei, bb->succs)
	if (!only || e == only)
	  reach (e->dest);
    }
  return true;
}

} // namespace memprof::plugin
