/* local_objects.cc - reports the births of local variables.
   SPDX-License-Identifier: GPL-3.0-or-later

   The stack is used again and again.  What a function that has returned wrote
   there must not be taken for the source of what a later function reads, so
   each variable that lives in memory is reported when its function is
   entered: its bytes have no writer then.  A variable of an inner block starts
   its life later, but no earlier than that.

   A variable counts if a statement mentions it: to report others would make GCC
   give them a place.  */

#include "gcc-common.h"
#include "affine_ranges.h"
#include "local_objects.h"
#include "site_table.h"

namespace memprof::plugin {

namespace {

struct local_search
{
  hash_set<tree> seen;
  auto_vec<tree> found;
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
      || integer_zerop (DECL_SIZE_UNIT (base)) || search->seen.add (base))
    return false;
  search->found.safe_push (base);
  return false;
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
  entry.index = site_table::add_local (NULL_TREE, gimple_location (call));
  add_birth (entry, place, records.length (), gimple_bb (call)->loop_father,
	     records);
}

} // anonymous namespace

void
plan_local_births (function *fun, edge_places &places,
		   auto_delete_vec<block_record> &records)
{
  local_search search;
  auto_vec<gcall *> allocas;
  basic_block bb;
  FOR_EACH_BB_FN (bb, fun)
    for (gimple_stmt_iterator gsi = gsi_start_nondebug_bb (bb);
	 !gsi_end_p (gsi); gsi_next_nondebug (&gsi))
      {
	gimple *stmt = gsi_stmt (gsi);
	if (gimple_clobber_p (stmt))
	  continue;
	walk_stmt_load_store_addr_ops (stmt, &search, note_local, note_local,
				       note_local);
	if (gimple_call_builtin_p (stmt, BUILT_IN_ALLOCA)
	    || gimple_call_builtin_p (stmt, BUILT_IN_ALLOCA_WITH_ALIGN)
	    || gimple_call_builtin_p (stmt, BUILT_IN_ALLOCA_WITH_ALIGN_AND_MAX))
	  allocas.safe_push (as_a<gcall *> (stmt));
      }
  for (gcall *call : allocas)
    report_alloca (call, places, records);
  if (search.found.is_empty ())
    return;
  gimple *place
    = places.on (single_succ_edge (ENTRY_BLOCK_PTR_FOR_FN (fun)));
  unsigned first = records.length ();
  for (tree decl : search.found)
    {
      record_entry entry = {};
      entry.op = MPRT_OP_LOCAL_BIRTH;
      entry.local = build_fold_addr_expr (decl);
      entry.bytes = DECL_SIZE_UNIT (decl);
      entry.index = site_table::add_local (decl, DECL_SOURCE_LOCATION (decl));
      add_birth (entry, place, first, loops_for_fn (fun)->tree_root, records);
    }
}

} // namespace memprof::plugin
