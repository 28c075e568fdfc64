/* builtin_decls.cc - built-in functions that a front end may not have declared.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "gcc-common.h"
#include "builtin_decls.h"

namespace memprof::plugin {

namespace {

/* Returns the function CODE; declares it as NAME of TYPE if nobody has.  */

tree
declared (built_in_function code, const char *name, tree type)
{
  if (!builtin_decl_implicit_p (code))
    set_builtin_decl (code,
		      add_builtin_function (name, type, code, BUILT_IN_NORMAL,
					    NULL, NULL_TREE),
		      true);
  return builtin_decl_implicit (code);
}

} // anonymous namespace

/* It is the same all the time that a function runs; front ends do not say so.  */

tree
frame_address_decl ()
{
  tree decl
    = declared (BUILT_IN_DWARF_CFA, "__builtin_dwarf_cfa",
		build_function_type_list (ptr_type_node, NULL_TREE));
  TREE_READONLY (decl) = 1;
  TREE_NOTHROW (decl) = 1;
  return decl;
}

tree
prefetch_decl ()
{
  tree decl = declared (BUILT_IN_PREFETCH, "__builtin_prefetch",
			build_varargs_function_type_list (void_type_node,
							  const_ptr_type_node,
							  NULL_TREE));
  DECL_IS_NOVOPS (decl) = true;
  return decl;
}

} // namespace memprof::plugin
