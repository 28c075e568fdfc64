/* list_walk.cc - a loop that goes from node to node of a list.
   SPDX-License-Identifier: GPL-3.0-or-later

   A chain of a hash table is walked by

     for (i = 0; i < n; i++)                        bb 3: start = &bucket[hash (key[i])]
       for (p = &bucket[hash (key[i])]; p;          bb 4: node = PHI <start, next>
            p = p->next)                                  ... node->key ...
         if (p->key == key[i]) found++;                   next = node->next; if (next) goto bb 4

   The node is the PHI of a pointer whose next value the loop loads from it.  What each entry
   loads from the first node for certain is what all exits come after.  */

#include "plugin/gcc-common.h"
#include "plugin/options.h"
#include "plugin/use/prefetch/list_walk.h"
#include "plugin/use/address/reference_parts.h"

namespace memprof::plugin {

list_walk
find_list_walk (class loop *loop)
{
  for (gphi_iterator gsi = gsi_start_phis (loop->header); !gsi_end_p (gsi);
       gsi_next (&gsi))
    {
      list_walk walk;
      walk.node = gsi.phi ();
      if (!POINTER_TYPE_P (TREE_TYPE (gimple_phi_result (walk.node))))
	continue;
      tree next = PHI_ARG_DEF_FROM_EDGE (walk.node, loop_latch_edge (loop));
      walk.start = PHI_ARG_DEF_FROM_EDGE (walk.node, loop_preheader_edge (loop));
      gimple *def
	= TREE_CODE (next) == SSA_NAME ? SSA_NAME_DEF_STMT (next) : nullptr;
      tree ref = def ? accessed_reference (def, true) : NULL_TREE;
      if (!ref || !part_of_node_p (walk, ref) || TREE_CODE (walk.start) != SSA_NAME
	  || SSA_NAME_OCCURS_IN_ABNORMAL_PHI (walk.start))
	continue;
      walk.next = as_a<gassign *> (def);
      return walk;
    }
  return {};
}

class loop *
walk_from (class loop *loop, tree name)
{
  for (class loop *inner = loop->inner; inner; inner = inner->next)
    {
      const list_walk walk = find_list_walk (inner);
      if (walk.node && walk.start == name)
	return inner;
    }
  return nullptr;
}

bool
part_of_node_p (const list_walk &walk, tree ref)
{
  poly_int64 offset;
  tree base = get_addr_base_and_unit_offset (ref, &offset);
  return base && TREE_CODE (base) == MEM_REF
	 && TREE_OPERAND (base, 0) == gimple_phi_result (walk.node);
}

gassign *
load_of_node (basic_block bb, const list_walk &walk, unsigned HOST_WIDE_INT bytes)
{
  for (gimple_stmt_iterator gsi = gsi_start_bb (bb); !gsi_end_p (gsi); gsi_next (&gsi))
    if (tree ref = accessed_reference (gsi_stmt (gsi), true))
      {
	tree size = TYPE_SIZE_UNIT (TREE_TYPE (ref));
	if (part_of_node_p (walk, ref) && tree_fits_uhwi_p (size)
	    && tree_to_uhwi (size) >= bytes)
	  return as_a<gassign *> (gsi_stmt (gsi));
      }
  return nullptr;
}

gassign *
sure_load_of_node (class loop *loop, const list_walk &walk)
{
  auto_vec<edge> exits = get_loop_exit_edges (loop);
  auto sure_p = [&] (basic_block bb) {
    bool sure = bb->loop_father == loop;
    for (edge exit : exits)
      sure &= dominated_by_p (CDI_DOMINATORS, exit->src, bb);
    return sure;
  };
  if (sure_p (gimple_bb (walk.next)) || seeded (fault::unsure_nodes))
    return walk.next;
  tree pointer = TYPE_SIZE_UNIT (TREE_TYPE (gimple_assign_lhs (walk.next)));
  return sure_p (loop->header)
	   ? load_of_node (loop->header, walk, tree_to_uhwi (pointer))
	   : nullptr;
}

} // namespace memprof::plugin
