/* apply_arenas.cc - gives allocation calls an arena: with huge pages, or a shared one.
   SPDX-License-Identifier: GPL-3.0-or-later

   Before:                          After:

     n = malloc (48);                 static struct mprt_site_cell site;
				      n = __mprt_hot_malloc (48, &site);

   A call is found in the profile by what its group says about itself: file, line,
   function, type.  The decision is that of consumers/decide/huge_pages.h; if it is
   for some of the objects only, the third member of the cell has a bit for each of
   the others.
   Copies that GCC has made of the call share the cell, because the profile counts
   their objects together.

   Calls whose objects are used together (consumers/decide/co_allocation.h) share a cell, also
   those of other units: its name has the number of their arena, and the linker keeps
   one.  They are not asked about huge pages any more, which a shared arena has as
   well.

   The library that has __mprt_hot_* (runtime/arena) may be absent: the link was
   made without our specs, or makes a shared library.  So each object file has

     .weak __mprt_hot_malloc          // COMDAT: one per link
     __mprt_hot_malloc:  jmp malloc   // which ignores the second argument

   which the library's function replaces.  It replaces a reference that may
   stay unresolved, but needs no test at the call, and no edge of its own for
   what operator new throws.  What makes the linker take the library is

     .comm __mprt_arena_wanted,4      // defined by the library

   so that programs without such calls stay as they are.

   Where the decision is for malloc's heap (consumers/decide/heap_pages.h), the call has a
   cell in which all objects are malloc's, and the object file has

     .comm __mprt_heap_wanted,4

   for which the library watches the heap.

   Calls of large blocks say how large, for prefetches that wait for larger inputs
   (block_watch.cc).

   Not with a sanitizer, which has a malloc of its own; not at -O0.  */

#include "plugin/gcc-common.h"
#include "plugin/sites/source_place.h"
#include "plugin/sites/alloc_sites.h"
#include "plugin/use/apply_arenas.h"
#include "plugin/use/block_watch.h"
#include "plugin/use/veto.h"
#include "plugin/options.h"
#include "plugin/use/remarks.h"
#include "plugin/tables/source_text.h"
#include "runtime/wire/arena_cell.h"

