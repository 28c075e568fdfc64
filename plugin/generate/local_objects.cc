/* local_objects.cc - reports the births of local variables.
   SPDX-License-Identifier: GPL-3.0-or-later

   The stack is used again and again.  What a function that has returned wrote
   there must not be taken for the source of what a later function reads, so
   the variables that live in memory are reported before the first of them is
   used: their bytes have no writer then.  All at one place: two variables may
   share a slot, and the birth of one must not make the other's bytes forget
   their writer.

     if (likely (t->fast))	most calls need not say that buffer is born
       return t->value;
     char buffer[100];		born here
     return slow (t, buffer);

   The first block record after that place says so (record_plan.cc), unless the
   variables are many.

   A variable counts if a statement mentions it: to report others would make GCC
   give them a place.  */

#include "plugin/gcc-common.h"
#include "plugin/generate/local_objects.h"
#include "plugin/options.h"
#include "plugin/sites/source_place.h"
#include "plugin/tables/unit_tables.h"

namespace memprof::plugin {

namespace {

struct local_search
{
  hash_set<tree> seen;
  auto_vec<tree> found;
  /* The block that is searched, and one that dominates all mentions.  */
  basic_block bb, top;
};

/* Called for each variable that a statement loads, stores or takes the
   address of.  */

bool
note_local (gimple *, tree base, tree, void *data)
{
  local_search *search = static_cast<local_search *> (data);
  base = get_base_address (base);
  if (!base || (!VAR_P (base) && TREE_CODE (base) != PARM_DECL)
      || !auto_var_in_fn_p (base, current_function_decl)
      || !memory_reference_p (base) || !DECL_SIZE_UNIT (base)
      || !tree_fits_uhwi_p (DECL_SIZE_UNIT (base))
      || integer_zerop (DECL_SIZE_UNIT (base)))
    return false;
  search->top = search->top ? nearest_common_dominator (CDI_DOMINATORS,
							search->top, search->bb)
			    : search->bb;
  if (!search->seen.add (base))
    search->found.safe_push (base);
  return false;
}

/* A block that dominates BB and is executed once at most.  */

basic_block
executed_once (function *fun, basic_block bb)
{
  basic_block first = single_succ (ENTRY_BLOCK_PTR_FOR_FN (fun));
  // Control may come back to where it was.
  if (!bb || fun->calls_setjmp || fun->has_nonlocal_label)
    return first;
  while (bb != first
	 && (loop_outer (bb->loop_father) || bb->flags & BB_IRREDUCIBLE_LOOP))
    bb = get_immediate_dominator (CDI_DOMINATORS,
				  loop_outer (bb->loop_father)
				    ? bb->loop_father->header
				    : bb);
  return bb;
}

/* Adds a birth to the last of RECORDS from index FIRST on, all of which stand
   at PLACE.  */

void
add_birth (const record_entry &entry, gimple *place, unsigned first,
	   class loop *loop, auto_delete_vec<block_record> &records)
{
  if (records.length () == first
      || records.last ()->entries.length () >= k_max_block_entries)
    {
      block_record *record = new block_record;
      record->place = place;
      record->loop = loop;
      records.safe_push (record);
    }
  records.last ()->entries.safe_push (entry);
}

void
report_alloca (gcall *call, edge_places &places,
	       auto_delete_vec<block_record> &records)
{
  tree pointer = gimple_call_lhs (call);
  if (!pointer || TREE_CODE (pointer) != SSA_NAME)
    return;
  gimple *place = places.after (call);
  if (!place)
    return;
  record_entry entry = {};
  entry.op = MPRT_OP_LOCAL_BIRTH;
  entry.local = pointer;
  entry.bytes = gimple_call_arg (call, 0);
  entry.index = unit_tables::add_local (NULL_TREE, source_place (call));
  add_birth (entry, place, records.length (), gimple_bb (call)->loop_father,
	     records);
}

} // anonymous namespace

void
find_local_births (function *fun, local_births &births)
{
  births.where = nullptr;
  if (!(options.events & MPRT_LOCALS))
    return;
  local_search search;
  search.top = nullptr;
  FOR_EACH_BB_FN (search.bb, fun)
    {
      for (gimple_stmt_iterator gsi = gsi_start_nondebug_bb (search.bb);
	   !gsi_end_p (gsi); gsi_next_nondebug (&gsi))
	if (!gimple_clobber_p (gsi_stmt (gsi)))
	  walk_stmt_load_store_addr_ops (gsi_stmt (gsi), &search, note_local,
					 note_local, note_local);
      // A PHI node after it may take the address of a variable.
      basic_block bb = search.bb;
      edge e;
      edge_iterator ei;
      FOR_EACH_EDGE (e, ei, bb->succs)
	for (gphi_iterator gpi = gsi_start_phis (e->dest); !gsi_end_p (gpi);
	     gsi_next (&gpi))
	  {
	    tree value = PHI_ARG_DEF_FROM_EDGE (gpi.phi (), e);
	    if (TREE_CODE (value) == ADDR_EXPR)
	      note_local (gpi.phi (), TREE_OPERAND (value, 0), value, &search);
	  }
    }
  births.where = executed_once (fun, search.top);
  for (tree decl : search.found)
    {
      record_entry entry = {};
      entry.op = MPRT_OP_LOCAL_BIRTH;
      entry.local = build_fold_addr_expr (decl);
      entry.bytes = DECL_SIZE_UNIT (decl);
      entry.index = unit_tables::add_local (decl, DECL_SOURCE_LOCATION (decl));
      births.entries.safe_push (entry);
    }
}

void
plan_local_births (function *fun, const local_births &births,
		   edge_places &places,
		   auto_delete_vec<block_record> &records)
{
  if (!(options.events & MPRT_LOCALS))
    return;
  auto_vec<gcall *> allocas;
  basic_block bb;
  FOR_EACH_BB_FN (bb, fun)
    for (gimple_stmt_iterator gsi = gsi_start_nondebug_bb (bb);
	 !gsi_end_p (gsi); gsi_next_nondebug (&gsi))
      {
	gimple *stmt = gsi_stmt (gsi);
	if (gimple_call_builtin_p (stmt, BUILT_IN_ALLOCA)
	    || gimple_call_builtin_p (stmt, BUILT_IN_ALLOCA_WITH_ALIGN)
	    || gimple_call_builtin_p (stmt, BUILT_IN_ALLOCA_WITH_ALIGN_AND_MAX))
	  allocas.safe_push (as_a<gcall *> (stmt));
      }
  for (gcall *call : allocas)
    report_alloca (call, places, records);
  if (births.entries.is_empty ())
    return;
  // The first block may be a loop header.
  edge entry = single_succ_edge (ENTRY_BLOCK_PTR_FOR_FN (fun));
  gimple *place = births.where == entry->dest
		    ? places.on (entry)
		    : places.first_at_start (births.where);
  unsigned first = records.length ();
  for (const record_entry &birth : births.entries)
    add_birth (birth, place, first, loops_for_fn (fun)->tree_root, records);
}

} // namespace memprof::plugin
