/* reference_parts.cc - what the address of a reference is made of.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "plugin/gcc-common.h"
#include "plugin/sites/addressable.h"
#include "plugin/use/address/reference_parts.h"

namespace memprof::plugin {

tree
accessed_reference (gimple *stmt, bool load)
{
  if (!is_gimple_assign (stmt) || gimple_clobber_p (stmt))
    return NULL_TREE;
  if (load)
    return gimple_assign_load_p (stmt) ? gimple_assign_rhs1 (stmt) : NULL_TREE;
  return gimple_store_p (stmt) ? gimple_assign_lhs (stmt) : NULL_TREE;
}

tree
address_of (tree ref)
{
  make_addressable (get_base_address (ref));
  return build_fold_addr_expr (ref);
}

tree
plain_reference (tree type, tree address)
{
  tree any = build_pointer_type_for_mode (char_type_node, ptr_mode, true);
  return build2 (MEM_REF, build_aligned_type (type, BITS_PER_UNIT), address,
		 build_int_cst (any, 0));
}

tree
byte_addressable (tree ref)
{
  while ((TREE_CODE (ref) == COMPONENT_REF
	  && DECL_BIT_FIELD (TREE_OPERAND (ref, 1)))
	 || TREE_CODE (ref) == BIT_FIELD_REF || TREE_CODE (ref) == REALPART_EXPR
	 || TREE_CODE (ref) == IMAGPART_EXPR
	 || TREE_CODE (ref) == VIEW_CONVERT_EXPR)
    ref = TREE_OPERAND (ref, 0);
  return ref;
}

} // namespace memprof::plugin
