/* wrapper_shape.cc - functions that return what they allocate.
   SPDX-License-Identifier: GPL-3.0-or-later

   The objects of such a function are those of all its callers, and a profile that shows them apart says
   more.  Its callers may be in other units, whose code is compiled without knowing it: so the profile
   has the option that tells them.

     void *xmalloc (size_t n)
     {
       void *p = malloc (n);         the result of the call reaches the return,
       if (!p) die ();               and its size comes from parameter 1:
       return p;                     xmalloc:1
     }

   Copies, conversions and PHIs are followed; of the size, operations with constants as well, and PHIs of
   one value and constants, as of malloc (n ? n : 8).  A clone
   (.isra, .constprop) has other parameters than the source says, and is no wrapper here.  */

#include "plugin/gcc-common.h"
#include "plugin/tables/wrapper_shape.h"

namespace memprof::plugin {

namespace {

/* Whether VALUE, or a copy of it, is returned.  */

bool
returned_p (tree value, hash_set<tree> &seen)
{
  if (seen.add (value))
    return false;
  imm_use_iterator uses;
  use_operand_p use;
  FOR_EACH_IMM_USE_FAST (use, uses, value)
    {
      gimple *user = USE_STMT (use);
      if (gimple_code (user) == GIMPLE_RETURN)
	return true;
      tree copy = NULL_TREE;
      if (gphi *phi = dyn_cast<gphi *> (user))
	copy = gimple_phi_result (phi);
      else if (gimple_assign_single_p (user) || gimple_assign_cast_p (user))
	copy = gimple_assign_lhs (user);
      if (copy && TREE_CODE (copy) == SSA_NAME && returned_p (copy, seen))
	return true;
    }
  return false;
}

/* The only argument of PHI that is no constant, or null.  */

tree
variable_of (gphi *phi)
{
  tree only = NULL_TREE;
  for (unsigned i = 0; i < gimple_phi_num_args (phi); i++)
    {
      tree argument = gimple_phi_arg_def (phi, i);
      if (TREE_CODE (argument) != SSA_NAME || argument == only)
	continue;
      if (only)
	return NULL_TREE;
      only = argument;
    }
  return only;
}

/* The number, from 1, of the parameter that VALUE is computed from, with constants at most; 0: there is none.  */

unsigned
parameter_of (tree value)
{
  const unsigned most_steps = 8;
  for (unsigned step = 0; step < most_steps && value && TREE_CODE (value) == SSA_NAME; step++)
    {
      if (SSA_NAME_IS_DEFAULT_DEF (value))
	{
	  tree parameter = SSA_NAME_VAR (value);
	  if (!parameter || TREE_CODE (parameter) != PARM_DECL)
	    return 0;
	  unsigned number = 1;
	  for (tree p = DECL_ARGUMENTS (current_function_decl); p && p != parameter; p = DECL_CHAIN (p))
	    number++;
	  return number;
	}
      gimple *definition = SSA_NAME_DEF_STMT (value);
      if (gphi *phi = dyn_cast<gphi *> (definition))
	{
	  value = variable_of (phi);
	  continue;
	}
      if (!is_gimple_assign (definition))
	return 0;
      tree second = gimple_assign_rhs2 (definition);
      if (gimple_num_ops (definition) > 3 || (second && TREE_CODE (second) == SSA_NAME))
	return 0;
      value = gimple_assign_rhs1 (definition);
    }
  return 0;
}

} // anonymous namespace

void
wrapper_text (gcall *call, text *out)
{
  tree result = gimple_call_lhs (call);
  const char *name = IDENTIFIER_POINTER (DECL_ASSEMBLER_NAME (current_function_decl));
  hash_set<tree> seen;
  if (!result || TREE_CODE (result) != SSA_NAME || strchr (name, '.') || *name == '*'
      || !returned_p (result, seen))
    return;
  for (unsigned i = gimple_call_num_args (call); i-- > 0;)
    if (INTEGRAL_TYPE_P (TREE_TYPE (gimple_call_arg (call, i))))
      if (unsigned number = parameter_of (gimple_call_arg (call, i)))
	{
	  out->append (name);
	  out->append (":");
	  out->append (number);
	  return;
	}
}

} // namespace memprof::plugin
