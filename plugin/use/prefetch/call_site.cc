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

   look_ahead.cc looks at the reference *v5.  Its copies of these statements compute the address
   some iterations ahead.  The statements above are removed again, but for those whose values do not
   change in the loop: the copies use them.  */

#include "plugin/gcc-common.h"
#include "plugin/options.h"
#include "plugin/use/address/reference_parts.h"
#include "plugin/use/prefetch/call_site.h"

namespace memprof::plugin {

namespace {

/* By DECL_UID, which is never used again.  */
hash_map<int_hash<unsigned, 0, UINT_MAX>, callee_loads *> known_callees;

/* Whether PART is a part of EXPRESSION.  */

bool
contains_p (tree expression, tree part)
{
  auto find = [] (tree *tp, int *, void *wanted) { return *tp == wanted ? *tp : NULL_TREE; };
  return walk_tree_without_duplicates (&expression, find, part);
}

} // anonymous namespace

callee_loads::~callee_loads ()
{
  for (callee_load *load : loads)
    delete load;
}

void
publish_callee (tree decl, callee_loads *loads)
{
  known_callees.put (DECL_UID (decl), loads);
}

const callee_loads *
loads_of_callee (gcall *call)
{
  tree callee = gimple_call_fndecl (call);
  callee_loads **known = callee ? known_callees.get (DECL_UID (callee)) : nullptr;
  if (!known || !gimple_vuse (call)
      || gimple_call_num_args (call) != (*known)->parameters.length ())
    return nullptr;
  for (unsigned i = 0; i < gimple_call_num_args (call); i++)
    if (tree parameter = (*known)->parameters[i])
      if (!useless_type_conversion_p (TREE_TYPE (parameter),
				      TREE_TYPE (gimple_call_arg (call, i))))
	return nullptr;
  return *known;
}

/* Writes STMT before the call, so that it can be executed whatever its operands are.  */

tree
call_site::append (gassign *stmt)
{
  tree result = gimple_assign_lhs (stmt);
  gimple_seq several = defined_everywhere (stmt);
  gimple_seq_set_location (several, gimple_location (call_));
  for (gimple_stmt_iterator gsi = gsi_start (several); !gsi_end_p (gsi);
       gsi_next (&gsi))
    written_.safe_push (gsi_stmt (gsi));
  gimple_stmt_iterator at = gsi_for_stmt (call_);
  gsi_insert_seq_before (&at, several, GSI_SAME_STMT);
  return result;
}

tree
call_site::argument (tree parameter) const
{
  unsigned number = 0;
  while (callee_->parameters[number] != parameter)
    number++;
  return gimple_call_arg (call_, number);
}

/* EXPRESSION as an operand.  */

tree
call_site::value (tree expression)
{
  if (TREE_CODE (expression) == PARM_DECL)
    return argument (expression);
  if (is_gimple_ip_invariant (expression))
    return unshare_expr (expression);
  if (tree *name = written_values_.get (expression))
    return *name;
  tree name = written_value (expression);
  written_values_.put (expression, name);
  return name;
}

tree
call_site::written_value (tree expression)
{
  tree type = TREE_TYPE (expression);
  const bool conditional = TREE_CODE (expression) == NON_LVALUE_EXPR;
  tree loaded = conditional ? TREE_OPERAND (expression, 0) : expression;
  if (TREE_CODE (loaded) == MEM_REF)
    {
      type = TYPE_MAIN_VARIANT (type);
      tree ref = plain_reference (type, value (TREE_OPERAND (loaded, 0)));
      gassign *load = gimple_build_assign (make_ssa_name (type), ref);
      gimple_set_vuse (load, gimple_vuse (call_));
      suppress_warning (load);
      if (conditional)
	conditional_.add (load);
      return append (load);
    }
  tree operands[3] = {};
  for (int i = 0; i < TREE_OPERAND_LENGTH (expression); i++)
    operands[i] = value (TREE_OPERAND (expression, i));
  return append (gimple_build_assign (make_ssa_name (type), TREE_CODE (expression), operands[0],
				      operands[1], operands[2]));
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
  for (const callee_condition &condition : load.conditions)
    for (tree side : { condition.left, condition.right })
      for (unsigned i = 0; i < callee_->parameters.length (); i++)
	if (contains_p (side, callee_->parameters[i])
	    && !expr_invariant_in_loop_p (loop, gimple_call_arg (call_, i)))
	  return false;
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
