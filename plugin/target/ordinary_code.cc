/* ordinary_code.cc - answers of target.h that are right on every processor.
   SPDX-License-Identifier: GPL-3.0-or-later

   They are weak: a port that defines one of these functions replaces it.  */

#include "plugin/gcc-common.h"
#include "plugin/target/target.h"
#include "plugin/sites/runtime_decls.h"

#define ORDINARY __attribute__ ((weak))

namespace memprof::plugin {

void
processor::declared_accesses (gcall *call, vec<machine_access> &accesses)
{
  unsigned number = 0;
  for (tree type = TYPE_ARG_TYPES (gimple_call_fntype (call));
       type && number < gimple_call_num_args (call);
       type = TREE_CHAIN (type), number++)
    {
      if (!POINTER_TYPE_P (TREE_VALUE (type)))
	continue;
      tree pointed_to = TREE_TYPE (TREE_VALUE (type));
      tree argument = gimple_call_arg (call, number);
      HOST_WIDE_INT bytes = VOID_TYPE_P (pointed_to) ? 0 : int_size_in_bytes (pointed_to);
      if (bytes <= 0 || TYPE_MAIN_VARIANT (pointed_to) == char_type_node
	  || !POINTER_TYPE_P (TREE_TYPE (argument)))
	continue;
      accesses.safe_push ({ TYPE_READONLY (pointed_to) ? MPRT_OP_LOAD : MPRT_OP_STORE, argument,
			    NULL_TREE, bytes, NULL_TREE });
    }
}

ORDINARY void
processor::machine_accesses (gcall *call, vec<machine_access> &accesses)
{
  tree decl = gimple_call_fndecl (call);
  if (decl && fndecl_built_in_p (decl, BUILT_IN_MD))
    declared_accesses (call, accesses);
}

ORDINARY tree
processor::runtime_function_type (tree type)
{
  return type;
}

ORDINARY tree
processor::name_site (gcall *call, tree site)
{
  const runtime_decls &rt = runtime ();
  tree old = make_ssa_name (rt.word), own = make_ssa_name (rt.word);
  tree named = make_ssa_name (boolean_type_node), value = make_ssa_name (rt.word);
  gimple_stmt_iterator gsi = gsi_for_stmt (call);
  for (gimple *stmt :
       { gimple_build_assign (old, rt.alloc_site), gimple_build_assign (own, NOP_EXPR, site),
	 gimple_build_assign (named, NE_EXPR, old, build_zero_cst (rt.word)),
	 gimple_build_assign (value, COND_EXPR, named, old, own),
	 gimple_build_assign (rt.alloc_site, value) })
    gsi_insert_before (&gsi, stmt, GSI_SAME_STMT);
  return old;
}

ORDINARY void
processor::restore_site (gimple *place, tree old)
{
  gimple_stmt_iterator gsi = gsi_for_stmt (place);
  gsi_insert_before (&gsi, gimple_build_assign (runtime ().alloc_site, old), GSI_SAME_STMT);
}

ORDINARY bool
processor::record_fits_p (unsigned)
{
  return false;
}

ORDINARY bool
processor::run_fits_p (unsigned)
{
  return false;
}

ORDINARY void
processor::write_record (gimple *, tree, const vec<tree> &, bool, bool)
{
  gcc_unreachable ();
}

ORDINARY void
processor::write_rare_record (gimple *, tree, const vec<tree> &)
{
  gcc_unreachable ();
}

ORDINARY bool
processor::rare_record_p (gasm *)
{
  return false;
}

ORDINARY bool
processor::serves_record_p (gasm *)
{
  return false;
}

ORDINARY void
processor::guard_record (gimple_stmt_iterator *, tree)
{
  gcc_unreachable ();
}

ORDINARY void
processor::write_run (gimple *, tree, const vec<tree> &, const vec<HOST_WIDE_INT> &,
		   const vec<tree> &, tree, tree)
{
  gcc_unreachable ();
}

ORDINARY void
processor::write_run_end (gimple_stmt_iterator *, tree, tree)
{
  gcc_unreachable ();
}

ORDINARY gimple *
processor::build_slow_call (tree)
{
  return nullptr;
}

ORDINARY gimple *
processor::build_countdown (tree, tree, tree)
{
  return nullptr;
}

ORDINARY gimple *
processor::build_burst_call (tree, tree)
{
  return nullptr;
}

ORDINARY bool
processor::streaming_possible_p (machine_mode)
{
  return false;
}

ORDINARY gimple *
processor::build_streaming_fence ()
{
  gcc_unreachable ();
}

ORDINARY void
processor::register_passes (const char *)
{}

ORDINARY void
processor::write_stubs ()
{}

ORDINARY bool
processor::jumps_possible_p ()
{
  return false;
}

ORDINARY void
processor::write_jump (const char *, const char *, const char *)
{
  gcc_unreachable ();
}

} // namespace memprof::plugin
