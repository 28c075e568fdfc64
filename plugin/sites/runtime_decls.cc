/* runtime_decls.cc - declarations of the runtime's symbols, and table variables.
   SPDX-License-Identifier: GPL-3.0-or-later

   Cursor and limit are volatile: GCC may have found a callee pure before we
   instrumented it, and would then keep their values over the call.  They use
   the initial-exec TLS model, because the runtime is always loaded at program
   start.  */

#include "plugin/gcc-common.h"
#include "plugin/sites/runtime_decls.h"
#include "plugin/target/target.h"

namespace memprof::plugin {

namespace {

runtime_decls decls;

const ggc_root_tab roots[]
  = { { &decls, sizeof decls / sizeof (tree), sizeof (tree),
	&gt_ggc_mx_tree_node, &gt_pch_nx_tree_node },
      LAST_GGC_ROOT_TAB };

tree
declare_variable (const char *name, tree type)
{
  tree decl
    = build_decl (UNKNOWN_LOCATION, VAR_DECL, get_identifier (name), type);
  TREE_PUBLIC (decl) = 1;
  DECL_EXTERNAL (decl) = 1;
  DECL_ARTIFICIAL (decl) = 1;
  DECL_IGNORED_P (decl) = 1;
  TREE_USED (decl) = 1;
  TREE_THIS_VOLATILE (decl) = 1;
  TREE_SIDE_EFFECTS (decl) = 1;
  // -fvisibility=hidden is about the program's own symbols.
  DECL_VISIBILITY (decl) = VISIBILITY_DEFAULT;
  DECL_VISIBILITY_SPECIFIED (decl) = 1;
  varpool_node::get_create (decl);
  return decl;
}

/* Says which variables are of a thread.  GCC keeps that in the nodes of the call graph, and removes
   nodes that no function refers to: those that are made before the passes of a unit whose only
   functions are constructors of -fprofile-generate.  */

void
mark_thread_variables ()
{
  for (tree decl : { decls.room, decls.alloc_site, decls.countdown, decls.work, decls.last_ticket })
    set_decl_tls_model (decl, TLS_MODEL_INITIAL_EXEC);
}

void
add_attribute (tree decl, const char *name)
{
  DECL_ATTRIBUTES (decl)
    = tree_cons (get_identifier (name), NULL_TREE, DECL_ATTRIBUTES (decl));
}

tree
declare_function (const char *name, tree type)
{
  tree decl = build_fn_decl (name, processor::runtime_function_type (type));
  TREE_NOTHROW (decl) = 1;
  DECL_ARTIFICIAL (decl) = 1;
  DECL_VISIBILITY (decl) = VISIBILITY_DEFAULT;
  DECL_VISIBILITY_SPECIFIED (decl) = 1;
  // The first call may come from a signal handler on a small stack, and to bind
  // it takes 3 KB.
  add_attribute (decl, "noplt");
  return decl;
}

void
make_decls ()
{
  decls.word = build_nonstandard_integer_type (64, 1);
  decls.record_word = build_distinct_type_copy (decls.word);
  TYPE_ALIAS_SET (decls.record_word) = new_alias_set ();
  decls.record_pointer
    = build_distinct_type_copy (build_pointer_type (decls.record_word));
  TYPE_ALIAS_SET (decls.record_pointer) = new_alias_set ();
  decls.room = declare_variable (
    "__mprt_room", build_array_type_nelts (decls.record_pointer, 2));
  TREE_ADDRESSABLE (decls.room) = 1;
  decls.alloc_site = declare_variable ("__mprt_alloc_site", decls.word);
  decls.countdown
    = declare_variable ("__mprt_countdown", long_long_integer_type_node);
  decls.work = declare_variable ("__mprt_work", decls.word);
  decls.burst = declare_function (
    "__mprt_burst", build_function_type_list (decls.word, NULL_TREE));
  add_attribute (decls.burst, "cold");
  add_attribute (decls.burst, "leaf");
  decls.slow = declare_function (
    "__mprt_slow", build_function_type_list (decls.record_pointer,
					     decls.record_pointer, NULL_TREE));
  add_attribute (decls.slow, "cold");
  add_attribute (decls.slow, "leaf");
  decls.compared = declare_function (
    "__mprt_compared",
    build_function_type_list (decls.word, decls.word, decls.word, decls.word,
			      decls.word, NULL_TREE));
  add_attribute (decls.compared, "leaf");
  decls.carved = declare_function (
    "__mprt_carved",
    build_function_type_list (void_type_node, ptr_type_node, decls.word, NULL_TREE));
  add_attribute (decls.carved, "leaf");
  decls.scattered = declare_function (
    "__mprt_scattered",
    build_function_type_list (void_type_node, decls.word, decls.word, decls.word,
			      decls.word, NULL_TREE));
  add_attribute (decls.scattered, "leaf");
  decls.last_ticket = declare_variable ("__mprt_last_ticket", decls.word);
  decls.guard_ticket
    = declare_variable ("__mprt_guard_ticket", decls.word);
  decls.order
    = declare_function ("__mprt_order",
			build_function_type_list (void_type_node, NULL_TREE));
  add_attribute (decls.order, "leaf");
  decls.publish
    = declare_function ("__mprt_publish",
			build_function_type_list (void_type_node, NULL_TREE));
  add_attribute (decls.publish, "leaf");
  tree of_record = build_varargs_function_type_list (void_type_node,
						     decls.word, NULL_TREE);
  decls.loop_sample = declare_function ("__mprt_loop_sample", of_record);
  decls.call_sample = declare_function ("__mprt_call_sample", of_record);
  for (tree sample : { decls.loop_sample, decls.call_sample })
    {
      add_attribute (sample, "cold");
      add_attribute (sample, "leaf");
    }
  tree of_module
    = build_function_type_list (void_type_node, const_ptr_type_node,
				NULL_TREE);
  decls.register_unit = declare_function ("__mprt_unit", of_module);
  decls.unregister_unit
    = declare_function ("__mprt_unit_unload", of_module);
  decls.frame_address
    = build_fn_decl ("__builtin_dwarf_cfa",
		     build_function_type_list (ptr_type_node, NULL_TREE));
  set_decl_built_in_function (decls.frame_address, BUILT_IN_NORMAL,
			      BUILT_IN_DWARF_CFA);
  TREE_READONLY (decls.frame_address) = 1;
  TREE_NOTHROW (decls.frame_address) = 1;
}

} // anonymous namespace

const runtime_decls &
runtime ()
{
  if (!decls.word)
    make_decls ();
  if (!DECL_THREAD_LOCAL_P (decls.room))
    mark_thread_variables ();
  return decls;
}

static tree
room_word (unsigned number)
{
  tree word = build4 (ARRAY_REF, runtime ().record_pointer, runtime ().room,
		      size_int (number), NULL_TREE, NULL_TREE);
  TREE_THIS_VOLATILE (word) = 1;
  TREE_SIDE_EFFECTS (word) = 1;
  return word;
}

tree
room_cursor ()
{
  return room_word (0);
}

tree
room_limit ()
{
  return room_word (1);
}

bool
room_p (const_tree t)
{
  return TREE_CODE (t) == ARRAY_REF && TREE_OPERAND (t, 0) == runtime ().room;
}

bool
room_limit_p (const_tree t)
{
  return room_p (t) && integer_onep (TREE_OPERAND (t, 1));
}

void
register_runtime_roots (const char *plugin_name)
{
  register_callback (plugin_name, PLUGIN_REGISTER_GGC_ROOTS, nullptr,
		     const_cast<ggc_root_tab *> (roots));
}

tree
word_constant (unsigned HOST_WIDE_INT value)
{
  return build_int_cstu (runtime ().word, value);
}

tree
address_word (tree decl, HOST_WIDE_INT offset)
{
  tree address = fold_convert (runtime ().word, build_fold_addr_expr (decl));
  return offset == 0 ? address
		     : fold_build2 (PLUS_EXPR, runtime ().word, address,
				    word_constant (offset));
}

tree
make_table_variable (const char *name, tree type, unsigned align_bytes)
{
  tree decl
    = build_decl (UNKNOWN_LOCATION, VAR_DECL, get_identifier (name), type);
  TREE_STATIC (decl) = 1;
  DECL_ARTIFICIAL (decl) = 1;
  DECL_IGNORED_P (decl) = 1;
  TREE_READONLY (decl) = 1;
  TREE_ADDRESSABLE (decl) = 1;
  TREE_USED (decl) = 1;
  // Only code refers to it, and code is not looked at any more when GCC
  // decides which variables are needed.
  DECL_PRESERVE_P (decl) = 1;
  SET_DECL_ALIGN (decl, align_bytes * BITS_PER_UNIT);
  DECL_USER_ALIGN (decl) = 1;
  return decl;
}

void
place_alone (tree variable)
{
  layout_decl (variable, 0);
  const int anchors = flag_section_anchors;
  flag_section_anchors = 0;
  make_decl_rtl (variable);
  flag_section_anchors = anchors;
}

void
define_table_variable (tree variable, tree initial)
{
  TREE_CONSTANT (initial) = 1;
  TREE_STATIC (initial) = 1;
  DECL_INITIAL (variable) = initial;
  varpool_node::finalize_decl (variable);
}

void
define_word_table (tree variable, vec<tree> &words)
{
  tree type
    = build_array_type_nelts (runtime ().word, MAX (words.length (), 1));
  TREE_TYPE (variable) = type;
  relayout_decl (variable);
  vec<constructor_elt, va_gc> *elements = nullptr;
  vec_alloc (elements, words.length ());
  for (unsigned i = 0; i < words.length (); i++)
    CONSTRUCTOR_APPEND_ELT (elements, size_int (i), words[i]);
  define_table_variable (variable, build_constructor (type, elements));
}

} // namespace memprof::plugin
