/* external_calls.cc - calls of functions whose code is not seen, which may write memory.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "plugin/gcc-common.h"
#include "plugin/sites/external_calls.h"
#include "plugin/sites/memory_functions.h"
#include "plugin/sites/scanf_format.h"
#include "plugin/sites/scattered_calls.h"

namespace memprof::plugin {

namespace {

/* Libraries that write no object of the program but their own: locks, threads, exceptions.  */
const char *const k_own_objects[]
  = { "pthread_", "sem_", "mtx_", "cnd_", "thrd_", "call_once", "GOMP_", "omp_", "__cxa_",
      "_Unwind_", "__mprt_" };

bool
writes_own_objects_p (tree decl)
{
  const char *name = IDENTIFIER_POINTER (DECL_ASSEMBLER_NAME (decl));
  name += *name == '*';
  for (const char *prefix : k_own_objects)
    if (startswith (name, prefix))
      return true;
  return false;
}

/* The type of parameter NUMBER of what CALL calls, or null: it is one of a variable number,
   or there is no prototype.  */

tree
parameter_type (gcall *call, unsigned number)
{
  tree types = TYPE_ARG_TYPES (gimple_call_fntype (call));
  while (types && number--)
    types = TREE_CHAIN (types);
  return types && TREE_VALUE (types) != void_type_node ? TREE_VALUE (types) : NULL_TREE;
}

/* The bytes of TYPE if they are known and fit into an entry.  */

HOST_WIDE_INT
bytes_of (tree size)
{
  return size && tree_fits_uhwi_p (size) && tree_to_uhwi (size) < MPRT_EXTERNAL_CALL
	   ? tree_to_uhwi (size)
	   : 0;
}

} // anonymous namespace

writable_memory
writable_argument (gcall *call, unsigned number)
{
  tree arg = gimple_call_arg (call, number);
  tree type = parameter_type (call, number);
  if (!type)
    type = TREE_TYPE (arg);
  if (!POINTER_TYPE_P (type) || !POINTER_TYPE_P (TREE_TYPE (arg)) || integer_zerop (arg)
      || TYPE_READONLY (TREE_TYPE (type)) || FUNC_OR_METHOD_TYPE_P (TREE_TYPE (type)))
    return {};
  if (TREE_CODE (arg) != ADDR_EXPR)
    {
      tree pointee = TREE_TYPE (type);
      return { arg, VOID_TYPE_P (pointee) ? 0 : bytes_of (TYPE_SIZE_UNIT (pointee)) };
    }
  tree base = get_base_address (TREE_OPERAND (arg, 0));
  if (!base || !VAR_P (base))
    return { base && DECL_P (base) ? NULL_TREE : arg, 0 };
  if (TREE_READONLY (base))
    return {};
  return { build_fold_addr_expr (base), bytes_of (DECL_SIZE_UNIT (base)) };
}

bool
external_call_p (gcall *call)
{
  tree decl = gimple_call_internal_p (call) ? NULL_TREE : gimple_call_fndecl (call);
  unsigned format, first;
  if (!decl || !TREE_PUBLIC (decl) || !DECL_EXTERNAL (decl)
      || (fndecl_built_in_p (decl)
	  && !(fndecl_built_in_p (decl, BUILT_IN_NORMAL)
	       && scanf_p (DECL_FUNCTION_CODE (decl), &format, &first)))
      || gimple_call_flags (call) & (ECF_CONST | ECF_PURE | ECF_NORETURN)
      || DECL_IS_OPERATOR_NEW_P (decl) || DECL_IS_OPERATOR_DELETE_P (decl)
      || writes_own_objects_p (decl) || first_memory_function (call)
      || scattered_function_of (call))
    return false;
  // A library writes what it is passed; a function of the program anything.
  if (!DECL_IN_SYSTEM_HEADER (decl))
    return true;
  for (unsigned i = 0; i < gimple_call_num_args (call); i++)
    if (writable_argument (call, i).address)
      return true;
  return false;
}

} // namespace memprof::plugin
