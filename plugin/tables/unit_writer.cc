/* unit_writer.cc - writes the tables of a unit, and registers them with the runtime.
   SPDX-License-Identifier: GPL-3.0-or-later

   The tables are complete only when every function has been compiled, but then GCC compiles
   no more functions.  So

   1. before the first function is compiled, a constructor and a destructor are made.  They
      pass the address of a variable, of which only the name and the size are known:

	static struct mprt_unit unit;
	[[constructor (101)]] init () { __mprt_unit (&unit); }
	[[destructor (101)]] fini () { __mprt_unit_unload (&unit); }

   2. PLUGIN_FINISH_UNIT defines that variable and what it refers to.  Data can still be
      written then, and TREE_ASM_WRITTEN says which global variables are in the output.

   Trees that must survive until the end are garbage-collection roots.  */

#include "plugin/gcc-common.h"
#include "plugin/tables/unit_tables.h"
#include "plugin/options.h"
#include "plugin/sites/runtime_decls.h"
#include "plugin/tables/code_options.h"
#include "plugin/tables/descriptor_table.h"
#include "plugin/tables/globals.h"
#include "plugin/tables/unit_rows.h"

namespace memprof::plugin::unit_tables {

namespace {

const int k_priority = 101;
const unsigned k_unit_words = sizeof (mprt_unit) / 8;

/* Declared early, defined at the end.  */
struct table_trees
{
  tree unit;
  tree alloc_sites;
  tree descriptors;		/* list of (words, variable), last first */
  tree entry_weights;		/* list of (row, variable), last first */
} trees;

/* What the caller of register_callbacks adds to the unit.  */
void (*write_rest) ();

const ggc_root_tab roots[]
  = { { &trees, sizeof trees / sizeof (tree), sizeof (tree),
	&gt_ggc_mx_tree_node, &gt_pch_nx_tree_node },
      LAST_GGC_ROOT_TAB };

/* Makes a constructor (WHICH is I) or destructor (D) that calls FUNCTION.  Making it
   collects garbage, so each has its body built when its turn comes.  */

void
make_cdtor (char which, tree function)
{
  tree body = NULL_TREE;
  append_to_statement_list (
    build_call_expr (function, 1, build_fold_addr_expr (trees.unit)), &body);
  cgraph_build_static_cdtor (which, body, k_priority);
}

/* Makes the unit's variable, constructor and destructor.  Making a function
   runs passes, so a pass cannot do it.  */

void
make_unit_variable ()
{
  trees.unit
    = make_table_variable ("__memprof_module",
			   build_array_type_nelts (runtime ().word,
						   k_unit_words),
			   8);
  place_alone (trees.unit);
  location_t current_location = input_location;
  input_location = UNKNOWN_LOCATION;
  // Making a function leaves GCC without a current one.
  function *current = cfun;
  tree current_decl = current_function_decl;
  set_cfun (nullptr);
  current_function_decl = NULL_TREE;
  make_cdtor ('I', runtime ().register_unit);
  make_cdtor ('D', runtime ().unregister_unit);
  set_cfun (current);
  current_function_decl = current_decl;
  // With options of its own (-Ofast but no-associative-math) the current one may have been
  // given another target on the way, of which nothing is set up.
  if (current && !this_target_rtl->target_specific_initialized)
    init_function_start (current_decl);
  input_location = current_location;
}

/* PLUGIN_ALL_PASSES_START: before the first function that may be
   instrumented.  */

void
start_function (void *, void *)
{
  if (!trees.unit && !function_left_alone_p (cfun))
    make_unit_variable ();
}

/* PLUGIN_ALL_IPA_PASSES_START: a unit that defines variables and no function
   (a table of constants) has tables for their sake.  Not with -flto, where
   the variables meet a function later.  */

void
start_unit (void *, void *)
{
  if (trees.unit || flag_generate_lto || in_lto_p || seen_error ())
    return;
  cgraph_node *function;
  FOR_EACH_DEFINED_FUNCTION (function)
    return;
  varpool_node *variable;
  FOR_EACH_DEFINED_VARIABLE (variable)
    if (!variable->alias && !DECL_EXTERNAL (variable->decl))
      {
	make_unit_variable ();
	return;
      }
}

/* Appends the bytes of the rows in V to BLOB.  */

template <typename Row>
void
append_rows (auto_vec<char> &blob, const vec<Row> &v)
{
  size_t bytes = v.length () * sizeof (Row);
  if (bytes == 0)
    return;
  unsigned at = blob.length ();
  blob.safe_grow (at + bytes);
  memcpy (blob.address () + at, v.address (), bytes);
}

/* Defines the blob.  Returns its variable; its size goes to *BYTES.  */

tree
define_blob (const auto_vec<mprt_global> &globals, size_t *bytes)
{
  mprt_blob header = {};
  header.magic = MPRT_BLOB_MAGIC;
  header.abi = MPRT_ABI;
  header.functions = rows.functions.length ();
  header.loops = rows.loops.length ();
  header.sites = rows.sites.length ();
  header.alloc_sites = rows.alloc_sites.length ();
  header.globals = globals.length ();
  header.locals = rows.locals.length ();
  header.types = rows.types.types ().length ();
  header.fields = rows.types.fields ().length ();
  header.obstacles = rows.types.obstacles ().length ();
  header.callees = rows.callees.length ();
  header.frames = rows.frames.length ();
  header.calls = rows.calls.length ();
  if (!rows.functions.is_empty ())
    header.file = rows.functions[0].file;
  else if (!in_lto_p)
    header.file = rows.strings.add (remap_debug_filename (main_input_filename));
  header.compiler
    = rows.strings.add (ACONCAT ((lang_hooks.name, " ", gcc_version.basever, NULL)));
  header.output_dir = rows.strings.add (options.dir);
  header.module_names = rows.strings.add (options.modules);
  header.left_out = MPRT_ALL_EVENTS & ~options.events;
  char *text = code_options_text ();
  header.options = rows.strings.add (text);
  header.options_hash = code_options_hash (text);
  free (text);
  header.strings = rows.strings.bytes ().length ();
  header.mode = options.mode;
  if (options.mode == MODE_OBJECTS)
    header.object_bytes = options.object_bytes;

  auto_vec<char> blob;
  blob.safe_grow (sizeof header);
  memcpy (blob.address (), &header, sizeof header);
  append_rows (blob, rows.functions);
  append_rows (blob, rows.loops);
  append_rows (blob, rows.sites);
  append_rows (blob, rows.alloc_sites);
  append_rows (blob, globals);
  append_rows (blob, rows.locals);
  append_rows (blob, rows.types.types ());
  append_rows (blob, rows.types.fields ());
  append_rows (blob, rows.types.obstacles ());
  append_rows (blob, rows.callees);
  append_rows (blob, rows.frames);
  append_rows (blob, rows.calls);
  append_rows (blob, rows.strings.bytes ());
  *bytes = blob.length ();

  tree type = build_array_type_nelts (char_type_node, blob.length ());
  tree variable = make_table_variable ("__memprof_blob", type, 8);
  tree initial = build_string (blob.length (), blob.address ());
  TREE_TYPE (initial) = type;
  define_table_variable (variable, initial);
  return variable;
}

/* Defines the table of descriptor tables.  */

tree
define_descriptor_list (unsigned *count)
{
  auto_vec<tree> words;
  for (tree t = trees.descriptors; t; t = TREE_CHAIN (t))
    {
      words.safe_push (address_word (TREE_VALUE (t), 0));
      words.safe_push (TREE_PURPOSE (t));
    }
  *count = words.length () / 2;
  tree variable
    = make_table_variable ("__memprof_tables",
			   build_array_type_nelts (runtime ().word, 1), 8);
  define_word_table (variable, words);
  return variable;
}

/* Defines the table of the variables that count the first entries of functions.  Null: there are none.  */

tree
define_entry_weights ()
{
  if (!trees.entry_weights)
    return NULL_TREE;
  auto_vec<tree> words;
  for (unsigned i = 0; i < rows.functions.length (); i++)
    words.safe_push (word_constant (0));
  for (tree t = trees.entry_weights; t; t = TREE_CHAIN (t))
    words[tree_to_uhwi (TREE_PURPOSE (t))] = address_word (TREE_VALUE (t), 0);
  tree variable = make_table_variable ("__memprof_entry_weights",
				       build_array_type_nelts (runtime ().word, 1), 8);
  define_word_table (variable, words);
  return variable;
}

void
define_alloc_sites ()
{
  unsigned count = rows.alloc_sites.length ();
  tree type = build_array_type_nelts (unsigned_char_type_node, count);
  TREE_TYPE (trees.alloc_sites) = type;
  relayout_decl (trees.alloc_sites);
  auto_vec<char> zeros;
  zeros.safe_grow_cleared (count);
  tree initial = build_string (count, zeros.address ());
  TREE_TYPE (initial) = type;
  define_table_variable (trees.alloc_sites, initial);
}

/* A variable with the characters of S, or null.  */

tree
define_string (const char *s)
{
  tree type = build_array_type_nelts (char_type_node, strlen (s) + 1);
  tree variable = make_table_variable ("__memprof_backend", type, 1);
  tree initial = build_string (strlen (s) + 1, s);
  TREE_TYPE (initial) = type;
  define_table_variable (variable, initial);
  return variable;
}

void
finish_unit (void *, void *)
{
  if (!trees.unit || seen_error ())
    return;
  // What stood side by side is written already.
  flag_section_anchors = 0;
  auto_vec<mprt_global> globals;
  auto_vec<tree> global_addresses;
  list_globals (rows.strings, globals, global_addresses);
  size_t blob_bytes;
  tree blob = define_blob (globals, &blob_bytes);
  unsigned table_count;
  tree tables = define_descriptor_list (&table_count);
  tree zero = word_constant (0);
  tree global_table = NULL_TREE;
  if (!globals.is_empty ())
    {
      global_table
	= make_table_variable ("__memprof_globals",
			       build_array_type_nelts (runtime ().word, 1), 8);
      define_word_table (global_table, global_addresses);
    }
  if (trees.alloc_sites)
    define_alloc_sites ();

  auto_vec<tree> words;
  words.safe_push (word_constant (MPRT_ABI));
  words.safe_push (address_word (blob, 0));
  words.safe_push (word_constant (blob_bytes));
  words.safe_push (address_word (tables, 0));
  words.safe_push (word_constant (table_count));
  words.safe_push (global_table ? address_word (global_table, 0) : zero);
  words.safe_push (word_constant (globals.length ()));
  words.safe_push (trees.alloc_sites ? address_word (trees.alloc_sites, 0)
				     : zero);
  words.safe_push (word_constant (rows.alloc_sites.length ()));
  words.safe_push (options.backend
		     ? address_word (define_string (options.backend), 0)
		     : zero);
  tree entry_weights = define_entry_weights ();
  words.safe_push (entry_weights ? address_word (entry_weights, 0) : zero);
  words.safe_push (word_constant (entry_weights ? rows.functions.length () : 0));
  gcc_assert (words.length () == k_unit_words);
  define_word_table (trees.unit, words);
  write_rest ();
}

} // anonymous namespace

tree
alloc_site_names ()
{
  if (!trees.alloc_sites)
    {
      trees.alloc_sites
	= make_table_variable ("__memprof_alloc_sites",
			       build_array_type_nelts (unsigned_char_type_node,
						       1),
			       1);
      place_alone (trees.alloc_sites);
    }
  return trees.alloc_sites;
}

void
add_entry_weight (tree weight)
{
  trees.entry_weights
    = tree_cons (word_constant (this_function ()), weight, trees.entry_weights);
}

void
add_descriptors (descriptor_table &descriptors)
{
  descriptors.finish ();
  if (descriptors.words () > 0)
    trees.descriptors
      = tree_cons (word_constant (descriptors.words ()),
		   descriptors.variable (), trees.descriptors);
}

bool
own_function_p (function *fun)
{
  if (!trees.unit
      || (!DECL_STATIC_CONSTRUCTOR (fun->decl)
	  && !DECL_STATIC_DESTRUCTOR (fun->decl)))
    return false;
  basic_block bb;
  FOR_EACH_BB_FN (bb, fun)
    for (gimple_stmt_iterator gsi = gsi_start_bb (bb); !gsi_end_p (gsi);
	 gsi_next (&gsi))
      if (gcall *call = dyn_cast<gcall *> (gsi_stmt (gsi)))
	{
	  // With -fprofile-generate it calls others, too.
	  tree callee = gimple_call_fndecl (call);
	  if (callee == runtime ().register_unit
	      || callee == runtime ().unregister_unit)
	    return true;
	}
  return false;
}

void
register_callbacks (const char *plugin_name, void (*at_end) ())
{
  write_rest = at_end;
  register_runtime_roots (plugin_name);
  register_callback (plugin_name, PLUGIN_REGISTER_GGC_ROOTS, nullptr,
		     const_cast<ggc_root_tab *> (roots));
  register_callback (plugin_name, PLUGIN_ALL_IPA_PASSES_START, start_unit,
		     nullptr);
  register_callback (plugin_name, PLUGIN_ALL_PASSES_START, start_function,
		     nullptr);
  register_callback (plugin_name, PLUGIN_FINISH_UNIT, finish_unit, nullptr);
}

} // namespace memprof::plugin::unit_tables
