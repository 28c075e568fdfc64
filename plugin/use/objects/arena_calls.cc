/* arena_calls.cc - calls of the library of arenas, and what they become without it.
   SPDX-License-Identifier: GPL-3.0-or-later

   The library that has __mprt_hot_* (runtime/arena) may be absent: the link was
   made without our specs, or makes a shared library.  So each object file has

     .weak __mprt_hot_malloc          // COMDAT: one per link
     __mprt_hot_malloc:  jmp malloc   // which ignores the second argument

   which the library's function replaces.  It replaces a reference that may
   stay unresolved, but needs no test at the call, and no edge of its own for
   what operator new throws.  What makes the linker take the library is

     .comm __mprt_arena_wanted,4      // defined by the library; hidden

   so that programs without such calls stay as they are.  There is one such symbol for each part of
   the library (runtime/arena/arena_calls.h), so that a program whose cells are all of malloc's heap,
   say, has no memory for small objects, and free of its own C library.

   Code for a shared library (-fPIC) must not add to what that exports.  There the function is
   hidden, has a name of its own, and looks at load time's answer: the program's function, or none.

     .hidden __mprt_lib_malloc        // COMDAT
     __mprt_lib_malloc:  if (&__mprt_hot_malloc) jmp *__mprt_hot_malloc; jmp malloc

   Wrappers.  The malloc in xmalloc is one for all callers:

     p = xmalloc (48);		      __mprt_arena_hint (&site);
				      p = xmalloc (48);
				      __mprt_arena_hint (0);

     void *xmalloc (size_t n)	      void *xmalloc (size_t n)
     {				      {
       void *p = malloc (n);		void *p = __mprt_hinted_malloc (n);

   The two may be in different units.  If the wrapper's is not rebuilt, nothing takes the
   hint, and its objects are malloc's.  A call that may throw withdraws no hint; the next object
   of a wrapper takes it then, which is as right as any place.  */

#include "plugin/gcc-common.h"
#include "plugin/sites/function_names.h"
#include "plugin/target/target.h"
#include "plugin/use/objects/arena_calls.h"

