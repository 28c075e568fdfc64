/* apply_arenas.cc - gives allocation calls an arena: with huge pages, or a shared one.
   SPDX-License-Identifier: GPL-3.0-or-later

   Before:                          After:

     n = malloc (48);                 static struct mprt_site_cell site;
				      n = __mprt_hot_malloc (48, &site);

   A call is found in the profile by what its group says about itself: file, line,
   function, type.  consumers/decide/huge_pages.h decides; if it takes only some of the objects, the third member of the cell has a bit for each of
   the others.
   Copies that GCC has made of the call share the cell, because the profile counts
   their objects together.

   Calls whose objects are used together (consumers/decide/co_allocation.h) share a cell, also
   those of other units: its name has the number of their arena, and the linker keeps
   one.  They are not asked about huge pages any more, which a shared arena has as
   well.

   Where the decision is for malloc's heap (consumers/decide/heap_pages.h), the call has a
   cell in which all objects are malloc's.

   A call of a wrapper (xmalloc) leaves its cell for the malloc in the wrapper, which takes it
   (arena_calls.cc).  A wrapper is what the profile has as the allocator of objects.

   Calls of large blocks say how large, for prefetches that wait for larger inputs
   (block_watch.cc).

   Not with a sanitizer, which has a malloc of its own; not at -O0.  */

#include "plugin/gcc-common.h"
#include "plugin/sites/source_place.h"
#include "plugin/sites/alloc_sites.h"
#include "plugin/use/objects/apply_arenas.h"
#include "plugin/use/objects/arena_calls.h"
#include "plugin/use/objects/block_watch.h"
#include "plugin/use/veto.h"
#include "plugin/options.h"
#include "plugin/use/remarks.h"
#include "plugin/tables/allocated_type.h"
#include "runtime/wire/arena_cell.h"

namespace memprof::plugin {

namespace {

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
   no number, no calls yet, FIRST, and the objects that are not in BLOCKS.  As two words, of which the
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

/* The cell of the calls that VIEW describes.  */

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
  allocated_type_text (call, type);
  view->type = type->c_str ();
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
    {
      use_slabs ();
      return shared_cell (shared->arena, shared->first);
    }
  const decision_view *huge
    = decide (call, from, code, decide::Transformation::huge_pages);
  if (!huge || !huge->take)
    return NULL_TREE;
  if (!huge->blocks)
    watch_heap ();
  else if (huge->slab_bytes)
    use_slabs ();
  return cell_of (code, huge->blocks, huge->first);
}

/* Whether NAME is a wrapper in the profile WRAPPERS_OF.  */

profile *wrappers_of;

bool
wrapper_p (const char *name)
{
  return profile_wrapper_p (wrappers_of, name);
}

} // anonymous namespace

unsigned
route_allocations (function *fun, profile *from, const char *file, bool changed_code)
{
  if (!optimize || !arena_calls_possible_p ())
    return 0;
  auto_vec<gcall *> calls;
  wrappers_of = from;
  find_alloc_calls (fun, calls, wrapper_p);
  const bool wrapper = wrapper_p (allocator_name (fun->decl));
  bool changed = false, hinted = false, watched = false;
  for (gcall *call : calls)
    {
      int row = allocation_row (call);
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
      tree cell = cell_for (call, from, code);
      if (cell && row >= 0)
	give_cell (call, row, cell);
      else if (cell)
	{
	  leave_hint (call, cell);
	  hinted = true;
	}
      changed |= cell || (wrapper && row >= 0 && take_hint (call, row));
    }
  if (changed)
    cgraph_edge::rebuild_edges ();
  return watched || hinted ? TODO_update_ssa_only_virtuals : 0;
}

} // namespace memprof::plugin
