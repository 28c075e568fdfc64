/* alloc_marks.cc - tells the runtime which call allocates.
   SPDX-License-Identifier: GPL-3.0-or-later

   Before:                 After:

     p = malloc (n);         old = __mprt_alloc_site;
			     __mprt_alloc_site = old ? old : &alloc_sites[7];
			     p = malloc (n);
			     __mprt_alloc_site = old;

   The outermost call wins, so that an object is attributed to the caller of a
   wrapper instead of to the wrapper.  The old value is put back on exception
   edges too.  */

#include "plugin/gcc-common.h"
#include "plugin/generate/alloc_marks.h"
#include "plugin/generate/record_writer.h"
#include "plugin/sites/alloc_sites.h"
#include "plugin/sites/runtime_decls.h"
#include "plugin/tables/unit_tables.h"
#include "plugin/target/target.h"

namespace memprof::plugin {

namespace {

void
restore (gimple *place, tree old)
{
  if (place)
    processor::restore_site (place, old);
}

/* Tells the runtime before PLACE what CALL has returned, of BYTES: a birth, unless malloc was
   called for it.  */

void
tell_carved (gcall *call, tree bytes, gimple *place)
{
  gimple_stmt_iterator gsi = gsi_for_stmt (place);
  tree decl = runtime ().carved;
  tree object = force_gimple_operand_gsi (&gsi, fold_convert (ptr_type_node,
							      gimple_call_lhs (call)),
					  true, NULL_TREE, true, GSI_SAME_STMT);
  gcall *tell = gimple_build_call (decl, 2, object, force_word (place, bytes));
  gsi_insert_before (&gsi, tell, GSI_SAME_STMT);
  cgraph_node::get (current_function_decl)
    ->create_edge (cgraph_node::get_create (decl), tell, gimple_bb (tell)->count);
}

void
mark_call (gcall *call, edge_places &places)
{
  tree site = unit_tables::add_alloc_site (call, allocator_name (gimple_call_fndecl (call)));
  tree old = processor::name_site (call, site);
  gimple *after = places.after (call);
  if (tree bytes = carved_bytes (call); bytes && after && gimple_call_lhs (call))
    tell_carved (call, bytes, after);
  restore (after, old);
  if (!ends_block_p (call))
    return;
  edge e;
  edge_iterator ei;
  auto_vec<edge, 2> unwinding;
  FOR_EACH_EDGE (e, ei, gimple_bb (call)->succs)
    if (e->flags & EDGE_EH)
      unwinding.safe_push (e);
  for (edge eh : unwinding)
    restore (places.on (eh), old);
}

} // anonymous namespace

void
mark_alloc_calls (const auto_vec<gcall *> &calls, edge_places &places)
{
  for (gcall *call : calls)
    mark_call (call, places);
}

} // namespace memprof::plugin
