/* prefetch_plan.cc - inserts prefetches.
   SPDX-License-Identifier: GPL-3.0-or-later

   The address comes from look_ahead.cc; the instruction goes before the load, for a first
   address before the inner loop, or after the load of the pointer to the first node of the
   list that it walks, and after the index load when that is one for the next iteration.
   What may not be done in each iteration goes under a branch, and all of it where it waits
   for larger inputs (block_watch.cc) or is on trial (tuned_nest.cc).  */

#include "plugin/gcc-common.h"
#include "plugin/use/objects/block_watch.h"
#include "plugin/use/address/value_copy.h"
#include "plugin/use/prefetch/prefetch_plan.h"
#include "plugin/use/match/site_marks.h"
#include "plugin/target/target.h"

namespace memprof::plugin {

namespace {

/* The state of memory at the end of the block before ENTRY, or at STMT.  */

tree
memory_state (gimple *stmt, class loop *entry)
{
  tree state = entry ? memory_at_entry (entry) : NULL_TREE;
  return state ? state : gimple_vuse (stmt);
}

/* What follows GUARD_PLACE in its block, up to LAST, is only performed if
   GUARD holds, which it nearly always does.  */

void
make_conditional (gcond *guard, gimple *guard_place, gimple *last)
{
  basic_block bb = gimple_bb (last);
  basic_block rest = split_block (bb, last)->dest;
  edge taken = split_block (bb, guard_place);
  gimple_stmt_iterator end = gsi_last_bb (bb);
  gsi_insert_after (&end, guard, GSI_NEW_STMT);
  edge skip = make_edge (bb, rest,
			 EDGE_FALSE_VALUE
			   | (taken->flags & EDGE_IRREDUCIBLE_LOOP));
  taken->flags &= ~EDGE_FALLTHRU;
  taken->flags |= EDGE_TRUE_VALUE;
  taken->probability = profile_probability::very_likely ();
  skip->probability = taken->probability.invert ();
  taken->dest->count = taken->count ();
  set_immediate_dominator (CDI_DOMINATORS, rest, bb);
}

/* __builtin_prefetch, which Fortran's front end does not declare.  */

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

/* Adds to *SEQ a prefetch of the line of ADDRESS + OFFSET, for reading; to be kept in all
   levels of the cache.  */

gcall *
add_prefetch (gimple_seq *seq, tree address, HOST_WIDE_INT offset)
{
  tree place = append_operand (fold_build_pointer_plus_hwi (address, offset), seq);
  gcall *call = gimple_build_call (prefetch_decl (), 3, place, integer_zero_node,
				   build_int_cst (integer_type_node, 3));
  gimple_seq_add_stmt (seq, call);
  return call;
}

/* Adds all prefetches of PLAN and their addresses to *SEQ.  FACTOR: of the distance, if it is on
   trial.  Returns the last prefetch, and in *AHEAD where they belong.  */

gcall *
add_prefetches (prefetch_plan *plan, tree factor, gimple_seq *seq, address_ahead *ahead)
{
  if (plan->ahead.shape () == decide::Shape::search)
    {
      tree address, other;
      plan->search.emit (seq, &address, &other);
      add_prefetch (seq, address, 0);
      return add_prefetch (seq, other, 0);
    }
  gimple *after = plan->ahead.after ();
  *ahead = plan->ahead.emit (plan->distance (factor), plan->decision->stride,
			     after ? gimple_vuse (after)
				   : memory_state (plan->stmt, plan->entry),
			     seq);
  gcall *call = add_prefetch (seq, ahead->address, plan->part.first);
  // Both ends, if they need not be in one line.
  if (plan->part.last - plan->part.first >= k_line_bytes / 4)
    call = add_prefetch (seq, ahead->address, plan->part.last);
  return call;
}

/* The ordinal of LOAD's site; -1: it has none.  */

int
ordinal_of (gimple *load)
{
  tree ref = load ? accessed_reference (load, true) : NULL_TREE;
  const site_mark *mark = ref ? current_marks.find (load, ref, true) : nullptr;
  return mark ? int (mark->ordinal) : -1;
}

} // anonymous namespace

bool
prefetch_plan::search_p ()
{
  const decide::Shape shape = ahead.shape ();
  return loop && !entry
	 && (shape == decide::Shape::linked || shape == decide::Shape::affine)
	 && search.search_p ();
}

void
prefetch_plan::describe_list (const vec<prefetch_plan *> &taken,
			      decide::PrefetchCode *code) const
{
  class loop *inner = entry;
  if (!inner && loop)
    inner = walk_from (loop, gimple_assign_lhs (stmt));
  const list_walk walk = inner ? find_list_walk (inner) : list_walk{};
  if (!walk.node || (entry && !part_of_node_p (walk, ref)))
    return;
  code->list = !entry   ? decide::ListPart::start
	       : second ? decide::ListPart::second
			: decide::ListPart::first;
  code->node_ordinal = ordinal_of (entry ? stmt : load_of_node (inner->header, walk, 1));
  if (!entry)
    return;
  gimple *start = SSA_NAME_DEF_STMT (walk.start);
  code->start_ordinal = ordinal_of (start);
  for (const prefetch_plan *plan : taken)
    {
      code->start_asked |= plan->loop == loop && !plan->entry && plan->stmt == start;
      code->first_asked |= second && plan->loop == loop && plan->entry == entry;
    }
}

bool
prefetch_plan::several_distances_p () const
{
  return ahead.shape () != decide::Shape::search
	 && absu_hwi (ahead.index_step ()) * nearest () * k_most_factor + k_line_bytes
	      <= processor::k_least_page_bytes;
}

HOST_WIDE_INT
prefetch_plan::nearest () const
{
  // A power of two, so that the code of a distance is a shift.
  return HOST_WIDE_INT (1) << floor_log2 (MAX (1, decision->distance / 2));
}

distance_ahead
prefetch_plan::distance (tree factor) const
{
  if (!factor || !several_distances_p ())
    return { decision->distance };
  return { nearest (), factor };
}

void
insert_prefetch (prefetch_plan *plan)
{
  gimple_seq seq = NULL;
  address_ahead ahead = {};
  // What comes first in the sequence, if the rest waits for a large block or is on trial.
  gassign *first = nullptr;
  tree factor = NULL_TREE;
  if (plan->nest)
    {
      factor = make_ssa_name (TREE_TYPE (plan->nest->factor ()));
      first = gimple_build_assign (factor, plan->nest->factor ());
    }
  else if (plan->decision->at_least)
    {
      tree large = large_block (plan->loop, plan->decision->watched, plan->decision->at_least,
				memory_state (plan->stmt, plan->loop));
      first = gimple_build_assign (make_ssa_name (boolean_type_node), large);
    }
  if (first)
    gimple_seq_add_stmt (&seq, first);
  gcall *call = add_prefetches (plan, factor, &seq, &ahead);
  location_t location = gimple_location (plan->stmt);
  gimple_seq_set_location (seq, location);
  if (ahead.after)
    {
      gimple_stmt_iterator at = gsi_for_stmt (ahead.after);
      gsi_insert_seq_after (&at, seq, GSI_SAME_STMT);
    }
  else if (plan->entry)
    gsi_insert_seq_on_edge_immediate (loop_preheader_edge (plan->entry), seq);
  else
    {
      gimple_stmt_iterator at = gsi_for_stmt (plan->stmt);
      gsi_insert_seq_before (&at, seq, GSI_SAME_STMT);
    }
  auto guard_by = [&] (gcond *guard, gimple *place) {
    gimple_set_location (guard, location);
    make_conditional (guard, place, call);
  };
  if (first)
    {
      tree wanted = gimple_assign_lhs (first);
      guard_by (gimple_build_cond (NE_EXPR, wanted, build_zero_cst (TREE_TYPE (wanted)), NULL_TREE,
				   NULL_TREE),
		first);
    }
  if (ahead.guard)
    guard_by (ahead.guard, ahead.guard_place);
}

} // namespace memprof::plugin
