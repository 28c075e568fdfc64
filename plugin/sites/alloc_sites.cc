/* alloc_sites.cc - tells the runtime which call allocates.
   SPDX-License-Identifier: GPL-3.0-or-later

   Before:                 After:

     p = malloc (n);         old = __mprt_alloc_site;
			     __mprt_alloc_site = old ? old : &alloc_sites[7];
			     p = malloc (n);
			     __mprt_alloc_site = old;

   The outermost call wins, so that the caller of a wrapper is named, not the
   wrapper.  Wrappers are the functions with the attributes malloc or alloc_size
   in the source and those of -fprofile-mem-alloc-fn; what GCC finds out by
   itself to be like malloc is not meant (a recursive function that builds a
   tree is).  The old value is put back on exception edges too.

   In objects mode, calls that can be seen to ask for less than objects of
   interest have are left alone.  */

#include "plugin/gcc-common.h"
#include "plugin/sites/alloc_sites.h"
#include "plugin/options.h"
#include "plugin/sites/runtime_decls.h"
#include "plugin/tables/unit_tables.h"

namespace memprof::plugin {

namespace {

/* Functions whose objects are known to the runtime.  */
const char *const k_allocators[]
  = { "malloc",	      "calloc",		"realloc",	  "reallocarray",
      "aligned_alloc", "posix_memalign", "memalign",	  "valloc",
      "pvalloc",      "strdup",		"strndup",	  "mmap",
      "mmap64",	      "_Znwm",		"_Znam",	  "_ZnwmRKSt9nothrow_t",
      "_ZnamRKSt9nothrow_t", "_ZnwmSt11align_val_t", "_ZnamSt11align_val_t",
      "_ZnwmSt11align_val_tRKSt9nothrow_t",
      "_ZnamSt11align_val_tRKSt9nothrow_t", "_gfortran_allocate" };

/* Whether NAME is one of -fprofile-mem-alloc-fn=NAME:ARG,...  */

bool
named_by_option_p (const char *name)
{
  size_t length = strlen (name);
  for (const char *list = options.alloc_fn; list && *list;)
    {
      size_t item = strcspn (list, ",");
      size_t item_name = MIN (strcspn (list, ":"), item);
      if (item_name == length && strncmp (list, name, length) == 0)
	return true;
      list += item + (list[item] == ',');
    }
  return false;
}

bool
allocator_p (tree decl, const char *name)
{
  for (const char *known : k_allocators)
    if (strcmp (known, name) == 0)
      return true;
  // alloc_size belongs to the type, malloc to the declaration.
  return lookup_attribute ("malloc", DECL_ATTRIBUTES (decl))
	 || lookup_attribute ("alloc_size",
			      TYPE_ATTRIBUTES (TREE_TYPE (decl)))
	 || named_by_option_p (name);
}

const char *
assembler_name (tree decl)
{
  const char *name = IDENTIFIER_POINTER (DECL_ASSEMBLER_NAME (decl));
  return targetm.strip_name_encoding (name);
}

/* "malloc"; "operator new" rather than its assembler name.  */

const char *
display_name (tree decl)
{
  const char *name = assembler_name (decl);
  if (strncmp (name, "_Znw", 4) == 0)
    return "operator new";
  if (strncmp (name, "_Zna", 4) == 0)
    return "operator new[]";
  return name;
}

void
restore (gimple *place, tree old)
{
  if (!place)
    return;
  gimple_stmt_iterator gsi = gsi_for_stmt (place);
  gsi_insert_before (&gsi, gimple_build_assign (runtime ().alloc_site, old),
		     GSI_SAME_STMT);
}

void
mark_call (gcall *call, edge_places &places)
{
  const runtime_decls &rt = runtime ();
  tree site
    = site_table::add_alloc_site (call,
				  display_name (gimple_call_fndecl (call)));
  gimple_stmt_iterator gsi = gsi_for_stmt (call);
  tree old = make_ssa_name (rt.word);
  tree test = make_ssa_name (boolean_type_node);
  tree here = make_ssa_name (rt.word);
  tree value = make_ssa_name (rt.word);
  for (gimple *stmt :
       { gimple_build_assign (old, rt.alloc_site),
	 gimple_build_assign (here, NOP_EXPR, site),
	 gimple_build_assign (test, NE_EXPR, old, build_zero_cst (rt.word)),
	 gimple_build_assign (value, COND_EXPR, test, old, here),
	 gimple_build_assign (rt.alloc_site, value) })
    gsi_insert_before (&gsi, stmt, GSI_SAME_STMT);
  restore (places.after (call), old);
  if (!stmt_ends_bb_p (call))
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

/* Whether what CALL allocates is too small to be reported.  */

bool
small_p (gcall *call)
{
  wide_int range[2];
  return options.mode == MODE_OBJECTS && gimple_call_alloc_size (call, range)
	 && wi::ltu_p (range[1], options.object_bytes);
}

} // anonymous namespace

void
find_alloc_calls (function *fun, auto_vec<gcall *> &calls)
{
  basic_block bb;
  FOR_EACH_BB_FN (bb, fun)
    for (gimple_stmt_iterator gsi = gsi_start_nondebug_bb (bb);
	 !gsi_end_p (gsi); gsi_next_nondebug (&gsi))
      if (gcall *call = dyn_cast<gcall *> (gsi_stmt (gsi)))
	{
	  tree decl = gimple_call_fndecl (call);
	  if (decl && !gimple_call_internal_p (call)
	      && allocator_p (decl, assembler_name (decl)) && !small_p (call))
	    calls.safe_push (call);
	}
}

void
mark_alloc_calls (const auto_vec<gcall *> &calls, edge_places &places)
{
  for (gcall *call : calls)
    mark_call (call, places);
}

} // namespace memprof::plugin