namespace memprof::plugin {

namespace {

/* Functions that can be replaced, and where the fallback jumps to.  */
struct routed
{
  const char *name; // assembler name
  const char *hot;
  unsigned arguments;
  bool throws;
};

const routed k_routed[]
  = { { "malloc", "__mprt_hot_malloc", 1, false },
      { "calloc", "__mprt_hot_calloc", 2, false },
      { "realloc", "__mprt_hot_realloc", 2, false },
      { "aligned_alloc", "__mprt_hot_aligned_alloc", 2, false },
      { "memalign", "__mprt_hot_memalign", 2, false },
      { "posix_memalign", "__mprt_hot_posix_memalign", 3, false },
      { "_Znwm", "__mprt_hot_Znwm", 1, true },
      { "_Znam", "__mprt_hot_Znam", 1, true },
      { "_ZnwmRKSt9nothrow_t", "__mprt_hot_ZnwmRKSt9nothrow_t", 2, false },
      { "_ZnamRKSt9nothrow_t", "__mprt_hot_ZnamRKSt9nothrow_t", 2, false } };

/* The bytes that CALL of row ROW asks for: the argument, or the product with COUNT.  */

tree
bytes_wanted (gcall *call, unsigned row, tree *count)
{
  const char *name = k_routed[row].name;
  *count = strcmp (name, "calloc") ? NULL_TREE : gimple_call_arg (call, 0);
  if (strcmp (name, "posix_memalign") == 0)
    return gimple_call_arg (call, 2);
  const bool second = *count || strcmp (name, "realloc") == 0
		      || strcmp (name, "aligned_alloc") == 0
		      || strcmp (name, "memalign") == 0;
  return gimple_call_arg (call, second);
}

/* Whether there is a cell for the heap.  */
bool heap_wanted;

/* Their declarations, made when they are first needed: then the unit has the
   fallback as well.  */
tree hot_decls[ARRAY_SIZE (k_routed)];

const ggc_root_tab roots[] = { { hot_decls, ARRAY_SIZE (k_routed),
				 sizeof (tree), &gt_ggc_mx_tree_node,
				 &gt_pch_nx_tree_node },
			       LAST_GGC_ROOT_TAB };

bool
target_fits_p ()
{
#if defined TARGET_AVX && defined TARGET_64BIT
  // The jump of the fallback reaches 2 GB.
  return TARGET_64BIT && POINTER_SIZE == 64 && ix86_cmodel != CM_LARGE
	 && ix86_cmodel != CM_LARGE_PIC;
#else
  return false;
#endif
}

const char *
assembler_name (tree decl)
{
  return targetm.strip_name_encoding (
    IDENTIFIER_POINTER (DECL_ASSEMBLER_NAME (decl)));
}

/* The row of k_routed for CALL, -1: none.  */

int
routed_row (gcall *call)
{
  tree decl = gimple_call_fndecl (call);
  if (!decl)
    return -1;
  const char *name = assembler_name (decl);
  for (unsigned i = 0; i < ARRAY_SIZE (k_routed); i++)
    if (strcmp (name, k_routed[i].name) == 0
	&& gimple_call_num_args (call) == k_routed[i].arguments
	&& TREE_PUBLIC (decl))
      return i;
  return -1;
}

/* A function like OLD with one more argument.  */

tree
hot_decl (unsigned row, tree old)
{
  tree &decl = hot_decls[row];
  if (decl)
    return decl;
  auto_vec<tree> arguments;
  for (tree t = TYPE_ARG_TYPES (TREE_TYPE (old)); t && t != void_list_node;
       t = TREE_CHAIN (t))
    arguments.safe_push (TREE_VALUE (t));
  arguments.safe_push (ptr_type_node);
  tree type = build_function_type_array (TREE_TYPE (TREE_TYPE (old)),
					 arguments.length (),
					 arguments.address ());
  decl = build_fn_decl (k_routed[row].hot, type);
  DECL_IS_MALLOC (decl) = DECL_IS_MALLOC (old);
  TREE_NOTHROW (decl) = !k_routed[row].throws;
  return decl;
}

/* Cells that there are, by the words of the profile for their calls.  The symbol
   table keeps the variables.  */
struct known_cell
{
  char *file, *function, *type;
  unsigned line, first;
  uint64_t blocks;
  tree variable;
};
auto_vec<known_cell> known_cells;

/* A variable NAME of the type struct mprt_site_cell (runtime/wire/arena_cell.h):
   no number, no calls yet, FIRST, and who is not in BLOCKS.  As two words, of which the
   first has FIRST in its second quarter.  To be finalised.  */

tree
build_cell (const char *name, uint64_t blocks, unsigned first)
{
  tree word = build_nonstandard_integer_type (64, 1);
  tree type = build_array_type_nelts (word, 2);
  tree decl = build_decl (UNKNOWN_LOCATION, VAR_DECL, get_identifier (name),
			  type);
  TREE_STATIC (decl) = 1;
  DECL_ARTIFICIAL (decl) = 1;
  DECL_IGNORED_P (decl) = 1;
  TREE_ADDRESSABLE (decl) = 1;
  TREE_USED (decl) = 1;
  DECL_PRESERVE_P (decl) = 1;
  SET_DECL_ALIGN (decl, MAX (DECL_ALIGN (decl), 64));
  vec<constructor_elt, va_gc> *words = nullptr;
  CONSTRUCTOR_APPEND_ELT (words, size_int (0),
			  build_int_cstu (word, uint64_t (first) << 16));
  CONSTRUCTOR_APPEND_ELT (words, size_int (1), build_int_cstu (word, ~blocks));
  DECL_INITIAL (decl) = build_constructor (type, words);
  TREE_CONSTANT (DECL_INITIAL (decl)) = 1;
  TREE_STATIC (DECL_INITIAL (decl)) = 1;
  return decl;
}

/* The library's words for the calls that VIEW stands for.  */

tree
cell_of (const decide::AllocationCode &view, uint64_t blocks, unsigned first)
{
  for (const known_cell &cell : known_cells)
    if (cell.line == view.line && cell.blocks == blocks && cell.first == first
	&& strcmp (cell.file, view.file) == 0
	&& strcmp (cell.function, view.function) == 0
	&& strcmp (cell.type, view.type) == 0)
      return cell.variable;
  char name[40];
  sprintf (name, "__memprof_arena_site.%u", known_cells.length ());
  tree variable = build_cell (name, blocks, first);
  varpool_node::finalize_decl (variable);
  known_cells.safe_push ({ xstrdup (view.file), xstrdup (view.function),
			   xstrdup (view.type), view.line, first, blocks,
			   variable });
  return variable;
}

/* The cell of the calls that share ARENA, in all units of the program; HALF: its objects begin
   in the middle of a line.  */

tree
shared_cell (uint32_t arena, bool half)
{
  const unsigned first = half ? MPRT_SHARED_HALF : MPRT_SHARED;
  char name[50];
  sprintf (name, "__memprof_shared_arena.%08x", arena);
  for (const known_cell &cell : known_cells)
    if (strcmp (cell.function, name) == 0)
      return cell.variable;
  tree variable = build_cell (name, ~uint64_t (0), first);
  TREE_PUBLIC (variable) = 1;
  DECL_VISIBILITY (variable) = VISIBILITY_HIDDEN;
  DECL_VISIBILITY_SPECIFIED (variable) = 1;
  make_decl_one_only (variable, DECL_ASSEMBLER_NAME (variable));
  varpool_node::finalize_decl (variable);
  known_cells.safe_push ({ xstrdup (""), xstrdup (name), xstrdup (""), 0, first,
			   ~uint64_t (0), variable });
  return variable;
}

/* Replaces CALL by that of row ROW, with CELL.  */

void
route (gcall *call, unsigned row, tree cell)
{
  auto_vec<tree> arguments;
  for (unsigned i = 0; i < gimple_call_num_args (call); i++)
    arguments.safe_push (gimple_call_arg (call, i));
  arguments.safe_push (build_fold_addr_expr (cell));
  gcall *hot
    = gimple_build_call_vec (hot_decl (row, gimple_call_fndecl (call)),
			     arguments);
  gimple_call_set_lhs (hot, gimple_call_lhs (call));
  gimple_set_location (hot, gimple_location (call));
  gimple_set_block (hot, gimple_block (call));
  gimple_call_set_nothrow (hot, gimple_call_nothrow_p (call));
  gimple_move_vops (hot, call);
  // It is paired with free and delete, whatever its name.
  suppress_warning (hot, OPT_Wmismatched_dealloc);
  suppress_warning (hot, OPT_Wmismatched_new_delete);
  gimple_stmt_iterator gsi = gsi_for_stmt (call);
  gsi_replace (&gsi, hot, true);
}

/* The words of the profile for CALL's group, as unit_tables.cc and alloc_sites.cc
   write them.  */

void
describe (gcall *call, function *fun, const char *file, text *type,
	  decide::AllocationCode *view)
{
  location_t where = source_place (call);
  const char *own = LOCATION_FILE (where);
  view->file = own ? remap_debug_filename (own) : file;
  view->line = LOCATION_LINE (where);
  view->function = printable_name (fun->decl);
  tree lhs = gimple_call_lhs (call);
  if (lhs && POINTER_TYPE_P (TREE_TYPE (lhs)))
    type_text (TREE_TYPE (TREE_TYPE (lhs)), type);
  view->type = strcmp (type->c_str (), "void") ? type->c_str () : "";
}

#if defined TARGET_AVX && defined TARGET_64BIT

/* The fallback of ROW, see above.  */

void
write_fallback (FILE *out, const routed &row)
{
  fprintf (out,
	   "\t.section\t.text.%1$s,\"axG\",@progbits,%1$s,comdat\n"
	   "\t.weak\t%1$s\n"
	   "\t.type\t%1$s, @function\n"
	   "%1$s:\n"
	   "\t.cfi_startproc\n",
	   row.hot);
  if (flag_cf_protection & CF_BRANCH)
    fputs ("\tendbr64\n", out);
  fprintf (out,
	   "\tjmp\t%s@PLT\n"
	   "\t.cfi_endproc\n"
	   "\t.size\t%s, .-%s\n"
	   "\t.text\n",
	   row.name, row.hot, row.hot);
}

#else

void
write_fallback (FILE *, const routed &)
{}

#endif

void
finish_unit (void *, void *)
{
  if (seen_error ())
    return;
  bool any = false;
  for (unsigned i = 0; i < ARRAY_SIZE (k_routed); i++)
    if (hot_decls[i])
      {
	write_fallback (asm_out_file, k_routed[i]);
	any = true;
      }
  if (any)
    fputs ("\t.comm\t__mprt_arena_wanted,4,4\n", asm_out_file);
  if (heap_wanted)
    fputs ("\t.comm\t__mprt_heap_wanted,4,4\n", asm_out_file);
}

/* What FROM decides about CALL, which CODE describes, in one respect; null when it is
   switched off or the profile does not know.  */

const decision_view *
decide (gcall *call, profile *from, const decide::AllocationCode &code,
	decide::Transformation what)
{
  if (switched_off_p (what))
    return nullptr;
  const decide::Candidate candidate
    = candidate_at (call, printable_name (gimple_call_fndecl (call)), what);
  const decision_view *decision
    = what == decide::Transformation::co_allocation
	? profile_decide_co_allocation (from, candidate, code)
	: profile_decide_huge_pages (from, candidate, code);
  if (decision)
    emit_remark (call, *decision);
  return decision;
}

/* The cell that CALL gets; null: none.  */

tree
cell_for (gcall *call, profile *from, const decide::AllocationCode &code)
{
  const decision_view *shared
    = decide (call, from, code, decide::Transformation::co_allocation);
  if (shared && shared->take)
    return shared_cell (shared->arena, shared->first);
  const decision_view *huge
    = decide (call, from, code, decide::Transformation::huge_pages);
  if (!huge || !huge->take)
    return NULL_TREE;
  heap_wanted |= !huge->blocks;
  return cell_of (code, huge->blocks, huge->first);
}

} // anonymous namespace

unsigned
route_allocations (function *fun, profile *from, const char *file, bool changed_code)
{
  if (!optimize || !target_fits_p ()
      || (flag_sanitize
	  & (SANITIZE_ADDRESS | SANITIZE_KERNEL_ADDRESS | SANITIZE_HWADDRESS
	     | SANITIZE_THREAD | SANITIZE_LEAK)))
    return 0;
  auto_vec<gcall *> calls;
  find_alloc_calls (fun, calls);
  bool changed = false, watched = false;
  for (gcall *call : calls)
    {
      int row = routed_row (call);
      text type;
      decide::AllocationCode code;
      describe (call, fun, file, &type, &code);
      code.replaceable = row >= 0;
      code.elsewhere = changed_code;
      const char *name = row >= 0 ? profile_watched_name (from, code) : nullptr;
      if (name && !switched_off_p (decide::Transformation::prefetch))
	{
	  tree count, bytes = bytes_wanted (call, row, &count);
	  watch_block (call, bytes, count, name);
	  watched = true;
	}
      if (tree cell = cell_for (call, from, code))
	{
	  route (call, row, cell);
	  changed = true;
	}
    }
  if (changed)
    cgraph_edge::rebuild_edges ();
  return watched ? TODO_update_ssa_only_virtuals : 0;
}

void
register_arenas (const char *plugin_name)
{
  register_callback (plugin_name, PLUGIN_REGISTER_GGC_ROOTS, nullptr,
		     const_cast<ggc_root_tab *> (roots));
  register_callback (plugin_name, PLUGIN_FINISH_UNIT, finish_unit, nullptr);
}

} // namespace memprof::plugin