namespace memprof::plugin {

namespace {

/* Functions that can be replaced, and where the fallback jumps to.  */
struct replaced
{
  const char *name; // assembler name
  const char *hot;
  unsigned arguments;
  bool throws;
  const char *wanted; // the symbol of the library's part; null: __mprt_arena_wanted alone
  const char *hinted; // in a wrapper; null: there is none
};

constexpr const char *k_new = "__mprt_new_wanted", *k_aligned = "__mprt_aligned_wanted";

const replaced k_replaced[]
  = { { "malloc", "__mprt_hot_malloc", 1, false, nullptr, "__mprt_hinted_malloc" },
      { "calloc", "__mprt_hot_calloc", 2, false, nullptr, "__mprt_hinted_calloc" },
      { "realloc", "__mprt_hot_realloc", 2, false, nullptr, "__mprt_hinted_realloc" },
      { "aligned_alloc", "__mprt_hot_aligned_alloc", 2, false, k_aligned, nullptr },
      { "memalign", "__mprt_hot_memalign", 2, false, k_aligned, nullptr },
      { "posix_memalign", "__mprt_hot_posix_memalign", 3, false, k_aligned, nullptr },
      { "_Znwm", "__mprt_hot_Znwm", 1, true, k_new, nullptr },
      { "_Znam", "__mprt_hot_Znam", 1, true, k_new, nullptr },
      { "_ZnwmRKSt9nothrow_t", "__mprt_hot_ZnwmRKSt9nothrow_t", 2, false, k_new, nullptr },
      { "_ZnamRKSt9nothrow_t", "__mprt_hot_ZnamRKSt9nothrow_t", 2, false, k_new, nullptr } };

constexpr unsigned k_rows = ARRAY_SIZE (k_replaced);
const char *const k_hint = "__mprt_arena_hint";

bool heap_watched, slabs_used;

/* Whether the unit may become a part of a shared library.  */

bool
for_library_p ()
{
  return flag_shlib;
}

/* The function that is called for NAME, __mprt_hot_malloc and the like.  In malloc memory.  */

char *
called_name (const char *name)
{
  return for_library_p () ? xasprintf ("__mprt_lib_%s", name + strlen ("__mprt_"))
			  : xstrdup (name);
}

/* A declaration of it, with TYPE.  */

tree
called_decl (const char *name, tree type)
{
  char *called = called_name (name);
  tree decl = build_fn_decl (called, type);
  free (called);
  if (for_library_p ())
    {
      DECL_VISIBILITY (decl) = VISIBILITY_HIDDEN;
      DECL_VISIBILITY_SPECIFIED (decl) = 1;
    }
  return decl;
}

/* Their declarations, made when they are first needed: then the unit has the
   fallback as well.  */
tree hot_decls[k_rows], hinted_decls[k_rows], hint_decl;

const ggc_root_tab roots[]
  = { { hot_decls, k_rows, sizeof (tree), &gt_ggc_mx_tree_node, &gt_pch_nx_tree_node },
      { hinted_decls, k_rows, sizeof (tree), &gt_ggc_mx_tree_node,
	&gt_pch_nx_tree_node },
      { &hint_decl, 1, sizeof (tree), &gt_ggc_mx_tree_node, &gt_pch_nx_tree_node },
      LAST_GGC_ROOT_TAB };

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
  decl = called_decl (k_replaced[row].hot, type);
  DECL_IS_MALLOC (decl) = DECL_IS_MALLOC (old);
  TREE_NOTHROW (decl) = !k_replaced[row].throws;
  return decl;
}

/* Puts a call of DECL in the place of CALL, with its arguments and EXTRA, if that is not null.  */

void
replace_call (gcall *call, tree decl, tree extra)
{
  auto_vec<tree> arguments;
  for (unsigned i = 0; i < gimple_call_num_args (call); i++)
    arguments.safe_push (gimple_call_arg (call, i));
  if (extra)
    arguments.safe_push (extra);
  gcall *fresh = gimple_build_call_vec (decl, arguments);
  gimple_call_set_lhs (fresh, gimple_call_lhs (call));
  gimple_set_location (fresh, gimple_location (call));
  gimple_set_block (fresh, gimple_block (call));
  gimple_call_set_nothrow (fresh, gimple_call_nothrow_p (call));
  gimple_move_vops (fresh, call);
  // It is paired with free and delete, whatever its name.
  suppress_warning (fresh, OPT_Wmismatched_dealloc);
  suppress_warning (fresh, OPT_Wmismatched_new_delete);
  gimple_stmt_iterator gsi = gsi_for_stmt (call);
  gsi_replace (&gsi, fresh, true);
}

/* The function NAME as it is without the library: it jumps to INSTEAD, or does nothing if that is
   null.  */

void
write_fallback (const char *hot, const char *instead)
{
  char *name = called_name (hot);
  processor::write_jump (name, for_library_p () ? hot : nullptr, instead);
  free (name);
}

void
finish_unit (void *, void *)
{
  if (seen_error ())
    return;
  bool any = false, hints = hint_decl;
  for (unsigned i = 0; i < k_rows; i++)
    {
      if (hot_decls[i])
	{
	  write_fallback (k_replaced[i].hot, k_replaced[i].name);
	  if (k_replaced[i].wanted)
	    want_library (k_replaced[i].wanted);
	}
      if (hinted_decls[i])
	write_fallback (k_replaced[i].hinted, k_replaced[i].name);
      any |= hot_decls[i] != NULL_TREE;
      hints |= hinted_decls[i] != NULL_TREE;
    }
  if (hint_decl)
    write_fallback (k_hint, nullptr);
  if (any || hints)
    want_library ("__mprt_arena_wanted");
  if (hints)
    want_library ("__mprt_hints_wanted");
  if (heap_watched)
    want_library ("__mprt_heap_wanted");
  if (slabs_used)
    want_library ("__mprt_slabs_wanted");
}

/* A call that leaves ADDRESS for the next object of a wrapper.  */

gcall *
build_hint (tree address, gcall *beside)
{
  if (!hint_decl)
    {
      hint_decl = called_decl (k_hint, build_function_type_list (void_type_node, ptr_type_node,
								 NULL_TREE));
      TREE_NOTHROW (hint_decl) = 1;
    }
  gcall *call = gimple_build_call (hint_decl, 1, address);
  gimple_set_location (call, gimple_location (beside));
  gimple_set_block (call, gimple_block (beside));
  return call;
}

} // anonymous namespace

