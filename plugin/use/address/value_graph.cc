/* value_graph.cc - see value_graph.h.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "plugin/gcc-common.h"
#include "plugin/use/address/value_graph.h"

namespace memprof::plugin {

gcond *
branch_of (basic_block bb)
{
  gimple *last = bb ? last_statement (bb) : nullptr;
  return last ? dyn_cast<gcond *> (last) : nullptr;
}

gcond *
chosen_by (gphi *phi, edge *on_true, edge *on_false)
{
  basic_block bb = gimple_bb (phi);
  if (EDGE_COUNT (bb->preds) != 2)
    return nullptr;
  basic_block fork = get_immediate_dominator (CDI_DOMINATORS, bb);
  gcond *condition = branch_of (fork);
  if (!condition)
    return nullptr;
  edge if_true, if_false;
  extract_true_false_edges_from_block (fork, &if_true, &if_false);
  *on_true = *on_false = nullptr;
  edge e;
  edge_iterator ei;
  FOR_EACH_EDGE (e, ei, bb->preds)
    {
      edge from_fork = e;
      if (e->src != fork && single_pred_p (e->src) && single_succ_p (e->src))
	from_fork = single_pred_edge (e->src);
      if (from_fork == if_true)
	*on_true = e;
      else if (from_fork == if_false)
	*on_false = e;
    }
  return *on_true && *on_false ? condition : nullptr;
}

tree
memory_at_entry (class loop *loop)
{
  for (gphi_iterator gsi = gsi_start_phis (loop->header); !gsi_end_p (gsi);
       gsi_next (&gsi))
    if (virtual_operand_p (gimple_phi_result (gsi.phi ())))
      return PHI_ARG_DEF_FROM_EDGE (gsi.phi (), loop_preheader_edge (loop));
  return NULL_TREE;
}

} // namespace memprof::plugin
