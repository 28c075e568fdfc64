/* seen_loads.cc - loads from among the places that a loop has loaded from.
   SPDX-License-Identifier: GPL-3.0-or-later

   Problem: to prefetch adj[off[v]] for v = queue[k + d], off[queue[k + d]] has to be loaded
   now.  sure_loads.cc does that where the loop will load it in any case.  Mostly that is
   not known: the loop stores to the queue, its inner loop may not end, or it may be left early.
   Then queue[k + d] may be garbage, and a load from off[garbage] faults.

   Idea: what is between two elements of an array that the loop has loaded from is part of
   the array, and can be loaded.  So the loop notes the lowest and the highest address:

     for (k = from; k < to; k++)     low = highest address, high = 0;
       {                             for (k = from; k < to; k++)
	 v = queue[k];                 {
	 for (e = off[v];                v = queue[k], e = off[v];
	      e < off[v + 1]; e++)       low = min (low, &off[v]), high = max (high, &off[v]);
	   visit (adj[e]);               if (same_page (&queue[k], &queue[k + d]))
       }                                   {
					     p = &off[queue[k + d]];
					     prefetch (&adj[*min (max (p, low), high)]);
					   }
					 ...

   After n random places, all but 2 in n + 1 of the next ones are between them; of the others,
   a place that was seen is loaded from, and a line is prefetched that is there already.

   It takes:

     - that the address is computed from a pointer that does not change in the loop, or from
       the address of a variable, in steps of whole elements: then C has all of them in one
       object, which is an array.  Steps of bytes from one base may also be places in a heap of
       the program's own, which may have holes;
     - the load in each iteration, before the prefetch;
     - nothing in the loop that may end the object's life: calls of unknown functions, asm,
       volatile or atomic accesses, after which another thread may end it.

   The node after the first one of a list is found in the same way where the first nodes are
   the elements of an array (list_walk.cc):

     for (i...)                        for (i...)
       for (p = &bucket[key[i]]; p;      {
	    p = p->next)                   if (high && same_page (&key[i], &key[i + d]))
	 ...                                 {
					       q = &bucket[key[i + d]].next;
					       prefetch (*min (max (q, low), high));
					     }
					   p = &bucket[key[i]];
					   low = min (low, &p->next), high = max (high, &p->next);
					   for (; p; p = p->next) ...
					 }

   Here the load comes after the place of the prefetch, so that only the loads of earlier
   iterations count.  Where the loop may leave the first node without having loaded its `next', what
   it loads first counts instead; it must be as wide.  A node that is not an element of an array
   (`bucket[key[i]]->next') is never loaded from ahead: no load of the program shows that the
   pointer in a bucket that it has not come to points to something.

   What lies on a page that a program has protected between elements of what C calls one object
   would fault; no allocator of C makes such an object.  */

#include "plugin/gcc-common.h"
#include "plugin/options.h"
#include "plugin/use/address/reference_parts.h"
#include "plugin/use/address/value_copy.h"
#include "plugin/use/address/value_graph.h"
#include "plugin/use/prefetch/seen_loads.h"

