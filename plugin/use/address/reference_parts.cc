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

gcond *
chosen_by (gphi *phi, edge *on_true, edge *on_false)
{
  basic_block bb = gimple_bb (phi);
  if (EDGE_COUNT (bb->preds) != 2)
    return nullptr;
  basic_block fork = get_immediate_dominator (CDI_DOMINATORS, bb);
  gimple *last = fork ? last_statement (fork) : nullptr;
  gcond *condition = last ? dyn_cast<gcond *> (last) : nullptr;
  if (!condition)
    return nullptr;
  edge if_true, if_false;
  extract_true_false_edges_from_block (fork, &if_true, &if_false);
  *on_true = *on_false = nullptr;
  edge e;
  edge_iterator ei;
  FOR_EACH_EDGE (e, ei, bb->preds)
    {
      edge way = e;
      if (e->src != fork && single_pred_p (e->src) && single_succ_p (e->src))
	way = single_pred_edge (e->src);
      if (way == if_true)
	*on_true = e;
      else if (way == if_false)
	*on_false = e;
    }
  return *on_true && *on_false ? condition : nullptr;
}

tree
address_of (tree ref)
{
  make_addressable (get_base_address (ref));
  return build_fold_addr_expr (ref);
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
