/* unit_tables.cc - collects what the unit tells the backend about itself.
   SPDX-License-Identifier: GPL-3.0-or-later

   The tables can be complete only when every function has been compiled, but
   then GCC does not compile functions any more.  So

   1. before the first function is compiled, a constructor and a destructor are
      made that pass the address of a variable of which nothing is known
      yet but its name and size:

	static struct mprt_module module;
	[[constructor (101)]] init () { __mprt_module (&module); }
	[[destructor (101)]] fini () { __mprt_module_unload (&module); }

   2. PLUGIN_FINISH_UNIT defines that variable and what it refers to.  Data can
      still be written then, and TREE_ASM_WRITTEN says which global variables
      are in the output.

   Rows are plain integers in malloc memory; trees that must survive until the
   end are garbage-collection roots.  */

#include "plugin/gcc-common.h"
#include "plugin/tables/unit_tables.h"
#include "plugin/tables/code_options.h"
#include "plugin/tables/descriptor_table.h"
#include "plugin/tables/effective_type.h"
#include "plugin/tables/globals.h"
#include "plugin/options.h"
#include "plugin/sites/runtime_decls.h"
#include "plugin/tables/source_text.h"
#include "plugin/tables/string_pool.h"
#include "plugin/tables/type_table.h"

namespace memprof::plugin::site_table {

namespace {

const int k_priority = 101;
const unsigned k_module_words = sizeof (mprt_module) / 8;

string_pool strings;
auto_vec<mprt_function> functions;
auto_vec<mprt_loop> loops;
auto_vec<mprt_site> sites;
auto_vec<mprt_alloc_site> alloc_sites;
auto_vec<mprt_local> locals;
type_table types;

/* Declared early, defined at the end.  */
struct table_trees
{
  tree module;
  tree alloc_sites;
  tree descriptors;		/* list of (words, variable), last first */
} trees;

/* What the caller of register_callbacks adds to the unit.  */
void (*write_rest) ();

const ggc_root_tab roots[]
  = { { &trees, sizeof trees / sizeof (tree), sizeof (tree),
	&gt_ggc_mx_tree_node, &gt_pch_nx_tree_node },
      LAST_GGC_ROOT_TAB };

uint32_t
intern (const char *s)
{
  return strings.add (s);
}

uint32_t
intern (const text &t)
{
  return strings.add (t.c_str ());
}

const char *
mapped_file (location_t where)
{
  const char *file = LOCATION_FILE (where);
  return file ? remap_debug_filename (file) : "";
}

/* FILE as a row says it: "" if it is that of the current function.  */

uint32_t
row_file (const char *file)
{
  uint32_t row = intern (file);
  return row == functions.last ().file ? 0 : row;
}

/* Whether no row has the identity of ROW.  */

bool
unique_p (const mprt_function &row)
{
  for (const mprt_function &other : functions)
    if (other.file == row.file && other.linkage_name == row.linkage_name)
      return false;
  return true;
}

/* Makes a constructor (WHICH is I) or destructor (D) that calls FUNCTION.  Making it
   collects garbage, so each has its body built when its turn comes.  */

void
make_cdtor (char which, tree function)
{
  tree body = NULL_TREE;
  append_to_statement_list (
    build_call_expr (function, 1, build_fold_addr_expr (trees.module)), &body);
  cgraph_build_static_cdtor (which, body, k_priority);
}

/* Makes the module's variable, constructor and destructor.  Making a function
   runs passes, so a pass cannot do it.  */

void
make_module ()
{
  trees.module
    = make_table_variable ("__memprof_module",
			   build_array_type_nelts (runtime ().word,
						   k_module_words),
			   8);
  location_t current_location = input_location;
  input_location = UNKNOWN_LOCATION;
  // Making a function leaves GCC without a current one.
  function *current = cfun;
  tree current_decl = current_function_decl;
  set_cfun (nullptr);
  current_function_decl = NULL_TREE;
  make_cdtor ('I', runtime ().register_module);
  make_cdtor ('D', runtime ().unregister_module);
  set_cfun (current);
  current_function_decl = current_decl;
  // With options of its own (-Ofast but no-associative-math) the current one may have been
  // given another target on the way, of which nothing is set up.
  if (current && !this_target_rtl->target_specific_initialized)
    init_function_start (current_decl);
  input_location = current_location;
}

/* PLUGIN_ALL_PASSES_START: in front of the first function that may be
   instrumented.  */

void
start_function (void *, void *)
{
  if (!trees.module && !function_left_alone_p (cfun))
    make_module ();
}

/* PLUGIN_ALL_IPA_PASSES_START: a unit that defines variables and no function
   (a table of constants) has a module for their sake.  Not with -flto, where
   the variables meet a function later.  */

void
start_unit (void *, void *)
{
  if (trees.module || flag_generate_lto || in_lto_p || seen_error ())
    return;
  cgraph_node *function;
  FOR_EACH_DEFINED_FUNCTION (function)
    return;
  varpool_node *variable;
  FOR_EACH_DEFINED_VARIABLE (variable)
    if (!variable->alias && !DECL_EXTERNAL (variable->decl))
      {
	make_module ();
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
  header.functions = functions.length ();
  header.loops = loops.length ();
  header.sites = sites.length ();
  header.alloc_sites = alloc_sites.length ();
  header.globals = globals.length ();
  header.locals = locals.length ();
  header.types = types.types ().length ();
  header.fields = types.fields ().length ();
  header.obstacles = types.obstacles ().length ();
  if (!functions.is_empty ())
    header.file = functions[0].file;
  else if (!in_lto_p)
    header.file = intern (remap_debug_filename (main_input_filename));
  header.compiler
    = intern (ACONCAT ((lang_hooks.name, " ", gcc_version.basever, NULL)));
  header.output_dir = intern (options.dir);
  header.module_names = intern (options.modules);
  header.left_out = MPRT_ALL_EVENTS & ~options.events;
  char *text = code_options_text ();
  header.options = intern (text);
  header.options_hash = code_options_hash (text);
  free (text);
  header.strings = strings.bytes ().length ();
  header.mode = options.mode;
  if (options.mode == MODE_OBJECTS)
    header.object_bytes = options.object_bytes;

  auto_vec<char> blob;
  blob.safe_grow (sizeof header);
  memcpy (blob.address (), &header, sizeof header);
  append_rows (blob, functions);
  append_rows (blob, loops);
  append_rows (blob, sites);
  append_rows (blob, alloc_sites);
  append_rows (blob, globals);
  append_rows (blob, locals);
  append_rows (blob, types.types ());
  append_rows (blob, types.fields ());
  append_rows (blob, types.obstacles ());
  append_rows (blob, strings.bytes ());
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

void
define_alloc_sites ()
{
  unsigned count = alloc_sites.length ();
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
  if (!trees.module || seen_error ())
    return;
  auto_vec<mprt_global> globals;
  auto_vec<tree> global_addresses;
  list_globals (strings, globals, global_addresses);
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
  words.safe_push (word_constant (alloc_sites.length ()));
  words.safe_push (options.backend
		     ? address_word (define_string (options.backend), 0)
		     : zero);
  gcc_assert (words.length () == k_module_words);
  define_word_table (trees.module, words);
  write_rest ();
}

} // anonymous namespace

void
begin_function (function *fun, const function_key &key)
{
  mprt_function row = {};
  row.file = intern (key.file);
  row.name = intern (printable_name (fun->decl));
  row.linkage_name = intern (key.linkage_name);
  row.line = key.line;
  row.checksum = key.checksum;
  if (DECL_COMDAT (fun->decl) || DECL_WEAK (fun->decl))
    row.flags |= MPRT_FN_COMDAT;
  if (!TREE_PUBLIC (fun->decl))
    row.flags |= MPRT_FN_STATIC;
  row.first_loop = loops.length ();
  row.first_site = sites.length ();
  if (flag_checking)
    gcc_assert (unique_p (row));
  functions.safe_push (row);
}

unsigned
this_function ()
{
  return functions.length () - 1;
}

unsigned
next_site ()
{
  return sites.length ();
}

unsigned
next_loop ()
{
  return loops.length ();
}

bool
full_p (unsigned more)
{
  return sites.length () + more > MPRT_MAX_SITES;
}

void
add_loop (location_t where, unsigned parent_row)
{
  mprt_loop row = {};
  row.function = functions.length () - 1;
  row.parent = parent_row;
  expanded_location at = expand_location (where);
  row.line = at.line;
  row.column = at.column;
  loops.safe_push (row);
  functions.last ().loops++;
}

void
add_site (const access_site &site, unsigned loop_row)
{
  mprt_site row = {};
  location_t where = gimple_location (site.stmt);
  expanded_location at = expand_location (where);
  row.function = functions.length () - 1;
  row.kind = site.kind;
  row.file = at.file ? row_file (mapped_file (where)) : 0;
  row.line = at.line;
  row.column = at.column;
  row.width = site.width;
  row.loop = loop_row;
  text expression, record, field, inlined;
  expression_text (site, &expression);
  row.expression = intern (expression);
  if (site.ref)
    {
      field_text (site.ref, &record, &field);
      types.note (strings, site.ref);
    }
  row.type = intern (record);
  row.field = intern (field);
  set_effective_type (site, &row);
  inlined_at_text (site.stmt, &inlined);
  row.inlined_at = intern (inlined);
  row.flags = (site.volatile_p ? MPRT_SITE_VOLATILE : 0)
	      | (site.atomic_p ? MPRT_SITE_ATOMIC : 0)
	      | (moves_pointer_p (site) ? MPRT_SITE_POINTER : 0);
  sites.safe_push (row);
  functions.last ().sites++;
}

void
mark_told (const access_site &site)
{
  sites[functions.last ().first_site + site.ordinal].flags |= MPRT_SITE_TELLS;
}

unsigned
add_local (tree decl, location_t where)
{
  mprt_local row = {};
  row.function = functions.length () - 1;
  row.line = LOCATION_LINE (where);
  if (decl)
    {
      text type;
      type_text (TREE_TYPE (decl), &type);
      row.type = intern (type);
      row.name = intern (DECL_NAME (decl)
			   ? IDENTIFIER_POINTER (DECL_NAME (decl))
			   : "");
      unsigned HOST_WIDE_INT bytes = tree_to_uhwi (DECL_SIZE_UNIT (decl));
      row.bytes_low = bytes;
      row.bytes_high = bytes >> 32;
    }
  else
    row.name = intern ("alloca");
  locals.safe_push (row);
  return locals.length () - 1;
}

tree
add_alloc_site (gcall *call, const char *allocator)
{
  if (!trees.alloc_sites)
    trees.alloc_sites
      = make_table_variable ("__memprof_alloc_sites",
			     build_array_type_nelts (unsigned_char_type_node,
						     1),
			     1);
  mprt_alloc_site row = {};
  location_t where = gimple_location (call);
  expanded_location at = expand_location (where);
  row.function = functions.length () - 1;
  row.file = at.file ? row_file (mapped_file (where)) : 0;
  row.line = at.line;
  row.column = at.column;
  row.allocator = intern (allocator);
  text type;
  tree lhs = gimple_call_lhs (call);
  if (lhs && POINTER_TYPE_P (TREE_TYPE (lhs)))
    type_text (TREE_TYPE (TREE_TYPE (lhs)), &type);
  row.type = intern (strcmp (type.c_str (), "void") ? type.c_str () : "");
  alloc_sites.safe_push (row);
  tree target = build2 (MEM_REF, unsigned_char_type_node,
			build_fold_addr_expr (trees.alloc_sites),
			build_int_cst (ptr_type_node,
				       alloc_sites.length () - 1));
  return build1 (ADDR_EXPR, ptr_type_node, target);
}

void
add_obstacle (tree type, const char *kind, const char *detail, location_t where,
	      bool each)
{
  types.add_obstacle (strings, type, kind, detail, where, each);
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
  if (!trees.module
      || (!DECL_STATIC_CONSTRUCTOR (fun->decl)
	  && !DECL_STATIC_DESTRUCTOR (fun->decl)))
    return false;
  basic_block bb;
  FOR_EACH_BB_FN (bb, fun)
    for (gimple_stmt_iterator gsi = gsi_start_bb (bb); !gsi_end_p (gsi);
	 gsi_next (&gsi))
      if (gcall *call = dyn_cast<gcall *> (gsi_stmt (gsi)))
	{
	  tree callee = gimple_call_fndecl (call);
	  return callee == runtime ().register_module
		 || callee == runtime ().unregister_module;
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

} // namespace memprof::plugin::site_table