namespace memprof::plugin {

namespace {

/* Whether OFFSET is a number of elements of SIZE bytes, and perhaps a constant.  */

bool
whole_elements_p (tree offset, unsigned HOST_WIDE_INT size, unsigned most = 6)
{
  if (size == 1 || TREE_CODE (offset) == INTEGER_CST)
    return true;
  gassign *def = TREE_CODE (offset) == SSA_NAME
		   ? dyn_cast<gassign *> (SSA_NAME_DEF_STMT (offset))
		   : nullptr;
  if (!def || !most)
    return false;
  tree first = gimple_assign_rhs1 (def), second = gimple_assign_rhs2 (def);
  const tree_code code = gimple_assign_rhs_code (def);
  if (CONVERT_EXPR_CODE_P (code) || code == NEGATE_EXPR || code == SSA_NAME)
    return whole_elements_p (first, size, most - 1);
  if (code == PLUS_EXPR || code == MINUS_EXPR)
    return whole_elements_p (first, size, most - 1)
	   && whole_elements_p (second, size, most - 1);
  if (!second || TREE_CODE (second) != INTEGER_CST || !tree_fits_uhwi_p (second))
    return false;
  const unsigned HOST_WIDE_INT factor = tree_to_uhwi (second);
  return (code == MULT_EXPR && factor % size == 0)
	 || (code == LSHIFT_EXPR && factor < 32 && (HOST_WIDE_INT_1U << factor) % size == 0);
}

/* Whether the address of REF is computed from a variable, or a pointer that does not change
   in LOOP, by whole elements.  With WALK, the address of REF in the first node.  */

bool
one_base_p (class loop *loop, tree ref, const list_walk *walk = nullptr)
{
  for (;;)
    {
      tree base = get_base_address (ref);
      if (!base || DECL_P (base))
	return base;
      if (TREE_CODE (base) != MEM_REF
	  || !tree_fits_uhwi_p (TYPE_SIZE_UNIT (TREE_TYPE (base))))
	return false;
      const unsigned HOST_WIDE_INT size
	= tree_to_uhwi (TYPE_SIZE_UNIT (TREE_TYPE (base)));
      tree pointer = TREE_OPERAND (base, 0);
      for (;;)
	{
	  if (TREE_CODE (pointer) != SSA_NAME)
	    break;
	  gimple *def = SSA_NAME_DEF_STMT (pointer);
	  if (walk && def == walk->node)
	    {
	      pointer = walk->start;
	      continue;
	    }
	  basic_block bb = gimple_bb (def);
	  if (!bb || !flow_bb_inside_loop_p (loop, bb))
	    return POINTER_TYPE_P (TREE_TYPE (pointer));
	  if (!is_gimple_assign (def) || gimple_vuse (def)
	      || !POINTER_TYPE_P (TREE_TYPE (gimple_assign_rhs1 (def))))
	    return false;
	  tree_code code = gimple_assign_rhs_code (def);
	  if (code != POINTER_PLUS_EXPR && code != SSA_NAME && code != ADDR_EXPR
	      && !CONVERT_EXPR_CODE_P (code))
	    return false;
	  if (code == POINTER_PLUS_EXPR
	      && (!size || !whole_elements_p (gimple_assign_rhs2 (def), size)))
	    return false;
	  pointer = gimple_assign_rhs1 (def);
	}
      if (TREE_CODE (pointer) != ADDR_EXPR)
	return false;
      ref = TREE_OPERAND (pointer, 0);
    }
}

/* Whether STMT may end the life of an object, here or in another thread.  */

bool
may_end_lives_p (gimple *stmt)
{
  if (is_gimple_debug (stmt) || gimple_clobber_p (stmt))
    return false;
  if (gimple_code (stmt) == GIMPLE_ASM || gimple_has_volatile_ops (stmt))
    return true;
  gcall *call = dyn_cast<gcall *> (stmt);
  if (!call || (gimple_call_flags (call) & (ECF_CONST | ECF_PURE)))
    return false;
  for (built_in_function known : { BUILT_IN_PREFETCH, BUILT_IN_MEMCPY, BUILT_IN_MEMMOVE,
				   BUILT_IN_MEMSET })
    if (gimple_call_builtin_p (call, known))
      return false;
  return !seeded (fault::left_loops);
}

/* Whether nothing in LOOP may do that.  */

bool
lives_stay_p (class loop *loop)
{
  return all_statements_p (loop, [] (gimple *stmt) { return !may_end_lives_p (stmt); });
}

/* The bytes that LOAD loads.  */

HOST_WIDE_INT
bytes_of (gimple *load)
{
  return tree_to_uhwi (TYPE_SIZE_UNIT (TREE_TYPE (gimple_assign_rhs1 (load))));
}

/* Before and after an iteration of LOOP.  */

struct places
{
  seen_places before, after;
};

/* Appends to *CODE what notes the place of REF, the highest as MORE bytes further up.  */

places
note_places (class loop *loop, tree ref, HOST_WIDE_INT more, gimple_seq *code)
{
  tree address = append_operand (address_of (ref), code);
  tree word = unsigned_type_for (TREE_TYPE (address));
  auto append = [&] (gassign *statement) {
    gimple_seq_add_stmt (code, statement);
    return gimple_assign_lhs (statement);
  };
  tree now = append (gimple_build_assign (make_ssa_name (word), NOP_EXPR, address));
  tree top = more ? append (gimple_build_assign (make_ssa_name (word), PLUS_EXPR, now,
						 build_int_cst (word, more)))
		  : now;
  auto follow = [&] (tree_code better, tree place, tree start, tree *before) {
    *before = make_ssa_name (word);
    tree after = append (gimple_build_assign (make_ssa_name (word), better, *before, place));
    gphi *phi = create_phi_node (*before, loop->header);
    add_phi_arg (phi, start, loop_preheader_edge (loop), UNKNOWN_LOCATION);
    add_phi_arg (phi, after, loop_latch_edge (loop), UNKNOWN_LOCATION);
    return after;
  };
  places noted;
  noted.after.low = follow (MIN_EXPR, now, build_all_ones_cst (word), &noted.before.low);
  noted.after.high = follow (MAX_EXPR, top, build_zero_cst (word), &noted.before.high);
  return noted;
}

} // anonymous namespace

bool
loads_one_object_p (class loop *loop, gimple *load, basic_block place)
{
  basic_block at = gimple_bb (load);
  return at->loop_father == loop && loop->latch
	 && dominated_by_p (CDI_DOMINATORS, loop->latch, at)
	 && dominated_by_p (CDI_DOMINATORS, place, at)
	 && one_base_p (loop, gimple_assign_rhs1 (load)) && lives_stay_p (loop);
}

seen_places
note_seen_places (class loop *loop, gimple *load)
{
  gimple_seq code = NULL;
  const places noted
    = note_places (loop, unshare_expr (gimple_assign_rhs1 (load)), 0, &code);
  gimple_seq_set_location (code, gimple_location (load));
  gimple_stmt_iterator at = gsi_for_stmt (load);
  gsi_insert_seq_after (&at, code, GSI_SAME_STMT);
  return noted.after;
}

gassign *
first_nodes_of_one_object (class loop *loop, class loop *entry, const list_walk &walk)
{
  gassign *sure = sure_load_of_node (entry, walk);
  const bool each = loop_outer (entry) == loop && loop->latch
		    && dominated_by_p (CDI_DOMINATORS, loop->latch, entry->header);
  return sure && each && one_base_p (loop, gimple_assign_rhs1 (walk.next), &walk)
	     && lives_stay_p (loop)
	   ? sure
	   : nullptr;
}

seen_places
note_first_nodes (class loop *loop, class loop *entry, const list_walk &walk, gassign *sure)
{
  gimple_seq code = NULL;
  tree ref = with_names_replaced (gimple_assign_rhs1 (sure), [&] (tree name) {
    return name == gimple_phi_result (walk.node) ? walk.start : name;
  });
  const places noted
    = note_places (loop, ref, bytes_of (sure) - bytes_of (walk.next), &code);
  gimple_seq_set_location (code, gimple_location (sure));
  gsi_insert_seq_on_edge_immediate (loop_preheader_edge (entry), code);
  return noted.before;
}

} // namespace memprof::plugin
