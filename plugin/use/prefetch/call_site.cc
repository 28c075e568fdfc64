/* call_site.cc - a call, with what the function called computes from its arguments.
   SPDX-License-Identifier: GPL-3.0-or-later

   For look_up (g, row, keys[j]) and the load of callee_loads.cc's example:

     key = keys[j];
					v1 = (long) key * 4;
					v2 = row + v1;
					v3 = *v2;
					v4 = (long) v3 * 16;
					v5 = points + v4;
     look_up (points, row, key);

   The reference *v5 is what look_ahead.cc is asked about.  Its copies of these statements
   compute the address some iterations ahead; those above are removed again, but for the
   ones that do not change in the loop, and are used as they are.  */

#include "plugin/gcc-common.h"
#include "plugin/options.h"
#include "plugin/use/address/reference_parts.h"
#include "plugin/use/prefetch/call_site.h"

namespace memprof::plugin {

call_site::call_site (gcall *call, const callee_loads *callee)
  : call_ (call), callee_ (callee)
{
  names_.safe_grow_cleared (callee->values.length (), true);
}

/* Writes STMT before the call, so that it can be executed whatever its operands are.  */

tree
call_site::append (gassign *stmt)
{
  tree result = gimple_assign_lhs (stmt);
  gimple_seq several = defined_everywhere (stmt);
  for (gimple_stmt_iterator gsi = gsi_start (several); !gsi_end_p (gsi);
       gsi_next (&gsi))
    {
      gimple_set_location (gsi_stmt (gsi), gimple_location (call_));
      written_.safe_push (gsi_stmt (gsi));
    }
  gimple_stmt_iterator at = gsi_for_stmt (call_);
  gsi_insert_seq_before (&at, several, GSI_SAME_STMT);
  return result;
}

tree
call_site::value (int number)
{
  if (names_[number])
    return names_[number];
  const callee_value &v = callee_->values[number];
  tree result = NULL_TREE;
  switch (v.kind)
    {
    case callee_value::PARAMETER:
      result = gimple_call_arg (call_, v.operands[0]);
      break;
    case callee_value::CONSTANT:
      result = unshare_expr (v.constant);
      break;
    case callee_value::OPERATION:
      {
	tree operands[3] = { NULL_TREE, NULL_TREE, NULL_TREE };
	for (int i = 0; i < 3 && v.operands[i] >= 0; i++)
	  operands[i] = value (v.operands[i]);
	result = append (gimple_build_assign (make_ssa_name (v.type), v.code, operands[0],
					      operands[1], operands[2]));
	break;
      }
    case callee_value::LOAD:
      {
	gassign *load
	  = gimple_build_assign (make_ssa_name (v.type),
				 plain_reference (v.type, value (v.operands[0])));
	gimple_set_vuse (load, gimple_vuse (call_));
	suppress_warning (load);
	if (v.conditional)
	  conditional_.add (load);
	result = append (load);
	break;
      }
    }
  return names_[number] = result;
}

tree
call_site::reference (const callee_load &load)
{
  return plain_reference (load.type, value (load.address));
}

void
call_site::remove_unused ()
{
  while (!written_.is_empty ())
    {
      gimple *stmt = written_.pop ();
      imm_use_iterator it;
      gimple *user;
      bool used = false;
      FOR_EACH_IMM_USE_STMT (user, it, gimple_assign_lhs (stmt))
	used |= !is_gimple_debug (user);
      if (used)
	continue;
      gimple_stmt_iterator gsi = gsi_for_stmt (stmt);
      gsi_remove (&gsi, true);
      release_defs (stmt);
    }
}

bool
call_site::conditional_p (gimple *load) const
{
  return const_cast<hash_set<gimple *> &> (conditional_).contains (load);
}

bool
call_site::steady_p (const callee_load &load, class loop *loop) const
{
  auto_vec<int> numbers;
  for (const callee_condition &condition : load.conditions)
    {
      numbers.safe_push (condition.left);
      numbers.safe_push (condition.right);
    }
  for (unsigned i = 0; i < numbers.length (); i++)
    {
      const callee_value &v = callee_->values[numbers[i]];
      if (v.kind == callee_value::PARAMETER
	  && !expr_invariant_in_loop_p (loop, gimple_call_arg (call_, v.operands[0])))
	return false;
      if (v.kind == callee_value::OPERATION)
	for (int operand : v.operands)
	  if (operand >= 0)
	    numbers.safe_push (operand);
    }
  return true;
}

tree
call_site::condition (const callee_load &load)
{
  tree all = NULL_TREE;
  for (const callee_condition &c : load.conditions)
    {
      tree_code code = c.code;
      if (!c.holds)
	code = invert_tree_comparison (code, false);
      tree one = append (gimple_build_assign (make_ssa_name (boolean_type_node), code,
					      value (c.left), value (c.right)));
      all = all ? append (gimple_build_assign (make_ssa_name (boolean_type_node),
					       BIT_AND_EXPR, all, one))
		: one;
    }
  return all;
}

bool
call_site::leaves_p (const callee_load &load, tree ref) const
{
  if (!load.quiet)
    return false;
  tree base = get_base_address (ref);
  tree pointer = base && TREE_CODE (base) == MEM_REF ? TREE_OPERAND (base, 0)
						      : NULL_TREE;
  for (const callee_store &store : load.stores)
    {
      if (flag_strict_aliasing
	  && !alias_sets_conflict_p (store.set, get_alias_set (ref)))
	continue;
      tree argument = store.parameter >= 0
			? gimple_call_arg (call_, store.parameter)
			: NULL_TREE;
      if (argument && pointer && TREE_CODE (argument) == SSA_NAME
	  && TREE_CODE (pointer) == SSA_NAME
	  && !ptr_derefs_may_alias_p (argument, pointer))
	continue;
      return seeded (fault::call_stores);
    }
  return true;
}

} // namespace memprof::plugin
