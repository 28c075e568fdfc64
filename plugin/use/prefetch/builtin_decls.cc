/* builtin_decls.cc - a built-in function that a front end may not have declared.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "plugin/gcc-common.h"
#include "plugin/use/prefetch/builtin_decls.h"

namespace memprof::plugin {

tree
prefetch_decl ()
{
  if (!builtin_decl_implicit_p (BUILT_IN_PREFETCH))
    {
      tree type = build_varargs_function_type_list (void_type_node,
						    const_ptr_type_node, NULL_TREE);
      set_builtin_decl (BUILT_IN_PREFETCH,
			add_builtin_function ("__builtin_prefetch", type,
					      BUILT_IN_PREFETCH, BUILT_IN_NORMAL,
					      NULL, NULL_TREE),
			true);
    }
  tree decl = builtin_decl_implicit (BUILT_IN_PREFETCH);
  DECL_IS_NOVOPS (decl) = true;
  return decl;
}

} // namespace memprof::plugin