bool
arena_calls_possible_p ()
{
  if (flag_sanitize
      & (SANITIZE_ADDRESS | SANITIZE_KERNEL_ADDRESS | SANITIZE_HWADDRESS | SANITIZE_THREAD
	 | SANITIZE_LEAK))
    return false;
  return POINTER_SIZE == 64 && processor::jumps_possible_p ();
}

int
allocation_row (gcall *call)
{
  tree decl = gimple_call_fndecl (call);
  if (!decl)
    return -1;
  const char *name = assembler_name (decl);
  for (unsigned i = 0; i < k_rows; i++)
    if (strcmp (name, k_replaced[i].name) == 0
	&& gimple_call_num_args (call) == k_replaced[i].arguments
	&& TREE_PUBLIC (decl))
      return i;
  return -1;
}

tree
bytes_wanted (gcall *call, unsigned row, tree *count)
{
  const char *name = k_replaced[row].name;
  *count = strcmp (name, "calloc") ? NULL_TREE : gimple_call_arg (call, 0);
  if (strcmp (name, "posix_memalign") == 0)
    return gimple_call_arg (call, 2);
  const bool second = *count || strcmp (name, "realloc") == 0
		      || strcmp (name, "aligned_alloc") == 0
		      || strcmp (name, "memalign") == 0;
  return gimple_call_arg (call, second);
}

void
give_cell (gcall *call, unsigned row, tree cell)
{
  replace_call (call, hot_decl (row, gimple_call_fndecl (call)),
		build_fold_addr_expr (cell));
}

void
leave_hint (gcall *call, tree cell)
{
  gimple_stmt_iterator gsi = gsi_for_stmt (call);
  gsi_insert_before (&gsi, build_hint (build_fold_addr_expr (cell), call),
		     GSI_SAME_STMT);
  if (!stmt_ends_bb_p (call))
    gsi_insert_after (&gsi, build_hint (null_pointer_node, call), GSI_SAME_STMT);
}

bool
take_hint (gcall *call, unsigned row)
{
  if (!k_replaced[row].hinted)
    return false;
  tree old = gimple_call_fndecl (call);
  tree &decl = hinted_decls[row];
  if (!decl)
    {
      decl = called_decl (k_replaced[row].hinted, TREE_TYPE (old));
      DECL_IS_MALLOC (decl) = DECL_IS_MALLOC (old);
      TREE_NOTHROW (decl) = 1;
    }
  replace_call (call, decl, NULL_TREE);
  return true;
}

void
watch_heap ()
{
  heap_watched = true;
}

void
use_slabs ()
{
  slabs_used = true;
}

void
want_library (const char *name)
{
  fprintf (asm_out_file, "\t.comm\t%1$s,4,4\n\t.hidden\t%1$s\n", name);
}

void
register_arena_calls (const char *plugin_name)
{
  register_callback (plugin_name, PLUGIN_REGISTER_GGC_ROOTS, nullptr,
		     const_cast<ggc_root_tab *> (roots));
  register_callback (plugin_name, PLUGIN_FINISH_UNIT, finish_unit, nullptr);
}

} // namespace memprof::plugin
